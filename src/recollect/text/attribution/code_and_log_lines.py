"""Finds lines in a message that its person did not say: code, logs and tables; and lines that Recollect itself added to prompts. Pure."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum

from recollect.chunking import FencedBlock, fenced_blocks
from recollect.text.attribution.text_spans import Span, lines_of
from recollect.text.normalization import normalize
from recollect.text.patterns import anchored, bounded, linear

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
    r"curl|cd|FROM|WHERE|JOIN|SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER)\b(?:[ \t]?\(|[^\n]{0,200}?(?:\w\(|[{};=]|:[ \t]*$|[ \t]--?\w))"
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


_PROSE_WORDS = 4


def fenced_code(text: str) -> list[Span]:
    """Return the spans of fenced blocks of code. Prose between fences is left out: people paste other texts so, too."""
    return [
        (block.start, block.stop)
        for block in fenced_blocks(text)
        if not _is_prose(text[block.body : block.stop])
    ]


def _is_prose(text: str) -> bool:
    lines = [text[start : min(end, start + _READ)] for start, end in lines_of(text[:_READ_OF_FENCE])]
    return any(len(line.split()) >= _PROSE_WORDS for line in lines) and not any(
        _look(line) is _Look.CODE for line in lines if not line.lstrip().startswith(("```", "~~~"))
    )


_READ_OF_FENCE = 4_000
"""Characters of a fenced block that are read to tell prose from code."""


def code_blocks(text: str) -> list[Span]:
    """Return the spans of fenced blocks, closed or not, and of runs of at least three lines that look like code."""
    fenced = [(block.start, _end_of(block, text)) for block in fenced_blocks(text)]
    return sorted([*fenced, *_runs(text, fenced)])


_LATE_CLOSE = linear(r"\n[ \t]*(?:`{3,}|~{3,})[ \t]+[^\s`~][^\n]*[ \t]")
"""A closing fence with words behind it in its line, which Markdown does not take for one."""


def _end_of(block: FencedBlock, text: str) -> int:
    """Return where a fenced block ends: of one that is never closed, at the empty line behind which no line is code."""
    if block.stop < len(text) or text[block.body : block.stop].rstrip().endswith(("```", "~~~")):
        return block.stop
    if closing := _LATE_CLOSE.search(text[block.body :]):
        mark = closing[0].lstrip()
        return block.body + closing.end() - len(mark.lstrip("`~"))
    last = max(
        (
            end
            for start, end in lines_of(text)
            if start > block.body and _look(text[start : min(end, start + _READ)]) is _Look.CODE
        ),
        default=block.body,
    )
    gap = text.find("\n\n", max(block.body, last - 1))
    return block.stop if gap < 0 else gap


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
"""The fewest adjacent lines of ours that are no coincidence."""


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
