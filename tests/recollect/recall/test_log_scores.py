"""What each signal adds to the score of a message."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recollect.recall.test_candidates import kept, said, snapshot_of
from tests.support.recollections import NOON, memory, passage, turn
from tests.support.tables import table

from recollect.index import Snapshot
from recollect.model import Item, Kind, Role
from recollect.recall import Gate
from recollect.recall.candidates import Candidates, match_of, serving_passages
from recollect.recall.log_scores import LogScores, SignalWeights, gate_score, items_of, score_log
from recollect.recall.question import read_query
from recollect.text.cues import statement_features

SHIPPED = SignalWeights()
NAN = float("nan")


def scored(
    snapshot: Snapshot, asked: str = "?", *, cosine: Any = None, first: Any = None, matched: Any = None
) -> LogScores:
    """Return the scores of a person's whole log, by the signals of each message."""
    query = read_query(turn(asked))
    assert snapshot.passages is not None
    memories, passages = len(snapshot.memories.items), len(snapshot.passages.items)
    zeros = np.zeros(memories + passages)
    near = zeros + 0.4 if cosine is None else np.array(cosine, np.float64)
    found = Candidates(
        np.arange(memories),
        np.arange(passages),
        near,
        zeros + NAN if first is None else np.array(first, np.float64),
        zeros,
        zeros,
        zeros if matched is None else np.array(matched, np.float64),
    )
    words = match_of(snapshot, query.terms, serving_passages(snapshot.passages, query))
    return score_log(snapshot, query, found, words.match, SHIPPED)


TWO = snapshot_of(said("one", session_id="a"), said("other", session_id="b"))


@table(
    ("asked", "lifted", "part"),
    [
        ("Which tea?", {"role": Role.USER}, "role"),
        ("What about Dora?", {"speaker": "Dora K."}, "speaker"),
        ("What was on 15 March 2026?", {}, "date"),
    ],
)
def test_each_signal_lifts_a_message_by_its_weight(asked: str, lifted: dict[str, Any], part: str) -> None:
    plain: dict[str, Any] = {"role": Role.ASSISTANT, "session_id": "a", "said_at": NOON.replace(year=2020)}
    other = plain | {"session_id": "b", "said_at": NOON if part == "date" else plain["said_at"]} | lifted
    snapshot = snapshot_of(said("a long enough reply", **plain), said("a long enough reply", **other))

    found = scored(snapshot, asked)

    assert found.parts[part].tolist() == [0.0, pytest.approx(getattr(SHIPPED, part))]
    assert found.scores[1] - found.scores[0] == pytest.approx(
        getattr(SHIPPED, part) * 1.5
    )  # alone in its session


def test_who_said_it_does_not_count_where_code_is_named() -> None:
    assert scored(TWO, "What about ERR_CONN_4711?").parts["role"].tolist() == [0.0, 0.0]


def test_a_taste_counts_where_advice_is_sought_and_the_person_stated_it_themselves() -> None:
    text = "I love hiking."
    shown = statement_features(text)
    said_so = (said(text, statement=shown), said(text, statement=shown, pasted=True))
    snapshot = snapshot_of(*said_so, said(text, statement=shown, role=Role.ASSISTANT))

    assert scored(snapshot, "Can you recommend me a holiday?").parts["taste"].tolist() == [0.05, 0, 0]
    assert scored(snapshot, "Where was I last year?").parts["taste"].tolist() == [0, 0, 0]


@table(
    ("cosine", "first", "counted"),
    [
        ([0.9, 0.5], [0.1, 0.4], [0.1, 0.4]),  # the beginning of a message counts
        ([0.6, NAN], [NAN, 0.2], [0.6, 0.2]),  # without it the nearest part does
        ([NAN, 0.8], [NAN, NAN], [0.8, 0.8]),  # one that waits for its embedding is neither near nor far
        ([NAN, NAN], [NAN, NAN], [0.0, 0.0]),
    ],
)
def test_the_first_parts_cosine_counts(cosine: list[float], first: list[float], counted: list[float]) -> None:
    found = scored(TWO, cosine=cosine, first=first)

    np.testing.assert_allclose(found.parts["dense"], 0.6 * np.array(counted))


def test_a_session_is_pooled_over_its_three_best_and_without_one_each_stands_alone() -> None:
    sessions = [said(f"passage {n}", session_id="a") for n in range(4)]
    alone = [kept(f"memory {n}", kind=Kind.SUMMARY, importance=0.0) for n in range(2)]
    snapshot = snapshot_of(*alone, *sessions)

    found = scored(snapshot, cosine=[0.9, 0.7, 0.4, 0.1, 0.3, 0.2])

    role = 0.15
    of_session = 0.6 * (0.4 + 0.3 + 0.2) / 3 + role
    expected = [0.6 * 0.9 + role, 0.6 * 0.7 + role, *[of_session] * 4]
    np.testing.assert_allclose(found.parts["session"], 0.5 * np.array(expected))


