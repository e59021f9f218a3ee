# ruff: noqa: RUF001 - people speak many languages
"""Finds texts in a message that stand between marks, as frontends, agents and people put them. Pure.

A pair of marks is known by its shape: an element and its closing tag, ``[X begin]`` and ``[X end]``, ``--- BEGIN X ---`` and
``--- END X ---``, a label with a number, two equal rules. The words between "begin" and "end" may be any.
Only what programs write is sure, such as ``<open_files>`` or ``[file content begin]``. People write ``<me>`` and ``[spoiler]`` themselves.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from recollect.text.attribution.text_spans import Piece, PieceKind, Span, lines_of, pieces
from recollect.text.patterns import anchored, bounded, linear

_ELEMENT = bounded(
    r"<\|?(?P<closes>/?)(?P<name>[A-Za-z_][\w:.-]{0,60})(?=[\s>/|])(?P<rest>[^<>]{0,500})>",
)
_FORMATTING_NAMES = (
    "a abbr b big br center color div em font h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p q s size small span "
    "strike strong sub sup tt u ul url"
)
_FORMATTING = frozenset(_FORMATTING_NAMES.split())
"""Elements by which people format their own text."""
_OWN_ELEMENT = bounded(
    r"^(?P<of_user>(?:user|human)[_-]?)?(?:query|question|request|message|prompt|input|task|text|says?|ask|feedback|instructions?)$",
    re.IGNORECASE,
)
"""Elements for the person's own words, which clients put next to others with context."""
_BRACKETS = bounded(
    r"(?:[\[\u3010]|\{\{)(?P<closes>/?)#?(?P<label>[^\[\]{}\u3010\u3011\n]{1,80})(?:[\]\u3011]|\}\}):?"
)
_DECORATED = bounded(
    r"^[ \t]{0,8}(?:[^\w\s]{2,40}[ \t]*(?P<label>[^\W_][^\n]{0,78}?)[ \t]*[^\w\s]{0,40}"
    r"|[^\w\s*+>#.\u2022\u2013-][ \t]*(?P<within>[^\W_][^\n]{0,78}?)[ \t]*[^\w\s.,!?;:]"
    r"|(?P<bare>(?:BEGIN|START|END)(?![a-z])[ A-Z0-9_:-]{0,60}))[ \t]*$",
    re.MULTILINE,
)
_MADE_NAME = bounded(r"[_:-]|[a-z][A-Z]|^(?:system|developer|assistant|tool|function)$")
"""The name of an element that a program made up, or a role of the wire."""
_COMMENT = bounded(r"<!--[ \t]{0,8}(?P<closes>/?)(?P<label>[^\n<>]{1,80}?)[ \t]{0,8}-->")
_WORDS_THAT_BEGIN = (
    "begin begins start starts anfang beginn beginning debut début inicio início comienzo inizio begint początek začátek "
    "начало початок başlangıç başlangiç kezdet mulai आरंभ शुरू 开始 開始 시작 بداية"
)
_WORDS_THAT_END = "end ends stop ende fin final fine fim einde koniec konec конец кінець son bitiş bitiş vége selesai समाप्त अंत 结束 結束 終了 끝 نهاية"
_BEGINS, _ENDS = frozenset(_WORDS_THAT_BEGIN.split()), frozenset(_WORDS_THAT_END.split())
"""The words of a label that tell an opening mark from a closing one."""
_UNSPACED = tuple(word for word in (*_BEGINS, *_ENDS) if word > "\u3000")
_PUNCTUATION = str.maketrans(dict.fromkeys(":=\"'#*<>(){}-", " "))
_NOTICE = linear(
    r"^(?:"
    r"System: \[[0-9]{4}-[0-9]{2}-[0-9]{2}[^\]\n]{0,40}\][^\n]*"  # OpenClaw's events
    r"|[A-Z][\w ]{0,60} \(untrusted(?: metadata|,[^)\n]{0,80})?\):[ \t]*"  # the same one's word on who speaks
    r"|\[Historical voice assistant transcript;[^\]\n]{0,200}\][^\n]*"
    r")$",
    re.MULTILINE,
)
_NUMBERED = anchored(
    r"[ \t]{0,3}[\[\u3010][^\[\]\n]{0,40}?[^\W\d_][^\[\]\n]{0,20}?[ _#-]?[0-9]{1,3}[\]\u3011](?:[:\uff1a]|[ \t]*$)"
)
_COUNTED = anchored(r"[ \t]{0,3}[\[\u3010][A-Z][A-Z _-]{1,40}[ _#-]?0[\]\u3011]")
"""A label by a program, which counts from 0."""
_NUMBERS = bounded(r"[A-Z][ _#-]?[0-9]{1,3}$")
_REFERENCE = anchored(r"[ \t]{0,3}(?:\[[0-9]{1,2}\]|[0-9]{1,2}[.)])[ \t]*\S")
_READ = 600
"""Characters in which a reference has its address."""
_FILE = "File: "
_FILE_LABEL = linear(r"(?:\A|\n[ \t]*\n)File: [^\n]{1,255}\.\w{1,8}[ \t]*\n\S")
"""A label, and the first character of its file; below one that was cut out as fenced code the person speaks on."""
_RULE = anchored(r"[ \t]{0,3}(?P<mark>[-=_*~#+\"'])(?P=mark){2,79}[ \t]*\r?$")


