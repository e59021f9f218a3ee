"""The pages of administrators alone: users, opening the memory of one, trying a recall or an extraction for them; and figures.

The figures are on recall, formation and the store, over all users, and name none.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple
from uuid import uuid4

from litestar import Response, get, post
from litestar.params import FromQuery

from recollect.engine import system_clock
from recollect.engine.people.weekly_report import share
from recollect.engine.turns.explain import InspectedCandidate, Inspection
from recollect.errors import (
    BudgetSpentError,
    CredentialGoneError,
    ExtractorError,
    ExtractorPausedError,
    ExtractorTimeoutError,
    ExtractorUnusableError,
    InvalidExtractionError,
)
from recollect.model import DayOfActivity, Message, Role, Scope, StoreSize, Turn
from recollect.model.local_time import wall
from recollect.model.statistics import Histogram, TableSize
from recollect.text.normalization import storable_text
from recollect_proxy.chat.answer_relay import preview
from recollect_proxy.pages.changes_chats_and_data import number_named
from recollect_proxy.pages.failures import BAD_INPUT, PageError
from recollect_proxy.pages.page_request import InVisit, Reading, Transaction, Visit, require_administrator
from recollect_proxy.pages.recalls import memory_of, signals_of
from recollect_proxy.pages.rendering import Catalogue
from recollect_proxy.pages.sign_in import set_session
from recollect_proxy.pages.single_memory import other_id_named

_USERS = 50
_LONGEST_ID = 256


@get("/users")
async def show_users(
    entered: InVisit, words: FromQuery[str] = "", skip: FromQuery[str] = "0"
) -> Response[str]:
    """Return the page of users, by a part of their id, with counts and without contents."""
    require_administrator(entered)
    skipped = number_named(skip)
    users = await entered.engine.users(storable_text(words[:_LONGEST_ID]), limit=_USERS + 1, skipped=skipped)
    return entered.page(
        "users.html",
        users=users[:_USERS],
        words=words[:_LONGEST_ID],
        next=skipped + _USERS if len(users) > _USERS else None,
    )


@post("/look", opt={"reads": True})
async def look_at(change: Transaction) -> Response[str]:
    """Open a user's memory: a session of its own, so that a page of another user's left open can change nothing here."""
    visit = change.visit
    require_administrator(visit)
    user_id = other_id_named(change.form.get("user", ""))
    sessions = visit.parts.authentication.page_sessions
    session = sessions.new(visit.session.principal, looks_at=user_id, ends=visit.session.ends)
    response = visit.back("")
    set_session(response, visit.request, visit.parts, session)
    return response


_LONGEST_QUESTION = 2000
_LONGEST_CONVERSATION, _MOST_MESSAGES, _LONGEST_MODEL = 8000, 20, 256
_SPEAKERS = {"user:": Role.USER, "assistant:": Role.ASSISTANT}
"""The beginnings of lines that open a message; a text without any is one message of the user."""
_MODEL_FAILURES = (
    (InvalidExtractionError, "unreadable"),
    (ExtractorTimeoutError, "late"),
    (ExtractorPausedError, "paused"),
    (BudgetSpentError, "budget"),
    (CredentialGoneError, "key"),
    (ExtractorUnusableError, "unusable"),
    (ExtractorError, "failed"),
)
"""The names of the words for errors of the model; the first match counts."""
_KEPT = ("add", "replace", "quarantine")
_LEFT_OUT = 25
"""The most candidates that are shown with the reason why they were left out."""


@get("/playground")
async def show_playground(visit: Reading, question: FromQuery[str] = "") -> Response[str]:
    """Return the page with the memories that a chat of the user's would get for a question, and why."""
    require_administrator(visit)
    asked = storable_text(question[:_LONGEST_QUESTION]).strip()
    if not asked:
        return _page(visit)
    turn = Turn(Scope(visit.user_id, str(uuid4())), asked, str(uuid4()), system_clock(), "")
    found: Inspection = await visit.engine.inspect(turn)
    items = [_tried(each) for each in found.candidates]
    return _page(
        visit,
        question=asked,
        found=found,
        given=[each for each in items if each["dropped"] is None],
        left=[each for each in items if each["dropped"] is not None][:_LEFT_OUT],
    )


