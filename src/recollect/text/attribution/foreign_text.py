"""Finds what in a message is not the person's own words. Pure.

These are blocks that frontends and agents put in, lines that Recollect itself injected, quoted lines, forwarded mails, long
quotations, code, logs and tables. A tag counts as a frontend's block only where it opens a line and is closed. What was
pasted without a mark is not found here; the model says whose words those are.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum

from recollect.chunking.fences import fenced_blocks
from recollect.text.attribution.cuts import Span, lines_of
from recollect.text.normalization import normalize
from recollect.text.patterns import anchored, bounded, linear

_NAMES = (
    "memory_context memory_user_context memory memories user_memory user_memories retrieved_memories relevant_memories "
    "recollect_memories recollect_history attached_files attached_file attachment attachments source sources user_context "
    "system-reminder system_reminder system_instruction environment_details environment_context context retrieved_context "
    "file files file_content document documents search_results search_result web_search_results tool_result tool_results "
    "tool_response function_results background_information knowledge_base editor_selection open_files selected_code "
    "chat_history conversation_history transcript"
)
_TAG = bounded(
    rf"(?P<line>(?:^|(?<=\n))[ \t]{{0,8}})?<(?P<closes>/?)(?P<name>{'|'.join(map(re.escape, sorted(_NAMES.split(), key=len, reverse=True)))})"
    r"(?=[\s>/])(?:[^<>\n]{0,500})>",
    re.IGNORECASE,
)
_NOTICE = linear(
    r"^(?:"
    r"System: \[[0-9]{4}-[0-9]{2}-[0-9]{2}[^\]\n]{0,40}\][^\n]*"  # OpenClaw's events, in front of what was typed
    r"|[A-Z][\w ]{0,60} \(untrusted(?: metadata|,[^)\n]{0,80})?\):[ \t]*"  # the same one's word on who speaks
    r"|\[Historical voice assistant transcript;[^\]\n]{0,200}\][^\n]*"
    r")$",
    re.MULTILINE,
)
_BULLET = anchored(
    r"[ \t]*[-*\u2022][ \t]+(?:\[[A-Z][A-Z_]{2,20}(?: BY [^\]\n]{1,80})?(?:[,;:][^\]\n]{0,60})?\]|(?:User|Assistant|Summary):)[ \t]*"
)
_SAID_ON = anchored(
    r"[ \t]*[-*\u2022][ \t]+(?:User(?: [^:\n]{1,60})?|Assistant|Summary|Exchange), [0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?: \(no longer so\))?:[ \t]*"
)
_OURS = anchored(r"[ \t]*\u2022[ \t]+")
"""How statements begin."""
_PLAIN_BULLET = anchored(r"[-*\u2022][ \t]+")
_DATE = bounded(r"[ \t]*\([0-9]{4}-[0-9]{2}-[0-9]{2}[^()\n]{0,80}\)[ \t]*$")
"""How lines of earlier versions ended."""
_NOTE = bounded(
    r"[ \t]*\((?:(?:(?:on|due|since|only from|until|was so until) [0-9]{4}-[0-9]{2}-[0-9]{2}|may no longer hold|the user also said otherwise)"
    r"(?:, )?){1,4}\)[ \t]*$"
)
_NUMBER = bounded(r"[ \t]*\(number [0-9]{1,3}\)[ \t]*$")
"""How lines of a list end that a person may refer to by its numbers."""
_LEAST = 2
"""So many of our lines together are no coincidence."""


def frontend_blocks(text: str) -> list[Span]:
    """Return the spans of frontends' blocks, in order, and of lines that agents put in front."""
    return sorted([*_tagged(text), *(notice.span() for notice in _NOTICE.finditer(text))])


def _tagged(text: str) -> Iterator[Span]:
    tags = list(_TAG.finditer(text))
    last_closing = {tag["name"].lower(): tag.start() for tag in tags if tag["closes"]}
    opening: re.Match[str] | None = None
    depth = 0
    for tag in tags:
        name = tag["name"].lower()
        if opening is None:
            if not tag["closes"] and tag["line"] is not None and last_closing.get(name, -1) > tag.start():
                opening, depth = tag, 1
        elif name == opening["name"].lower():
            depth += -1 if tag["closes"] else 1
            if depth == 0 or tag.start() == last_closing[name]:
                yield opening.start(), tag.end()
                opening = None


