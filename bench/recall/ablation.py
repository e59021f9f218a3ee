"""The ablation bench: what each weight of the ranking gives. Never: how figures are shown."""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from rich.progress import Progress

from bench.recall.dataset import LabelledConversation
from bench.recall.kept import compare, counted, keep_questions
from bench.recall.summary import settings_used
from recollect import __version__
from recollect.assembly import make_policy
from recollect.retrieval import SignalWeights
from recollect_proxy.settings import ProxySettings

LEFT_OUT = (
    "dense",
    "lexical",
    "matched",
    "role",
    "speaker",
    "date",
    "taste",
    "session",
)
"""The weights that are left out, one at a time."""


async def bench_ablation(
    data: Sequence[tuple[str, Sequence[LabelledConversation]]],
    settings: ProxySettings,
    *,
    questions: int | None,
    progress: Progress,
) -> dict[str, Any]:
    """Replay the conversations once, and rank with one weight less each time.

    Args:
        data: The name of each file, and its conversations.
        settings: The operator's; see ``open_replay``.
        questions: How many questions of each conversation are asked at most; None: all.
        progress: Is told how far it is.

    Returns:
        What each variant of the weights reaches on each file.

    Raises:
        DatasetError: Two conversations have the same id.
        RecollectError: It can't be done.
    """
    kept = await keep_questions(data, settings, questions=questions, progress=progress)
    tried = variants(make_policy(kept.settings).weights)
    return {
        "bench": "ablation",
        "version": __version__,
        "data": [name for name, _ in data],
        "settings": settings_used(kept.settings),
        "counts": counted(kept),
        "variants": {name: compare(kept.questions, weights) for name, weights in tried.items()},
    }


def variants(weights: SignalWeights) -> dict[str, SignalWeights]:
    """Return ``weights``, then without each of ``LEFT_OUT``, then each of the two channels alone.

    The candidates are those of both channels each time.
    """
    nothing = replace(weights, **{field.name: 0.0 for field in fields(SignalWeights)})
    return {
        "everything": weights,
        **{f"without {name}": replace(weights, **{name: 0.0}) for name in LEFT_OUT},
        "dense alone": replace(nothing, dense=1.0),
        "BM25 alone": replace(nothing, lexical=1.0),
    }
