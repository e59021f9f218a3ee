"""Reads a text as people see it: without disguises, and without marks of Markdown. Pure.

Invisible characters are left out. Other forms of ASCII letters and digits (full-width, mathematical, circled), the digits of
all scripts, and all spaces become ASCII, and so do look-alike letters of other scripts, in a word or a text that mixes both.
A label and the value on the next line become one sentence, so that the rules for sentences find a secret in any layout.
"""

import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, islice
from typing import NamedTuple

from recollect.text.lookalike_letters import is_unseen, latin_like, of_one_script
from recollect.text.patterns import anchored, bounded, linear, replaced
from recollect.text.secrets import vocabulary
from recollect.text.secrets.unlock_codes import may_unlock
from recollect.text.secrets.values import (
    CLOSES,
    ENDINGS,
    MOST_PLACES,
    OPENS,
    SEPARATOR,
    SecretSpan,
    ends_clause,
    has_digit,
    is_strange,
)

_FENCE = anchored(r"[ \t>]{0,20}(?:```|~~~)[`~]{0,20}[ \t]{0,4}([^\s`]{0,40})[^`]*$")
_PREFIX = anchored(
    r"[ \t]{0,20}(?:(>)[ \t]?|([-*+\u2022\u25e6\u25aa\xb7]|[0-9]{1,2}[.)])[ \t]{1,4}|(#{1,6})[ ]|\[[ xX]\][ ])"
)
_INLINE = bounded(
    r"\*{2,3}|__|~~|``+|</?(?:b|strong|i|em|u|code|kbd|pre|mark|span|p|br)(?:[ /][^<>\n]{0,80})?>"
    r"|(?<![^\s(>:\uff1a])(?:(\*)[^\s*](?:[^*\n]{0,200}[^\s*])?(\*)|(_)[^\s_](?:[^_\n]{0,200}[^\s_])?(_))(?![^\W_])"
)
_BREAK_TAG, _ROW = "<br", "|"
_BEGIN_LINES = frozenset(" \t>-*+\u2022\u25e6\u25aa\u00b7#[0123456789")
_INLINE_MARKS = "*_~<`"
_AROUND_VALUES, _AROUND_VALUES_ENDS = frozenset("*_`<"), frozenset("*_`>")
_OF_PLAIN_TEXT = frozenset(("", "text", "txt", "plain", "plaintext"))
_SENTENCE_ENDS, _LABEL_ENDS = tuple(".!\u3002\uff01"), (":", "\uff1a", "=", "?", "\uff1f")
_LONGEST_LABEL, _LONGEST_VALUE, _MOST_WORDS, _MOST_OF_LABEL, _LEAST_VALUE = 200, 120, 7, 4, 3
_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_MOST_BLANK_LINES, _MOST_PREFIXES, _MOST_LINES = 2, 6, 20_000


class PlainLayout:
    """A text without marks of layout.

    Attributes:
        text: The text as it is seen.
    """

    def __init__(self, pieces: Sequence[tuple[str, int]]) -> None:
        """Take the visible pieces of the text, none of them empty, each with its position in the original."""
        self.text = "".join(piece for piece, _ in pieces)
        self._starts = list(accumulate((len(piece) for piece, _ in pieces), initial=0))
        self._origins = [origin for _, origin in pieces]

    def in_original(self, found: SecretSpan) -> SecretSpan:
        """Return the span in the text with its marks."""
        return found._replace(start=self._original(found.start), end=self._original(found.end - 1) + 1)

    def _original(self, at: int) -> int:
        piece = bisect_right(self._starts, at) - 1
        return self._origins[piece] + at - self._starts[piece]


class _Line(NamedTuple):
    """The visible text of a line, and the meaning of its marks."""

    seen: str
    is_marked: bool = False
    """It is a quotation, code, or emphasized, as a whole."""
    is_item: bool = False
    is_heading: bool = False


