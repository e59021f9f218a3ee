"""Asks a memory a question as a chat's turn would, but leaves no trace of it. Never: a score."""

from dataclasses import dataclass
from datetime import datetime

import msgspec

from bench.recall.dataset import Question
from bench.recall.turn_ids import TurnIds
from bench.recall.upstream import MODEL
from recollect.engine import Engine, RecallOptions
from recollect.model import Skip, Stage
from recollect.wire.turn_detection import DetectedTurn, detect_turn


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of a question.

    Attributes:
        user_id: Whose memory was asked.
        ranked: What the ranked memories come from, best first, each once.
        injected: What those come from that would have gone into the prompt, best first, each once.
        tokens: What that would have taken.
        block: What would have been told of it.
        milliseconds: What recalling took.
        skipped: Why nothing was recalled, or None.
        gate_score: What the gate went by; None where it had nothing to go by.
        degraded: What failed or was late, and the ranking did without.
    """

    question: Question
    user_id: str = ""
    ranked: tuple[str, ...] = ()
    injected: tuple[str, ...] = ()
    tokens: int = 0
    block: str = ""
    milliseconds: float = 0.0
    skipped: Skip | None = None
    gate_score: float | None = None
    degraded: tuple[Stage, ...] = ()


async def ask(
    engine: Engine,
    question: Question,
    *,
    user_id: str,
    at: datetime,
    origins: TurnIds,
    limit: int,
    budget: int,
) -> Asked:
    """Ask ``question`` in a new chat of the user: read, recalled for and composed as a chat's first turn.

    Args:
        engine: Whom to ask.
        question: What to ask.
        user_id: Whose memory.
        at: When.
        origins: What memories come from.
        limit: Memories that may be injected at most; more than these are ranked.
        budget: Tokens the memory block may take.
    """
    heard = hear_question(question, user_id=user_id, at=at)
    if heard.turn is None:
        return Asked(question, user_id, skipped=heard.skip)
    prepared = await engine.prepare(heard.turn, RecallOptions(limit=limit, memory_tokens=budget))
    # a recall that missed its deadline has nothing to show: what ranks is asked for apart
    ranking = prepared.ranking or await engine.rank(heard.turn)
    block = prepared.placed.block
    return Asked(
        question,
        user_id,
        ranked=origins.expand(recollection.item for recollection in ranking.ranked),
        injected=origins.expand(recollection.item for recollection in prepared.included),
        tokens=block.tokens if block else 0,
        block=block.text if block else "",
        milliseconds=prepared.recall.milliseconds,
        skipped=prepared.recall.skipped,
        gate_score=ranking.gate_score,
        degraded=ranking.degraded,
    )


def hear_question(question: Question, *, user_id: str, at: datetime) -> DetectedTurn:
    """Return what the first request of a new chat says in which the user asks ``question``."""
    body = {"model": MODEL, "messages": [{"role": "user", "content": question.text}]}
    return detect_turn(
        msgspec.json.encode(body),
        user_id=user_id,
        session_id=f"question-{question.id}",
        message_id=None,
        at=at,
    )
