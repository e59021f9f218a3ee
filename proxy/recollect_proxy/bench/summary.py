"""What a recall bench found, as one JSON document. Never: how it is shown."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from recollect import __version__
from recollect_proxy.bench.asking import Asked
from recollect_proxy.bench.metrics import Scores, mean, percentile, score
from recollect_proxy.bench.replay import Tally
from recollect_proxy.settings import ProxySettings

UNANSWERABLE = "adversarial"
"""A category whose questions nobody answers: left out of the overall figures."""

_SETTINGS = {
    "embedder",
    "embedder_cache_size",
    "embedder_precision",
    "recall_limit",
    "recall_gate",
    "recall_deadline_ms",
    "memory_tokens",
    "formation",
}


def summarize(name: str, asked: Sequence[Asked], tally: Tally, settings: ProxySettings) -> dict[str, Any]:
    """Return the figures.

    Shares are from 0 to 1; null where there was nothing to take a mean of. ``ranked`` is what retrieval
    ranks; ``injected`` is what of it the gate and the token budget leave for the prompt. Tokens are
    told over all questions, those that inject nothing among them. ``not_recalled`` says why questions
    recalled nothing; ``requests_without_memories`` says it of the replayed chats.

    Args:
        name: What was replayed.
        asked: What came of every question.
        tally: What the replay did.
        settings: What it was done with.
    """
    tokens = [each.tokens for each in asked]
    milliseconds = [each.milliseconds for each in asked]
    nothing_to_find = [each for each in asked if not each.question.evidence]
    silent = [float(not each.injected) for each in nothing_to_find]
    return {
        "bench": "recall",
        "version": __version__,
        "data": name,
        "settings": settings.model_dump(mode="json", include=_SETTINGS),
        "counts": _counts(asked, tally),
        "ranked": _scores(asked, lambda each: each.ranked),
        "injected": _scores(asked, lambda each: each.injected),
        "abstention": {
            "questions": len(silent),
            "nothing_injected": sum(silent) / len(silent) if silent else None,
        },
        "injected_tokens": {"median": percentile(tokens, 50), "p95": percentile(tokens, 95)},
        "recall_milliseconds": {"p50": percentile(milliseconds, 50), "p95": percentile(milliseconds, 95)},
        "not_recalled": dict(Counter(each.skipped.value for each in asked if each.skipped)),
        "requests_without_memories": dict(tally.skipped),
        "seconds": {"sending": round(tally.seconds_sending, 1), "asking": round(tally.seconds_asking, 1)},
    }


def _counts(asked: Sequence[Asked], tally: Tally) -> dict[str, Any]:
    return {
        "conversations": tally.conversations,
        "turns": tally.turns,
        "turns_not_sent": tally.unsent,
        "exchanges_sent": tally.exchanges,
        "exchanges_formed": tally.formed,
        "exchanges_failed": tally.failed,
        "questions": len(asked),
        "questions_with_evidence": sum(bool(each.question.evidence) for each in asked),
    }


def _scores(asked: Sequence[Asked], turns: Callable[[Asked], Sequence[str]]) -> dict[str, Any]:
    scored: dict[str, list[Scores]] = {}
    for each in asked:
        if each.question.evidence:
            scores = score(turns(each), each.question.evidence)
            scored.setdefault(each.question.category, []).append(scores)
    counted = [scores for category, found in scored.items() if category != UNANSWERABLE for scores in found]
    return {
        "overall": _means(counted),
        "categories": {category: _means(found) for category, found in sorted(scored.items())},
    }


def _means(scores: Sequence[Scores]) -> dict[str, Any]:
    means = mean(scores)
    return {"questions": len(scores), **(asdict(means) if means else {})}