@post("/playground")
async def try_extraction(change: Transaction) -> Response[str]:
    """Show the statements that the model would keep of the user's conversation, and reasons against others."""
    visit, form = change.visit, change.form
    require_administrator(visit)
    said, model = storable_text(form.get("conversation", "")).strip(), form.get("model", "").strip()
    conversation = conversation_of(said)
    is_bounded = len(said) <= _LONGEST_CONVERSATION and len(model) <= _LONGEST_MODEL
    is_bounded = is_bounded and len(conversation) <= _MOST_MESSAGES
    if not (is_bounded and any(each.role is Role.USER for each in conversation)):
        raise PageError(BAD_INPUT)
    reader = visit.session.principal.name
    await visit.engine.note_admin_read(visit.user_id, reader=reader, operation="page: extraction")
    given = {"conversation": said, "model": model}
    try:
        trial = await visit.engine.try_formation(visit.user_id, conversation, model=model)
    except ExtractorError as error:
        name = next(name for kind, name in _MODEL_FAILURES if isinstance(error, kind))
        return _page(visit, **given, failure=name)
    kept = [each for each in trial.decisions if each.action in _KEPT]
    other = [each for each in trial.decisions if each.action not in _KEPT and each.action != "ignore"]
    refused = [each for each in trial.decisions if each.action == "ignore"]
    return _page(visit, **given, trial=trial, decided={"kept": kept, "changed": other, "refused": refused})


def conversation_of(text: str) -> list[Message]:
    """Return the messages of a pasted conversation, by the lines that begin with a speaker."""
    messages: list[tuple[Role, list[str]]] = []
    for line in text.splitlines():
        speaker, colon, words = line.partition(":")
        role = _SPEAKERS.get(f"{speaker.strip().casefold()}{colon}")
        if role is not None:
            messages.append((role, [words]))
        elif messages:
            messages[-1][1].append(line)
        else:
            messages.append((Role.USER, [line]))
    texts = [(role, "\n".join(lines).strip()) for role, lines in messages]
    return [Message(role, said) for role, said in texts if said]


def _page(visit: Visit, **values: Any) -> Response[str]:
    plain: dict[str, Any] = {
        "question": "",
        "found": None,
        "given": [],
        "left": [],
        "conversation": "",
        "model": "",
        "failure": None,
        "trial": None,
        "decided": {},
        "longest": _LONGEST_CONVERSATION,
    }
    return visit.page("playground.html", **plain | values)


def _tried(candidate: InspectedCandidate) -> dict[str, Any]:
    """Return the values of something found for a question; its ``score`` is 0 if every chat gets it."""
    outcome = candidate.told
    return {
        "text": preview(candidate.content),
        "memory_id": memory_of(outcome),
        "standing": outcome.get("standing", False),
        "signals": signals_of(outcome["parts"]),
        "score": float(outcome["score"]),
        "dropped": outcome["dropped"],
    }


HEIGHT = 100.0
"""The height of a chart with columns, in its own units; the page stretches it."""

_STEP = 10.0
_GAP = 1.5


@dataclass(frozen=True, slots=True)
class Columns:
    """A chart of one or more values a day, the first day first, without a gap.

    Attributes:
        name: By which the template finds its words.
        days: The days.
        series: The values of each series by its name, one a day; None: unknown.
        unit: The unit of the values: "count", "ms", "seconds" or "share".
        limit: The value at which a column is as high as the chart; None: the largest.
    """

    name: str
    days: Sequence[date]
    series: Mapping[str, Sequence[float | None]]
    unit: str
    limit: float | None = None

    @property
    def top(self) -> float:
        """The value at which a column is as high as the chart."""
        return max(self._known(), default=0) if self.limit is None else self.limit

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        known = self._known()
        return not known or (self.unit == "count" and not any(known))

    @property
    def width(self) -> float:
        """How wide the chart is, in its own units."""
        return _STEP * max(len(self.days), 1)

    def columns(self) -> Iterator[tuple[int, float, float, float, float]]:
        """Yield each day's columns, the series side by side: the series' number, left and upper edge, width, height."""
        if self.top <= 0:
            return
        width = (_STEP - _GAP) / len(self.series)
        for number, values in enumerate(self.series.values()):
            for place, value in enumerate(values):
                height = HEIGHT * min((value or 0.0) / self.top, 1.0)
                left = place * _STEP + _GAP / 2 + number * width
                yield number, round(left, 2), round(HEIGHT - height, 2), width, round(height, 2)

    def _known(self) -> list[float]:
        return [value for values in self.series.values() for value in values if value is not None]


