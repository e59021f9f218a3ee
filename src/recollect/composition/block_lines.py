"""Renders one memory as a line of the block, with the heading it belongs under. Pure.

A line adds what its words alone do not say: the day of an event, from when and until when a statement holds, and any
doubt. The heading gives the year in which it was said, so that a model does not confuse this date with the others. The bullet
of a statement is a character that people seldom type: by it we recognize our own lines when a frontend sends them back.
"""

import unicodedata
from collections.abc import Callable, Collection
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import NamedTuple

from recollect.composition.quoting import excerpt, quoted, quoted_code, shortened, unfenced
from recollect.model import (
    STATEMENTS,
    ChatPlace,
    Doubt,
    Ending,
    Item,
    Kind,
    Memory,
    Passage,
    Recollection,
    Role,
    Use,
    is_agents,
    project_of,
    team_of,
)
from recollect.model.local_time import wall
from recollect.text.dates.date_finder import beginnings_meant, dates_meant
from recollect.text.normalization import normalize
from recollect.text.patterns import bounded

PASSAGE_TOKENS = 35
"""The most tokens quoted from a passage: one or two sentences."""

CODE_TOKENS = 400
"""The most tokens quoted from a block of code, for a question about code. A small part of it would mean little."""

MESSAGES = "Earlier messages:"
"""The heading above passages."""

ALWAYS = "Always:"
"""The heading above statements that shape every answer."""

_ALWAYS, _PROFILE, _STATEMENT, _PROJECT, _MESSAGE, _CHAT = range(6)
"""The order of a block's parts. Chats come last, each a part of its own."""

_DOUBTS = {
    Doubt.DISPUTED: "the user has also said otherwise",
    Doubt.SUSPECT: "may be out of date",
}
_ENDED = {Ending.CHANGED: "over since", Ending.DONE: "done", Ending.DROPPED: "dropped"}
_DAY = timedelta(days=1)
_YEAR = timedelta(days=366)
_DONE = ("[DONE]", "[NOT DONE]")
_FIRST_MOMENT, _LAST_MOMENT = (0, 0, 0), (23, 59, 59)
_NUMBER = bounded(r"(?<!\d)\d{1,4}(?!\d)")

_SPEAKER_CHARACTERS = 60
_IN_NAMES = " .'\u2019@+-_"
_LETTERS = "LMN"
"""The Unicode categories of letters, marks (the vowels of many scripts) and numbers."""


class Line(NamedTuple):
    """A line of a block.

    Attributes:
        order: The sort key within a block: statements for every answer, the profile, other statements, those of the
            project, messages, and each chat that is asked for; each oldest first.
        heading: The heading above the line.
        text: The line itself, bullet included.
    """

    order: tuple[int, datetime]
    heading: str
    text: str

    @property
    def part(self) -> tuple[int, str]:
        """The lines under one heading: those of two chats stay apart, even if both ended in the same minute."""
        return max(self.order[0], _MESSAGE), self.heading

    @property
    def is_statement(self) -> bool:
        """Whether the line renders a statement; otherwise it renders a message or an entry of the profile."""
        return self.order[0] in {_ALWAYS, _STATEMENT, _PROJECT}


def line_of(
    recollection: Recollection,
    *,
    count: Callable[[str], int],
    focus: Collection[str] = (),
    code_first: bool = False,
    at: datetime | None = None,
) -> Line:
    """Render a recollection as a line, for example ``• Prefers tea`` under ``2026:``.

    A long passage is cut by the case-folded words of the question, ``focus``. With ``at``, the time in the person's zone, the line
    says that something has ended or has not begun; without, it gives dates only.
    """
    item = recollection.item
    zone = None if at is None else at.tzinfo
    if recollection.chat is not None:
        return _line_of_chat(item, recollection.chat, count=count, focus=focus, zone=zone)
    if isinstance(item, Passage):
        text = excerpt_of(item, count=count, focus=focus, code_first=code_first)
        return Line((_MESSAGE, item.said_at), MESSAGES, _message(item, text, wall(item.said_at, zone)))
    if item.kind in STATEMENTS or item.kind is Kind.PROFILE:
        place, heading = (
            _PROFILE if item.kind is Kind.PROFILE else _STATEMENT,
            f"{wall(item.observed_at, zone).year}:",
        )
        if project_of(item.owner):
            place, heading = _PROJECT, f"This {_kind_of_project(item.owner)}, {heading}"
        if item.past is None and item.hints is not None and item.hints.use is Use.ALWAYS:
            place, heading = _ALWAYS, ALWAYS
        return Line(
            (place, item.observed_at), heading, f"\u2022 {_without_marks(item.labelled)}{_notes(item, at)}"
        )
    label = "Summary" if item.kind is Kind.SUMMARY else "Exchange"
    text = f"- {label}, {wall(item.observed_at, zone):%Y-%m-%d}: {quoted(item.content)}"
    return Line((_MESSAGE, item.observed_at), MESSAGES, text)


