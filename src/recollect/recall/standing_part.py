"""Chooses the standing part: the statements that go into every chat, whatever the question. Pure.

Since the subject of a chat is unknown, use, kind and importance decide: what shapes every answer, how users want to be answered,
what endangers them, who they are. Statements that are needed only if asked for are left out. For a user with few
statements, the standing part holds all others.
"""

from collections.abc import Callable, Sequence
from datetime import datetime

from recollect.model import Memory, Recollection, Use
from recollect.recall.needs import in_order
from recollect.recall.selection import SelectionContext, repeats, words_of


def choose_standing(
    memories: Sequence[Memory],
    *,
    budget: int,
    count: Callable[[str], int],
    now: datetime,
    adds: Callable[[Memory], bool] = lambda _: True,
) -> tuple[Memory, ...]:
    """Choose statements greedily by `worth` until the budget is used; one that does not fit is skipped.

    Statements that have ended are left out, and those that are needed only if asked for. ``adds`` decides whether one that would
    fit adds anything new.
    """
    left = budget
    chosen = []
    for memory in in_order(memories, now):
        if memory.hints is not None and memory.hints.use is Use.ASKED:
            continue
        cost = count(f"\u2022 {memory.labelled}\n")
        # `adds` comes last: it keeps the words of those that it lets in.
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
    """Choose the standing part of a chat's block, whose lines take at most ``budget`` tokens.

    Statements that the prompt already holds are left out, and so are paraphrases of recalled ones. A statement that
    was also recalled keeps its score; the others have the score 0.
    """
    found = {each.item.id: each.score for each in chosen}
    taken = [words_of(each.item.content) for each in chosen]

    def adds(memory: Memory) -> bool:
        words = words_of(memory.content)
        if (
            memory.id in around.given
            or memory.id in around.not_helpful
            or around.is_abandoned(memory)
            or around.prompt.says(memory.content, words)
        ):
            return False
        if memory.id not in found:  # else its own words are among those taken
            if repeats(words, taken):
                return False
            taken.append(words)
        return True

    standing = choose_standing(memories, budget=budget, count=count, now=now, adds=adds)
    return tuple(Recollection(each, found.get(each.id, 0.0), standing=True) for each in standing)
