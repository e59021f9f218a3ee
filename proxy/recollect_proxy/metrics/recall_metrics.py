"""The metrics of recall, in the families of Prometheus. No label or value names a user, a chat or a text."""

from collections.abc import Iterator
from itertools import accumulate

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.utils import floatToGoString

from recollect.engine.recall_counts import RECALL_SECONDS, RecallCounts
from recollect.model import SearchPath

_GIVEN = ("statements", "log", "summaries", "profile")


def of_recalls(counts: RecallCounts) -> Iterator[Metric]:
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
    for source in _GIVEN:
        given.add_metric([source], counts.given[source])
    yield given
