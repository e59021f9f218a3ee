"""Takes first sentences of what users said as questions to their own memory. Never: sends them out of this process."""

import random
from datetime import datetime
from math import ceil

from recollect.model import Passage, Role, Scope
from recollect.ports import Backends
from recollect.text.patterns import bounded
from recollect_proxy.calibrate.nearest import Question

_SEED = 2026
_DRAWN_FOR_EACH = 4
"""Documents drawn for each question wanted: many are left out, being memories, replies or later parts of a message."""
_LONGEST = 300
_FEWEST_WORDS = 3
_SENTENCE_ENDS = bounded(r"(?<=[.!?])\s|(?<=[。！？])|\n")  # noqa: RUF001 -- those of Chinese


async def own_questions(backends: Backends, user_id: str, *, at_most: int, at: datetime) -> list[Question]:
    """Return first sentences of messages that the user once sent, drawn alike each time.

    Args:
        backends: Where they are kept.
        user_id: Whose messages.
        at_most: How many questions.
        at: The time at which they are asked.

    Raises:
        StoreError: The store could not be asked.
    """
    documents = (await backends.memories.lexicon(user_id, ())).documents
    numbers = range(documents + 1)
    draw = random.Random(_SEED)  # noqa: S311 -- must come out alike
    drawn = draw.sample(numbers, min(len(numbers), at_most * _DRAWN_FOR_EACH))
    hits = await backends.memories.search(
        Scope(user_id, ""), None, backends.embedder.name, documents=drawn, limit=1, log=True
    )
    passages = {hit.document: hit.item for hit in hits if isinstance(hit.item, Passage)}
    said = [passages[number] for number in drawn if number in passages]
    asked = [
        Question(user_id, sentence, at, of=passage)
        for passage in said
        if passage.role is Role.USER and passage.part == 0 and (sentence := first_sentence(passage.content))
    ]
    return asked[:at_most]


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, 300 characters at most; "" if it is too short to ask for anything."""
    beginning = text.strip()[:_LONGEST]
    sentence = _SENTENCE_ENDS.split(beginning, maxsplit=1)[0].strip()
    words = max(len(sentence.split()), ceil(len(sentence.encode(errors="replace")) / 12))
    return sentence if words >= _FEWEST_WORDS else ""