@table(
    ("importance", "cosine", "times"), [(0.0, 0.5, 1.0), (1.0, 0.5, 1.5), (7.0, 0.5, 1.5), (1.0, -9.0, 1.0)]
)
def test_importance_adds_half_at_most_and_not_below_0(importance: float, cosine: float, times: float) -> None:
    found = scored(snapshot_of(kept("x", importance=importance)), cosine=[cosine])

    assert found.scores[0] == pytest.approx(times * sum(each[0] for each in found.parts.values()))


cosines = st.one_of(st.floats(-0.2, 1), st.just(NAN))


@given(st.lists(st.tuples(cosines, cosines), min_size=6, max_size=6))
def test_whatever_is_unknown_scores_are_numbers_and_sums_of_parts(known: list[tuple[float, float]]) -> None:
    cosine, first = zip(*known, strict=True)
    made = [said("tea", session_id=str(n % 2)) for n in range(4)]
    snapshot = snapshot_of(kept("tea"), kept("coffee", importance=0.0), *made)

    found = scored(snapshot, "Which tea?", cosine=cosine, first=first)

    assert np.isfinite(found.scores).all()
    for row in range(6):
        parts = dict(found.parts_of(row))
        times, total = parts.pop("times"), sum(parts.values())
        assert found.scores[row] == pytest.approx(total * times if total > 0 else total)


def test_items_come_in_the_order_of_their_rows() -> None:
    snapshot = snapshot_of(kept("tea"), said("milk"), said("rain"))
    none = np.zeros(2)
    found = Candidates(np.zeros(1, np.intp), np.array([1]), *[none] * 5)

    assert [each.content for each in items_of(snapshot, found)] == ["tea", "rain"]


TEA, RAIN = passage("I drink green tea"), passage("Rain fell at noon")


def score(
    asked: str = "What is green tea?",
    item: Item = TEA,
    *,
    cosine: float = 0.1,
    held: float = 0.0,
    nothing: float = 0.0,
    **changed: Any,
) -> float:
    """Return the gate's score of a question with one candidate."""
    one, zero, none = np.ones(1), np.zeros(1), np.empty(0, np.intp)
    found = Candidates(none, np.zeros(1, np.intp), cosine * one, cosine * one, zero, zero, zero)
    scores = LogScores(zero, {}, one, changed.pop("speaker", 0.0) * one, held * one)
    given: dict[str, Any] = {"self_share": zero, "seen": 0.0, "gate_cosine": 0.3, "gate": Gate()}
    return gate_score(read_query(turn(asked)), [item], found, scores, nothing=nothing, **given | changed)


@table(
    ("threshold", "value", "opens"),
    [(0.5, 0.5, True), (0.5, 0.499, False), (0.0, None, False), (0.0, 0.0, True)],
)
def test_it_opens_from_its_threshold_on_and_for_nothing_never(
    threshold: float, value: float | None, *, opens: bool
) -> None:
    assert Gate(threshold=threshold).opens(value) is opens


@table(
    ("less", "more"),
    [
        ({"cosine": 0.2}, {"cosine": 0.4}),
        ({"cosine": 0.4, "item": RAIN}, {"cosine": 0.4, "item": RAIN, "self_share": np.full(1, 0.2)}),
        ({"cosine": 0.4, "item": RAIN}, {"cosine": 0.4, "item": memory("Green tea at noon")}),
        ({"seen": 0.1}, {"seen": 0.9}),
        ({"gate_cosine": 0.5}, {"gate_cosine": 0.1}),
        ({}, {"speaker": 1.0}),
        ({"asked": "What is tea?"}, {"asked": "What is my tea?"}),
        ({"asked": "thanks!"}, {"asked": "What is tea?"}),
    ],
)
def test_what_speaks_for_a_question_about_what_was_said(less: dict[str, Any], more: dict[str, Any]) -> None:
    assert score(**less) < score(**more)


@table(
    ("known", "opens"),
    [
        ({"held": 1.0, "nothing": 1.9}, True),
        ({"held": 1.0, "nothing": 2.1}, False),  # shared words alone, of a question that asks for nothing
        ({"held": 1.0, "asked": "thanks a lot!"}, False),
        ({"cosine": float("nan"), "held": 0.5}, True),  # without an embedding words decide
        ({"cosine": float("nan"), "held": 0.3}, False),
        (
            {"asked": "What about ERR_CONN_4711?", "item": passage("err_conn_4711 again"), "nothing": 9.0},
            True,
        ),
        ({"asked": "What about ERR_CONN_4712?", "item": passage("err_conn_4711 again")}, False),
    ],
)
def test_words_in_common_open_it(known: dict[str, Any], *, opens: bool) -> None:
    assert Gate().opens(score(**known)) is opens


def test_pasted_text_is_no_statement_of_the_person() -> None:
    shares = np.full(1, 0.2)

    said, pasted = passage("I drink tea"), passage("I drink tea", pasted=True)

    assert score(item=pasted, cosine=0.4, self_share=shares) < score(item=said, cosine=0.4, self_share=shares)
    assert score(item=said, cosine=0.4) == pytest.approx(score(item=said, cosine=0.4, self_share=shares))