def injected_lines(blocks: Iterable[str]) -> tuple[str, ...]:
    """Return the bullets of our blocks, each once, on one line, without label and date.

    Args:
        blocks: As they were added to prompts.
    """
    found: dict[str, None] = {}
    for block in blocks:
        found |= dict.fromkeys(filter(None, map(_bare, _bullets(block))))
    return tuple(found)


def returned_lines(text: str, blocks: Sequence[str]) -> list[Span]:
    """Return the spans of lines of ``text`` that Recollect injected earlier.

    A line in the form of our bullets is, with words of a block, or with who said it or a label and when. A line without
    that form is only where at least two stand together: the person may well say again what they said once.
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
            is_bullet = bool(_OURS.match(line) or _BULLET.match(line) or _SAID_ON.match(line))
        else:
            _keep(found, together)
            together = []
            is_bullet = bool(_SAID_ON.match(line) or (_BULLET.match(line) and _DATE.search(line)))
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
    return _NOTE.sub("", _DATE.sub("", unnumbered)).strip()


_QUOTED = anchored(r"[ \t]{0,3}[>\uff1e](?![:;=.,_<({)}0-9]|[ \t]?[0-9]+[ \t]?(?:%|\u20ac|\$|eur|usd))")
_QUOTED_BEHIND = linear(r"[:\uff1a][ \t]{0,3}>[ \t]\S[^\n]*")
_WROTE = anchored(r"(?=[^\n]{0,300}[0-9])[^\n]{4,300}[:\uff1a][ \t]*$")
"""A line that may say who wrote what follows, and when."""
_MAILBOX = bounded(r"[\w.+-]{1,60}@[\w-]{1,60}\.\w")
_MINUTE = bounded(r"\b20[0-9]{2}\b.{0,40}\b[0-9]{1,2}[:.h][0-9]{2}\b")
"""A day and the time of day: nobody heads a list of their own so."""
_RULED = anchored(r"[ \t]*[-_=*]{2,40}[ \t]*[^\W\d][^\n]{3,60}?[ \t]*[-_=*]{2,40}[ \t]*$")
"""The line above a mail that is passed on, between dashes."""
_HEADER = anchored(r"[ \t]*\*{0,2}[^\W\d_][\w-]{0,15}(?: [\w-]{1,10})?\*{0,2}[ \t]?[:\uff1a]\*{0,2}[ \t]*\S")
_FROM = anchored(
    r"[ \t]*\*{0,2}(?:from|von|de|da|od|van|от|kimden|发件人|寄件者|差出人|보낸 사람|من)\*{0,2}[ \t]?[:\uff1a]",
    re.IGNORECASE,
)
_HEAD_LINES = 3
"""A mail's head has its second line within so many lines."""
_LEAST_HEAD = 2
_LONGEST_LINE = 400

_OPENS = bounded('["<\u201e\u201c\u00ab\u00bb\u300c\u300e]')
_QUOTATIONS = tuple(
    (opens, bounded(marks), closes.split())
    for opens, marks, closes in (
        ('"""', '"""', '"""'),
        ("<<<", "<<<|>>>", ">>>"),
        ("\u201e", "[\u201e\u201c\u201d]", "\u201c \u201d"),
        ("\u201c", "[\u201c\u201d]", "\u201d"),
        ("\u00ab", "[\u00ab\u00bb]", "\u00bb"),
        ("\u00bb", "[\u00ab\u00bb]", "\u00ab"),
        ("\u300c", "[\u300c\u300d]", "\u300d"),
        ("\u300e", "[\u300e\u300f]", "\u300f"),
    )
)
"""What opens a quotation; the marks of which none stands within; those of them that close it."""
_STRAIGHT = '"'
_LONG = 40
"""Characters of a quotation that is no title and no expression."""
_WORD = bounded(r"\w+")


