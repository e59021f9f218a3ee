import numpy as np
import pytest
from tests.recollections import passage, turn

from recollect.retrieval import Gate
from recollect.retrieval.gate import gate_score
from recollect.retrieval.query import read_query
from recollect.retrieval.signals import RetrievedItem, Signals
from recollect.retrieval.terms import TermScore


def score(nothing: float) -> float:
    """Return the gate's score of a question all of whose words one message holds, by how far it asks for nothing remembered."""
    found = [
        RetrievedItem(passage("I drink green tea"), 0.6, 0.6, TermScore(*[0.0] * len(TermScore._fields)))
    ]
    zeros = np.zeros(1)
    signals = Signals(
        cosine=np.array([0.1]), identifiers=zeros, own_matched=np.ones(1), self_share=zeros, speaker=zeros
    )
    return gate_score(
        read_query(turn("What is green tea?")),
        found,
        signals,
        seen=0.5,
        gate_cosine=0.3,
        gate=Gate(),
        nothing=nothing,
    )


def test_a_turn_is_given_memories_from_the_threshold_on() -> None:
    gate = Gate(threshold=0.5)

    assert gate.opens(0.5)
    assert not gate.opens(0.499)


def test_a_turn_without_a_score_is_given_none() -> None:
    assert not Gate(threshold=0.0).opens(None)


def test_common_words_in_common_do_not_open_it_for_what_asks_for_nothing_remembered() -> None:
    assert score(1.9) == pytest.approx(1.0)
    assert not Gate().opens(score(2.1))
