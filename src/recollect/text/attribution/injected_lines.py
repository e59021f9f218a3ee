"""Finds lines in a message that Recollect itself added to prompts, and that come back in it. Pure."""

from collections.abc import Iterable, Iterator, Sequence

from recollect.text.attribution.pieces import Span, lines_of
from recollect.text.normalization import normalize
from recollect.text.patterns import anchored, bounded, linear

_BULLET = anchored(r"[ \t]*[-*\u2022][ \t]+(?:\[(?:NOT )?DONE\]|(?:User|Assistant|Summary):)[ \t]*")
_SAID_ON = anchored(
    r"[ \t]*[-*\u2022][ \t]+(?:User(?: [^:\n]{1,60})?|Assistant|Summary|Exchange), [0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?: \(since changed\))?:[ \t]*"
)
_OURS = anchored(r"[ \t]*\u2022[ \t]+")
"""How statements begin."""
_PLAIN_BULLET = anchored(r"[-*\u2022][ \t]+")
_ANY_BULLET = linear(r"(?m)^[ \t]*[-*\x{2022}][ \t]")
_NOTE = bounded(
    r"[ \t]*\((?:(?:(?:on|was on|due|was due|since|starts|until|over since|done|dropped) (?:the end of )?[0-9]{4}(?:-[0-9]{2}){0,2}"
    r"|date has passed|begun|over|not yet so|may be out of date|the user has also said otherwise)(?:, )?){1,4}\)[ \t]*$"
)
_NUMBER = bounded(r"[ \t]*\(number [0-9]{1,3}\)[ \t]*$")
"""How lines of a list end that a person may refer to by its numbers."""
_LEAST = 2
"""So many of our lines together are no coincidence."""


def injected_lines(blocks: Iterable[str]) -> tuple[str, ...]:
    """Return the bullets of the blocks that were added to prompts, each once, on one line, without label and date."""
    found: dict[str, None] = {}
    for block in blocks:
        found |= dict.fromkeys(filter(None, map(_bare, _bullets(block))))
    return tuple(found)


def returned_lines(text: str, blocks: Sequence[str]) -> list[Span]:
    """Return the spans of lines of ``text`` that Recollect injected earlier.

    A line in the form of our bullets is, with words of a block, or with who said it or a label and when. A line without that form
    is one only if at least two come together: a person may well repeat their own words.
    """
    if not blocks and not _ANY_BULLET.search(text):  # most messages
        return []
    known = {normalize(_bare(line)) for block in blocks for line in [*_bullets(block), *block.splitlines()]}
    found: list[Span] = []
    together: list[Span] = []
    for start, end in lines_of(text):
        line = text[start:end].strip("\n\r")
        if not line.strip():
            continue
        if known and normalize(_bare(line)) in known:
            together.append((start, end))
            is_bullet = bool(_OURS.match(line) or _BULLET.match(line) or _SAID_ON.match(line))
        else:
            _keep(found, together)
            together = []
            is_bullet = bool(_SAID_ON.match(line))
        if is_bullet:
            found.append((start, end))
    _keep(found, together)
    return sorted(set(found))


def _keep(found: list[Span], together: list[Span]) -> None:
    if len(together) >= _LEAST:
        found += together


def _bullets(block: str) -> Iterator[str]:
    """Yield each bullet with its continuation lines."""
    bullet: list[str] = []
    for line in block.splitlines():
        if _PLAIN_BULLET.match(line):
            if bullet:
                yield " ".join(bullet)
            bullet = [line]
        elif bullet and line.startswith("  "):
            bullet.append(line.strip())
        elif bullet:
            yield " ".join(bullet)
            bullet = []
    if bullet:
        yield " ".join(bullet)


def _bare(line: str) -> str:
    opening = _SAID_ON.match(line) or _BULLET.match(line) or _PLAIN_BULLET.match(line)
    unnumbered = _NUMBER.sub("", line[opening.end() if opening else 0 :])
    return _NOTE.sub("", unnumbered).strip()
