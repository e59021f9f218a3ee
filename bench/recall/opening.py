"""Opens a proxy for a replay, with a database of its own that is removed in the end.

Never: a conversation.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from bench.recall.clock import ReplayClock
from bench.recall.metrics import DEPTH
from bench.recall.replay import Replay, ReplayedApp
from bench.recall.upstream import ReplayUpstream
from recollect.model import Strategy
from recollect.settings import Worker
from recollect_proxy.serving.ephemeral_server import serve_proxy, serve_upstream, temporary
from recollect_proxy.settings.proxy_settings import ProxySettings

_ANSWER_SECONDS = 120.0


@asynccontextmanager
async def open_replay(settings: ProxySettings, **changes: Any) -> AsyncIterator[Replay]:
    """Serve a proxy until left, and yield what replays through it.

    Args:
        settings: The operator's. The database, the data and the upstream are the bench's own, memories
            are formed without a model, as many are ranked as are scored, and everything else is as in
            a chat.
        **changes: Settings that differ from that.
    """
    upstream, clock = ReplayUpstream(), ReplayClock()
    async with serve_upstream(upstream) as replayed:
        own = temporary(
            settings,
            **{
                "upstream": f"{replayed}/v1",
                "formation": Strategy.QA_TURN,
                "worker": Worker.WITHIN,  # one apart has the machine's date: it would take each turn for long abandoned
                "recall_limit": max(settings.recall_limit, DEPTH),
                "session_cap": 0,  # evidence must not have been pruned
                "user_cap": 0,
                "embedder_cache_size": 1,  # users ask alike: another's cached embedding would flatter us
            }
            | changes,
        )
        app = ReplayedApp(own, admin_token="bench", clock=clock)  # noqa: S106 -- of a proxy that only we reach
        async with (
            serve_proxy(app, own) as origin,
            httpx.AsyncClient(base_url=origin, timeout=_ANSWER_SECONDS, trust_env=False) as client,
        ):
            yield Replay(
                app, own, client=client, upstream=upstream, clock=clock, injected_limit=settings.recall_limit
            )
