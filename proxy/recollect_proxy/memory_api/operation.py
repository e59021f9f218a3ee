"""The endpoints for who runs Recollect: health, metrics, what failed. Never: a user."""

from collections.abc import Mapping

from litestar import MediaType, Response, get, post
from litestar.di import NamedDependency
from litestar.params import SkipValidation

from recollect.model import Skip
from recollect_proxy.health_check import HealthCheck
from recollect_proxy.memory_api.errors import INTERNAL_ERROR, UNAUTHORIZED, documented
from recollect_proxy.memory_api.health import Health, Spooled
from recollect_proxy.memory_api.parameters import UNNAMED, OpenEngine
from recollect_proxy.memory_api.schemas import Retried
from recollect_proxy.metrics import CONTENT_TYPE, Metrics


@post(
    "/formation/retry",
    status_code=200,
    summary="Form again what failed",
    response_description="How many.",
    tags=["Operation"],
    responses=documented(*UNNAMED),
)
async def retry_formation(engine: OpenEngine) -> Retried:
    """Puts every exchange whose formation kept failing back to those that wait."""
    return Retried(await engine.retry_failed())


@get(
    "/health",
    summary="Ask whether Recollect works",
    response_description="The process lives. How the store is, stands in the body.",
    tags=["Operation"],
    security=[{}],
    responses=documented(INTERNAL_ERROR),
)
async def check_health(
    check: NamedDependency[SkipValidation[HealthCheck]],
    skipped: NamedDependency[SkipValidation[Mapping[Skip, int]]],
) -> Health:
    """It needs no token and tells nothing about any user.

    It answers 200 whenever the process lives, whatever the database does, and within about a second:
    use it for liveness, and `status` for alarms. An orchestrator must not restart Recollect because
    its database is away.
    """
    return Health.of(await check.condition(), Spooled.of(check.waiting, check.lost), skipped)


@get(
    "/metrics",
    summary="Read the metrics",
    response_description="The text format of Prometheus, version 0.0.4.",
    tags=["Operation"],
    media_type=MediaType.TEXT,
    responses=documented(UNAUTHORIZED, INTERNAL_ERROR),
)
async def read_metrics(metrics: NamedDependency[SkipValidation[Metrics]]) -> Response[str]:
    """What formation did since the start, how it stands, and how many memories there are; of nobody in particular.

    What the store says is 15 seconds old at most; while it says nothing, `recollect_store_up` is 0 and what it
    would say is left out. With `RECOLLECT_METRICS_PUBLIC` no token is needed.
    """
    return Response((await metrics.exposition()).decode(), media_type=CONTENT_TYPE)
