"""Chooses the standing part: the statements that go into every chat, whatever the question. Pure.

Since the subject of a chat is unknown, use, kind and importance decide: what shapes every answer, how users want to be answered,
what endangers them, who they are. Statements that are needed only if asked for are left out. For a user with few
statements, the standing part holds all others.

The profile field of a statement is guessed by the nearest example, and a person confirms it. Of 18 statements in four languages
that were written when all of this was fixed, 7 came to their field, 6 to another and 5 to none; of 12 that belong nowhere one
came to a field.
"""

from collections.abc import Callable, Sequence
from datetime import datetime

import numpy as np

from recollect.model import Memory, ProfileField, Recollection, Use, Vector
from recollect.ports import Embedder
from recollect.recall.needs import in_order
from recollect.recall.selection import SelectionContext, repeats, words_of
from recollect.text.word_tables import read_table


def choose_standing(
    memories: Sequence[Memory],
    *,
    budget: int,
    count: Callable[[str], int],
    now: datetime,
    adds: Callable[[Memory], bool] = lambda _: True,
) -> tuple[Memory, ...]:
    """Choose statements greedily by `worth` until the budget is used; one that does not fit is skipped.

    Statements that have ended are left out, and those that are needed only if asked for. Doubted statements come last; of equals, the
    newest comes first. ``adds`` decides whether one that would fit adds anything new. It is called in the order of
    choice, and may keep state.
    """
    left = budget
    chosen = []
    for memory in in_order(memories, now):
        if memory.hints is not None and memory.hints.use is Use.ASKED:
            continue
        cost = count(f"\u2022 {memory.labelled}\n")
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
        if memory.id not in found:
            if repeats(words, taken):
                return False
            taken.append(words)
        return True

    standing = choose_standing(memories, budget=budget, count=count, now=now, adds=adds)
    return tuple(Recollection(each, found.get(each.id, 0.0), standing=True) for each in standing)


_LEAST, _LEAST_OF_NAMES = 0.3, 0.5
"""The cosine below which nothing is like anything; short statements of any kind are a little like one that tells a name."""


async def likely_fields(contents: Sequence[str], embedder: Embedder) -> list[ProfileField | None]:
    """Return the likely field of each statement; None for none.

    Raises:
        EmbedderError: The examples, or the statements, could not be embedded.
    """
    if not contents:
        return []
    examples = [
        (ProfileField(name) if name in set(ProfileField) else None, example)
        for name, told in read_table("recollect.recall", "trained/profile_examples").items()
        for example in told
    ]
    vectors = await embedder.embed([*contents, *(example for _, example in examples)])
    near = np.array(vectors[: len(contents)]) @ np.array(vectors[len(contents) :]).T
    best = near.argmax(axis=1)
    likely = [(examples[n][0], float(row[n])) for n, row in zip(best.tolist(), near, strict=True)]
    return [each if cosine >= _least(each) else None for each, cosine in likely]


def _least(field: ProfileField | None) -> float:
    return _LEAST_OF_NAMES if field is ProfileField.NAME else _LEAST


def importance_of(field: ProfileField, vector: Vector | None, question: Vector | None) -> float:
    """Return how important a statement of a profile is in a chat that begins with a question, 0 to 1.

    How to address the person matters for every question; other fields matter by how near they are to it. Dangers to
    the person, facts of 0.9 or more, come before all.

    Args:
        field: The statement's field.
        vector: Its embedding; None: it has none, or not by the embedder of the question.
        question: The question's embedding, by the same embedder.
    """
    if field in {ProfileField.NAME, ProfileField.ADDRESS, ProfileField.ANSWERS}:
        return 1.0
    if vector is None or question is None:
        return 0.6
    return 0.6 + 0.2 * max(0.0, float(vector @ question))
