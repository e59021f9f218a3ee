"""Asks a memory a question as a chat's turn would, but leaves no trace of it. Never: a score."""

from dataclasses import dataclass
from datetime import datetime

from bench.engines import hear
from bench.recall.dataset import Question
from bench.recall.turn_ids import TurnIds
from recollect.engine import Engine, RecallOptions
from recollect.model import Skip, Stage


@dataclass(frozen=True, slots=True)
class Asked:
    """The outcome of a question.

    Attributes:
        ranked: The turns of the ranked memories, best first, each once.
        injected: The turns of those that would reach the prompt, best first, each once.
        tokens: The size of its block.
        milliseconds: The time of the recall.
        skipped: Why nothing was recalled, or None.
        degraded: The stages that failed or were late.
    """

    question: Question
    ranked: tuple[str, ...] = ()
    injected: tuple[str, ...] = ()
    tokens: int = 0
    milliseconds: float = 0.0
    skipped: Skip | None = None
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
    """Ask ``question`` in a new chat of the user: read, recalled for and composed as a chat's first turn."""
    messages = [{"role": "user", "content": question.text}]
    heard = hear(messages, person=user_id, chat=f"question-{question.id}", at=at)
    if heard.turn is None:
        return Asked(question, skipped=heard.skip)
    prepared = await engine.prepare(heard.turn, RecallOptions(limit=limit, memory_tokens=budget))
    # a recall that missed its deadline has nothing to show: what ranks is asked for apart
    ranking = prepared.ranking or await engine.rank(heard.turn)
    block = prepared.placed.block
    return Asked(
        question,
        ranked=origins.expand(recollection.item for recollection in ranking.ranked),
        injected=origins.expand(recollection.item for recollection in prepared.included),
        tokens=block.tokens if block else 0,
        milliseconds=prepared.recall.milliseconds,
        skipped=prepared.recall.skipped,
        degraded=ranking.degraded,
    )
