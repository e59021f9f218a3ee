"""What a turn asks of the memory, derived from its words. Pure."""

from dataclasses import dataclass
from datetime import datetime

from recollect.model import Role, Turn
from recollect.text import cues
from recollect.text.dates import Period, dates_meant
from recollect.text.lexical import identifiers, query_terms
from recollect.text.statement_features import seeks_advice

_BEGINNING, _END = 400, 800
"""Characters read of a long text: about what an embedder reads. Who pastes a page asks before or behind it."""

_BEFORE = 200


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """What a turn asks of the memory.

    Attributes:
        text: What is embedded: the user's words, with what they refer to where they can't stand alone.
        asked: The user's words alone, as far as they are read.
        before: What the user said in the chat right before, as far as it is read; "" where that is nothing.
        terms: The terms that are looked up.
        identifiers: The code identifiers in it, case-folded.
        periods: The dates meant.
        now: When it is asked.
        asks_for_before: Whether it asks for what was said in other sessions.
        asks_about_reply: Whether it asks what the assistant said.
        is_about_oneself: Whether the user speaks of themselves.
        is_small_talk: Whether nothing need be remembered for it.
        asks_about_code: Whether it is about code.
        seeks_advice: Whether it asks for a recommendation, for which tastes count.
        lacks_context: Whether it can't be understood: it goes on from what is not there.
        asks_how_it_was: Whether it asks for what was so once, and may be so no longer.
    """

    text: str
    asked: str
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


def read_query(turn: Turn) -> RecallQuery:
    """Return what ``turn`` asks of the memory."""
    asked = _bounded(turn.text)
    goes_on = cues.cannot_stand_alone(asked)
    text = _with_what_it_refers_to(turn, asked) if goes_on else asked
    return RecallQuery(
        text=text,
        asked=asked,
        before=_bounded(_said_before(turn)),
        terms=query_terms(text),
        identifiers=identifiers(asked),
        periods=dates_meant(asked, turn.at),
        now=turn.at,
        asks_for_before=cues.asks_for_before(asked),
        asks_about_reply=cues.asks_what_assistant_said(asked),
        is_about_oneself=cues.is_about_oneself(asked),
        is_small_talk=cues.is_small_talk(asked),
        asks_about_code=cues.asks_about_code(asked),
        seeks_advice=seeks_advice(asked),
        lacks_context=goes_on and not turn.history,
        asks_how_it_was=cues.asks_how_it_was(asked),
    )


def _bounded(text: str) -> str:
    clean = text.strip()
    if len(clean) <= _BEGINNING + _END:
        return clean
    return f"{clean[:_BEGINNING]}\n{clean[-_END:]}"


def _said_before(turn: Turn) -> str:
    return next((each.text for each in reversed(turn.history) if each.role is Role.USER), "")


def _with_what_it_refers_to(turn: Turn, asked: str) -> str:
    """Put the user's message before, and the beginning of the answer to it, in front of "and the second one?"."""
    said = _said_before(turn)
    answer = turn.history[-1].text if turn.history and turn.history[-1].role is Role.ASSISTANT else ""
    parts = (said[:_BEFORE].strip(), answer[:_BEFORE].strip(), asked)
    return "\n".join(part for part in parts if part)
