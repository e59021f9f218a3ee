"""What Recollect did and how it stands, in the text format of Prometheus. No label or value names a user, a chat or a text.

The format is that of Prometheus's exposition, version 0.0.4; the counts are of this process since its start, the
gauges of the store over all users.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

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
from recollect.engine.counts import LAG_SECONDS, FormationCounts
from recollect.engine.live import LiveEngine
from recollect.engine.recall_counts import RECALL_SECONDS, RecallCounts
from recollect.model import Awaits, SearchPath, Skip
from recollect.ports import Clock
from recollect.spool import Waiting
from recollect.text.patterns import anchored
from recollect_proxy.metrics.health_check import Condition, Inquiry, read_condition

CONTENT_TYPE = "text/plain; version=0.0.4"

_PATIENCE_SECONDS = 5.0
_KEPT_SECONDS = 15.0
"""How long is told what was counted in the store: it is a scan."""

_NAME = anchored(r"[A-Za-z][A-Za-z0-9_-]{0,63}")

_COUNTERS: tuple[tuple[str, str, Callable[[FormationCounts], int]], ...] = (
    ("recollect_formation_attempts", "Exchanges formation was tried for.", lambda each: each.attempts),
    ("recollect_formation_success", "Exchanges formed.", lambda each: each.successes),
    ("recollect_formation_extracted", "Candidates that models found.", lambda each: each.extracted),
    ("recollect_formation_adds", "Memories added.", lambda each: each.adds),
    ("recollect_formation_replaces", "Memories that took another's place.", lambda each: each.replaces),
    ("recollect_formation_merges", "Memories that were said again.", lambda each: each.merges),
    ("recollect_formation_duplicates", "Candidates that were there already.", lambda each: each.duplicates),
    ("recollect_formation_quarantined", "Memories held back for approval.", lambda each: each.quarantined),
    ("recollect_formation_marks", "Memories that something spoke against.", lambda each: each.marks),
    (
        "recollect_reextracted",
        "Memories formed of what was only injected. Has to stay 0.",
        lambda each: each.re_extracted,
    ),
    ("recollect_summaries", "Chats summarized.", lambda each: each.summaries),
    ("recollect_summaries_made", "Chats to be summarized.", lambda each: each.summaries_made),
    ("recollect_hinted", "Statements that were given hints after they were kept.", lambda each: each.hinted),
)
_LABELLED: tuple[tuple[str, str, str, Callable[[FormationCounts], Mapping[str, int]]], ...] = (
    ("recollect_formation_errors", "error", "Attempts that failed.", lambda each: each.errors),
    (
        "recollect_formation_waits",
        "reason",
        "Times that exchanges were put to wait for a model.",
        lambda each: each.waits,
    ),
    ("recollect_formation_rejects", "reason", "Candidates not kept.", lambda each: each.rejects),
    ("recollect_formation_retired", "reason", "Memories taken away.", lambda each: each.retired),
    ("recollect_formation_hidden", "reason", "Times that messages were hidden.", lambda each: each.hidden),
)


@dataclass(frozen=True, slots=True)
class Scan:
    """What was counted in the store.

    Attributes:
        memories: Of all users.
        condition: How formation and its models stand.
    """

    memories: int
    condition: Condition


class Metrics:
    """Tells what formation did since the start, and what the store holds."""

    def __init__(
        self,
        live: LiveEngine,
        skipped: Mapping[Skip, int],
        *,
        clock: Clock = system_clock,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take what is asked, and what counts elsewhere.

        Args:
            live: The engine; it may be not open.
            skipped: How many requests had no memory, by reason.
            clock: Tells how old is what waits.
            seconds: Tells how long ago the store was asked.
        """
        self._live = live
        self._skipped = skipped
        self._clock = clock
        self._seconds = seconds
        self._inquiry = Inquiry(live, _scan, patience=_PATIENCE_SECONDS)
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
        told: dict[str, list[dict[str, Any]]] = {}
        scan = await self._scan()
        for family in self._families(self._live.engine, scan):
            for sample in family.samples:
                told.setdefault(sample.name, []).append(
                    {"labels": dict(sample.labels), "value": float(sample.value)}
                )
        return told

    async def _scan(self) -> Scan | None:
        now = self._seconds()
        if self._kept is not None and self._live.engine is not None and now - self._kept[0] < _KEPT_SECONDS:
            return self._kept[1]
        scan = await self._inquiry.answer()
        self._kept = None if scan is None else (now, scan)
        return scan

    def _families(self, engine: Engine | None, scan: Scan | None) -> Iterator[Metric]:
        yield GaugeMetricFamily(
            "recollect_store_up", "Whether the store answers.", value=0 if scan is None else 1
        )
        skipped = {reason.value: count for reason, count in self._skipped.items()}
        yield _labelled(
            "recollect_requests_without_memory", "reason", "Chat requests without memory.", skipped
        )
        writer = self._live.log_writer
        yield from _of_spool(writer.waiting, writer.lost, writer.late)
        if engine is not None:
            yield from _of_recalls(self._live.recalls)
            yield from _of_formation(engine.counts)
        if scan is not None:
            yield GaugeMetricFamily("memory_total_count", "Memories of all users.", value=scan.memories)
            yield from _of_condition(scan.condition, self._clock)


class _Snapshot(Collector):
    """Hands the registry what was read before: it can't wait."""

    def __init__(self, families: Callable[[], Iterator[Metric]]) -> None:
        self._families = families

    def collect(self) -> Iterator[Metric]:
        """Return the metrics."""
        return self._families()


async def _scan(engine: Engine) -> Scan:
    return Scan(await engine.count_memories(), await read_condition(engine))


