"""Cuts out of a model's answer the thoughts that its server did not part from its words. Pure, in linear time.

Their marks differ by model and frontend: elements, brackets, channels, fences, folded blocks. They are names of protocols,
the same in every language.
"""

import re
from collections import deque
from collections.abc import Iterator

from recollect.chunking.fences import fenced_blocks
from recollect.text.attribution.pieces import Span, cut, tidy
from recollect.text.patterns import anchored, bounded, linear

_NAME = (
    r"(?:[\w-]{0,20}[:_-]|ant)?(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection|analysis|scratch_?pad|monologue|cot)"
    r"(?:_[a-z]{1,12})?"
)
_MARK = bounded(
    rf"(?:<\|?|\[|\u25c1)(?P<closes>/|end_(?:of_)?)?(?:begin_of_|start_)?(?P<name>{_NAME})(?:\s[^<>\[\]\n]{{0,200}})?(?:\|?>|\]|\u25b7)",
    re.IGNORECASE,
)
_SURE = bounded(r"think|thought|reasoning", re.IGNORECASE)
"""Names that mark a thought also where only one of the two marks came: a server puts the first into the prompt, or the
answer was cut off."""
_INDENT = 80
"""Characters of white space at most before the first mark of a line."""
_QUOTING = "`\"'\u201c\u2018("
_FOLDED = bounded(
    r"<details(?:\s[^<>\n]{0,200})?\stype=[\"'](?:reasoning|tool_calls|code_interpreter)[\"'][^<>\n]{0,300}>"
    r"|^:::[ \t]{0,3}(?:thinking|reasoning)[ \t]{0,3}$",
    re.IGNORECASE | re.MULTILINE,
)
_FENCED = bounded(r"[`~]{3}[ \t]{0,3}(?:think|thought|reasoning)", re.IGNORECASE)
_CHANNEL = bounded(
    r"<\|channel\|?>[ \t]{0,3}(?P<channel>\w+)[^<\n]{0,80}(?:<\|message\|>|\n|$)|<unused94>(?P<unused>\w+)"
    r"|(?P<ends><\|(?:end|return|call)\|>(?:<\|start\|>\w{1,20})?|<channel\|>|<unused95>)"
)
_SAID = frozenset({"final", "response", "answer"})
_BARE_CHANNELS = "analysis", "assistantfinal"
"""How channels look where the server drops special tokens."""
_WRAPPED = anchored(
    r"\s*<\|?(?:begin_of_|start_)?(?P<name>answer|response|solution|output|final)\|?>", re.IGNORECASE
)
_WRAP_CLOSES = bounded(
    r"<(?:/|\|end_(?:of_)?)(?:answer|response|solution|output|final)\|?>\s*$", re.IGNORECASE
)
_SIGNS = linear(
    r"(?i)think|thought|reason|reflect|analysis|scratch|monolog|cot[\]>_]|<\|?channel|<details|unused94"
)
_OPENINGS = linear(
    rf"(?i)(?:<\|?|\[|\x{{25c1}})(?:/|end_(?:of_)?)?(?:begin_of_|start_)?{_NAME}|<details\s|^:::|\n:::"
    r"|[`~]{3}[ \t]{0,3}(?:think|thought|reasoning)|<\|channel|<\|(?:end|return|call)\|>|<channel\|>|<unused9[45]>",
    captures=False,
)
"""The beginnings of all marks but the bare channels. Every answer of a chat is read with every turn: most have none."""
_BRACKETS = "<", "[", "\u25c1"
_THRICE = ":", "`", "~"
"""Each opening has one of the first, or three of the second in a row. A single sign is found twenty times as fast as three."""


def without_thoughts(text: str) -> str:
    """Return an answer without the thoughts in front of it, or in the midst of it.

    A mark opens a thought at the beginning of a line, or behind another thought; an unclosed thought runs to the end. A lone
    closing mark ends a thought that began with the answer. Marks within code or quotation marks are text.
    """
    may_open = any(map(text.__contains__, _BRACKETS)) or any(
        sign in text and 3 * sign in text for sign in _THRICE
    )
    if not text.startswith(_BARE_CHANNELS) and not (may_open and _OPENINGS.search(text)):
        return text
    if _SIGNS.search(text) is None:
        return text
    said = _said_on_channels(text)
    for find in (_folded, *([_fenced] if _FENCED.search(text) else []), _marked):
        said, _ = cut(said, find(said), gap="")
    return text if said == text else _unwrapped(tidy(said))


def _said_on_channels(text: str) -> str:
    if text.startswith(_BARE_CHANNELS[0]) and _BARE_CHANNELS[1] in text:
        return text.rpartition(_BARE_CHANNELS[1])[2]
    tokens = list(_CHANNEL.finditer(text))
    if not tokens:
        return text
    kept: list[str] = []
    at, is_said = 0, tokens[0]["ends"] is None
    for token in tokens:
        if is_said:
            kept.append(text[at : token.start()])
        at = token.end()
        is_said = token["ends"] is not None or (token["channel"] or token["unused"]).lower() in _SAID
    return "".join((*kept, text[at:] if is_said else ""))


def _folded(text: str) -> Iterator[Span]:
    at = 0
    for opening in _FOLDED.finditer(text):
        if opening.start() >= at:
            closes = "</details>" if opening[0].startswith("<") else "\n:::"
            end = text.find(closes, opening.end())
            at = len(text) if end < 0 else end + len(closes)
            yield opening.start(), at


def _fenced(text: str) -> Iterator[Span]:
    for block in fenced_blocks(text):
        if _SURE.match(block.info):
            yield block.start, block.stop


def _marked(text: str) -> Iterator[Span]:
    opening: re.Match[str] | None = None
    at = 0
    was_opened = False
    for mark in _marks(text):
        if mark["closes"]:
            if opening is not None or (not was_opened and _SURE.search(mark["name"])):
                at = mark.end()
                yield (0 if opening is None else opening.start()), at
                opening, was_opened = None, True
            continue
        was_opened = True
        if opening is None and _begins_line(text, mark.start(), at):
            opening = mark
    if opening is not None and _SURE.search(opening["name"]):
        yield opening.start(), len(text)


def _marks(text: str) -> Iterator[re.Match[str]]:
    """Yield the marks of thoughts, but for those that are spoken of: in code, or between quotation marks."""
    fenced = deque(fenced_blocks(text)) if "```" in text or "~~~" in text else deque()
    for mark in _MARK.finditer(text):
        start = mark.start()
        while fenced and fenced[0].stop <= start:
            fenced.popleft()
        if not ((fenced and fenced[0].start <= start) or (start and text[start - 1] in _QUOTING)):
            yield mark


def _begins_line(text: str, start: int, at: int) -> bool:
    """Return True if a mark is the first of its line, or follows the thought that ends at ``at``."""
    first = max(at, start - _INDENT)
    before = text[first:start]
    return not before.rpartition("\n")[2].strip() and (first == at or "\n" in before)


def _unwrapped(text: str) -> str:
    """Return an answer without the element that parts it from its thoughts."""
    opening = _WRAPPED.match(text)
    if opening is None:
        return text
    inner = text[opening.end() :]
    closing = _WRAP_CLOSES.search(inner)
    return (inner[: closing.start()] if closing else inner).strip()
