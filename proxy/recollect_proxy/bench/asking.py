"""Asks a memory a question as a chat's turn would, but leaves no trace of it. Never: a score."""

from dataclasses import dataclass
from datetime import datetime

import msgspec

from recollect.chat.heard import hear
from recollect.composition import compose
from recollect.engine import Engine
from recollect.model import Skip
from recollect.tokens import estimate_tokens
from recollect_proxy.bench.dataset import Question
from recollect_proxy.bench.turn_ids import TurnIds
from recollect_proxy.bench.upstream import MODEL


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of a question.

    Attributes:
        ranked: The turns behind what retrieval ranked, best first, each once.
        injected: The turns behind what would have gone into the prompt, best first, each once.
        tokens: What that would have taken.
        milliseconds: What recalling took.
        skipped: Why nothing was recalled, or None.
    """

    question: Question
    ranked: tuple[str, ...] = ()
    injected: tuple[str, ...] = ()
    tokens: int = 0
    milliseconds: float = 0.0
    skipped: Skip | None = None


async def ask(
    engine: Engine, question: Question, *, user_id: str, at: datetime, turns: TurnIds, budget: int
) -> Asked:
    """Ask ``question`` in a new chat of the user: read, recalled for and composed as a chat's first turn.

    Args:
        engine: Whom to ask.
        question: What to ask.
        user_id: Whose memory.
        at: When.
        turns: The turns that memories rest on.
        budget: Tokens the memory block may take.
    """
    body = {"model": MODEL, "messages": [{"role": "user", "content": question.text}]}
    heard = hear(
        msgspec.json.encode(body),
        user_id=user_id,
        session_id=f"question-{question.id}",
        message_id=None,
        at=at,
    )
    if heard.turn is None:
        return Asked(question, skipped=heard.skip)
    recall = await engine.recall(heard.turn)
    block = compose(recall.recollections, budget=budget, count=estimate_tokens)
    # what retrieval ranks is asked for apart: a recall that missed its deadline has nothing to show
    ranked = await engine.rank(heard.turn)
    return Asked(
        question,
        ranked=turns.expand(recollection.memory for recollection in ranked),
        injected=turns.expand(recollection.memory for recollection in block.recollections) if block else (),
        tokens=block.tokens if block else 0,
        milliseconds=recall.milliseconds,
        skipped=recall.skipped,
    )
