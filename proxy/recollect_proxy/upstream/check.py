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


async def complaint_about(upstream: Upstream, url: str, below: str = "") -> str | None:
    """Return the fault of an upstream's URL and its remedy; None if there is none. Takes at most five seconds.

    Any answer shows that the server is there: many servers have no list of models, and some ask for a key. The URL counts as
    wrong only if ``/models`` is not found below the API's path (``below`` the URL), but is with ``/v1`` or without it.
    """
    other = "" if below else "/v1"
    try:
        async with asyncio.timeout(_SECONDS):
            if await _status(upstream, below) != _NOT_FOUND or url.endswith("/v1"):
                return None
            is_elsewhere = await _status(upstream, other) in _THERE
    except (UpstreamError, TruncatedError, TimeoutError):
        return (
            f"The LLM's server at {url} does not answer: chats fail until it does. Is it running, and is RECOLLECT_UPSTREAM "
            "its address as seen from here? In a container 127.0.0.1 is the container itself."
        )
    if not is_elsewhere:
        return None
    remedy = """RECOLLECT_UPSTREAMS='[{"path": "/v1"}]'""" if below else f"RECOLLECT_UPSTREAM={url}/v1"
    return (
        f"The LLM's API seems to be elsewhere: there is no {url}{below}/models, but there is {url}{other}/models. "
        f"Set {remedy}"
    )


async def tell_of_upstream(upstream: Upstream, url: str, below: str) -> None:
    """Log the fault of an upstream's URL, if any."""
    if (complaint := await complaint_about(upstream, url, below)) is not None:
        log.warning("upstream_check_failed", remedy=complaint)


async def _status(upstream: Upstream, path: str) -> int:
    headers = [(b"Accept", b"application/json"), (b"User-Agent", USER_AGENT)]
    async with upstream.forward("GET", f"{path}/models".encode(), headers, None) as answer:
        return answer.status
