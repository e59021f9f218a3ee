"""Compiles expressions, opens connections and runs a model, so that the first chat does not wait for them.

Never: writes, asks a server of others, fails an opening.
"""

import asyncio
from datetime import UTC, datetime
from uuid import UUID, uuid4

import structlog

from recollect.backends import Backends
from recollect.composition.quoting import excerpt, focus_of, quoted
from recollect.errors import EmbedderError, StoreError
from recollect.formation.turns import read_commands
from recollect.model import Kind, Memory, Recollection, Scope, Source, Turn
from recollect.recall import PromptTexts, SelectionContext, SelectionLimits, select
from recollect.recall.query import read_query
from recollect.runtime.deadline import within
from recollect.text.attribution.thoughts import without_thoughts
from recollect.text.cues.memory_requests import read_memory_request
from recollect.text.tokens import estimate_tokens

_ASKED = "Where did I live in May 2024, when my sister Anna moved to the river? I don't remember the address."
_AT = datetime(2026, 1, 1, tzinfo=UTC)
_SEARCHED = "What is my dog called?"
_AT_ONCE = 5
"""Connections in use at a time: a recall's for the words, the chat, the standing part and the note of the turn before, and that
of the look for earlier embeddings."""

_SECONDS = 5.0
"""How long an opening waits for it at most."""

log = structlog.get_logger(__name__)


def warm_up() -> None:
    """Read a turn, select a memory and compose a block; this takes some tenths of a second of processor time."""
    read_query(Turn(Scope("", ""), _ASKED, "", _AT, ""))
    for text in (_ASKED, "Forget number 2."):
        read_memory_request(text)
        read_commands(text)
    without_thoughts("<think>It is by the river.</think> You lived by the river.")
    memory = Memory(UUID(int=0), "", Kind.FACT, Source.EXTRACTED, _ASKED, 0.5, _AT, _AT)
    around = SelectionContext("", user_wide=False, prompt=PromptTexts([_ASKED]))
    select([Recollection(memory, 0.5)], around, SelectionLimits(), relevant=True)
    quoted(excerpt(_ASKED, limit=10, count=estimate_tokens, focus=focus_of(_ASKED)))


async def warm_up_search(backends: Backends) -> None:
    """Search for a user who does not exist, over several connections at once; never raises."""
    # A connection to Postgres takes 10 to 50 milliseconds to open, and several times that where the machine is busy. The log's
    # embedder is not asked: it may be a server that takes money.
    try:
        await within(_SECONDS, _search_at_once(backends, Scope(str(uuid4()), str(uuid4()))))
    except (TimeoutError, StoreError, EmbedderError) as error:
        log.info("search_warm_up_failed", error=type(error).__name__, detail=str(error))


async def _search_at_once(backends: Backends, nobody: Scope) -> None:
    async def search() -> None:
        turn = Turn(nobody, _SEARCHED, "", datetime.now(UTC), "")
        await backends.chats.chat(nobody, exchanges=1, turn=turn)
        await backends.snapshots.get(nobody.user_id)
        backends.snapshots.forget(nobody.user_id)

    question = backends.embedder.embed_question(_SEARCHED)
    await asyncio.gather(question, *(search() for _ in range(_AT_ONCE)))
