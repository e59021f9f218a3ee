"""Takes first sentences of what users said as questions to their own memory. Pure."""

import random
from math import ceil

import numpy as np

from recollect.index import Passages, Snapshot
from recollect.text.patterns import bounded
from recollect_proxy.calibrate.nearest import Question

_SEED = 2026
_DRAWN_FOR_EACH = 4
"""Messages drawn for each question wanted: many begin with no sentence that asks for anything."""
_LONGEST = 300
_FEWEST_WORDS = 3
_SENTENCE_ENDS = bounded(r"(?<=[.!?])\s|(?<=[。！？])|\n")  # noqa: RUF001 -- those of Chinese


def own_questions(snapshot: Snapshot, *, at_most: int) -> list[Question]:
    """Return first sentences of messages that the user once sent, the same in each run."""
    passages = snapshot.passages or Passages()
    rows = np.flatnonzero(passages.is_current & passages.columns.by_user & (passages.columns.part == 0))
    draw = random.Random(_SEED)  # noqa: S311 -- must come out alike
    drawn = draw.sample(rows.tolist(), min(len(rows), at_most * _DRAWN_FOR_EACH))
    said = [passages.items[row] for row in drawn]
    asked = [
        Question(snapshot.user_id, sentence, of=passage)
        for passage in said
        if (sentence := first_sentence(passage.content))
    ]
    return asked[:at_most]


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, 300 characters at most; "" if it is too short to ask for anything."""
    beginning = text.strip()[:_LONGEST]
    sentence = _SENTENCE_ENDS.split(beginning, maxsplit=1)[0].strip()
    words = max(len(sentence.split()), ceil(len(sentence.encode(errors="replace")) / 12))
    return sentence if words >= _FEWEST_WORDS else ""
