"""Where the fenced blocks of code of a Markdown text are. Pure. Never: their content."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from recollect.text.patterns import linear

_FENCE = linear(
    r"^(?P<margin>[ \t]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)?)(?P<marks>`{3,}|~{3,})(?P<info>[^\n]*)",
    re.MULTILINE,
)
_FURTHER_IN = 3
"""A closing fence stands at most this many columns further in than the opening one."""


@dataclass(frozen=True, slots=True)
class FencedBlock:
    """A fenced block of code.

    Attributes:
        start: Where the line of its opening fence begins.
        stop: Behind its closing fence; the end of the text when there is none.
        body: Behind its opening fence.
        info: The text after the opening fence: mostly a language, as its author wrote it.
    """

    start: int
    stop: int
    body: int
    info: str


def fenced_blocks(text: str) -> Iterator[FencedBlock]:
    """Yield the fenced blocks of ``text``, in order.

    As in CommonMark 0.31 (4.5), but a fence may be indented by any depth: inside a list it is, and
    elsewhere such lines are code all the same. A block without a closing fence runs to the end.
    """
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opening is None:
            if _opens(fence):
                opening = fence
        elif _closes(fence, opening):
            yield _block(opening, fence.end())
            opening = None
    if opening is not None:
        yield _block(opening, len(text))


def _opens(fence: re.Match[str]) -> bool:
    return fence["marks"][0] == "~" or "`" not in fence["info"]


def _closes(fence: re.Match[str], opening: re.Match[str]) -> bool:
    return (
        fence["marks"].startswith(opening["marks"])
        and not fence["info"].strip()
        and not fence["margin"].strip()
        and len(fence["margin"]) <= len(opening["margin"]) + _FURTHER_IN
    )


def _block(opening: re.Match[str], stop: int) -> FencedBlock:
    return FencedBlock(opening.start(), stop, opening.end(), opening["info"].strip())