def _kind_of_project(owner: str) -> str:
    if is_agents(owner):
        return "agent"
    return "team" if team_of(owner) else "project"


def _line_of_chat(
    item: Item, chat: ChatPlace, *, count: Callable[[str], int], focus: Collection[str], zone: tzinfo | None
) -> Line:
    """Render a recollection under its chat, for example under ``Last chat, Friday 27 November 2026, 18:40:``."""
    ended = wall(chat.ended_at, zone)
    name = "Last chat" if chat.is_last else "Chat"
    heading = f"{name}, {ended:%A} {ended.day} {ended:%B %Y, %H:%M}:"
    if isinstance(item, Passage):
        text = excerpt(item.content, limit=chat.tokens, count=count, focus=focus, code=item.code)
        return Line(
            (_CHAT + chat.number, item.said_at), heading, _message(item, text, wall(item.said_at, zone))
        )
    text = shortened(quoted(item.content), limit=chat.tokens, count=count)
    first = datetime.min.replace(tzinfo=UTC)  # the summary comes before the chat's words
    return Line(
        (_CHAT + chat.number, first), heading, f"- Summary, {wall(item.observed_at, zone):%Y-%m-%d}: {text}"
    )


def excerpt_of(
    passage: Passage, *, count: Callable[[str], int], focus: Collection[str] = (), code_first: bool = False
) -> str:
    """Return the part of a passage that the block quotes."""
    limit = CODE_TOKENS if code_first and passage.code else PASSAGE_TOKENS
    return excerpt(passage.content, limit=limit, count=count, focus=focus, code=passage.code)


def was_understood(passage: Passage, quoted_of_it: str, statement: Memory) -> bool:
    """Return whether the quoted part of a message contains a statement's evidence, or is contained in it."""
    if passage.role is not Role.USER:
        return False
    said = normalize(quoted_of_it.strip("\u2026 \n"))
    wording = normalize(statement.provenance.evidence or statement.content)
    return wording in said or said in wording


def _message(passage: Passage, text: str, said_at: datetime) -> str:
    shown = quoted_code(text) if passage.code else quoted(text)
    later = " (since changed)" if passage.changed_at is not None else ""
    gap = "" if shown.startswith("\n") else " "
    return f"- {_who(passage)}, {said_at:%Y-%m-%d}{later}:{gap}{shown}"


def _without_marks(content: str) -> str:
    """Return a statement's words; they can't imitate the ``[DONE]`` mark of the block's own reports."""
    text = quoted(content)
    return f"({text[1:]}" if text.upper().startswith(_DONE) else text


def _notes(memory: Memory, at: datetime | None) -> str:
    """Return a statement's dates and doubt in brackets, for example `` (until 2026-05-01)``; "" if there are none."""
    if (past := memory.past) is not None:
        return f" ({_ENDED[past.known_ending]} {_Day.from_moment(past.until)})"
    if (memory.event_at, memory.holds_from, memory.holds_until, memory.doubt) == (None, None, None, None):
        return ""  # as most; what follows takes longer
    said_at = wall(memory.observed_at, None if at is None else at.tzinfo)
    at = None if at is None else wall(at)
    notes = [*_event(memory, said_at, at), *_validity(memory, said_at, at)]
    if memory.doubt is not None:
        notes.append(_DOUBTS[memory.doubt])
    return f" ({', '.join(notes)})" if notes else ""