_COLONS = (":", "\uff1a")
_LEADING = (*_COLONS, "?", "\uff1f")
_QUOTING = "`\"'"


class _Mark(NamedTuple):
    start: int
    end: int
    keys: tuple[str, ...]
    closes: bool
    kind: PieceKind
    is_made: bool = False
    """Whether a machine writes such a mark, and hardly ever a person."""


class _Block(NamedTuple):
    opens: _Mark
    closes: _Mark
    is_made: bool

    @property
    def named(self) -> re.Match[str] | None:
        """The name by which a client says that these are the person's words."""
        return _OWN_ELEMENT.search(self.opens.keys[0][1:]) if self.opens.kind is PieceKind.CONTEXT else None


def notices(text: str) -> list[Piece]:
    """Return the lines that agents put in front of a message."""
    return pieces((notice.span() for notice in _NOTICE.finditer(text)), PieceKind.CONTEXT)


def comments(text: str) -> list[Piece]:
    """Return the comments of HTML."""
    found: list[Span] = []
    start = text.find("<!--")
    while start >= 0 and (end := text.find("-->", start)) >= 0:
        found.append((start, end + len("-->")))
        start = text.find("<!--", end)
    return pieces(found, PieceKind.CONTEXT)


def paired_blocks(text: str) -> list[Piece]:
    """Return the pieces between pairs of marks, marks included.

    Clients put the person's own words into an element with a telling name ("user_query", or "task" and "question" if no word is
    outside of the blocks): its marks alone are pieces.
    """
    blocks = _blocks_in(text)
    named = [each for each in blocks if each.named]
    is_wrapped = bool(named) and _is_blank_outside(text, blocks)
    own = [each for each in named if is_wrapped or (each.named and each.named["of_user"])]
    found = [_piece(text, each) for each in blocks if each not in own]
    for opening, closing, _ in own:
        words = text[opening.end : closing.start]
        found += pieces([(opening.start, opening.end), (closing.start, closing.end)], PieceKind.CONTEXT)
        found += [_piece(words, each, opening.end) for each in _blocks_in(words)]
    return found


def _blocks_in(text: str) -> list[_Block]:
    return list(_paired(sorted(_marks(text))))


def _piece(text: str, block: _Block, offset: int = 0) -> Piece:
    start, end = block.opens.start, block.closes.end
    before = text[max(0, start - _INDENT) : start].rpartition("\n")
    begins_line = not before[2].strip() and (bool(before[1]) or start <= _INDENT)
    return Piece(
        start + offset, end + offset, block.opens.kind, inline=not begins_line, is_sure=block.is_made
    )


_INDENT = 80


def _is_blank_outside(text: str, blocks: Sequence[_Block]) -> bool:
    at = 0
    for block in blocks:
        if any(map(str.isalnum, text[at : block.opens.start])):
            return False
        at = block.closes.end
    return not any(map(str.isalnum, text[at:]))


