"""Serves health, probes and metrics of a running proxy: the state of the store, and the counters."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import attrgetter
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec
import structlog
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from recollect.engine import Engine, system_clock
from recollect.engine.counters import AnswerCounts, FormationCounts, ModelUse, RecallCounts
from recollect.engine.live.live_engine import LiveEngine
from recollect.model import Awaits, Backlog, SearchPath, Skip, Unread
from recollect.model.statistics import Histogram
from recollect.ports import Clock
from recollect.text.patterns import anchored
from recollect_proxy.web.asgi import Receive, Scope, Send, respond

_PATIENCE_SECONDS = 1.0

T = TypeVar("T")

log = structlog.get_logger(__name__)


class Inquiry(Generic[T]):
    """Asks the engine something that the store has to answer.

    At most one question is under way, however many ask us: a store that hangs is not drowned in
    questions, and the connections stay with the chats.
    """

    def __init__(
        self,
        live: LiveEngine,
        question: Callable[[Engine], Coroutine[Any, Any, T]],
        *,
        patience: float = _PATIENCE_SECONDS,
    ) -> None:
        """Take what asks, and how many seconds the answer may take."""
        self._live = live
        self._question = question
        self._patience = patience
        self._asking: asyncio.Task[T] | None = None

    async def answer(self) -> T | None:
        """Return the answer; None if the store does not answer in time. Never raises."""
        engine = self._live.engine
        if engine is None:
            return None
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._question(engine))
            self._asking.add_done_callback(_note)
        asking = self._asking
        await asyncio.wait({asking}, timeout=self._patience)
        if asking.done() and not asking.cancelled() and asking.exception() is None:
            return asking.result()
        if not asking.cancelling():
            asking.cancel()  # and not waited for: to let go of a store that hangs takes time too
        return None


@dataclass(frozen=True, slots=True)
class Condition:
    """The backlog of formation, and the use of background models, over all users."""

    backlog: Backlog
    model_use: ModelUse

    @property
    def is_degraded(self) -> bool:
        """Whether exchanges failed, or wait for something that needs an action, or the model's server is left alone."""
        # A spent budget is the operator's wish, a full list its person's, and a given-up exchange needs no action.
        waits = self.backlog.waiting.keys() - {Awaits.BUDGET, Awaits.GIVEN_UP, Awaits.APPROVAL}
        return bool(self.backlog.failed or waits) or self.model_use.left_alone_until is not None


async def read_condition(engine: Engine) -> Condition:
    """Return how things stand."""
    return Condition(await engine.backlog(), await engine.model_use())


def _note(asking: asyncio.Task[T]) -> None:
    error = TimeoutError() if asking.cancelled() else asking.exception()
    if error is not None:
        log.warning("health_check_failed", error=type(error).__name__)


LIVE = b"/memory/live"
READY = b"/memory/ready"
PROBES = frozenset({LIVE, READY})

_NO_STORE = [(b"cache-control", b"no-store")]


class Probes:
    """Answers `/memory/live` and `/memory/ready`.

    ``live`` is 200 whenever the process serves. ``ready`` is 200 from the end of the start until the signal to stop, then 503,
    so that a balancer turns away before the socket closes. It stays 200 while the store is down, as chats pass all the same,
    and a restart would not bring the store back. The body says so, with the number of exchanges that wait for the store:
    ``{"ready": true, "memory": "unavailable", "waiting": 12}``.

    Attributes:
        is_started: Whether the start is complete.
        draining: Whether the signal to stop has come.
    """

    def __init__(self, live: LiveEngine, *, patience: float = _PATIENCE_SECONDS) -> None:
        """Take the engine to ask, and the seconds that ``ready`` may take."""
        self._live = live
        self._inquiry = Inquiry(live, read_condition, patience=patience)
        self.is_started = False
        self.draining = False

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["method"] not in {"GET", "HEAD"}:  # the server leaves out the body for a HEAD
            allow = [(b"allow", b"GET, HEAD"), *_NO_STORE]
            await respond(send, 405, b"", content_type=b"application/json", headers=allow)
        elif scope["raw_path"] == LIVE:
            await _say(send, 200, {"live": True})
        else:
            ready = self.is_started and not self.draining
            memory = "unavailable" if await self._inquiry.answer() is None else "available"
            await _say(
                send,
                200 if ready else 503,
                {"ready": ready, "memory": memory, "waiting": self._live.log_writer.waiting.exchanges},
            )


