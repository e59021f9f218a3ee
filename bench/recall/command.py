"""Measures the recall of questions about labelled conversations.

    python -m bench recall --data FILE [--questions N] [--conversations N]

Each conversation is replayed as one user's chats through a proxy of its own, without an LLM. Then its questions are asked. The
RECOLLECT_* settings of embedder and recall are those that a chat has. ``ranked`` is the ranking before gate, cliff and
budget; ``injected`` is the part that these leave for the prompt.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import Any

from bench.engines import NO_UPSTREAM
from bench.figures import number, percent, percentiles
from bench.recall.dataset import UNANSWERABLE, LabelledConversation, read_conversations
from bench.recall.metrics import score
from bench.recall.opening import open_replay
from bench.recall.plan import plan
from bench.recall.replay import Asked, Tally
from bench.report import options_of, progress, publish, table
from recollect_proxy.settings.proxy_settings import ProxySettings

_COLUMNS = tuple(score(("turn",), ("turn",)))


async def measure(
    conversations: Sequence[LabelledConversation], settings: ProxySettings, questions: int | None
) -> tuple[list[Asked], Tally]:
    """Replay conversations, and ask at most so many questions of each."""
    asked: list[Asked] = []
    async with open_replay(settings) as replay:
        for conversation in conversations:
            asked += await replay.play(conversation, plan(conversation, questions=questions))
            progress(f"{conversation.id}: {len(asked)} questions so far")
    return asked, replay.tally


def summarize(asked: Sequence[Asked], tally: Tally) -> dict[str, Any]:
    """Return the figures; shares are from 0 to 1, and tokens are counted over all questions."""
    silent = [not each.injected for each in asked if not each.question.evidence]
    return {
        "counts": {name: value for name, value in asdict(tally).items() if isinstance(value, int)}
        | {"questions": len(asked), "questions_degraded": sum(bool(each.degraded) for each in asked)},
        "ranked": by_category(asked, lambda each: each.ranked),
        "injected": by_category(asked, lambda each: each.injected),
        "abstention": {"questions": len(silent), "nothing_injected": sum(silent)},
        "injected_tokens": percentiles([each.tokens for each in asked], 50, 95),
        "recall_milliseconds": percentiles([each.milliseconds for each in asked], 50, 95),
        "not_recalled": dict(Counter(each.skipped.value for each in asked if each.skipped)),
        "requests_without_memories": dict(tally.skipped),
    }


def by_category(asked: Sequence[Asked], ranking: Callable[[Asked], Sequence[str]]) -> dict[str, Any]:
    """Return the mean scores of the questions with evidence, of each category and overall.

    Unanswerable questions are left out of the overall figures.
    """
    scored: dict[str, list[dict[str, float]]] = {}
    for each in asked:
        if each.question.evidence:
            scored.setdefault(each.question.category, []).append(score(ranking(each), each.question.evidence))
    counted = [scores for category, found in scored.items() if category != UNANSWERABLE for scores in found]
    return {
        name: {"questions": len(found)}
        | {each: fmean(scores[each] for scores in found or [{each: 0.0}]) for each in _COLUMNS}
        for name, found in [*sorted(scored.items()), ("overall", counted)]
    }


def tables(figures: Mapping[str, Any]) -> str:
    """Return the figures as Markdown, shares in percent."""
    tokens, latency, silent = (
        figures["injected_tokens"],
        figures["recall_milliseconds"],
        figures["abstention"],
    )
    lines = [
        "R: recall, N: NDCG, H: hit; in percent.",
        f"- questions without evidence that inject nothing: {percent(silent['nothing_injected'], silent['questions'], 1)}",
        f"- injected tokens: median {number(tokens.get('p50'))}, p95 {number(tokens.get('p95'))}",
        f"- recall: p50 {number(latency.get('p50'))} ms, p95 {number(latency.get('p95'))} ms",
        f"- not recalled: {figures['not_recalled'] or 'none'}",
        f"- {', '.join(f'{name} {count}' for name, count in figures['counts'].items())}",
    ]
    parts = (
        ("ranked", "What retrieval ranks"),
        ("injected", "What reaches the prompt, after gate and budget"),
    )
    return "\n\n".join(
        [*(f"## {title}\n\n{_scores(figures[name])}" for name, title in parts), "\n".join(lines)]
    )


def _scores(categories: Mapping[str, Any]) -> str:
    rows = [
        (category, means["questions"], *(number(100 * means[each]) for each in _COLUMNS))
        for category, means in categories.items()
    ]
    return table(("category", "n", *_COLUMNS), rows)


def main() -> None:
    """Replay a file, and print the figures."""
    parser = options_of(__doc__)
    parser.add_argument(
        "--data", type=Path, required=True, help="labelled conversations, one JSON object a line"
    )
    parser.add_argument("--questions", type=int, help="ask the first N questions of each")
    parser.add_argument("--conversations", type=int, help="replay the first N conversations")
    options = parser.parse_args()
    read = read_conversations(options.data)[: options.conversations]
    asked, tally = asyncio.run(measure(read, ProxySettings(upstream=NO_UPSTREAM), options.questions))
    figures = summarize(asked, tally)
    publish(options, f"Recall, measured: {options.data.name}", tables(figures), figures)
