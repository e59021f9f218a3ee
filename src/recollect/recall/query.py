"""Reads a turn's question to the memory from its words. Pure."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

from recollect.model import Role, Turn
from recollect.model.local_time import wall
from recollect.text import cues
from recollect.text.attribution import asking_ends, question_in
from recollect.text.cues import seeks_advice
from recollect.text.dates import Period, dates_meant
from recollect.text.lexical import identifiers, query_terms

_BEFORE = 200
"""Characters of the message before, and of its reply, that precede a question that can't stand alone."""
_DOCUMENT = 200
"""Characters of a message that are not its question, from which on they count as a document."""


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """A turn as a query to the memory.

    Attributes:
        text: The text to embed: the user's words, preceded by the last exchange if they can't stand alone.
        asked: The user's words alone; of a long message its beginning and end.
        said: The whole message.
        before: The user's whole message before; "" if there is none.
        terms: The search terms.
        identifiers: The code identifiers in the words, case-folded.
        periods: The dates that the words mean.
        now: The time of the turn, by the person's clock.
        zone: The person's time zone; None: it is not known.
        asks_for_before: Whether it asks for other sessions.
        asks_about_reply: Whether it asks about the assistant's words.
        is_about_oneself: Whether users speak of themselves.
        is_small_talk: Whether it is small talk, which needs no memories.
        asks_about_code: Whether it is about code.
        seeks_advice: Whether it asks for a recommendation, so that tastes count.
        lacks_context: Whether it refers to earlier messages that the request does not carry.
        asks_how_it_was: Whether it asks for the past, so that outdated passages may serve.
        has_document: Whether a document stands next to the question. Most such questions are about the document.
    """

    text: str
    asked: str
    said: str
    before: str
    terms: tuple[str, ...]
    identifiers: frozenset[str]
    periods: tuple[Period, ...]
    now: datetime
    asks_for_before: bool
    asks_about_reply: bool
    is_about_oneself: bool
    is_small_talk: bool
    asks_about_code: bool
    seeks_advice: bool
    lacks_context: bool
    asks_how_it_was: bool = False
    has_document: bool = False
    zone: tzinfo | None = None


def read_query(turn: Turn) -> RecallQuery:
    """Return the query of a turn."""
    question, before = question_in(turn.text), _said_before(turn)
    asked = asking_ends(question.strip())
    goes_on = cues.cannot_stand_alone(asked)
    text = _with_what_it_refers_to(turn, question_in(before), asked) if goes_on else asked
    return RecallQuery(
        text=text,
        asked=asked,
        said=turn.text,
        before=before,
        terms=query_terms(text),
        identifiers=identifiers(asked),
        periods=dates_meant(asked, wall(turn.at)),
        now=wall(turn.at),
        zone=turn.at.tzinfo,
        asks_for_before=cues.asks_for_before(asked),
        asks_about_reply=cues.asks_what_assistant_said(asked),
        is_about_oneself=cues.is_about_oneself(asked),
        is_small_talk=cues.is_small_talk(asked),
        asks_about_code=cues.asks_about_code(asked),
        seeks_advice=seeks_advice(asked),
        lacks_context=goes_on and not turn.history,
        asks_how_it_was=cues.asks_how_it_was(asked),
        has_document=turn.has_document or len(turn.text) - len(question) >= _DOCUMENT,
    )


def read_of(turn: Turn) -> Hashable:
    """Return all that ``read_query`` reads of a turn: turns alike in this have one query."""
    # Equal questions of a moment share a query, and no words mean a time to the second.
    minute = turn.at.replace(second=0, microsecond=0)
    answer = turn.last_answer[:_BEFORE]
    # Python calls two moments equal whatever their zones, and the zone decides which day "today" is.
    return turn.text, _said_before(turn), answer, bool(turn.history), turn.has_document, minute, minute.tzinfo


def asked_before(query: RecallQuery) -> str:
    """Return the words of the message before that ask for something, shortened like the question's own."""
    return asking_ends(question_in(query.before).strip())


def in_the_zone(query: RecallQuery, turn: Turn) -> RecallQuery:
    """Return a query with the dates that it means by the clock of its turn."""
    if query.zone == turn.at.tzinfo:
        return query
    now = wall(turn.at)
    return replace(query, periods=dates_meant(query.asked, now), now=now, zone=turn.at.tzinfo)


def _said_before(turn: Turn) -> str:
    return next((each.text for each in reversed(turn.history) if each.role is Role.USER), "")


def _with_what_it_refers_to(turn: Turn, said: str, asked: str) -> str:
    """Prepend the beginnings of the user's message before and of its reply, for example to "and the second one?"."""
    parts = (said[:_BEFORE].strip(), turn.last_answer[:_BEFORE].strip(), asked)
    return "\n".join(part for part in parts if part)
