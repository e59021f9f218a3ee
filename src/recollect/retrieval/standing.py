"""Chooses the standing part: the statements that stand in every chat regardless of the question. Pure.

Nobody knows what a chat will be about, so they are chosen by their kind and importance: how a person wishes to be answered, what
endangers them, who they are. For a person of whom little is known, these are all statements.
"""

from collections.abc import Callable, Sequence
from datetime import datetime

from recollect.model import Memory, Recollection
from recollect.retrieval.repetition import PromptTexts, are_alike, words_of
from recollect.retrieval.selection import SelectionContext
from recollect.retrieval.worth import in_order


def choose_standing(
    memories: Sequence[Memory],
    *,
    budget: int,
    count: Callable[[str], int],
    now: datetime,
    adds: Callable[[Memory], bool] = lambda _: True,
) -> tuple[Memory, ...]:
    """Return what stands in every chat, what is worth most first: greedily, what still fits.

    Nothing that is over stands, and what is in doubt comes behind all that is sure. Of equals the newest comes first.

    Args:
        memories: Statements that were not superseded, in any order.
        budget: Tokens that their lines may take.
        count: Counts the tokens of a text.
        now: What is over is over by then.
        adds: Tells of one that would fit whether it says anything new; asked in the order in which they are chosen.
    """
    left = budget
    chosen = []
    for memory in in_order(memories, now):
        cost = count(f"\u2022 {memory.content}\n")
        if cost <= left and adds(memory):
            left -= cost
            chosen.append(memory)
    return tuple(chosen)


def standing_part(
    memories: Sequence[Memory],
    chosen: Sequence[Recollection],
    around: SelectionContext,
    *,
    budget: int,
    count: Callable[[str], int],
    now: datetime,
) -> tuple[Recollection, ...]:
    """Return what stands in a chat beside what was recalled for its turn.

    What the prompt says already does not stand there again, nor what was recalled in other words. What was recalled, too,
    bears its score; all else has none.

    Args:
        memories: The user's statements that matter most.
        chosen: What was recalled for the turn.
        around: What else the prompt holds.
        budget: Tokens that the lines may take.
        count: Counts the tokens of a text.
        now: What is over is over by then.
    """
    found = {each.item.id: each.score for each in chosen}
    contents = [*(each.item.content for each in chosen), *(each.content for each in memories)]
    prompt = PromptTexts(around.prompt, contents)
    taken = [words_of(each.item.content) for each in chosen]

    def adds(memory: Memory) -> bool:
        words = words_of(memory.content)
        if memory.id in around.given or around.is_abandoned(memory) or prompt.says(memory.content, words):
            return False
        if memory.id not in found:
            if any(are_alike(words, other) for other in taken):
                return False
            taken.append(words)
        return True

    standing = choose_standing(memories, budget=budget, count=count, now=now, adds=adds)
    return tuple(Recollection(each, found.get(each.id, 0.0), standing=True) for each in standing)