def without_layout(text: str) -> PlainLayout:
    """Return a text without marks of layout, in linear time; what follows the 20,000th line stays as it is."""
    written: list[tuple[str, int]] = []
    above = _Line("")
    language: str | None = None
    at = broken_at = blank_lines = 0
    for number, broken in enumerate(text.splitlines(keepends=True)):
        line = broken.rstrip(_BREAKS)
        if number == _MOST_LINES:
            written.append((text[broken_at:], broken_at))
            break
        fence = _FENCE.match(line) if line.lstrip(" \t>")[:3] in {"```", "~~~"} else None
        if fence is not None:
            language = str(fence[1]).casefold() if language is None else None
        elif not line.strip():
            blank_lines += 1
        else:
            is_code = bool(language) and language not in _OF_PLAIN_TEXT
            below, pieces = (
                (_Line(line), [(line, at)])
                if is_code
                else _parse_line(line, at, in_fence=language is not None)
            )
            if not below.seen:
                blank_lines += 1
                at += len(broken)
                continue
            if number:
                is_far = is_code or blank_lines > _MOST_BLANK_LINES
                between = "\n" if is_far else _between(above, below)
                written.append(("\n\n" if between == "\n" and blank_lines else between, broken_at))
            written += pieces
            above, blank_lines, broken_at = below, 0, at + len(line)
        at += len(broken)
    return PlainLayout([piece for piece in written if piece[0]])


def _parse_line(line: str, at: int, *, in_fence: bool) -> tuple[_Line, list[tuple[str, int]]]:
    """Return a line without its marks, and the pieces that are seen of it with their places in the text."""
    is_quoted = is_item = is_heading = False
    begin = 0
    has_prefix = line.lstrip().startswith(">") if in_fence else line[0] in _BEGIN_LINES
    for _ in range(_MOST_PREFIXES if has_prefix else 0):
        prefix = _PREFIX.match(line, begin)
        if prefix is None:
            break
        is_quoted, is_item = is_quoted or bool(prefix[1]), is_item or bool(prefix[2])
        is_heading = is_heading or bool(prefix[3])
        begin = prefix.end()
    begin += len(line) - begin - len(line[begin:].lstrip(" \t"))
    body, start = line[begin:], begin
    pieces: list[tuple[str, int]] = []
    for mark in (
        _INLINE.finditer(body) if any(each in body for each in _INLINE_MARKS) and not in_fence else ()
    ):
        opening = mark.lastindex and mark.lastindex - 1
        for first, last in (mark.span(opening), mark.span(opening + 1)) if opening else (mark.span(),):
            pieces.append((line[begin : start + first], at + begin))
            if mark[0].startswith(_BREAK_TAG):
                pieces.append((" ", at + start + first))
            begin = start + last
    pieces.append((line[begin:], at + begin))
    said = body.strip()
    is_indented = line.startswith(("    ", "\t"))
    is_wrapped = said[:1] in _AROUND_VALUES and said.rstrip(".:")[-1:] in _AROUND_VALUES_ENDS
    seen = "".join(piece for piece, _ in pieces).strip()
    return _Line(seen, is_quoted or in_fence or is_wrapped or is_indented, is_item, is_heading), pieces


def _between(above: _Line, below: _Line) -> str:
    """Return the text between two lines as they are read: if the first names the second, they are one sentence."""
    labelled = _labelled(above, below)
    if labelled != "\n" or _ROW in {above.seen[:1], below.seen[:1]}:
        return labelled
    return _joint(above.seen, below.seen) or "\n"


def _labelled(above: _Line, below: _Line) -> str:
    """Return the text between a label and the value below it as they are read; a line break for any other two lines."""
    if not above.seen or len(above.seen) > _LONGEST_LABEL:
        return "\n"
    is_name = above.seen.endswith(_LABEL_ENDS)
    is_title = not is_name and (above.is_heading or above.is_marked)
    if not is_name and (above.is_item or (below.is_item and not is_title)):
        return "\n"
    if not (is_name or ((is_title or below.is_marked) and not above.seen.endswith(_SENTENCE_ENDS))):
        return "\n"
    if not _is_value(below):
        return "\n"
    return " " if is_name or not (is_title or len(above.seen.split()) <= _MOST_OF_LABEL) else ": "


