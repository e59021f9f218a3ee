"""The endpoints for the operator: health, metrics, failed exchanges."""

from collections.abc import Mapping
from typing import Annotated

import msgspec
from litestar import MediaType, Response, get, post
from litestar.di import NamedDependency
from litestar.params import SkipValidation
from msgspec import Meta, Struct

from recollect.engine.live import LiveEngine
from recollect.model import Skip
from recollect_proxy.health_check import HealthCheck
from recollect_proxy.memory_api.errors import (
    FORBIDDEN,
    INTERNAL_ERROR,
    INVALID_PARAMETER,
    TOO_MANY_ATTEMPTS,
    UNAUTHORIZED,
    documented,
)
from recollect_proxy.memory_api.health import Health, Spooled
from recollect_proxy.memory_api.parameters import ALWAYS, OpenEngine
from recollect_proxy.memory_api.schemas import Retried
from recollect_proxy.metrics import CONTENT_TYPE, Metrics


@post(
    "/formation/retry",
    status_code=200,
    summary="Form what failed, waits, or was read by no model",
    response_description="How much that is.",
    tags=["Operation"],
    responses=documented(*ALWAYS),
)
async def retry_formation(engine: OpenEngine) -> Retried:
    """Queue every exchange again that is not formed yet: held as failed, waiting for a model, or read by none so far.

    Answers that could not be read are asked for again, too. Nothing is formed of what a person switched off or had forgotten.
    """
    return Retried(*await engine.retry_failed())


@get(
    "/health",
    summary="Ask whether Recollect works",
    response_description="The process lives. How the store is, stands in the body.",
    tags=["Operation"],
    responses=documented(INTERNAL_ERROR, INVALID_PARAMETER),
)
async def check_health(
    check: NamedDependency[SkipValidation[HealthCheck]],
    live: NamedDependency[SkipValidation[LiveEngine]],
    skipped: NamedDependency[SkipValidation[Mapping[Skip, int]]],
) -> Health:
    """Return the state of Recollect. This needs no token and tells nothing about any user.

    It answers 200 whenever the process lives, whatever the database does, and within about a second:
    use it for liveness, and `status` for alarms. An orchestrator must not restart Recollect because
    its database is away.
    """
    return Health.of(await check.condition(), Spooled.of(live.waiting, live.lost, live.late), skipped)


class Sample(Struct):
    """A value."""

    labels: dict[str, str]
    value: float


class MetricsAsJson(Struct):
    """The metrics."""

    metrics: Annotated[
        dict[str, list[Sample]],
        Meta(description="By name, as in the format of Prometheus; `le` is a bucket's upper edge."),
    ]


@get(
    "/metrics.json",
    summary="Read the metrics as JSON",
    response_description="The same values.",
    tags=["Operation"],
    responses=documented(UNAUTHORIZED, TOO_MANY_ATTEMPTS, FORBIDDEN, INTERNAL_ERROR),
)
async def read_metrics_as_json(metrics: NamedDependency[SkipValidation[Metrics]]) -> MetricsAsJson:
    """Return what `/memory/metrics` tells, as JSON, on the same condition."""
    return msgspec.convert({"metrics": await metrics.as_json()}, MetricsAsJson)


@get(
    "/metrics",
    summary="Read the metrics",
    response_description="The text format of Prometheus, version 0.0.4.",
    tags=["Operation"],
    media_type=MediaType.TEXT,
    responses=documented(UNAUTHORIZED, TOO_MANY_ATTEMPTS, INTERNAL_ERROR, INVALID_PARAMETER),
)
async def read_metrics(metrics: NamedDependency[SkipValidation[Metrics]]) -> Response[str]:
    """What formation did since the start, how it stands, and how many memories there are; of nobody in particular.

    What the store says is 15 seconds old at most; while it says nothing, `recollect_store_up` is 0 and what it
    would say is left out. With `RECOLLECT_METRICS_PUBLIC` no token is needed.
    """
    return Response((await metrics.exposition()).decode(), media_type=CONTENT_TYPE)
