"""Writes the log line of a recall. Never: a word of anybody."""

import structlog

from recollect.engine.turns.prepared import Prepared
from recollect.model import Skip, Turn, person_of

log = structlog.get_logger(__name__)

_FAULTS = frozenset({Skip.DEADLINE, Skip.STORE, Skip.EMBEDDER, Skip.FAILED})
"""Reasons for recalling nothing that an operator wants to see."""


def log_recall(turn: Turn, prepared: Prepared) -> None:
    """Log one ``recalled``: the user, the chat, how much the prompt was given or why nothing, and how long it took.

    ``degraded`` names the stages that recall had to skip, such as a late embedder. A recall without a fault is logged
    at the level ``debug``.
    """
    recall, block = prepared.recall, prepared.placed.block
    is_news = bool(recall.degraded) or recall.skipped in _FAULTS
    say = log.info if is_news else log.debug
    say(
        "recalled",
        user_id=person_of(turn.scope.user_id),
        session_id=turn.scope.session_id,
        given=len(block.recollections) if block else 0,
        skipped=recall.skipped.value if recall.skipped else None,
        **({"degraded": [stage.value for stage in recall.degraded]} if recall.degraded else {}),
        milliseconds=round(recall.milliseconds),
    )
