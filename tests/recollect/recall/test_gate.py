"""When the message log is opened for a turn."""

from typing import Any

import numpy as np
import pytest
from tests.support.recollections import memory, passage, turn
from tests.support.tables import table

from recollect.model import Item
from recollect.recall import Gate
from recollect.recall.candidates import Candidates
from recollect.recall.log import LogScores, gate_score
from recollect.recall.query import read_query

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
    threshold: float,
    value: float | None,
    opens: bool,  # noqa: FBT001 -- of the table
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
def test_words_in_common_open_it(known: dict[str, Any], opens: bool) -> None:  # noqa: FBT001 -- of the table
    assert Gate().opens(score(**known)) is opens


def test_pasted_text_is_no_statement_of_the_person() -> None:
    shares = np.full(1, 0.2)

    said, pasted = passage("I drink tea"), passage("I drink tea", pasted=True)

    assert score(item=pasted, cosine=0.4, self_share=shares) < score(item=said, cosine=0.4, self_share=shares)
    assert score(item=said, cosine=0.4) == pytest.approx(score(item=said, cosine=0.4, self_share=shares))