def quoted_lines(text: str) -> list[Span]:
    """Return the spans of quoted lines, of the lines that introduce them, and of forwarded mails."""
    lines = lines_of(text)
    ends = len(text.rstrip())
    gap = text.rfind("\n\n", 0, ends)
    found: list[Span] = []
    for number, (start, end) in enumerate(lines):
        line = text[start:end].strip("\r\n")
        following = lines[number + 1 : number + 1 + _HEAD_LINES]
        if _QUOTED.match(line):
            found.append((start, end))
        elif len(line) > _LONGEST_LINE or not line.strip():
            continue
        elif _WROTE.match(line) and _is_quote_next(text, following):
            found.append((start, end))
        elif end < ends and (
            _is_head(text, start, following, has_words=start <= gap)
            or _RULED.match(line)
            or (_WROTE.match(line) and (_MAILBOX.search(line) or _MINUTE.search(line)))
        ):
            return [*found, (start, len(text))]
    behind = [(quote.start() + 1, quote.end()) for quote in _QUOTED_BEHIND.finditer(text)]
    return sorted([*found, *behind])


def _is_quote_next(text: str, lines: Sequence[Span]) -> bool:
    for start, end in lines:
        if text[start:end].strip():
            return bool(_QUOTED.match(text, start, end))
    return False


def _is_head(text: str, start: int, following: Sequence[Span], *, has_words: bool) -> bool:
    """Tell whether a mail's header begins here: lines with a colon, one of which names the sender, followed by text.

    Args:
        text: The whole.
        start: Where the line begins.
        following: The lines behind it.
        has_words: Whether words stand behind the next empty line.
    """
    lines = [
        text[slice(*span)] for span in ((start, following[0][0] if following else len(text)), *following)
    ]
    heads = [line for line in lines if _HEADER.match(line)]
    if len(heads) < _LEAST_HEAD or heads[0] != lines[0]:
        return False
    return any(_MAILBOX.search(head) for head in heads) or (has_words and any(map(_FROM.match, heads)))


def quotations(text: str) -> list[Span]:
    """Return the spans between quotation marks, without the marks.

    They are others' where they are long, or the marks are of the kind that fences a text in.
    """
    return list(_quotations(text))


def _quotations(text: str) -> Iterator[Span]:
    at = 0
    while opening := _OPENS.search(text, at):
        at = opening.start() + 1
        quotation = _quotation(text, opening.start())
        if quotation is None:
            continue
        (begun, start), (end, at) = quotation
        if end - start > _LONG or start - begun > 1:
            yield start, end


def _quotation(text: str, at: int) -> tuple[Span, Span] | None:
    """Return the spans of the marks that open and close the quotation which begins at ``at``."""
    for opens, marks, closes in _QUOTATIONS:
        if text.startswith(opens, at):
            start = at + len(opens)
            mark = marks.search(text, start)
            if mark and mark[0] in closes:
                return (at, start), mark.span()
    if text[at] != _STRAIGHT or (at and _WORD.match(text, at - 1)):
        return None
    end = text.find(_STRAIGHT, at + 1)
    return None if end < 0 or _WORD.match(text, end + 1) else ((at, at + 1), (end, end + 1))


_LEAST_LINES = 3
_READ = 400
"""Characters of a line that are looked at."""
_MARKS = frozenset("{}[]<>=;|&$\\^`")
_MARKED = 0.12
"""Share of such marks in a line of code; prose has about 0.01."""
_LEAST_MARKS = 3


class _Look(IntEnum):
    PROSE = 0
    EMPTY = 1
    PERHAPS = 2
    CODE = 3


