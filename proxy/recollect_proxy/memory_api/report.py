"""The report of a week: the endpoint and its JSON. It names nobody."""

from dataclasses import asdict
from typing import Annotated, Self, TypeAlias

import msgspec
from litestar import get
from litestar.openapi.spec import Example
from litestar.params import QueryParameter
from msgspec import Meta, Struct

from recollect.engine import report
from recollect_proxy.memory_api.errors import INVALID_PARAMETER, documented
from recollect_proxy.memory_api.parameters import ALWAYS, OpenEngine

Days: TypeAlias = Annotated[
    int,
    QueryParameter(
        description="Of how many days until now: 1 to 30, 7 where not given; requests are kept for 30.",
        ge=1,
        le=30,
        examples=[Example(value=7)],
    ),
]
Share: TypeAlias = Annotated[float | None, Meta(description="0 to 1; null: not known.")]


class Recalls(Struct):
    """What was asked, and recalled."""

    questions: Annotated[int, Meta(description="Turns that something was looked for.")]
    users: Annotated[int, Meta(description="Of how many people.")]
    hit_rate: Share
    fallback_share: Share
    truncated_share: Share
    p50_ms: Annotated[float | None, Meta(description="What half of the recalls took at most.")]
    p95_ms: Annotated[float | None, Meta(description="What 95 % of them took at most.")]
    tokens: Annotated[int, Meta(description="What the turns' memories took.")]
    budget: Annotated[int, Meta(description="What they might have taken.")]
    history_tokens: Annotated[int, Meta(description="What missing history took.")]
    mean_top_score: float | None
    complaints: Annotated[int, Meta(description="Messages that say something told was forgotten.")]
    skipped: Annotated[
        dict[str, int],
        Meta(
            description="Why nothing was recalled, of requests of people who are known; `health` counts the others."
        ),
    ]
    paths: Annotated[dict[str, int], Meta(description="Which way the searches went.")]
    given: Annotated[dict[str, int], Meta(description="What went into prompts, by what it is.")]


class Formation(Struct):
    """What was formed."""

    exchanges: int
    waiting: Annotated[
        dict[str, int],
        Meta(description="How many exchanges wait for a model now, by what is missing, as in `health`."),
    ]
    lag_p50_seconds: Annotated[
        float | None, Meta(description="How long after they arrived half of them were formed, at most.")
    ]
    lag_p95_seconds: float | None
    made: Annotated[
        dict[str, int], Meta(description="How often formation did what, as `add:new` or `retire:forgotten`.")
    ]
    rejected: Annotated[dict[str, int], Meta(description="Candidates that were not kept, by reason.")]
    model_tokens: Annotated[int, Meta(description="What background models took.")]
    summary_token_share: Share


class Trigger(Struct):
    """A threshold, and whether it was reached."""

    name: str
    says: Annotated[str, Meta(description="What is measured.")]
    value: Annotated[float | None, Meta(description="Null: not known.")]
    limit: Annotated[float, Meta(description="Over this it is reached.")]
    unit: Annotated[str, Meta(description="`share` of a week's questions, `per week` or `seconds`.")]
    reached: Annotated[bool | None, Meta(description="Null: not known.")]
    meaning: Annotated[str, Meta(description="What it means where it is reached.")]
    change: Annotated[str, Meta(description="What to change then; empty where the settings are so already.")]

    @classmethod
    def of(cls, trigger: report.Trigger) -> Self:
        """Return the JSON of ``trigger``."""
        known = trigger.threshold
        value = None if trigger.value is None else round(trigger.value, 4)
        return cls(
            known.name,
            known.says,
            value,
            known.limit,
            known.unit,
            trigger.is_reached,
            known.meaning,
            trigger.change,
        )


class WeekReport(Struct):
    """What recall and formation did, and whether something should change."""

    days: int
    recalls: Recalls
    formation: Formation
    triggers: list[Trigger]

    @classmethod
    def of(cls, told: report.Report) -> Self:
        """Return the JSON of ``told``."""
        asked, formed, model = told.activity.questions, told.activity.formation, told.activity.model
        recalls = {
            **asdict(asked),
            "hit_rate": told.hit_rate,
            "fallback_share": told.fallback_share,
            "truncated_share": told.truncated_share,
            "p50_ms": asked.median_ms,
            "skipped": dict(told.activity.skipped),
            "paths": dict(told.activity.paths),
            "given": dict(told.activity.given),
        }
        ignored = {name: count for name, count in formed.made.items() if name.startswith("ignore:")}
        return cls(
            told.days,
            msgspec.convert(recalls, Recalls),
            Formation(
                formed.exchanges,
                dict(told.waiting),
                formed.median_lag,
                formed.p95_lag,
                {name: count for name, count in formed.made.items() if name not in ignored},
                {name.partition(":")[2]: count for name, count in ignored.items()},
                model.tokens,
                told.summary_token_share,
            ),
            [Trigger.of(each) for each in told.triggers],
        )


@get(
    "/report",
    summary="Read the report of a week",
    response_description="The report.",
    tags=["Operation"],
    responses=documented(*ALWAYS, INVALID_PARAMETER),
)
async def read_report(engine: OpenEngine, days: Days = 7) -> WeekReport:
    """Return what recall and formation did in some days, over all users, and which thresholds were reached.

    What was not recorded is null: nothing is estimated.
    """
    return WeekReport.of(await engine.report(days))