class _Bar(NamedTuple):
    """A value with its name, and the length of its bar: 1 is as long as the longest."""

    name: str
    value: float
    part: float


def bars(values: Mapping[str, float], *, sort: bool = True) -> list[_Bar]:
    """Return the bars of ``values``, the longest first, or in their own order."""
    longest = max(values.values(), default=0) or 1
    given = sorted(values.items(), key=lambda each: -each[1]) if sort else values.items()
    return [_Bar(name, value, value / longest) for name, value in given]


def days_until(last: date, count: int) -> list[date]:
    """Return so many days, ``last`` the last."""
    return [last - timedelta(days=back) for back in range(count - 1, -1, -1)]


_PERIODS = {"7": 7, "14": 14, "30": 30}
"""The periods in days that the page offers; requests are kept for 30."""


@get("/analytics")
async def show_analytics(entered: InVisit, days: FromQuery[str] = "7") -> Response[str]:
    """Return the page of plots, each with a table that says the same."""
    require_administrator(entered)
    if days not in _PERIODS:
        raise PageError(BAD_INPUT)
    engine = entered.engine
    (report, active_days), size, backlog = await asyncio.gather(
        engine.report(_PERIODS[days]), engine.size(), engine.backlog()
    )
    until_today = days_until(wall(datetime.now(UTC), engine.policy.zone).date(), _PERIODS[days])
    return entered.page(
        "analytics.html",
        days=days,
        periods=_PERIODS,
        report=report,
        size=size,
        backlog=backlog,
        bars=bars,
        by_day=_by_day(active_days, until_today),
        since_start=_since_start(entered),
        tables=_tables(size),
    )


_CHARTS: tuple[tuple[str, Mapping[str, Callable[[DayOfActivity], float | None]], str, float | None], ...] = (
    ("hits", {"questions": lambda d: d.questions, "hits": lambda d: d.hits}, "count", None),
    ("hit_rate", {"hit_rate": lambda d: share(d.hits, d.questions)}, "share", 1.0),
    ("latency", {"median": lambda d: d.median_ms, "p95": lambda d: d.p95_ms}, "ms", None),
    ("tokens", {"budget": lambda d: d.budget, "taken": lambda d: d.tokens}, "count", None),
    ("lag", {"median": lambda d: d.median_lag, "p95": lambda d: d.p95_lag}, "seconds", None),
)
"""The charts of days: name, series, unit and limit."""


def _by_day(known: Sequence[DayOfActivity], days: Sequence[date]) -> list[Columns]:
    """Return the charts of ``days``; a day of which nothing is known counts nothing."""
    found = {each.day: each for each in known}
    activity = [found.get(day, DayOfActivity(day)) for day in days]
    return [
        Columns(
            name, days, {each: [read(day) for day in activity] for each, read in series.items()}, unit, limit
        )
        for name, series, unit, limit in _CHARTS
    ]


def _since_start(visit: Visit) -> dict[str, list[_Bar]]:
    """Return the histograms of this process's metrics."""
    words = visit.shown.words
    return {
        "latency": _histogram(words, visit.parts.live.recalls.seconds),
        "lag": _histogram(words, visit.engine.counts.lag),
    }


def _histogram(words: Catalogue, seconds: Histogram) -> list[_Bar]:
    """Return the bars of counts by their upper edges in seconds; the last count has the values above the last edge."""
    labels = [words.duration(edge) for edge in seconds.edges]
    names = [
        *(words("analytics.up_to", edge=edge) for edge in labels),
        words("analytics.over", edge=labels[-1]),
    ]
    return bars(dict(zip(names, seconds.counts, strict=True)), sort=False)


def _tables(size: StoreSize) -> list[tuple[TableSize, int, float]]:
    """Return the tables, the largest first, each with its indexes' bytes and the length of its bar, 0 to 1."""
    indexes = [sum(each.indexes.values()) for each in size.tables]
    taken = [each.bytes + more for each, more in zip(size.tables, indexes, strict=True)]
    largest = max(taken, default=0) or 1
    parts = [each / largest for each in taken]
    return sorted(zip(size.tables, indexes, parts, strict=True), key=lambda each: -each[2])