def _marks(text: str) -> Iterator[_Mark]:
    if "</" in text or "<|/" in text:
        for tag in _ELEMENT.finditer(text):
            name = tag["name"].lower()
            is_spoken_of = tag.start() and text[tag.start() - 1] in _QUOTING
            if name not in _FORMATTING and not is_spoken_of and not tag["rest"].endswith("/"):
                is_made = bool(
                    tag["rest"].strip() or _MADE_NAME.search(tag["name"]) or tag[0].startswith("<|")
                )
                yield _Mark(*tag.span(), (f"<{name}",), bool(tag["closes"]), PieceKind.CONTEXT, is_made)
    for comment in _COMMENT.finditer(text) if "-->" in text else ():
        if mark := _labelled(comment.span(), comment["label"], closes=bool(comment["closes"])):
            yield mark._replace(is_made=True)
    for label in _BRACKETS.finditer(text):
        if mark := _labelled(label.span(), label["label"], closes=bool(label["closes"]), in_brackets=True):
            yield mark
    for line in _DECORATED.finditer(text):
        if mark := _labelled(line.span(), line["label"] or line["within"] or line["bare"]):
            yield mark


def _labelled(span: Span, label: str, *, closes: bool = False, in_brackets: bool = False) -> _Mark | None:
    """Return the mark of a label. Machines write "[X begin]", "[quote=X]", "[END X 0]" and "BEGIN_X"."""
    words: list[str] = label.casefold().replace("_", " ").translate(_PUNCTUATION).split()
    if closes:
        return _Mark(*span, (f"/{' '.join(words[:1])}",), closes=True, kind=PieceKind.FILE)
    words = _parted(words)
    for edge in (0, -1):
        if words and words[edge] in _BEGINS | _ENDS:
            rest = words[1:] if edge == 0 else words[:-1]
            closes = words[edge] in _ENDS
            is_made = "_" in label or (in_brackets and bool(rest) and (edge == -1 or _NUMBERS.search(label)))
            return _Mark(*span, (f"[{' '.join(rest)}",), closes, PieceKind.FILE, bool(is_made))
    first = words[:1]
    if not words or first[0] in _FORMATTING:
        return None
    keys = f"[{' '.join(words)}", f"/{first[0]}", "["
    return _Mark(*span, keys, closes=False, kind=PieceKind.FILE, is_made=in_brackets and "=" in label)


def _parted(words: list[str]) -> list[str]:
    """Return the words of a label, of which one may be joined with its "begin" or "end", as where no spaces are written."""
    if len(words) != 1:
        return words
    for each in _UNSPACED:
        if words[0].endswith(each) and words[0] != each:
            return [words[0].removesuffix(each), each]
    return words


def _paired(marks: Sequence[_Mark]) -> Iterator[_Block]:
    """Yield the blocks that are closed; one within another belongs to it."""
    last_closing = {mark.keys[0]: mark.start for mark in marks if mark.closes}
    opening: _Mark | None = None
    key = ""
    depth = 0
    is_made = False
    for mark in marks:
        is_made |= mark.is_made
        if opening is None:
            key = next((each for each in mark.keys if last_closing.get(each, -1) > mark.start), "")
            if key and not mark.closes:
                opening, depth, is_made = mark, 1, mark.is_made
        elif key in mark.keys:
            depth += -1 if mark.closes else 1
            if mark.closes and (depth == 0 or mark.start == last_closing[key]):
                yield _Block(opening, mark, is_made)
                opening = None


def numbered_blocks(text: str) -> list[Piece]:
    """Return the text behind labels such as ``[CONTEXT 0]:``, or behind numbers of pages with their addresses, from the first on.

    It ends before the last paragraph of the message, if that follows the last label and only a title comes before the first: people
    ask before or after a paste.
    """
    lines = lines_of(text)
    labels = [
        span
        for span, following in pairwise([*lines, (len(text), len(text))])
        if _NUMBERED.match(text, *span)
        or (_REFERENCE.match(text, *span) and "://" in text[span[0] : min(following[1], span[0] + _READ)])
    ]
    if not labels:
        return []
    start, last = labels[0][0], labels[-1][1]
    end = len(text)
    paragraph, above = text.rstrip().rfind("\n\n", last), text[:start].strip()
    is_title = "\n" not in above and above.endswith(_COLONS)
    if paragraph >= 0 and (is_title or not any(map(str.isalnum, above))):
        end = paragraph
    is_sure = _COUNTED.match(text, start) is not None
    return [Piece(start, end, PieceKind.FILE, is_sure=is_sure)]


