"""Looks once whether the LLM's server is where it is said to be, and says in plain words what is wrong. Never: waits for a model."""

import asyncio

import structlog

from recollect_proxy.upstream import TruncatedError, Upstream, UpstreamError

_SECONDS = 5.0
"""How long a look may take."""

_THERE = frozenset({200, 401, 403})
"""What a server answers that has such a path: it may want a key, which clients bring."""

_NOT_FOUND = 404

USER_AGENT = b"recollect-upstream-check"
"""By which a server's log tells our look from what clients ask."""

log = structlog.get_logger(__name__)


async def complaint_about(upstream: Upstream, base_url: str) -> str | None:
    """Return what is wrong with a base URL, and what to do; None where nothing is. It takes five seconds at most.

    A server that answers anything is there: many have no list of models, and some want a key for it. Only where the
    list stands below ``/v1`` of the base, and not below the base itself, is the base taken for wrong.

    Args:
        upstream: What asks the server.
        base_url: As the operator wrote it, to be told.
    """
    try:
        async with asyncio.timeout(_SECONDS):
            if await _status(upstream, b"/models") != _NOT_FOUND or base_url.endswith("/v1"):
                return None
            has_v1 = await _status(upstream, b"/v1/models") in _THERE
    except (UpstreamError, TruncatedError, TimeoutError):
        return (
            f"The LLM's server at {base_url} does not answer: chats fail until it does. Is it running, and is RECOLLECT_UPSTREAM "
            "its address as seen from here? In a container 127.0.0.1 is the container itself."
        )
    if not has_v1:
        return None
    return (
        f"The base URL of the LLM seems to lack /v1: there is no {base_url}/models, but there is {base_url}/v1/models. "
        f"Set RECOLLECT_UPSTREAM={base_url}/v1"
    )


async def tell_of_upstream(upstream: Upstream, base_url: str) -> None:
    """Log what is wrong with a base URL, if anything is."""
    if (complaint := await complaint_about(upstream, base_url)) is not None:
        log.warning("upstream_doubtful", what_to_do=complaint)


async def _status(upstream: Upstream, target: bytes) -> int:
    headers = [(b"Accept", b"application/json"), (b"User-Agent", USER_AGENT)]
    async with upstream.forward("GET", target, headers, None) as answer:
        return answer.status
