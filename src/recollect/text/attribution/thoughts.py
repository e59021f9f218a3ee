"""Removes a model's thoughts and files in base64 from a text. Pure, in linear time.

The marks of thoughts differ by model and frontend: elements, brackets, channels, fences, folded blocks. They are names of
protocols, the same in every language. A photo in an answer is megabytes of base64; a mark replaces it.
"""

import re
from collections import deque
from collections.abc import Iterator

from recollect.chunking import fenced_blocks
from recollect.text.attribution.text_spans import Span, cut, tidy
from recollect.text.patterns import anchored, bounded, linear, replaced

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
        3 * sign in text for sign in _THRICE if sign in text
    )
    if not text.startswith(_BARE_CHANNELS) and not (may_open and _OPENINGS.search(text)):
        return text
    if _SIGNS.search(text) is None:
        return text
    said = _said_on_channels(text)
    for find in (_folded, *([_fenced] if _FENCED.search(text) else []), _marked):
        said = cut(said, find(said))
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


IMAGE = "![image]"
"""The mark of an image."""
FILE = "[file]"
_SIGN = ";base64,"
_PAYLOAD = linear(
    _SIGN + r"[A-Za-z0-9+/_%=-]*(?:\r?\n[A-Za-z0-9+/]{40,}={0,2})*(?:\r?\n[A-Za-z0-9+/]{2,75}={1,2})?"
)
_HEAD = anchored(r"data:(?P<kind>[\w.+-]{1,40})/[\w.+-]{1,80}(?:;[\w.=+-]{1,40}){0,3}")
_BEFORE = 300
_HEAD_CHARACTERS = 160
_MARKDOWN = anchored(r"!\[[^\]\n]*\]\(\s*<?")
_ELEMENT = anchored(r"<img\s[^<>\n]*[\"']?", re.IGNORECASE)
_BEHIND_MARKDOWN = anchored(r">?(?:\s+[\"'(][^\n)]{0,300})?\s*\)?")
_BEHIND_ELEMENT = anchored(r"[^<>\n]{0,300}>?")


def without_data(text: str) -> str:
    """Return a text in which a mark stands for each file that is in it as base64."""
    return (
        replaced(text, ((start, end, mark) for start, _, end, mark in _files(text)))
        if _has_data(text)
        else text
    )


def shortened_data(text: str) -> str:
    """Return the beginning of a text that goes on, without its files; one at its very end keeps its head, as more of it follows."""
    if not _has_data(text):
        return text
    last = next(iter(deque(_files(text), maxlen=1)), None)
    if last is None or last[2] < len(text):
        return without_data(text)
    return without_data(text[: last[0]]) + text[last[0] : last[1]]


def _has_data(text: str) -> bool:
    """Return whether a file may be in a text; to look for one rare letter first is twenty times as fast."""
    return ";" in text and _SIGN in text


def _files(text: str) -> Iterator[tuple[int, int, int, str]]:
    """Yield the start of each file, the start of its data, its end, and its mark."""
    at = 0
    for payload in _PAYLOAD.finditer(text):
        sign, end = payload.span()
        begins = text.rfind("data:", max(at, sign - _HEAD_CHARACTERS), sign)
        head = _HEAD.fullmatch(text, begins, sign) if begins >= 0 else None
        if head is None:
            continue
        start = begins
        for opens, pattern, behind in (
            ("![", _MARKDOWN, _BEHIND_MARKDOWN),
            ("<img", _ELEMENT, _BEHIND_ELEMENT),
        ):
            place = text.rfind(opens, max(at, begins - _BEFORE), begins)
            if place >= 0 and pattern.fullmatch(text, place, begins):
                rest = behind.match(text, end)
                start, end = place, rest.end() if rest else end
                break
        yield start, sign + len(_SIGN), end, IMAGE if head["kind"] == "image" else FILE
        at = end