def labelled_files(text: str) -> list[Piece]:
    """Return the text behind labels such as ``File: cv.txt``, from the first to the end: Jan writes files so, and people paste them so."""
    label = _FILE_LABEL.search(text) if _FILE in text else None  # a hundred times as fast
    return [Piece(label.start(), len(text), PieceKind.FILE, is_sure=False)] if label else []


def ruled_blocks(text: str) -> list[Piece]:
    """Return the text between two equal rules, or behind a single one that a colon introduces.

    People part their own paragraphs so, too: where nothing stands outside, and where an odd number of rules follow no colon or
    question, it is theirs.
    """
    rules: dict[str, list[Span]] = {}
    for start, end in lines_of(text):
        if rule := _RULE.match(text, start, end - text[start:end].endswith("\n")):
            rules.setdefault(rule["mark"], []).append((start, end))
    found: list[Piece] = []
    for spans in rules.values():
        first, last = spans[0][0], spans[-1][1]
        pairs = [(one[0], other[1]) for one, other in zip(spans[::2], spans[1::2], strict=False)]
        if len(spans) % 2:
            above = text[max(0, first - _INDENT) : first].rstrip()
            ends = len(text) if len(spans) == 1 else last
            is_led = above.endswith(_COLONS if len(spans) == 1 else _LEADING) or (
                not above and len(spans) > 1
            )
            pairs = [(first, ends)] if is_led else []
        if any(map(str.isalnum, text[:first])) or any(map(str.isalnum, text[last:])):
            found += pieces(pairs, PieceKind.QUOTED, is_sure=False)
    return found


_OPENING = anchored(r"\s*<(?P<name>[A-Za-z_][\w:.-]{0,60})(?P<rest>\s[^<>]{0,400})?>")
_CLOSING = bounded(r"</(?P<name>[A-Za-z_][\w:.-]{0,60})>\s*$")
_TAIL = 200
_MOST = 20
"""Elements that are taken off on either side."""


def without_frame(text: str) -> str:
    """Return a message without the elements in front of it and behind it; the whole where nothing else is left.

    An element with the person's own words in it ("user_query") stays; if it alone is left, its words are returned.
    """
    start = end = 0
    for _ in range(_MOST):
        opening = _OPENING.match(text, start)
        if opening is None or _stays(opening["name"]):
            break
        closing = f"</{opening['name']}>"
        if (end := text.find(closing, opening.end())) < 0:
            break
        start = end + len(closing)
    end = len(text)
    for _ in range(_MOST):
        tag = _CLOSING.search(text[max(start, end - _TAIL) : end])
        begins = -1 if tag is None or _stays(tag["name"]) else text.find(f"\n<{tag['name']}", start, end)
        if begins < 0:
            break
        end = begins
    return _inner(text[start:end].strip()) or text


def is_context(text: str) -> bool:
    """Return whether a text is nothing but elements that a program made, as ``<system-reminder>``, one behind the other."""
    start = 0
    while opening := _OPENING.match(text, start):
        name = opening["name"]
        is_made = opening["rest"] or _MADE_NAME.search(name)
        if not is_made or _stays(name) or (end := text.find(f"</{name}>", opening.end())) < 0:
            return False
        start = end + len(f"</{name}>")
    return start > 0 and not text[start:].strip()


def _stays(name: str) -> bool:
    return name.lower() in _FORMATTING or _OWN_ELEMENT.search(name) is not None


def _inner(text: str) -> str:
    opening = _OPENING.match(text)
    if opening is None or _OWN_ELEMENT.search(opening["name"]) is None:
        return text
    end = text.find(closing := f"</{opening['name']}>")
    return text[opening.end() : end].strip() if end == len(text) - len(closing) else text
