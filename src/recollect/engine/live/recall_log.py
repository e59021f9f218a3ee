"""Writes the log line of a recall. Never: a word of anybody."""

import structlog

from recollect.engine.turns.prepared import Prepared
from recollect.model import Turn

log = structlog.get_logger(__name__)


def log_recall(turn: Turn, prepared: Prepared) -> None:
    """Log one ``recalled``: whose turn it was, how much its prompt was given or why nothing, and what recalling took.

    ``degraded`` names the stages that recall had to skip, such as a late embedder.
    """
    recall, block = prepared.recall, prepared.placed.block
    log.info(
        "recalled",
        user_id=turn.scope.user_id,
        session_id=turn.scope.session_id,
        given=len(block.recollections) if block else 0,
        skipped=recall.skipped.value if recall.skipped else None,
        **({"degraded": [stage.value for stage in recall.degraded]} if recall.degraded else {}),
        milliseconds=round(recall.milliseconds),
    )
