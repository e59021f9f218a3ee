"""Writes what goes with a turn, a block or the record of a request, as the engine does."""

from collections.abc import Sequence

from recollect.composition import Placed
from recollect.engine import Engine
from recollect.model import Injection, RequestRecord, Scope, Turn, TurnNotes
from recollect.store.message_log import MessageLog


async def note_block(
    log: MessageLog, scope: Scope, injection: Injection | None, detached: Sequence[str]
) -> None:
    await log.write_notes(scope, TurnNotes(injection, tuple(detached)))


async def note_request(log: MessageLog, request: RequestRecord) -> None:
    await log.write_notes(request.scope, TurnNotes(request=request))


async def note_placed(engine: Engine, turn: Turn, placed: Placed) -> None:
    """Note the blocks that a turn's prompt was given; never raises."""
    await engine.write_notes(turn, TurnNotes(placed.injection, placed.detached))
