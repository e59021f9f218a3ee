"""What a recall bench found, as one JSON document. Never: how it is shown."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any

from bench.figures import percentile
from bench.recall.asking import Asked
from bench.recall.dataset import UNANSWERABLE
from bench.recall.facts import Facts
from bench.recall.metrics import DEPTH, Scores, mean, score
from bench.recall.replay import Tally
from recollect import __version__
from recollect_proxy.settings.proxy_settings import ProxySettings

_SETTINGS = {
    "chat_memory_tokens",
    "chunking",
    "embed",
    "embedder",
    "embedder_cache_size",
    "embedder_precision",
    "formation",
    "history_tokens",
    "hybrid",
    "memory_tokens",
    "placement",
}


Scorer = Callable[[Asked, Sequence[str]], Scores]
"""Scores a ranking for what was asked."""


def summarize(
    name: str,
    asked: Sequence[Asked],
    tally: Tally,
    settings: ProxySettings,
    *,
    scorer: Scorer = lambda each, ranked: score(ranked, each.question.evidence),
) -> dict[str, Any]:
    """Return the figures.

    Shares are from 0 to 1; null where there was nothing to take a mean of. ``ranked`` is what retrieval
    ranks, before gate, cliff and budget; ``injected`` is what these leave of it for the prompt. Tokens are
    told over all questions, those that inject nothing among them. ``not_recalled`` says why questions
    recalled nothing; ``requests_without_memories`` says it of the replayed chats.

    Args:
        name: What was replayed.
        asked: What came of every question.
        tally: What the replay did.
        settings: What it was done with.
        scorer: How a ranking is scored; by default, as one of turns.
    """
    tokens = [each.tokens for each in asked]
    milliseconds = [each.milliseconds for each in asked]
    nothing_to_find = [each for each in asked if not each.question.evidence]
    silent = [float(not each.injected) for each in nothing_to_find]
    return {
        "bench": "recall",
        "version": __version__,
        "data": name,
        "settings": settings_used(settings),
        "depth": DEPTH,
        "counts": counts(asked, tally),
        "ranked": by_category(asked, lambda each: scorer(each, each.ranked)),
        "injected": by_category(asked, lambda each: scorer(each, each.injected)),
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


def summarize_facts(
    name: str, asked: Sequence[Asked], tally: Tally, settings: ProxySettings, facts: Facts
) -> dict[str, Any]:
    """Return the figures of a ranking of facts, as ``summarize`` does, and what there was to be found.

    ``evidence_covered`` is the mean share of a question's evidence that any fact rests on: the highest
    recall there can be.
    """

    def scorer(each: Asked, ranked: Sequence[str]) -> Scores:
        return facts.score(each.user_id, ranked, each.question.evidence)

    answerable = [each for each in asked if each.question.evidence and each.question.category != UNANSWERABLE]
    covered = [facts.covered(each.user_id, each.question.evidence) for each in answerable]
    figures = summarize(name, asked, tally, settings, scorer=scorer)
    written = sum(len(facts.of[user_id]) for user_id in {each.user_id for each in asked})
    about = {"file": facts.name, "facts": written, "evidence_covered": fmean(covered) if covered else None}
    return figures | {"facts": about}


def settings_used(settings: ProxySettings) -> dict[str, Any]:
    """Return the settings that recall depends on."""
    of_recall = {name for name in type(settings).model_fields if name.startswith("recall_")}
    return settings.model_dump(mode="json", include=_SETTINGS | of_recall)


def counts(asked: Sequence[Asked], tally: Tally) -> dict[str, Any]:
    """Return what was replayed and asked, counted."""
    return {
        "conversations": tally.conversations,
        "turns": tally.turns,
        "turns_not_sent": tally.unsent,
        "exchanges_sent": tally.exchanges,
        "exchanges_formed": tally.formed,
        "exchanges_failed": tally.failed,
        "questions": len(asked),
        "questions_with_evidence": sum(bool(each.question.evidence) for each in asked),
        "questions_degraded": sum(bool(each.degraded) for each in asked),
    }


def by_category(asked: Sequence[Asked], score_of: Callable[[Asked], Scores]) -> dict[str, Any]:
    """Return the mean scores of the questions that have evidence, overall and of each category."""
    scored: dict[str, list[Scores]] = {}
    for each in asked:
        if each.question.evidence:
            scored.setdefault(each.question.category, []).append(score_of(each))
    counted = [scores for category, found in scored.items() if category != UNANSWERABLE for scores in found]
    return {
        "overall": _means(counted),
        "categories": {category: _means(found) for category, found in sorted(scored.items())},
    }


def _means(scores: Sequence[Scores]) -> dict[str, Any]:
    means = mean(scores)
    return {"questions": len(scores), **(asdict(means) if means else {})}
