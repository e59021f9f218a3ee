"""Searches for nobody, so that the first chat finds connections open, statements prepared and a model that has run.

Never: writes, asks a server of others, fails an opening.
"""

import asyncio
from datetime import UTC, datetime
from uuid import uuid4

import structlog

from recollect.backends import Backends
from recollect.deadline import within
from recollect.errors import EmbedderError, StoreError
from recollect.model import Scope, Turn

_ASKED = "What is my dog called?"
_AT_ONCE = 5
"""Connections in use at a time: a recall's for the words, the chat, the standing part and the note of the turn before, and that
of the look for earlier embeddings."""

_SECONDS = 5.0
"""How long an opening waits for it at most."""

log = structlog.get_logger(__name__)


async def warm_up_search(backends: Backends) -> None:
    """Search for a user who does not exist, over several connections at once; never raises.

    A connection to Postgres takes 10 to 50 milliseconds to open, and several times that where the machine is busy: more
    than the words' lookup may take. The first embedder is not asked: it may be a server that takes money.
    """
    try:
        await within(_SECONDS, _search_at_once(backends, Scope(str(uuid4()), str(uuid4()))))
    except (TimeoutError, StoreError, EmbedderError) as error:
        log.info("search_not_warmed", error=type(error).__name__, detail=str(error))


async def _search_at_once(backends: Backends, nobody: Scope) -> None:
    await asyncio.gather(_embed(backends), *(_search(backends, nobody) for _ in range(_AT_ONCE)))


async def _search(backends: Backends, nobody: Scope) -> None:
    """Read all that a recall reads."""
    turn = Turn(nobody, _ASKED, "", datetime.now(UTC), "")
    await backends.chats.chat(nobody, exchanges=1, turn=turn)
    await backends.snapshots.get(nobody.user_id)
    backends.snapshots.forget(nobody.user_id)


async def _embed(backends: Backends) -> None:
    if backends.second_embedder is not None:
        await backends.second_embedder.embed_question(_ASKED)
