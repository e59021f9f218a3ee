"""The summary counts what must be counted, and shows nothing where there is nothing to show."""

import io
from collections import Counter
from dataclasses import replace
from math import log2
from typing import Any

import msgspec
import pytest
from rich.console import Console
from tests.recollect_proxy.settings import proxy_settings

from bench.recall.asking import Asked
from bench.recall.dataset import Question
from bench.recall.facts import Fact, Facts
from bench.recall.replay import Tally
from bench.recall.summary import summarize, summarize_facts
from bench.recall.table import show_recall
from recollect.model import Skip, Stage


def asked(
    *evidence: str, category: str = "plain", ranked: str = "", injected: str = "", **found: Any
) -> Asked:
    question = Question(id="q", text="What?", category=category, evidence=evidence)
    return Asked(question, ranked=tuple(ranked), injected=tuple(injected), **found)


def summary(*every: Asked, tally: Tally | None = None) -> dict[str, Any]:
    return summarize("a.jsonl", every, tally or Tally(), proxy_settings())


def shown(figures: dict[str, Any]) -> str:
    written = io.StringIO()
    show_recall(figures, Console(file=written, width=80))
    return written.getvalue()


SOME = (
    asked("a", ranked="ab", injected="a", tokens=100, milliseconds=4.0),
    asked("b", category="hard", ranked="ab", tokens=0, milliseconds=8.0, skipped=Skip.DEADLINE),
    asked("z", category="adversarial", ranked="z", injected="z", tokens=50, milliseconds=4.0),
    asked(injected="c", category="abstention", tokens=70, milliseconds=4.0),
    asked(category="abstention", skipped=Skip.NOTHING_RELEVANT, degraded=(Stage.LEXICAL,)),
)


def test_the_overall_figures_leave_out_what_nobody_answers_and_what_has_no_evidence() -> None:
    ranked = summary(*SOME)["ranked"]

    assert ranked["overall"]["questions"] == 2
    assert ranked["overall"]["recall_at_10"] == 1.0
    assert ranked["overall"]["ndcg_at_10"] == pytest.approx((1 + 1 / 1.5849625) / 2)
    assert set(ranked["categories"]) == {"plain", "hard", "adversarial"}
    assert ranked["categories"]["adversarial"] == {
        "questions": 1,
        "recall_at_5": 1.0,
        "recall_at_10": 1.0,
        "recall_at_20": 1.0,
        "ndcg_at_5": 1.0,
        "ndcg_at_10": 1.0,
        "reciprocal_rank": 1.0,
        "hit_at_1": 1.0,
        "hit_at_5": 1.0,
        "hit_at_10": 1.0,
        "hit_at_20": 1.0,
    }


def test_what_reaches_the_prompt_is_scored_apart_from_what_is_ranked() -> None:
    injected = summary(*SOME)["injected"]

    assert injected["overall"]["recall_at_10"] == 0.5
    assert injected["categories"]["hard"]["hit_at_10"] == 0.0


def test_questions_without_evidence_count_for_abstention_alone() -> None:
    assert summary(*SOME)["abstention"] == {"questions": 2, "nothing_injected": 0.5}


def test_tokens_latencies_and_reasons_are_told_over_all_questions() -> None:
    figures = summary(*SOME)

    assert figures["injected_tokens"]["median"] == 50.0
    assert figures["recall_milliseconds"]["p50"] == 4.0
    assert figures["not_recalled"] == {"deadline": 1, "nothing-relevant": 1}


def test_counts_and_the_settings_used_are_told() -> None:
    tally = Tally(
        conversations=1, turns=9, unsent=2, exchanges=4, skipped=Counter({"task": 1}), formed=3, failed=1
    )

    figures = summary(*SOME, tally=tally)

    assert figures["counts"] == {
        "conversations": 1,
        "turns": 9,
        "turns_not_sent": 2,
        "exchanges_sent": 4,
        "exchanges_formed": 3,
        "exchanges_failed": 1,
        "questions": 5,
        "questions_with_evidence": 3,
        "questions_degraded": 1,
    }
    assert figures["requests_without_memories"] == {"task": 1}
    assert figures["settings"]["recall_limit"] == 12
    assert figures["settings"]["embedder"] == "local:all-MiniLM-L6-v2"


def test_without_questions_there_are_no_figures_and_no_crash() -> None:
    figures = summary()

    assert figures["ranked"]["overall"] == {"questions": 0}
    assert figures["abstention"]["nothing_injected"] is None
    assert figures["injected_tokens"] == {"median": None, "p95": None}
    assert "overall" in shown(figures)
    assert "abstention: - %" in shown(figures)


def test_facts_are_scored_by_the_turns_they_rest_on_and_what_they_cover_is_told() -> None:
    known = Facts(
        "facts.jsonl",
        {"anna": [Fact("anna/0", "One.", ("a", "b"), 1, None), Fact("anna/1", "Two.", ("z",), 2, None)]},
    )
    found = replace(asked("a", "b", "c", "d"), user_id="anna", ranked=("anna/1", "anna/0"))
    nobody = replace(asked("a", category="adversarial"), user_id="anna")

    figures = summarize_facts("a.jsonl", [found, nobody], Tally(), proxy_settings(), known)

    assert figures["facts"] == {"file": "facts.jsonl", "facts": 2, "evidence_covered": 0.5}
    assert figures["ranked"]["overall"]["recall_at_5"] == 0.5
    assert figures["ranked"]["overall"]["reciprocal_rank"] == 0.5
    assert figures["ranked"]["overall"]["ndcg_at_5"] == pytest.approx(1 / log2(3))
    assert figures["injected"]["overall"]["recall_at_20"] == 0.0
    assert "facts of facts.jsonl: 2; they cover 50.0 % of the evidence" in " ".join(shown(figures).split())


def test_without_questions_facts_cover_nothing() -> None:
    figures = summarize_facts("a.jsonl", [], Tally(), proxy_settings(), Facts("facts.jsonl", {}))

    assert figures["facts"] == {"file": "facts.jsonl", "facts": 0, "evidence_covered": None}
    assert "cover - %" in shown(figures)


def test_a_summary_is_json() -> None:
    figures = summary(*SOME)

    assert msgspec.json.decode(msgspec.json.encode(figures)) == figures


def test_the_table_shows_both_rankings_in_percent_within_80_columns() -> None:
    text = shown(summary(*SOME))

    assert max(map(len, text.splitlines())) <= 80
    assert "What retrieval ranks" in text
    assert "What reaches the prompt" in text
    [overall_ranked, overall_injected] = [line for line in text.splitlines() if line.startswith("overall")]
    assert "100.0" in overall_ranked
    assert "50.0" in overall_injected
    assert "* answered by nobody: not in overall" in text
    assert "abstention: 50.0 % of 2 questions" in text
    assert "not recalled: deadline (1 of 5 questions)" in text