def _event(memory: Memory, said_at: datetime, at: datetime | None) -> list[str]:
    """Return when a statement's event is due, or was: a plan reads like one even after its day."""
    if memory.event_at is None:
        return []
    day = _Day.from_moment(memory.event_at)
    is_todo = memory.kind is Kind.TODO
    was_planned = is_todo or said_at < memory.event_at
    is_over = was_planned and at is not None and day.first < at.date()
    if day.is_named(memory.content, said_at):
        return [] if not is_over else ["begun" if day.begins(memory.content, said_at) else "date has passed"]
    return [f"{'was ' if is_over else ''}{'due' if is_todo else 'on'} {day.first:%Y-%m-%d}"]


def _validity(memory: Memory, said_at: datetime, at: datetime | None) -> list[str]:
    """Return from when and until when a statement holds, and whether that is over or still to come."""
    is_to_come = at is not None and memory.holds_from is not None and at < memory.holds_from
    is_over = at is not None and memory.holds_until is not None and memory.holds_until <= at
    notes = []
    for word, mark, alone, moment, is_marked in (
        ("since", "starts", "not yet so", memory.holds_from, is_to_come),
        ("until", "over since", "over", memory.holds_until, is_over),
    ):
        if moment is None:
            continue
        day = _Day.from_moment(moment)
        is_named = day.is_named(memory.content, said_at)
        if is_marked:
            notes.append(alone if is_named else f"{mark} {day}")
        elif not is_named:
            notes.append(f"{word} {day}")
    return notes


class _Day(NamedTuple):
    """A day, month or year, as precise as in the statement: the store has a month's first moment, or its last.

    Attributes:
        first: The day that is kept.
        written: How it is written.
        is_whole: Whether it is a month or a year.
    """

    first: date
    written: str
    is_whole: bool

    @classmethod
    def from_moment(cls, moment: datetime) -> "_Day":
        """Return the day of a moment; a month or a year where the moment is its first or its last."""
        time = moment.hour, moment.minute, moment.second
        is_end = time == _LAST_MOMENT
        begins = moment.date() + _DAY if is_end else moment.date()
        if begins.day != 1 or time not in {_FIRST_MOMENT, _LAST_MOMENT}:
            return cls(moment.date(), f"{moment:%Y-%m-%d}", is_whole=False)
        written = f"{moment:%Y}" if begins.month == 1 else f"{moment:%Y-%m}"
        return cls(moment.date(), f"the end of {written}" if is_end else written, is_whole=True)

    def __str__(self) -> str:
        return self.written

    def is_named(self, content: str, said_at: datetime) -> bool:
        """Return whether a statement's words name it themselves. A day within a year of ``said_at`` needs no year."""
        numbers = {int(number) for number in _NUMBER.findall(content)}
        if self.first.year in numbers and (self.is_whole or self.first.day in numbers):
            return True  # the month's name may be in any language
        spans = dates_meant(content, said_at)
        if self.is_whole:
            return any(self.first in {each.start.date(), each.end.date() - _DAY} for each in spans)
        named = [each.start.date() for each in spans if each.end - each.start <= _DAY]
        is_near = abs(self.first - said_at.date()) <= _YEAR
        return any(
            each == self.first or (is_near and _yearless(each) == _yearless(self.first)) for each in named
        )

    def begins(self, content: str, said_at: datetime) -> bool:
        """Return whether a statement's words name it as the day from which on something holds."""
        return any(_yearless(each) == _yearless(self.first) for each in beginnings_meant(content, said_at))


def _yearless(day: date) -> tuple[int, int]:
    return day.month, day.day


def _who(passage: Passage) -> str:
    """Return who said a passage: ``User``, ``User Ben`` or ``Assistant``; for pasted text, that the user pasted it."""
    if passage.role is Role.ASSISTANT:
        return "Assistant"
    if passage.pasted:
        return "From a text the user pasted"
    speaker = _name(passage.speaker or "")
    return f"User {speaker}" if speaker else "User"


def _name(speaker: str) -> str:
    """Return a speaker's name with every character that no name holds replaced by a space, and shortened."""
    # Blanks that are joined below take room, too, and a name may be as long as its client likes.
    start = unfenced(speaker[: 4 * _SPEAKER_CHARACTERS])
    plain = (
        each if each in _IN_NAMES or unicodedata.category(each)[0] in _LETTERS else " " for each in start
    )
    return " ".join("".join(plain).split())[:_SPEAKER_CHARACTERS].rstrip()
