"""The report of a week: what recall and formation did, and where a threshold says that something should change. Pure.

An unknown value is None, and never guessed.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from recollect.model import Activity

_WEEK = 7
_FEW_LEXICAL, _MARKED = "few-lexical-hits", "marked-by-hand"

Unit = Literal["share", "per week", "seconds"]


@dataclass(frozen=True, slots=True)
class Threshold:
    """From when on something should change.

    Attributes:
        name: Names it for a program.
        says: What is measured.
        limit: Over this it is reached.
        unit: Of the limit, and of the value.
        value: Returns it, of an activity of so many days; None where it is not known.
        meaning: What it means where it is reached.
        change: What to change then.
    """

    name: str
    says: str
    limit: float
    unit: Unit
    value: Callable[[Activity, int], float | None]
    meaning: str
    change: str


@dataclass(frozen=True, slots=True)
class Trigger:
    """A threshold, and whether it was reached.

    Attributes:
        threshold: Which.
        value: What was measured; None: it is not known.
        is_followed: The settings are already as its advice wants them.
    """

    threshold: Threshold
    value: float | None
    is_followed: bool = False

    @property
    def is_reached(self) -> bool | None:
        """Whether something should change; None: that is not known."""
        return None if self.value is None else self.value > self.threshold.limit

    @property
    def change(self) -> str:
        """What to change where it is reached; "" where that is so already."""
        return "" if self.is_followed else self.threshold.change


@dataclass(frozen=True, slots=True)
class Report:
    """The activity of recall and formation in some days.

    Attributes:
        days: In how many.
        activity: What they did.
        triggers: Whether something should change.
        waiting: How many exchanges wait for a model now, by ``Awaits``.
    """

    days: int
    activity: Activity
    triggers: tuple[Trigger, ...]
    waiting: Mapping[str, int] = field(default_factory=dict)

    @property
    def hit_rate(self) -> float | None:
        """The share of questions for which something was found; None without any."""
        asked = self.activity.questions
        return share(asked.hits, asked.questions)

    @property
    def fallback_share(self) -> float | None:
        """The share of searches that used a fallback; None if unknown."""
        return _fallback(self.activity, self.days)

    @property
    def truncated_share(self) -> float | None:
        """The share of questions for which something had no place; None without any."""
        return _truncated(self.activity, self.days)

    @property
    def summary_token_share(self) -> float | None:
        """The share of background tokens that was for summaries; None if unknown."""
        return _summary_tokens(self.activity, self.days)


def make_report(
    activity: Activity, days: int, followed: Collection[str] = (), waiting: Mapping[str, int] | None = None
) -> Report:
    """Return the report of the activity of some days; ``followed`` names the thresholds whose advice is followed already."""
    triggers = (Trigger(each, each.value(activity, days), each.name in followed) for each in THRESHOLDS)
    return Report(days, activity, tuple(triggers), waiting or {})


def followed_advice(*, embeds_all: bool, has_second: bool) -> frozenset[str]:
    """Return the names of the thresholds whose advice is followed already, by the scope and the number of embeddings."""
    names = {_FEW_LEXICAL: embeds_all and has_second, _MARKED: embeds_all}
    return frozenset(name for name, is_followed in names.items() if is_followed)


def share(part: int, whole: int) -> float | None:
    """Return the share; None of nothing."""
    return part / whole if whole else None


def _few_lexical(activity: Activity, _days: int) -> float | None:
    return share(activity.questions.few_lexical, activity.questions.questions)


def _fallback(activity: Activity, _days: int) -> float | None:
    return share(activity.questions.fallbacks, activity.questions.measured)


def _summaries_alone(activity: Activity, _days: int) -> float | None:
    return share(activity.questions.summaries_alone, activity.questions.measured)


def _truncated(activity: Activity, _days: int) -> float | None:
    return share(activity.questions.truncated, activity.questions.questions)


def _marked(activity: Activity, _days: int) -> float | None:
    return share(activity.questions.marked, activity.questions.measured)


def _complaints(activity: Activity, days: int) -> float | None:
    asked = activity.questions
    return asked.complaints * _WEEK / days if asked.measured else None


def _late(activity: Activity, _days: int) -> float | None:
    p95 = activity.questions.p95_ms
    return None if p95 is None else p95 / 1000


def _summary_tokens(activity: Activity, _days: int) -> float | None:
    return share(activity.model.summaries, activity.model.known)


THRESHOLDS = (
    Threshold(
        _FEW_LEXICAL,
        "questions that found fewer than 3 things by their words",
        0.30,
        "share",
        _few_lexical,
        "People ask in other words, or in another language, than they told; or little is stored yet.",
        "Let statements be found by meaning, as they are by default: RECOLLECT_SECOND_EMBEDDER not off, RECOLLECT_EMBED=all.",
    ),
    Threshold(
        "fallback",
        "searches that went another way than by meaning and unmistaken words",
        0.50,
        "share",
        _fallback,
        "Embeddings are late or fail (lexical, important, none), or words are often mistyped (typo-corrected).",
        "If lexical, important or none lead: a faster embedder, a longer RECOLLECT_RECALL_DEADLINE_MS, a less busy machine.",
    ),
    Threshold(
        "summaries-alone",
        "prompts that were given summaries and nothing else",
        0.20,
        "share",
        _summaries_alone,
        "Single statements are not formed, or not found: a summary is coarse.",
        "Look at what formation rejects and what waits (/memory/health); a lower minimum_importance keeps more.",
    ),
    Threshold(
        "truncated",
        "questions for which something had no place in the budget",
        0.40,
        "share",
        _truncated,
        "More is found than RECOLLECT_MEMORY_TOKENS lets in.",
        "Raise RECOLLECT_MEMORY_TOKENS, or the setting max_memory_tokens of those whom it concerns.",
    ),
    Threshold(
        _MARKED,
        "messages that somebody called valuable by hand",
        0.10,
        "share",
        _marked,
        "People do by hand what the index should do.",
        "RECOLLECT_EMBED=all gives every message an embedding.",
    ),
    Threshold(
        "complaints",
        "messages that say something told was forgotten",
        3,
        "per week",
        _complaints,
        "Recall left out what was asked for, or it was never formed.",
        "Read .../recalls and .../explain of those chats; `recollect calibrate` measures the gate.",
    ),
    Threshold(
        "late",
        "95th percentile of how long recall takes",
        3,
        "seconds",
        _late,
        "Chats wait for their memories far over the deadline: the machine or the database has too much to do.",
        "Give the database memory or cores, move the worker elsewhere, a faster embedder.",
    ),
    Threshold(
        "summary-tokens",
        "share of background tokens that is for summaries",
        0.25,
        "share",
        _summary_tokens,
        "Chats are summarized more often than that is worth.",
        "A larger summary_turns by PATCH /memory/settings, or summaries off for those who need none.",
    ),
)
