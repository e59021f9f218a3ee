"""Checks once whether the LLM server answers at its base URL, and explains a failure. Never: waits for a model."""

import asyncio

import structlog

from recollect_proxy.upstream.upstream import TruncatedError, Upstream, UpstreamError

_SECONDS = 5.0
"""The time limit of a check."""

_THERE = frozenset({200, 401, 403})
"""The statuses that show a path exists. 401 and 403 ask for an API key, which clients bring."""

_NOT_FOUND = 404

USER_AGENT = b"recollect-upstream-check"
"""By it an operator recognizes this check in the server's log."""

log = structlog.get_logger(__name__)


async def complaint_about(upstream: Upstream, base_url: str) -> str | None:
    """Return the fault of a base URL and its remedy; None if there is none. Takes at most five seconds.

    Any answer shows that the server is there: many servers have no list of models, and some ask for a key. The base URL
    counts as wrong only if ``/models`` is not found below it, but ``/v1/models`` is.

    Args:
        upstream: The upstream with this base URL.
        base_url: The base URL as the operator wrote it, for the text.
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
    """Log the fault of a base URL, if any."""
    if (complaint := await complaint_about(upstream, base_url)) is not None:
        log.warning("upstream_doubtful", what_to_do=complaint)


async def _status(upstream: Upstream, target: bytes) -> int:
    headers = [(b"Accept", b"application/json"), (b"User-Agent", USER_AGENT)]
    async with upstream.forward("GET", target, headers, None) as answer:
        return answer.status
