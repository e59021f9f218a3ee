"""Guesses of what in a profile a statement tells: by the example that it is nearest to. Never: decides; a person confirms it.

The examples are in the file beside. Of 18 statements in four languages that were written when all of this was fixed, 7 came to
their field with the second embedder, 6 to another and 5 to none; of 12 that belong nowhere one came to a field.
"""

from collections.abc import Sequence

import numpy as np

from recollect.model import ProfileField, Vector
from recollect.ports import Embedder
from recollect.text.word_tables import read_table

_LEAST, _LEAST_OF_NAMES = 0.3, 0.5
"""The cosine below which nothing is like anything; short statements of any kind are a little like one that tells a name."""


async def likely_fields(contents: Sequence[str], embedder: Embedder) -> list[ProfileField | None]:
    """Return of what each statement tells, as far as can be guessed; None: of nothing that a profile has.

    Raises:
        EmbedderError: The examples, or the statements, could not be embedded.
    """
    if not contents:
        return []
    examples = [
        (ProfileField(name) if name in set(ProfileField) else None, example)
        for name, told in read_table("recollect.recall", "profile_examples").items()
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

    How to speak to somebody matters whatever is asked; of the rest, what the question is near to comes first. What may endanger
    a person, which is told as a fact of 0.9 or more, comes before that.

    Args:
        field: Of what it tells.
        vector: Its embedding; None: it has none, or not by the embedder of the question.
        question: What is asked, by the same embedder.
    """
    if field in {ProfileField.NAME, ProfileField.ADDRESS, ProfileField.ANSWERS}:
        return 1.0
    if vector is None or question is None:
        return 0.6
    return 0.6 + 0.2 * max(0.0, float(vector @ question))
