"""The tune bench: which weights rank best, chosen on one half of the conversations and measured on the other.

Coordinate grid search: one weight after another takes the best of some values while the others stand,
until none gains. Never: how figures are shown.
"""

import asyncio
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields, replace
from statistics import fmean
from typing import Any

from rich.progress import Progress

from bench.recall.dataset import DatasetError, LabelledConversation
from bench.recall.kept import KeptQuestion, compare, counted, keep_questions
from bench.recall.summary import settings_used
from recollect import __version__
from recollect.assembly import make_policy
from recollect.retrieval import SignalWeights
from recollect_proxy.settings import ProxySettings

GRID: dict[str, tuple[float, ...]] = {
    "dense": (0.4, 0.5, 0.6, 0.7, 0.8),
    "lexical": (0.1, 0.2, 0.3, 0.4),
    "matched": (0.0, 0.05, 0.1, 0.2),
    "role": (0.0, 0.05, 0.1, 0.15, 0.2, 0.3),
    "speaker": (0.0, 0.15, 0.3, 0.45),
    "date": (0.0, 0.1, 0.2, 0.3),
    "taste": (0.0, 0.05, 0.1, 0.2),
    "session": (0.0, 0.25, 0.5, 0.75, 1.0),
}
"""What is tried of each weight."""

SEED = 2026
ROUNDS = 3
_LEAST_GAIN = 1e-4
"""What a change must gain in NDCG@5 to be made."""


async def bench_tune(
    data: Sequence[tuple[str, Sequence[LabelledConversation]]],
    settings: ProxySettings,
    *,
    questions: int | None,
    progress: Progress,
) -> dict[str, Any]:
    """Replay the conversations once, and search weights on each half of them in turn.

    Args:
        data: The name of each file, and its conversations.
        settings: The operator's; see ``open_replay``.
        questions: How many questions of each conversation are asked at most; None: all.
        progress: Is told how far it is.

    Returns:
        For each half: the weights found on the other, and what these and those as set reach here.

    Raises:
        DatasetError: There are not two conversations with questions that have evidence.
        RecollectError: It can't be done.
    """
    kept = await keep_questions(data, settings, questions=questions, progress=progress)
    one, other = halves(kept.questions)
    if not (one and other):
        raise DatasetError("Tuning needs two conversations at least whose questions have evidence.")
    start = make_policy(kept.settings).weights
    trials = ROUNDS * sum(map(len, GRID.values()))
    bar = progress.add_task("search", total=2 * trials)
    folds: list[dict[str, Any]] = []
    for n, (known, unseen) in enumerate([(one, other), (other, one)]):
        found = await search(known, start, lambda: progress.advance(bar))
        progress.update(bar, completed=(n + 1) * trials)
        folds.append(_fold(known, unseen, start, found))
    return {
        "bench": "tune",
        "version": __version__,
        "data": [name for name, _ in data],
        "settings": settings_used(kept.settings),
        "counts": counted(kept),
        "seed": SEED,
        "folds": folds,
    }


def halves(questions: Sequence[KeptQuestion]) -> tuple[list[KeptQuestion], list[KeptQuestion]]:
    """Split the questions by conversation, alike each time; of each file about half its conversations."""
    of_files: dict[str, dict[str, None]] = {}
    for question in questions:
        of_files.setdefault(question.file, {})[question.conversation_id] = None
    draw = random.Random(SEED)  # noqa: S311 -- must come out alike
    shuffled = [name for names in of_files.values() for name in draw.sample([*names], len(names))]
    first = set(shuffled[::2])
    return (
        [each for each in questions if each.conversation_id in first],
        [each for each in questions if each.conversation_id not in first],
    )


async def search(
    questions: Sequence[KeptQuestion], start: SignalWeights, advance: Callable[[], None] = lambda: None
) -> SignalWeights:
    """Return the weights that coordinate grid search finds from ``start``; the search can be cancelled.

    Args:
        questions: What they must rank well, by the mean of the files' NDCG@5; not empty.
        start: Where it begins; it is left only for what gains.
        advance: Is called after each trial.
    """
    found, best = start, quality(questions, start)
    for _ in range(ROUNDS):
        before = best
        for name, values in GRID.items():
            for value in values:
                await asyncio.sleep(0)
                tried = replace(found, **{name: value})
                reached = best if tried == found else quality(questions, tried)
                if reached >= best + _LEAST_GAIN:
                    found, best = tried, reached
                advance()
        if best == before:
            break
    return found


def quality(questions: Sequence[KeptQuestion], weights: SignalWeights) -> float:
    """Return the mean of the files' NDCG@5, each file alike; of one question at least."""
    files: dict[str, list[float]] = {}
    for question in questions:
        files.setdefault(question.file, []).append(question.score(weights).ndcg_at_5)
    return fmean(map(fmean, files.values()))


def as_setting(weights: SignalWeights) -> str:
    """Return the engine's internal that makes the shipped weights these."""
    shipped, found = asdict(SignalWeights()), asdict(weights)
    own = {name: round(value, 6) for name, value in found.items() if value != shipped[name]}
    return f"recall_weights={json.dumps(own)}"


def _fold(
    known: Sequence[KeptQuestion], unseen: Sequence[KeptQuestion], start: SignalWeights, found: SignalWeights
) -> dict[str, Any]:
    return {
        "searched_on": _size(known),
        "measured_on": _size(unseen),
        "weights": {field.name: getattr(found, field.name) for field in fields(SignalWeights)},
        "setting": as_setting(found),
        "as_set": compare(unseen, start),
        "found": compare(unseen, found),
    }


def _size(questions: Sequence[KeptQuestion]) -> dict[str, int]:
    conversations = {each.conversation_id for each in questions}
    return {"conversations": len(conversations), "questions": len(questions)}