_CODE = anchored(
    r"\s*(?:"
    r"(?:[\[(<]?[0-9]{4}[-/.][0-9]{2}[-/.][0-9]{2}[T ,_]{1,2}[0-9]{1,2}:[0-9]{2}|\[?[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4},? [0-9]{1,2}:[0-9]{2})"
    r"|\[?[0-9]{2}:[0-9]{2}:[0-9]{2}\b|[A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2} "  # times of logs
    r"|\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL|CRITICAL)\]?[: \t]|[\w.]{1,80}(?:Error|Exception)\b ?[:(]"
    r"|Traceback \(most recent|Exception in thread |File \"[^\"]{1,200}\", line [0-9]|at [\w$.<>/]{1,200}\([^)]{0,200}\)|Caused by: |\.\.\. [0-9]+ more"
    r"|(?:def|class|func|fn|function|async|public|private|protected|static|void|const|let|var|import|from|package|using|namespace|return|"
    r"throw|elif|try|catch|finally|switch|case|while|for|if|else|interface|struct|enum|export|require|print|echo|sudo|git|docker|npm|pip|"
    r"curl|cd|FROM|WHERE|JOIN|SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER)\b[^\n]{0,200}?(?:[({};=]|:[ \t]*$|[ \t]--?\w)"
    r"|(?:import|from|package|using|#include|#define|#!) ?[\w.<\"/{*]|@\w+(?:\(|[ \t]*$)"
    r"|[+-](?![ \t])[^\n]{0,200}[({};=]|@@ -|diff --git|index [0-9a-f]{7}|\+\+\+ |--- [ab]/"
    r"|\|[^\n|]{0,200}\||[\w.\" -]{0,80}\|[^\n|]{1,80}\||:?-{2,}:? ?\||\+[-=+]{3,}"
    r"|\"[^\"\n]{1,100}\"[ \t]*:|[{}\[\]()]+[,;]?[ \t]*$|</?[A-Za-z][\w:-]{0,40}[^<>\n]{0,200}/?>|<!--|//|/\*|\*/|>>> |\$ \w|#[ \t]*(?:if|endif|define|include)\b"
    r"|[A-Za-z_][\w.-]{2,60}=[^\s=]|[A-Za-z_$][\w.$\[\]'\"]{0,80} (?:=|\+=|-=|:=|=>|->) (?:[\"'({\[0-9-]|[\w.]{1,60}[.(\[])"
    r"|[^\n]{0,200}[()={}\]\"'][;{][ \t]*$|[\w.$]{1,80}\((?![0-9]{1,3}\))[^\n]{0,200}\);?[ \t]*$"
    r")"
)
_SEPARATED = anchored(
    r"[^\t\n]{0,80}\t[^\t\n]{0,80}\t|[^,\n]{1,40},[^, \n][^,\n]{0,40},[^, \n][^,\n]{0,40},?"
)
_INDENTED = anchored(r"(?: {4}|\t)[ \t]*\S")
_CODE_BULLET = anchored(r"[ \t]*(?:[-*+\u2022]|[0-9]{1,3}[.)])[ \t]")


def code_blocks(text: str) -> list[Span]:
    """Return the spans of fenced blocks, closed or not, and of runs of at least three lines that look like code."""
    fenced = [(block.start, block.stop) for block in fenced_blocks(text)]
    return sorted([*fenced, *_runs(text, fenced)])


def _runs(text: str, fenced: list[Span]) -> Iterator[Span]:
    """Yield runs outside the fences: from the first line of code to the last, with lines between that may be code."""
    run: list[Span] = []
    kept = size = sure = 0
    waiting = deque(fenced)
    for start, end in lines_of(text):
        while waiting and waiting[0][1] <= start:
            waiting.popleft()
        is_fenced = bool(waiting) and waiting[0][0] <= start
        look = _Look.PROSE if is_fenced else _look(text[start : min(end, start + _READ)])
        if look is _Look.PROSE or (look is not _Look.CODE and not run):
            if size >= _LEAST_LINES and sure > 1:
                yield run[0][0], run[kept - 1][1]
            run, kept, size, sure = [], 0, 0, 0
            continue
        run.append((start, end))
        size += look is not _Look.EMPTY
        if look is _Look.CODE:
            sure += 1
        if look is not _Look.EMPTY:
            kept = len(run)
    if size >= _LEAST_LINES and sure > 1:
        yield run[0][0], run[kept - 1][1]


def _look(line: str) -> _Look:
    line = line.rstrip("\r\n")
    if not line.strip():
        return _Look.EMPTY
    if _CODE_BULLET.match(line) and not line.lstrip().startswith("* @"):
        return _Look.PROSE
    if _CODE.match(line) or _SEPARATED.fullmatch(line.strip(" ")) or _is_full_of_marks(line):
        return _Look.CODE
    return _Look.PERHAPS if _INDENTED.match(line) else _Look.PROSE


def _is_full_of_marks(line: str) -> bool:
    marks = sum(character in _MARKS for character in line)
    return marks >= _LEAST_MARKS and marks >= _MARKED * len(line.strip())