async def _say(send: Send, status: int, said: dict[str, object]) -> None:
    body = msgspec.json.encode(said)
    await respond(send, status, body, content_type=b"application/json", headers=_NO_STORE)


CONTENT_TYPE = "text/plain; version=0.0.4"

_SCAN_SECONDS = 5.0
_KEPT_SECONDS = 15.0
"""How long a count of the store is kept: it takes a scan."""

_NAME = anchored(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


_Figures: TypeAlias = Sequence[tuple[str, str, str]]
"""Metrics of one attribute each: name, description, attribute. A gauge is left out while its attribute is None."""

_SPOOL_GAUGES: _Figures = (
    ("recollect_spool_exchanges", "Exchanges waiting for the store.", "waiting.exchanges"),
    ("recollect_spool_bytes", "What they take.", "waiting.bytes"),
)
_SPOOL_COUNTERS: _Figures = (
    ("recollect_exchanges_lost", "What neither the store nor the spool could take.", "lost"),
    ("recollect_exchanges_late", "Messages sent to the LLM before they were safe on disk.", "late"),
)
_RECALL_COUNTERS: _Figures = (
    ("recollect_recall_questions", "Turns that something was looked for.", "questions"),
    ("recollect_recall_hits", "Those for which something was found.", "hits"),
    ("recollect_recall_truncated", "Those where something had no place in the budget.", "truncated"),
    ("recollect_recall_tokens", "Tokens that their memories took.", "tokens"),
    ("recollect_recall_budget_tokens", "Tokens that these might have taken.", "budget"),
)
_RECALL_GAUGES: _Figures = (
    ("recollect_recall_hit_ratio", "The share of hits since the start.", "hit_rate"),
    (
        "recollect_recall_mean_top_score",
        "The mean best score of turns that found anything.",
        "mean_top_score",
    ),
)
_FORMATION_COUNTERS: _Figures = (
    ("recollect_formation_attempts", "Exchanges formation was tried for.", "attempts"),
    ("recollect_formation_successes", "Exchanges formed.", "successes"),
    ("recollect_formation_extracted", "Candidates that models found.", "extracted"),
    ("recollect_formation_adds", "Memories added.", "adds"),
    ("recollect_formation_replaces", "Memories that took another's place.", "replaces"),
    ("recollect_formation_merges", "Memories that were said again.", "merges"),
    ("recollect_formation_duplicates", "Candidates that were there already.", "duplicates"),
    ("recollect_formation_held", "Memories held back for approval.", "quarantined"),
    ("recollect_formation_marks", "Memories that something spoke against.", "marks"),
    ("recollect_reextracted", "Memories formed from recalled text alone. Has to stay 0.", "re_extracted"),
    ("recollect_summaries", "Chats summarized.", "summaries"),
    ("recollect_summaries_made", "Chats to be summarized.", "summaries_made"),
    ("recollect_statements_hinted", "Statements that were given hints after they were kept.", "hinted"),
)
_FORMATION_REASONS = (
    ("recollect_formation_errors", "error", "Attempts that failed.", "errors"),
    ("recollect_formation_waits", "reason", "Times that exchanges were put to wait for a model.", "waits"),
    ("recollect_formation_rejects", "reason", "Candidates not kept.", "rejects"),
    ("recollect_formation_forgotten", "reason", "Memories forgotten.", "retired"),
    ("recollect_formation_hidden", "reason", "Times that messages were hidden.", "hidden"),
)
_FORMATION_GAUGES: _Figures = (
    ("recollect_formation_replacement_ratio", "Replaced of all added or replaced.", "replacement_rate"),
    ("recollect_formation_duplicate_ratio", "Duplicates of all added, replaced or there.", "dedup_rate"),
    ("recollect_summaries_non_empty_ratio", "Of the summaries made, those not empty.", "non_empty_summaries"),
)
_BACKLOG_GAUGES: _Figures = (
    ("recollect_exchanges_pending", "Exchanges waiting to be formed.", "pending"),
    ("recollect_exchanges_failed", "Exchanges held, as their formation kept failing.", "failed"),
)
_MODEL_GAUGES: _Figures = (
    ("recollect_model_tokens_today", "Tokens of background calls since midnight, UTC.", "tokens_today"),
    ("recollect_model_tokens_per_day", "What they may take; 0: any number.", "budget.everybody"),
)
_MODEL_COUNTERS: _Figures = (
    ("recollect_model_breaker_openings", "How often they began to be left alone.", "guarded.opened"),
    ("recollect_model_calls", "Background calls of models.", "guarded.calls"),
    ("recollect_model_given_up", "Those given up for a chat, done later.", "guarded.given_up"),
)


@dataclass(frozen=True, slots=True)
class Scan:
    """The figures of a scan of the store, over all users."""

    memories: int
    condition: Condition


class Metrics:
    """Reports on recall and formation since the start, and on the store.

    Args:
        live: The engine; it may not be open.
        skipped: How many requests had no memory, by reason.
        clock: Tells how old the backlog is.
        seconds: Tells how old a scan of the store is.
    """

    def __init__(
        self,
        live: LiveEngine,
        skipped: Mapping[Skip, int],
        *,
        clock: Clock = system_clock,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self._live = live
        self._skipped = skipped
        self._clock = clock
        self._seconds = seconds
        self._inquiry = Inquiry(live, _scan, patience=_SCAN_SECONDS)
        self._kept: tuple[float, Scan] | None = None

    async def exposition(self) -> bytes:
        """Return all metrics; without those of the store if it does not answer."""
        scan = await self._scan()
        engine = self._live.engine
        registry = CollectorRegistry(auto_describe=False)
        registry.register(_Snapshot(lambda: self._families(engine, scan)))
        return generate_latest(registry)

    async def as_json(self) -> dict[str, list[dict[str, Any]]]:
        """Return the same as JSON: by each sample's name its values, each with its labels."""
        samples: dict[str, list[dict[str, Any]]] = {}
        scan = await self._scan()
        for family in self._families(self._live.engine, scan):
            for sample in family.samples:
                samples.setdefault(sample.name, []).append(
                    {"labels": dict(sample.labels), "value": float(sample.value)}
                )
        return samples

    async def _scan(self) -> Scan | None:
        now = self._seconds()
        if self._kept is not None and self._live.engine is not None and now - self._kept[0] < _KEPT_SECONDS:
            return self._kept[1]
        scan = await self._inquiry.answer()
        self._kept = None if scan is None else (now, scan)
        return scan

    def _families(self, engine: Engine | None, scan: Scan | None) -> Iterator[Metric]:
        yield GaugeMetricFamily(
            "recollect_store_up", "Whether the store answers.", value=int(scan is not None)
        )
        skipped = {reason.value: count for reason, count in self._skipped.items()}
        yield _labelled(
            "recollect_requests_without_memory", "reason", "Chat requests without memory.", skipped
        )
        yield from _gauges(_SPOOL_GAUGES, self._live.log_writer)
        yield from _counters(_SPOOL_COUNTERS, self._live.log_writer)
        if engine is not None:
            yield from _of_recalls(self._live.recalls)
            yield from _of_answers(self._live.answers)
            yield from _of_formation(engine.counts)
        if scan is not None:
            yield GaugeMetricFamily("recollect_memories", "Memories of all users.", value=scan.memories)
            yield from _of_condition(scan.condition, self._clock)


class _Snapshot(Collector):
    """Hands the registry metrics that were read before: it can't wait."""

    def __init__(self, families: Callable[[], Iterator[Metric]]) -> None:
        self._families = families

    def collect(self) -> Iterator[Metric]:
        """Return the metrics."""
        return self._families()


async def _scan(engine: Engine) -> Scan:
    return Scan(await engine.count_memories(), await read_condition(engine))


def _of_recalls(counts: RecallCounts) -> Iterator[Metric]:
    yield _histogram("recollect_recall_seconds", "How long recalls took.", counts.seconds)
    yield from _counters(_RECALL_COUNTERS, counts)
    yield from _gauges(_RECALL_GAUGES, counts)
    paths = CounterMetricFamily("recollect_recall_paths", "Which way the search went.", labels=["path"])
    yield _by_label(paths, ((path.value, counts.paths[path]) for path in SearchPath))
    given = CounterMetricFamily("recollect_recall_given", "What went into prompts.", labels=["source"])
    sources = ("statements", "log", "summaries", "profile")
    yield _by_label(given, ((source, counts.given[source]) for source in sources))


def _of_formation(counts: FormationCounts) -> Iterator[Metric]:
    yield from _counters(_FORMATION_COUNTERS, counts)
    for name, label, says, attribute in _FORMATION_REASONS:
        yield _labelled(name, label, says, getattr(counts, attribute))
    yield from _gauges(_FORMATION_GAUGES, counts)
    says = "How long after it was said an exchange was formed."
    yield _histogram("recollect_formation_lag_seconds", says, counts.lag)


def _of_answers(counts: AnswerCounts) -> Iterator[Metric]:
    """Yield the LLM's answers to chats, under the names of OpenTelemetry's conventions for generative AI."""
    says = "How long the LLM took to answer a chat."
    yield _labelled_histograms("gen_ai_client_operation_duration_seconds", says, {"chat": counts.to_end})
    says = "How long until the first byte of an answer."
    yield _labelled_histograms(
        "gen_ai_server_time_to_first_token_seconds", says, {"chat": counts.to_first_byte}
    )
    says = "Tokens of chats, as answers name them; prompts include the memories."
    by_type = {"input": counts.prompt_tokens, "output": counts.answer_tokens}
    yield _labelled_histograms("gen_ai_client_token_usage", says, by_type, label="gen_ai_token_type")


def _of_condition(condition: Condition, clock: Clock) -> Iterator[Metric]:
    backlog, use = condition.backlog, condition.model_use
    since = backlog.pending_since
    late = 0.0 if since is None else max(0.0, (clock() - since).total_seconds())
    yield from _gauges(_BACKLOG_GAUGES, backlog)
    says = "How long the oldest has been pending."
    yield GaugeMetricFamily("recollect_oldest_pending_seconds", says, value=late)
    yield from _gauges(_MODEL_GAUGES, use)
    says = "Whether models are left alone, as they failed too often."
    is_open = use.left_alone_until is not None
    yield GaugeMetricFamily("recollect_model_breaker_open", says, value=is_open)
    waiting = GaugeMetricFamily(
        "recollect_exchanges_waiting", "Exchanges that wait for a model.", labels=["reason"]
    )
    yield _by_label(waiting, ((reason.value, backlog.waiting.get(reason, 0)) for reason in Awaits))
    unread = GaugeMetricFamily(
        "recollect_exchanges_unread", "Exchanges formed without a model, by reason.", labels=["reason"]
    )
    yield _by_label(unread, ((reason.value, backlog.unread.get(reason, 0)) for reason in Unread))
    yield from _counters(_MODEL_COUNTERS, use)
    says = "How long answered background calls took."
    yield _histogram("recollect_model_call_seconds", says, use.guarded.seconds)
    says = "Those that failed or were not made."
    yield _labelled("recollect_model_errors", "error", says, use.guarded.errors)


def _counters(figures: _Figures, counts: object) -> Iterator[Metric]:
    for name, says, attribute in figures:
        yield CounterMetricFamily(name, says, value=attrgetter(attribute)(counts))


def _gauges(figures: _Figures, counts: object) -> Iterator[Metric]:
    for name, says, attribute in figures:
        if (value := attrgetter(attribute)(counts)) is not None:
            yield GaugeMetricFamily(name, says, value=value)


def _histogram(name: str, says: str, found: Histogram) -> HistogramMetricFamily:
    """Return a histogram of seconds."""
    return HistogramMetricFamily(name, says, buckets=_buckets(found), sum_value=found.total)


def _labelled_histograms(
    name: str, says: str, by_label: Mapping[str, Histogram], label: str = "gen_ai_operation_name"
) -> HistogramMetricFamily:
    family = HistogramMetricFamily(name, says, labels=[label])
    for value, found in by_label.items():
        family.add_metric([value], _buckets(found), found.total)
    return family


def _buckets(found: Histogram) -> list[tuple[str, float]]:
    names = [*map(floatToGoString, found.edges), "+Inf"]
    return list(zip(names, accumulate(found.counts), strict=True))


def _labelled(name: str, label: str, says: str, counts: Mapping[str, int]) -> Metric:
    """Return a counter by a label. A value that is none of our own names of reasons and errors counts as "other"."""
    known: dict[str, int] = {}
    for value, count in counts.items():
        shown = str(value) if _NAME.fullmatch(value) else "other"
        known[shown] = known.get(shown, 0) + count
    return _by_label(CounterMetricFamily(name, says, labels=[label]), sorted(known.items()))


def _by_label(family: CounterMetricFamily | GaugeMetricFamily, values: Iterable[tuple[str, float]]) -> Metric:
    for label, value in values:
        family.add_metric([label], value)
    return family
