"""A recall with a fault is logged for the operator, one without at the level debug."""

from datetime import UTC, datetime

import pytest
from structlog.testing import capture_logs

from recollect.engine.live.recall_log import log_recall
from recollect.engine.turns.prepared import Prepared
from recollect.model import Recall, Scope, Skip, Stage, Turn

TURN = Turn(Scope("anna", "monday"), "What do I drink?", "message", datetime(2026, 3, 1, tzinfo=UTC), "")


@pytest.mark.parametrize(
    ("recall", "level"),
    [
        (Recall(), "debug"),
        (Recall(skipped=Skip.NOTHING_RELEVANT), "debug"),
        (Recall(skipped=Skip.DEADLINE), "info"),
        (Recall(skipped=Skip.STORE), "info"),
        (Recall(degraded=(Stage.EMBEDDING,)), "info"),
    ],
)
def test_a_recall_is_news_if_something_failed(recall: Recall, level: str) -> None:
    with capture_logs() as lines:
        log_recall(TURN, Prepared(recall))

    assert [line["log_level"] for line in lines] == [level]
