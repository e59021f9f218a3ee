"""Guesses the profile field of a statement, and says how important an entry of the profile is in a chat.

The field is guessed by the nearest example, and a person confirms it.
"""

from collections.abc import Sequence

import numpy as np

from recollect.model import ProfileField, Vector
from recollect.ports import Embedder
from recollect.text import read_table

# Of 18 statements in four languages written afterwards, 7 came to their field, 6 to another and 5 to none; of 12 that belong
# nowhere one came to a field.
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
    return [
        each if cosine >= (_LEAST_OF_NAMES if each is ProfileField.NAME else _LEAST) else None
        for each, cosine in likely
    ]


def importance_of(field: ProfileField, vector: Vector | None = None, question: Vector | None = None) -> float:
    """Return how important a statement of a profile is in a chat that begins with a question, 0 to 1.

    Args:
        field: The statement's field.
        vector: Its embedding; None: it has none, or not by the embedder of the question.
        question: The question's embedding, by the same embedder.
    """
    if field in {ProfileField.NAME, ProfileField.ADDRESS, ProfileField.ANSWERS}:
        return 1.0  # how to address and answer the person matters for every question
    if vector is None or question is None:
        return 0.6
    # At most 0.8, as dangers to the person, facts of 0.9 or more, come before all.
    return 0.6 + 0.2 * max(0.0, float(vector @ question))