def _is_value(line: _Line) -> bool:
    """Return whether a line may be a value alone: one strange word, a number, or marked words in small letters."""
    plain = line.seen.strip("\"'`\u201c\u201d\u201e\u00ab\u00bb")
    words = plain.split()
    if not _LEAST_VALUE <= len(plain) <= _LONGEST_VALUE or len(words) > _MOST_WORDS:
        return False
    if len(words) == 1 and (has_digit(plain) or is_strange(plain.rstrip(ENDINGS))):
        return not plain.endswith(_LABEL_ENDS)
    if all(map(str.isdigit, words)):
        return True
    if (
        (line.is_item and not line.is_marked)
        or plain != plain.lower()
        or plain.endswith((*_LABEL_ENDS, ",", "."))
    ):
        return False
    return len(words) == 1 or (line.is_marked and all(each.replace("-", "").isalpha() for each in words))


_NAMES = (
    f"{vocabulary.PASSWORDS}|{vocabulary.PASSWORDS_UNSPACED}|{vocabulary.PINS}|{vocabulary.CHECKS}"
    f"|{vocabulary.CODES}|{vocabulary.TOKENS}"
)
_NAMED = linear(
    rf"(?i)(?:^|[^\p{{L}}])(?:{_NAMES})(?:[^\p{{L}}]|$)|{vocabulary.PASSWORDS_UNSPACED}",
    captures=False,
    megabytes=16,
)
_ENDS_WITH_NAME = linear(
    rf"(?i)(?:{_NAMES}|(?:{vocabulary.PERSONS})(?:[ ]{vocabulary.LETTER}{{1,14}})?|{vocabulary.ANYTHING_SENT}){SEPARATOR}{{0,3}}$",
    captures=False,
    megabytes=16,
)
_ARTICLE = r"(?:[ ](?:the|die|der|das|le|la|el|il|o|a|de|het))?"
_SIGN = r"[:\x{ff1a}=\x{ff1d}\x{2013}\x{2014}-]|=>|->|\x{2192}"
_ENDS_OPEN = linear(
    rf"(?i)(?:[ ](?:{vocabulary.COPULAS}){_ARTICLE}|[ ](?:{_SIGN})|{vocabulary.PARTICLES})$", captures=False
)
_BEGINS = linear(
    rf"(?i)^((?:(?:{vocabulary.COPULAS}|{'|'.join(vocabulary.TO.values())}){_ARTICLE}|{_SIGN})(?:[ ]{{1,3}}|[:\x{{ff1a}}][ ]{{0,3}})|(?:{vocabulary.PARTICLES}|{_SIGN})[ ]{{0,2}})?"
    r"((?:[0-9][ ]){3,}[0-9]|[^\s,;\x{3002}\x{ff0c}\x{3001}]{3,80})"
)
_VALUE_BEFORE = linear(rf"(?i)^([^\s]{{4,60}})(?:[ ](?:{vocabulary.COPULAS}))?$")
_NO_VALUE = linear(
    r"[0-9]{1,2}[:h.][0-9]{2}|[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4}|[0-9]+[.,][0-9]+|[0-9.,]+[^\w\s#*]|[^\w\s][0-9.,]+|[#@].*|https?:.*"
)
"""A time, a date or a version, an amount, a tag or an address."""
_YEAR = linear(r"(?:19|20)[0-9]{2}")
_CLOSED = tuple(".!?,;\u3002\uff01\uff1f\uff0c")
_READ, _LONG_LINE = 200, 50


def _joint(above: str, below: str) -> str:
    """Return the text that joins a line that names a secret and the line that holds it; "" for any other two lines."""
    tail, head = above[-_READ:], below[:_READ]
    if tail.endswith(_CLOSED):
        return ""
    if len(tail) > _LONG_LINE and head[:1].islower():
        return " "
    first = _VALUE_BEFORE.search(tail)
    if first is not None and _is_bare_value(first[1]) and not _YEAR.fullmatch(first[1]):
        return " " if _NAMED.search(head) else ""
    return _joint_before_value(tail, head)


def _joint_before_value(above: str, below: str) -> str:
    """Return the text that joins a line and the next one, which begins with a value; "" if it does not."""
    begins = _BEGINS.search(below)
    value = begins[2].strip(OPENS + CLOSES).rstrip(ENDINGS) if begins is not None else ""
    if begins is None or not _is_bare_value(value):
        return ""
    others = below[begins.end() :].strip(ENDINGS).split()
    is_alone = not others or all(map(str.isdigit, (value, *others)))
    is_year = _YEAR.fullmatch(value) is not None
    if _ENDS_OPEN.search(above):
        return " " if is_alone or not is_year else ""
    if begins[1]:
        return " " if is_alone or ends_clause(below, begins.end()) else ""
    if is_alone and (_ENDS_WITH_NAME.search(above) or (not is_year and _NAMED.search(above))):
        return ": "
    return " " if is_alone and not is_year and may_unlock(above) else ""


