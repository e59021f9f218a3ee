"""Remembers answers that an LLM's server kept until their person fetched them. Never: a socket; raises into a chat."""

import asyncio
from dataclasses import replace

import structlog

from recollect.engine.live.live_engine import LiveEngine
from recollect.errors import StoreError
from recollect.model import Exchange, Failure

_LOOKS, _SECONDS = 60, 5.0
"""How often, and how long apart, it is looked for the exchange of an answer while the store is away."""

log = structlog.get_logger(__name__)


def note_fetched(
    live: LiveEngine,
    user_id: str,
    answer_id: str,
    reply: str,
    *,
    failure: Failure | None,
    credential: str | None,
) -> None:
    """Remember in the background an answer that its person fetched; never raises, never waits.

    ``answer_id`` is the LLM server's; ``reply`` the answer as far as it came; ``credential`` stays in this process's memory alone.
    """

    async def note() -> None:
        asked = await _exchange_of(live, user_id, answer_id)
        if asked is None or (failure is None and reply and asked.reply == reply):
            return
        exchange = replace(asked, credential=credential)
        live.record_of(exchange).end(reply, recollections=(), answer_id=answer_id, failure=failure)

    live.note_soon(note())


async def _exchange_of(live: LiveEngine, user_id: str, answer_id: str) -> Exchange | None:
    """Return the exchange of an answer, once the store can tell; None if it has none, or can't be asked for long."""
    for _ in range(_LOOKS):
        await live.caught_up()
        try:
            if await live.ready(_SECONDS) and live.engine is not None:
                return await live.engine.exchange_of_answer(user_id, answer_id)
        except StoreError as error:
            log.warning("fetched_answer_postponed", error=type(error).__name__)
            await asyncio.sleep(_SECONDS)
    return None
