"""Measures the recall of questions about labelled conversations.

    python -m bench recall --data FILE [--questions N] [--conversations N]

The RECOLLECT_* settings of embedder and recall are those that a chat has; bench/README.md describes the figures.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path
from statistics import fmean
from typing import Any

from bench.engines import Bench, hear, open_bench, unhurried_settings
from bench.figures import number, percent, percentiles
from bench.recall.conversations import (
    UNANSWERABLE,
    LabelledConversation,
    Question,
    Sending,
    plan,
    read_conversations,
)
from bench.report import options_of, progress, publish, table
from recollect.engine import RecallOptions
from recollect.model import Item, Passage, Skip, Stage, Strategy
from recollect.recall import SelectionLimits

DEPTH = 20
"""The deepest place that a score looks at, but for the reciprocal rank, which looks at all."""


def score(ranked: Sequence[str], evidence: Collection[str]) -> dict[str, float]:
    """Return the scores of one question, each from 0 to 1.

    ``R@k`` is recall: the share of the evidence among the first k. ``N@k`` is the binary normalised discounted cumulative gain
    of the first k (Järvelin and Kekäläinen, 2002). ``MRR`` is 1 / the place of the first evidence, 0 without any; its mean over
    questions is the mean reciprocal rank (Voorhees, 1999). ``H@k`` is whether any evidence is among the first k.
    """
    wanted = set(evidence)
    hits = [turn_id in wanted for turn_id in ranked]
    return {
        **{f"R@{depth}": sum(hits[:depth]) / len(wanted) for depth in (5, 10, 20)},
        **{f"N@{depth}": _ndcg(hits, depth, len(wanted)) for depth in (5, 10)},
        "MRR": 1 / (hits.index(True) + 1) if any(hits) else 0.0,
        **{f"H@{depth}": float(any(hits[:depth])) for depth in (1, 5, 10, 20)},
    }


def _ndcg(hits: Sequence[bool], depth: int, relevant: int) -> float:
    gain = sum(1 / log2(place + 2) for place, hit in enumerate(hits[:depth]) if hit)
    ideal = sum(1 / log2(place + 2) for place in range(min(relevant, depth)))
    return gain / ideal if ideal else 0.0


_COLUMNS = tuple(score(("turn",), ("turn",)))


@dataclass(frozen=True, slots=True)
class Asked:
    """The outcome of a question.

    Attributes:
        ranked: The turns of the ranked memories, best first, each once.
        injected: The turns of those that would reach the prompt, best first, each once.
        tokens: The size of its block.
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


async def measure(conversations: Sequence[LabelledConversation], questions: int | None) -> list[Asked]:
    """Replay conversations, and ask at most so many questions of each."""
    given = unhurried_settings()
    limit = given.recall_limit or SelectionLimits().limit
    options = RecallOptions(limit=limit, memory_tokens=given.memory_tokens)
    changes: dict[str, Any] = {
        "formation": Strategy.QA_TURN,
        "recall_limit": max(limit, DEPTH),
        "embedder_cache_size": 1,  # users ask alike: another's cached embedding would flatter us
    }
    asked: list[Asked] = []
    async with open_bench(**changes) as bench:
        for conversation in conversations:
            bench.clock.restart()
            bench.inbox.completed.clear()
            turns: dict[object, list[str]] = {}
            for step in plan(conversation, questions):
                if isinstance(step, Sending):
                    await _say(bench, conversation.id, step, turns)
                else:
                    asked.append(await _ask(bench, conversation.id, step, turns, options))
            progress(f"{conversation.id}: {len(asked)} questions so far")
    return asked


async def _say(bench: Bench, person: str, step: Sending, turns: dict[object, list[str]]) -> None:
    """Say a turn, and note by the ids of its messages in the log which turns they are."""
    turn = step.turn
    await bench.say(person, turn.session, turn.id, step.messages, step.reply, turn.at or bench.clock())
    await bench.form(person)
    exchange = bench.inbox.completed[turn.id].formed.exchange
    turns[exchange.message_id] = [turn.id]
    turns[exchange.reply_id] = [each.id for each in step.replies if each.text.strip()]


async def _ask(
    bench: Bench,
    person: str,
    question: Question,
    turns: Mapping[object, list[str]],
    options: RecallOptions,
) -> Asked:
    """Ask a question in a new chat, now or when it says: as a chat's first turn, and without a trace."""
    messages, at = [{"role": "user", "content": question.text}], question.at or bench.clock()
    heard = hear(messages, person=person, chat=f"question-{question.id}", at=at)
    if heard.turn is None:
        return Asked(question, skipped=heard.skip)

    def turns_of(items: Iterable[Item]) -> tuple[str, ...]:
        ids = (
            each
            for item in items
            for each in ([item.message_id] if isinstance(item, Passage) else item.provenance.message_ids)
        )
        return tuple(dict.fromkeys(turn for each in ids for turn in turns[each]))

    prepared = await bench.engine.prepare(heard.turn, options)
    # a recall that missed its deadline has nothing to show: what ranks is asked for apart
    ranking = prepared.ranking or await bench.engine.rank(heard.turn)
    return Asked(
        question,
        turns_of(each.item for each in ranking.ranked),
        turns_of(each.item for each in prepared.included),
        prepared.placed.block.tokens if prepared.placed.block else 0,
        prepared.recall.milliseconds,
        prepared.recall.skipped,
        ranking.degraded,
    )


def summarize(asked: Sequence[Asked]) -> dict[str, Any]:
    """Return the figures; shares are from 0 to 1, and tokens are counted over all questions."""
    silent = [not each.injected for each in asked if not each.question.evidence]
    return {
        "questions": len(asked),
        "questions_degraded": sum(bool(each.degraded) for each in asked),
        "ranked": by_category(asked, lambda each: each.ranked),
        "injected": by_category(asked, lambda each: each.injected),
        "abstention": {"questions": len(silent), "nothing_injected": sum(silent)},
        "injected_tokens": percentiles([each.tokens for each in asked], 50, 95),
        "recall_milliseconds": percentiles([each.milliseconds for each in asked], 50, 95),
        "not_recalled": dict(Counter(each.skipped.value for each in asked if each.skipped)),
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
    tokens, latency = figures["injected_tokens"], figures["recall_milliseconds"]
    silent = figures["abstention"]
    lines = [
        "R: recall, N: NDCG, H: hit; in percent.",
        f"- questions without evidence that inject nothing: {percent(silent['nothing_injected'], silent['questions'], 1)}",
        f"- injected tokens: median {number(tokens.get('p50'))}, p95 {number(tokens.get('p95'))}",
        f"- recall: p50 {number(latency.get('p50'))} ms, p95 {number(latency.get('p95'))} ms",
        f"- not recalled: {figures['not_recalled'] or 'none'}",
        f"- questions {figures['questions']}, questions_degraded {figures['questions_degraded']}",
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
    figures = summarize(asyncio.run(measure(read, options.questions)))
    publish(options, f"Recall, measured: {options.data.name}", tables(figures), figures)
