import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.model import Candidate, Ignore, Kind, Reason
from recollect.formation.verification import Limits, verify

SAID = "Hi! I moved to Leipzig last week, and I don’t eat meat — only “fish”."


def candidate(
    content: str = "Lives in Leipzig", evidence: str = "I moved to Leipzig", importance: float = 0.5
) -> Candidate:
    return Candidate(content, Kind.FACT, importance, evidence)


def objection(of: Candidate, authored: str = SAID) -> Reason | None:
    [verdict] = verify([of], authored=authored, minimum_importance=0.3)
    return verdict.reason if isinstance(verdict, Ignore) else None


@pytest.mark.parametrize(
    "evidence",
    [
        "I moved to Leipzig",
        "i MOVED to leipzig",
        "I  moved\nto Leipzig",
        '"I moved to Leipzig last week,"',
        "I don't eat meat - only 'fish'".replace("'fish'", '"fish"'),
        "I don´t eat meat",
        "Ｌｅｉｐｚｉｇ",
        "Leip\u00adzig",
        "**Leipzig**",
        SAID,
    ],
)
def test_a_quote_of_the_users_words_is_evidence(evidence: str) -> None:
    assert objection(candidate(evidence=evidence)) is None


@pytest.mark.parametrize(
    "evidence",
    [
        "",
        " ",
        "...",
        "I",
        "to",
        "I moved to Berlin",
        "moved to Leip",
        "oved to Leipzig",
        "I moved ... last week",
        "The user lives in Leipzig",
        SAID + "!?! And more",
    ],
)
def test_anything_else_is_not(evidence: str) -> None:
    assert objection(candidate(evidence=evidence)) is Reason.NO_EVIDENCE


def test_half_a_word_proves_nothing_but_a_whole_one_later_does() -> None:
    tea = candidate("Likes tea", "I like tea")

    assert objection(tea, "I like teachers") is Reason.NO_EVIDENCE
    assert objection(tea, "I like teachers, and I like tea") is None


@pytest.mark.parametrize(
    ("evidence", "authored"),
    [
        ("吃素", "我从去年开始吃素了"),
        ("ผมกินเจ", "ตอนนี้ผมกินเจอยู่"),
        ("서울", "저는 서울에 살아요"),
        ("すし", "すしが好き"),
    ],
)
def test_scripts_without_spaces_are_quoted_within(evidence: str, authored: str) -> None:
    assert objection(candidate(evidence=evidence), authored) is None


@pytest.mark.parametrize("content", ["", "  ", "?!", "…"])
def test_an_empty_statement_is_ignored(content: str) -> None:
    assert objection(candidate(content)) is Reason.EMPTY


def test_a_statement_may_be_long_but_not_too_long() -> None:
    assert objection(candidate("x" * 1000)) is None
    assert objection(candidate("x" * 1001)) is Reason.TOO_LONG


@pytest.mark.parametrize("importance", [0.29, 0.0, math.nan])
def test_what_matters_too_little_is_ignored(importance: float) -> None:
    assert objection(candidate(importance=importance)) is Reason.LOW_IMPORTANCE


def test_what_matters_just_enough_is_believed() -> None:
    assert objection(candidate(importance=0.3)) is None


def test_a_turn_teaches_only_so_much_and_rejects_take_no_place() -> None:
    good, bad = candidate(), candidate(evidence="")

    verdicts = verify(
        [bad, good, bad, good, good],
        authored=SAID,
        minimum_importance=0.3,
        limits=Limits(candidates=2),
    )

    assert verdicts == [
        Ignore(Reason.NO_EVIDENCE, bad),
        good,
        Ignore(Reason.NO_EVIDENCE, bad),
        good,
        Ignore(Reason.TOO_MANY, good),
    ]


def test_a_megabyte_of_one_letter_is_judged_soon() -> None:
    assert objection(candidate(evidence="a" * 1_000), "a" * 1_000_000) is Reason.NO_EVIDENCE


@given(st.text(), st.text(), st.floats())
def test_every_candidate_gets_one_verdict(authored: str, evidence: str, importance: float) -> None:
    asked = candidate(evidence=evidence, importance=importance)

    [verdict] = verify([asked], authored=authored, minimum_importance=0.3)

    assert verdict == asked or (isinstance(verdict, Ignore) and verdict.candidate is asked)


@given(st.text(), st.text(), st.text(alphabet="abcdefghij", min_size=4))
def test_what_was_said_between_spaces_is_always_found(before: str, after: str, quote: str) -> None:
    assert objection(candidate(evidence=quote), f"{before} {quote} {after}") is None
