"""Reports on recall and formation in the last days, and which thresholds advise a change. Pure.

The API sends it as JSON, the command prints it, and the page draws it. An unknown value is None, never guessed.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Literal

import msgspec

from recollect.api.requests_and_health import FormedInTime, Recalls, Trigger, WeekReport
from recollect.model import Activity

_WEEK = 7
_FEW_LEXICAL, _MARKED = "few-lexical-hits", "marked-by-hand"
_IGNORED = "ignore:"


@dataclass(frozen=True, slots=True)
class Threshold:
    """A figure and the limit above which something should change.

    Attributes:
        name: Names it for a program.
        says: Describes the figure.
        limit: Over this it is reached.
        unit: The unit of limit and figure.
        value: Computes the figure from an activity and its number of days; None if unknown.
        meaning: The likely causes.
        change: The advice.
    """

    name: str
    says: str
    limit: float
    unit: Literal["share", "per week", "seconds"]
    value: Callable[[Activity, int], float | None]
    meaning: str
    change: str


def make_report(
    activity: Activity, days: int, followed: Collection[str] = (), waiting: Mapping[str, int] | None = None
) -> WeekReport:
    """Return the report of ``days`` days; it names no user. ``followed`` names the thresholds whose advice the settings follow already."""
    values = {each.name: each.value(activity, days) for each in THRESHOLDS}
    asked, formed = activity.questions, activity.formation
    recalls = asdict(asked) | {
        "hit_rate": share(asked.hits, asked.questions),
        "fallback_share": values["fallback"],
        "truncated_share": values["truncated"],
        "p50_ms": asked.median_ms,
        "skipped": activity.skipped,
        "paths": activity.paths,
        "given": activity.given,
    }
    formation = FormedInTime(
        formed.exchanges,
        dict(waiting or {}),
        formed.median_lag,
        formed.p95_lag,
        formed.p99_lag,
        {name: count for name, count in formed.made.items() if not name.startswith(_IGNORED)},
        {
            name.removeprefix(_IGNORED): count
            for name, count in formed.made.items()
            if name.startswith(_IGNORED)
        },
        activity.model.tokens,
        values["summary-tokens"],
    )
    triggers = [_trigger(each, values[each.name], is_followed=each.name in followed) for each in THRESHOLDS]
    return WeekReport(days, msgspec.convert(recalls, Recalls), formation, triggers)


def followed_advice(*, embeds_all: bool) -> frozenset[str]:
    """Return the names of the thresholds whose advice is followed already, by the scope of embeddings."""
    return frozenset({_FEW_LEXICAL, _MARKED} if embeds_all else ())


def share(part: int, whole: int) -> float | None:
    """Return the share; None of nothing."""
    return part / whole if whole else None


def _trigger(threshold: Threshold, value: float | None, *, is_followed: bool) -> Trigger:
    return Trigger(
        threshold.name,
        threshold.says,
        None if value is None else round(value, 4),
        threshold.limit,
        threshold.unit,
        None if value is None else value > threshold.limit,
        threshold.meaning,
        "" if is_followed else threshold.change,
    )


THRESHOLDS = (
    Threshold(
        _FEW_LEXICAL,
        "questions that found fewer than 3 things by their words",
        0.30,
        "share",
        lambda activity, _: share(activity.questions.few_lexical, activity.questions.questions),
        "People ask in other words, or in another language, than they told; or little is stored yet.",
        "Let every message be found by meaning, as by default: RECOLLECT_EMBED=all.",
    ),
    Threshold(
        "fallback",
        "searches that went another way than by meaning",
        0.50,
        "share",
        lambda activity, _: share(activity.questions.fallbacks, activity.questions.measured),
        "Embeddings are late or fail (lexical, important, none).",
        "A faster embedder, a longer RECOLLECT_RECALL_DEADLINE_MS, a less busy machine.",
    ),
    Threshold(
        "summaries-alone",
        "prompts that were given summaries and nothing else",
        0.20,
        "share",
        lambda activity, _: share(activity.questions.summaries_alone, activity.questions.measured),
        "Single statements are not formed, or not found: a summary is coarse.",
        "Look at what formation rejects and what waits (/memory/health); a lower minimum_importance keeps more.",
    ),
    Threshold(
        "truncated",
        "questions for which something had no place in the budget",
        0.40,
        "share",
        lambda activity, _: share(activity.questions.truncated, activity.questions.questions),
        "More is found than RECOLLECT_MEMORY_TOKENS lets in.",
        "Raise RECOLLECT_MEMORY_TOKENS, or the setting max_memory_tokens of those whom it concerns.",
    ),
    Threshold(
        _MARKED,
        "messages that somebody called valuable by hand",
        0.10,
        "share",
        lambda activity, _: share(activity.questions.marked, activity.questions.measured),
        "People do by hand what the index should do.",
        "RECOLLECT_EMBED=all gives every message an embedding.",
    ),
    Threshold(
        "complaints",
        "messages that say something told was forgotten",
        3,
        "per week",
        lambda activity, days: (
            activity.questions.complaints * _WEEK / days if activity.questions.measured else None
        ),
        "Recall left out what was asked for, or it was never formed.",
        "Read .../recalls and .../explain of those chats; `recollect reembed` measures the gate.",
    ),
    Threshold(
        "late",
        "95th percentile of how long recall takes",
        3,
        "seconds",
        lambda activity, _: None if activity.questions.p95_ms is None else activity.questions.p95_ms / 1000,
        "Chats wait for their memories far over the deadline: the machine or the database has too much to do.",
        "Give the database memory or cores, move the worker elsewhere, a faster embedder.",
    ),
    Threshold(
        "summary-tokens",
        "share of background tokens that is for summaries",
        0.25,
        "share",
        lambda activity, _: share(activity.model.summaries, activity.model.known),
        "Chats are summarized more often than that is worth.",
        "A larger summary_turns by PATCH /memory/settings, or summaries off for those who need none.",
    ),
)
