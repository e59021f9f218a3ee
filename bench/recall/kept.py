"""What is known of each question's candidates, kept from one replay: other weights are then tried in no time.

Never: which weights are tried.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import Progress

from bench.recall.asking import hear_question, rank_whole
from bench.recall.dataset import LabelledConversation, Question, answerable, files_of
from bench.recall.metrics import DEPTH, Scores, mean, score
from bench.recall.opening import open_replay, unhurried
from bench.recall.plan import Plan, Sending, plan
from bench.recall.replay import Replay, Tally
from bench.recall.turn_ids import TurnIds
from recollect.retrieval import Ranking, SignalWeights
from recollect.retrieval.fusion import fuse
from recollect.retrieval.signals import Signals
from recollect_proxy.settings import ProxySettings

COMPARED = ("ndcg_at_5", "ndcg_at_10", "recall_at_10")
"""The scores by which weights are compared."""


@dataclass(frozen=True, slots=True)
class KeptQuestion:
    """A question, and what was found for it.

    Attributes:
        file: Which file it is from.
        conversation_id: Whose question it is.
        evidence: The ids of the turns to be found.
        signals: What is known of n candidates; None where nothing was found.
        turns: The turns that each candidate comes from, n tuples.
        order: Which of two candidates comes first if they score alike: a rank each, (n,).
    """

    file: str
    conversation_id: str
    evidence: tuple[str, ...]
    signals: Signals | None
    turns: tuple[tuple[str, ...], ...]
    order: NDArray[np.int64]

    def ranked(self, weights: SignalWeights) -> tuple[str, ...]:
        """Return the first ``DEPTH`` turns as the engine would rank them with ``weights``."""
        if self.signals is None:
            return ()
        scores = fuse(self.signals, weights).scores
        ranked: dict[str, None] = {}
        for candidate in np.lexsort((self.order, -scores)).tolist():
            ranked |= dict.fromkeys(self.turns[candidate])
            if len(ranked) >= DEPTH:
                break
        return tuple(ranked)[:DEPTH]

    def score(self, weights: SignalWeights) -> Scores:
        """Score the ranking that ``weights`` make."""
        return score(self.ranked(weights), self.evidence)


@dataclass(frozen=True, slots=True)
class Kept:
    """What a replay left.

    Attributes:
        questions: All that were asked: those with evidence that somebody answers.
        tally: What the replay did.
        settings: What it was done with.
    """

    questions: list[KeptQuestion]
    tally: Tally
    settings: ProxySettings


async def keep_questions(
    data: Sequence[tuple[str, Sequence[LabelledConversation]]],
    settings: ProxySettings,
    *,
    questions: int | None,
    progress: Progress,
) -> Kept:
    """Replay the conversations, ask their questions, and keep what is known of the candidates.

    Args:
        data: The name of each file, and its conversations.
        settings: The operator's; see ``open_replay``.
        questions: How many questions of each conversation are asked at most; None: all.
        progress: Is told how far it is.

    Raises:
        DatasetError: Two conversations have the same id.
        RecollectError: It can't be done.
    """
    files = files_of(data)
    conversations = [answerable(each) for _, found in data for each in found]
    plans = [plan(each, questions=questions) for each in conversations]
    bar = progress.add_task("replay", total=sum(len(each.steps) for each in plans))
    kept: list[KeptQuestion] = []
    async with open_replay(settings, **unhurried(settings)) as replay:
        for conversation, each in zip(conversations, plans, strict=True):
            file = files[conversation.id]
            kept += await _play(replay, file, conversation, each, lambda: progress.advance(bar))
        return Kept(kept, replay.tally, replay.settings)


async def _play(
    replay: Replay, file: str, conversation: LabelledConversation, made: Plan, advance: Callable[[], None]
) -> list[KeptQuestion]:
    replay.begin(conversation)
    replay.tally.unsent += made.unsent
    turns = TurnIds()
    kept: list[KeptQuestion] = []
    for step in made.steps:
        if isinstance(step, Sending):
            await replay.send(conversation.id, step, turns)
        else:
            await replay.drained()
            kept.append(await _keep(replay, file, conversation.id, step, turns))
        advance()
    await replay.drained()
    return kept


async def _keep(
    replay: Replay, file: str, conversation_id: str, question: Question, turns: TurnIds
) -> KeptQuestion:
    at = question.at or replay.clock()
    heard = hear_question(question, user_id=conversation_id, at=at)
    ranking = None if heard.turn is None else await rank_whole(replay.engine, heard.turn)
    return _kept(ranking, file, conversation_id, question, turns)


def _kept(
    ranking: Ranking | None, file: str, conversation_id: str, question: Question, turns: TurnIds
) -> KeptQuestion:
    found = () if ranking is None else ranking.found
    by_id = sorted(range(len(found)), key=lambda n: found[n].item.id)
    return KeptQuestion(
        file,
        conversation_id,
        question.evidence,
        None if ranking is None else ranking.signals,
        tuple(turns.of(each.item) for each in found),
        np.argsort(np.array(by_id, np.int64)),
    )


def compare(questions: Sequence[KeptQuestion], weights: SignalWeights) -> dict[str, Any]:
    """Return the mean scores that ``weights`` reach on each file, and the mean of the files', each alike."""
    scored: dict[str, list[Scores]] = {}
    for question in questions:
        scored.setdefault(question.file, []).append(question.score(weights))
    files = {file: _compared(found) for file, found in scored.items()}
    return {
        "files": files,
        "mean": {name: fmean(each[name] for each in files.values()) for name in COMPARED} if files else {},
    }


def _compared(scores: Sequence[Scores]) -> dict[str, float]:
    means = mean(scores)
    return {"questions": len(scores), **{name: getattr(means, name) for name in COMPARED}}


def counted(kept: Kept) -> dict[str, int]:
    """Return what was replayed and kept, counted."""
    tally = kept.tally
    return {
        "conversations": tally.conversations,
        "turns": tally.turns,
        "turns_not_sent": tally.unsent,
        "exchanges_sent": tally.exchanges,
        "questions": len(kept.questions),
    }
