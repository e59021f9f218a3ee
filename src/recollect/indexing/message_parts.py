"""Parts a message into what the person says and what they only handed over. Pure. Never: how a part is found.

It is the reading by which formation learns. What an assistant says is all its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recollect.model import LoggedMessage, Role
from recollect.text.attribution import others_words
from recollect.text.normalization import without_cuts

Span = tuple[int, int]

_LEAST = 40
"""Characters of a text of others that is found by itself; a shorter one is left out."""


@dataclass(frozen=True, slots=True)
class MessagePart:
    """A part of a message.

    Attributes:
        begins: Where it begins, in characters.
        ends: Where it ends.
        pasted: Whether others wrote it.
        cuts: Where in the message others' words stand within it: beginning and end by turns.
    """

    begins: int
    ends: int
    pasted: bool = False
    cuts: tuple[int, ...] = ()


def parts_of(message: LoggedMessage, length: int) -> list[MessagePart]:
    """Return the parts of a message's first ``length`` characters, in order."""
    text = message.content[:length]
    if message.role is not Role.USER:
        return [MessagePart(0, len(text))]
    pasted, quoted = others_words(text)
    return list(_parts(len(text), pasted, quoted))


def _parts(length: int, pasted: Sequence[Span], quoted: Sequence[Span]) -> Iterator[MessagePart]:
    at = 0
    for start, end in [*pasted, (length, length)]:
        if at < start:
            yield MessagePart(
                at,
                start,
                cuts=tuple(place for span in quoted if at <= span[0] and span[1] <= start for place in span),
            )
        if end - start >= _LEAST:
            yield MessagePart(start, end, pasted=True)
        at = end


def own_text(text: str, parts: Sequence[MessagePart]) -> str:
    """Return what the person says themselves."""
    own = (without_cuts(text, part.begins, part.ends, part.cuts) for part in parts if not part.pasted)
    return "\n\n".join(said.strip() for said in own if said.strip())