def _is_bare_value(word: str) -> bool:
    return (has_digit(word) or is_strange(word)) and _NO_VALUE.fullmatch(word) is None


_SCRIPTS = ("CYRILLIC ", "GREEK ", "ARMENIAN ", "CHEROKEE ")
_OTHERS = r"\p{Cyrillic}\p{Greek}\p{Armenian}\p{Cherokee}"
_MIXED = linear(rf"[\p{{Latin}}{_OTHERS}]*(?:[A-Za-z][{_OTHERS}]|[{_OTHERS}][A-Za-z])[\p{{Latin}}{_OTHERS}]*")
"""A word of two scripts."""

_LATIN = linear("[A-Za-z]")
_LINE_BREAKS = "\u2028\u2029\x85"
_DOTLESS = "\u0131"
"""Words of Turkish are written with it."""


@dataclass(frozen=True, slots=True)
class UndisguisedText:
    """A text without disguises.

    Attributes:
        text: The visible characters: the text, without its invisible ones.
        in_scripts: The same, each letter in the script in which it is written.
        unseen: The characters that were left out.
    """

    text: str
    in_scripts: str
    unseen: frozenset[str] = frozenset()

    def in_original(self, original: str, found: list[SecretSpan]) -> list[SecretSpan]:
        """Return the span in the original text of a span found in the undisguised one."""
        if not self.unseen or not found:
            return found
        kept = [at for at, each in enumerate(original) if each not in self.unseen]
        return [each._replace(start=kept[each.start], end=kept[each.end - 1] + 1) for each in found]


def undisguised(text: str) -> UndisguisedText:
    """Return a text as people see it, in linear time; ASCII is returned at once.

    If a text has more than 1,000 words of two scripts, the first 1,000 are read so.
    """
    if text.isascii():
        return UndisguisedText(text, text)
    characters = {each: _analyze_character(each) for each in set(text) if not each.isascii()}
    unseen = frozenset(each for each, read in characters.items() if read.is_unseen)
    table = {ord(each): read.form or None for each, read in characters.items() if read.form or read.is_unseen}
    alike = {ord(each): read.latin for each, read in characters.items() if read.latin}
    if table:
        text = text.translate({**table, **dict.fromkeys(map(ord, unseen))})
    in_scripts = text
    is_latin = all(read.latin for read in characters.values() if read.is_of_other_script)
    if alike and is_latin and _LATIN.search(text):
        text = text.translate(alike)
    elif alike:
        text = _of_one_script(text)
    return UndisguisedText(text, in_scripts, unseen)


class _Character(NamedTuple):
    """A character that is not ASCII: the ASCII character it is another form of, the Latin letter it looks like; "": none."""

    form: str
    latin: str
    is_unseen: bool
    is_of_other_script: bool


@lru_cache(10_000)
def _analyze_character(character: str) -> _Character:
    latin = "" if character == _DOTLESS else latin_like(character)
    return _Character(
        _in_ascii(character),
        "" if latin == character else latin,
        is_unseen(character),
        unicodedata.name(character, "").startswith(_SCRIPTS),
    )


def _in_ascii(character: str) -> str:
    """Return the ASCII letter, digit or space that a character is another form of; "" if there is none."""
    if (digit := unicodedata.decimal(character, None)) is not None:
        return str(digit)
    if character in _LINE_BREAKS:
        return "\n"
    form = unicodedata.normalize("NFKC", character)
    if unicodedata.category(character) == "Zs":
        return " "
    return form if len(form) == 1 and form.isascii() and form.isalnum() else ""


def _of_one_script(text: str) -> str:
    """Return a text of the same length in which each word of two scripts is written in one."""
    words = islice(_MIXED.finditer(text), MOST_PLACES)
    return replaced(text, ((*word.span(), of_one_script(word[0])) for word in words))
