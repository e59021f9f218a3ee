"""Finds lines of a message that we, not the person, put into the chat. Pure. Never: what else is not theirs."""

from collections.abc import Iterable, Iterator, Sequence

from recollect.formation.reading.cutting import Span, lines_of
from recollect.normalization import normalize
from recollect.patterns import anchored, bounded

_BULLET = anchored(
    r"[ \t]*[-*\u2022][ \t]+(?:\[[A-Z][A-Z_]{2,20}(?: BY [^\]\n]{1,80})?(?:[,;:][^\]\n]{0,60})?\]|(?:User|Assistant|Summary):)[ \t]*"
)
_DATE = bounded(r"[ \t]*\([0-9]{4}-[0-9]{2}-[0-9]{2}[^()\n]{0,80}\)[ \t]*$")
_LEAST = 2
"""So many of our lines together are no coincidence."""


def injected_lines(blocks: Iterable[str]) -> tuple[str, ...]:
    """Return what the bullets of our blocks say, each once: without label and date, on one line.

    Args:
        blocks: As they were added to prompts.
    """
    found: dict[str, None] = {}
    for block in blocks:
        found |= dict.fromkeys(filter(None, map(_bare, _bullets(block))))
    return tuple(found)


def returned_lines(text: str, blocks: Sequence[str]) -> list[Span]:
    """Return where lines of ``text`` stand that are ours.

    A line in the form of our bullets is, with label and date or with words of a block. A line without that
    form is only where at least two stand together: the person may well say again what they said once.
    """
    known = {normalize(_bare(line)) for block in blocks for line in [*_bullets(block), *block.splitlines()]}
    found: list[Span] = []
    together: list[Span] = []
    for start, end in lines_of(text):
        line = text[start:end].strip("\n\r")
        if not line.strip():
            continue
        if normalize(_bare(line)) in known:
            together.append((start, end))
            is_bullet = bool(_BULLET.match(line))
        else:
            _keep(found, together)
            together = []
            is_bullet = bool(_BULLET.match(line) and _DATE.search(line))
        if is_bullet:
            found.append((start, end))
    _keep(found, together)
    return sorted(set(found))


def _keep(found: list[Span], together: list[Span]) -> None:
    if len(together) >= _LEAST:
        found += together


def _bullets(block: str) -> Iterator[str]:
    """Yield each bullet with the lines that go on with it."""
    bullet: list[str] = []
    for line in block.splitlines():
        if _BULLET.match(line):
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
    opening = _BULLET.match(line)
    return _DATE.sub("", line[opening.end() if opening else 0 :]).strip()
