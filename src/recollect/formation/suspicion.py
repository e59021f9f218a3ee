"""Finds what may no longer hold because something it depended on was contradicted. Pure. Never: a model.

"Commutes by Caltrain" depends on living where Caltrain goes: an extractor may say so, and what names
the place that was moved from is found by that name.
"""

from collections.abc import Iterator, Sequence

from recollect.formation.difference.cues import tells_of_origin
from recollect.formation.difference.names import proper_names
from recollect.formation.difference.spelling import is_inhabitant
from recollect.formation.difference.subjects import subjects
from recollect.formation.difference.vetoes import of_memory
from recollect.formation.wording import Wording, wording
from recollect.model import Memory

MOST_BY_NAME = 3
"""A name that more statements hold is the person's whole world, and says nothing of what depends on what."""

_MOST_WORDS = 400


def suspects(
    old: Memory, new: Memory, listed: Sequence[Memory], statements: Sequence[Memory], *, speaker: str
) -> Iterator[Memory]:
    """Yield the memories that may no longer hold, each once.

    What tells of somebody else, or where the person comes from, does not depend on where they live now.

    Args:
        old: What was contradicted.
        new: What took its place.
        listed: What the extractor says depends on it.
        statements: What else is known.
        speaker: The name the person goes by, which is in much of what is known.
    """
    found = {memory.id: memory for memory in listed if memory.id != old.id}
    said_new, speaking = wording(new.content), wording(speaker)
    of_whom = subjects(old.content)
    for name in sorted(proper_names(old.content, old.provenance.evidence or "")):
        if _stands(name, said_new) or _stands(name, speaking):
            continue
        naming = [memory for memory in statements if memory.id != old.id and _names(memory, name)]
        if len(naming) <= MOST_BY_NAME:
            found.update(
                {
                    memory.id: memory
                    for memory in naming
                    if not tells_of_origin(of_memory(memory)) and subjects(memory.content) <= of_whom
                }
            )
    yield from found.values()


def _names(memory: Memory, name: str) -> bool:
    return _stands(name, wording(memory.content)) or _stands(name, wording(memory.provenance.evidence or ""))


def _stands(name: str, said: Wording) -> bool:
    """Tell whether a name stands in a text, in some form, whatever the case of its letters."""
    of_name = wording(name)
    if all(word.is_unspaced for word in of_name.words):
        return bool(name) and name in said.text
    return bool(of_name.stems & said.stems) or any(
        is_inhabitant(name, word.plain) for word in said.words[:_MOST_WORDS]
    )
