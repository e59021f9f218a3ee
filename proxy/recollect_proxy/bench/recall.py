"""The recall bench: replays a file through a proxy of its own, and sums up. Never: how that is shown."""

from collections.abc import Sequence
from typing import Any

import httpx
from rich.progress import Progress

from recollect.settings import Formation
from recollect_proxy.bench.asking import Asked
from recollect_proxy.bench.clock import ReplayClock
from recollect_proxy.bench.dataset import LabelledConversation
from recollect_proxy.bench.plan import plan
from recollect_proxy.bench.replay import Replay, ReplayedApp
from recollect_proxy.bench.summary import summarize
from recollect_proxy.bench.upstream import ReplayUpstream
from recollect_proxy.settings import ProxySettings
from recollect_proxy.temporary import serve_proxy, serve_upstream, temporary, temporary_data_dir

DEPTH = 10
"""How many turns are scored: a memory holds one at least, so no fewer memories are ranked."""

_ANSWER_SECONDS = 120.0


async def bench_recall(
    name: str,
    conversations: Sequence[LabelledConversation],
    settings: ProxySettings,
    *,
    questions: int | None,
    progress: Progress,
) -> dict[str, Any]:
    """Replay ``conversations``, each as one user's chats, and ask what they ask.

    Args:
        name: What they are called in the summary.
        conversations: What was said and is asked.
        settings: The operator's. The database, the data and the upstream are the bench's own, memories
            are formed without a model, and everything else is as in a chat.
        questions: How many questions of each conversation are asked at most; None: all.
        progress: Is told how far it is.

    Returns:
        As ``summarize`` does.

    Raises:
        RecollectError: The replay can't be done.
    """
    upstream, clock = ReplayUpstream(), ReplayClock()
    plans = [plan(conversation, questions=questions) for conversation in conversations]
    bar = progress.add_task(name, total=sum(len(each.steps) for each in plans))
    asked: list[Asked] = []
    with temporary_data_dir(settings) as data_dir:
        async with serve_upstream(upstream) as replayed:
            own = temporary(
                settings,
                data_dir,
                upstream=f"{replayed}/v1",
                formation=Formation.QA_TURN,
                recall_limit=max(settings.recall_limit, DEPTH),
                embedder_cache_size=1,  # users ask alike: an embedding another asked for would flatter us
            )
            app = ReplayedApp(own, admin_token="bench", clock=clock)  # noqa: S106 -- of a proxy that only we reach
            async with (
                serve_proxy(app, own) as origin,
                httpx.AsyncClient(base_url=origin, timeout=_ANSWER_SECONDS, trust_env=False) as client,
            ):
                replay = Replay(app, own, client=client, upstream=upstream, clock=clock)
                for conversation, each in zip(conversations, plans, strict=True):
                    asked += await replay.play(conversation, each, lambda: progress.advance(bar))
    return summarize(name, asked, replay.tally, own)