def _of_spool(waiting: Waiting, lost: int, late: int) -> Iterator[Metric]:
    yield GaugeMetricFamily(
        "recollect_spool_exchanges", "Exchanges waiting for the store.", value=waiting.exchanges
    )
    yield GaugeMetricFamily("recollect_spool_bytes", "What they take.", value=waiting.bytes)
    yield CounterMetricFamily(
        "recollect_exchanges_lost", "What neither the store nor the spool could take.", value=lost
    )
    yield CounterMetricFamily(
        "recollect_exchanges_late", "Messages sent to the LLM before they were safe on disk.", value=late
    )


def _of_formation(counts: FormationCounts) -> Iterator[Metric]:
    for name, says, read in _COUNTERS:
        yield CounterMetricFamily(name, says, value=read(counts))
    for name, label, says, read_each in _LABELLED:
        yield _labelled(name, label, says, read_each(counts))
    yield GaugeMetricFamily(
        "memory_replacement_rate", "Replaced of all added or replaced.", value=counts.replacement_rate
    )
    yield GaugeMetricFamily(
        "memory_dedup_rate", "Duplicates of all added, replaced or there.", value=counts.dedup_rate
    )
    yield GaugeMetricFamily(
        "recollect_summaries_non_empty_rate",
        "Of the summaries made, those that said something.",
        value=counts.non_empty_summaries,
    )
    edges = [*map(floatToGoString, LAG_SECONDS), "+Inf"]
    yield HistogramMetricFamily(
        "recollect_formation_lag_seconds",
        "How long after it was said an exchange was formed.",
        buckets=list(zip(edges, accumulate(counts.lag), strict=True)),
        sum_value=counts.lag_sum,
    )


def _of_condition(condition: Condition, clock: Clock) -> Iterator[Metric]:
    backlog, use = condition.backlog, condition.model_use
    since = backlog.pending_since
    late = 0.0 if since is None else max(0.0, (clock() - since).total_seconds())
    gauges = (
        ("recollect_pending", "Exchanges waiting to be formed.", backlog.pending),
        ("recollect_failed", "Exchanges held, as their formation kept failing.", backlog.failed),
        ("recollect_oldest_pending_seconds", "How long the oldest has been pending.", late),
        ("recollect_model_tokens_today", "Tokens of background calls since midnight, UTC.", use.tokens_today),
        ("recollect_model_tokens_per_day", "What they may take; 0: any number.", use.budget.everybody),
        (
            "recollect_model_breaker_open",
            "Whether models are left alone, as they failed too often.",
            use.left_alone_until is not None,
        ),
    )
    for name, says, value in gauges:
        yield GaugeMetricFamily(name, says, value=value)
    waiting = GaugeMetricFamily("recollect_waiting", "Exchanges that wait for a model.", labels=["reason"])
    for reason in Awaits:
        waiting.add_metric([reason], backlog.waiting.get(reason, 0))
    yield waiting
    yield CounterMetricFamily(
        "recollect_model_breaker_opened", "How often they began to be left alone.", value=use.guarded.opened
    )
    yield CounterMetricFamily("recollect_model_calls", "Background calls of models.", value=use.guarded.calls)
    yield CounterMetricFamily(
        "recollect_model_given_up", "Those given up for a chat, done later.", value=use.guarded.given_up
    )
    yield _labelled(
        "recollect_model_errors", "error", "Those that failed or were not made.", use.guarded.errors
    )


def _labelled(name: str, label: str, says: str, counts: Mapping[str, int]) -> Metric:
    """Return a counter by a label, of which only the names that we give our reasons and errors are told."""
    known: dict[str, int] = {}
    for value, count in counts.items():
        told = str(value) if _NAME.fullmatch(value) else "other"
        known[told] = known.get(told, 0) + count
    family = CounterMetricFamily(name, says, labels=[label])
    for value, count in sorted(known.items()):
        family.add_metric([value], count)
    return family


def _of_recalls(counts: RecallCounts) -> Iterator[Metric]:
    """Yield what recall did since the start of this process."""
    edges = [*map(floatToGoString, RECALL_SECONDS), "+Inf"]
    yield HistogramMetricFamily(
        "recollect_recall_seconds",
        "How long recalls took.",
        buckets=list(zip(edges, accumulate(counts.seconds), strict=True)),
        sum_value=counts.seconds_sum,
    )
    for name, says, value in (
        ("recollect_recall_questions", "Turns that something was looked for.", counts.questions),
        ("recollect_recall_hits", "Those for which something was found.", counts.hits),
        ("recollect_recall_truncated", "Those where something had no place in the budget.", counts.truncated),
        ("recollect_recall_tokens", "Tokens that their memories took.", counts.tokens),
        ("recollect_recall_budget_tokens", "Tokens that these might have taken.", counts.budget),
    ):
        yield CounterMetricFamily(name, says, value=value)
    if counts.hit_rate is not None:
        yield GaugeMetricFamily(
            "recollect_recall_hit_rate", "The share of hits since the start.", value=counts.hit_rate
        )
    if counts.mean_top_score is not None:
        yield GaugeMetricFamily(
            "recollect_recall_mean_top_score",
            "The mean of the best scores, of turns that found anything.",
            value=counts.mean_top_score,
        )
    paths = CounterMetricFamily("recollect_recall_paths", "Which way the search went.", labels=["path"])
    for path in SearchPath:
        paths.add_metric([path.value], counts.paths[path])
    yield paths
    given = CounterMetricFamily("recollect_recall_given", "What went into prompts.", labels=["source"])
    for source in ("statements", "log", "summaries", "profile"):
        given.add_metric([source], counts.given[source])
    yield given
