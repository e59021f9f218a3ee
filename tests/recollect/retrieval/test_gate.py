import numpy as np
import pytest
from tests.recollections import passage, turn

from recollect.retrieval import Gate
from recollect.retrieval.candidate_signals import Signals
from recollect.retrieval.gate import gate_score
from recollect.retrieval.query import read_query
from recollect.retrieval.signals import Found
from recollect.retrieval.terms import TermScore


def score(nothing: float) -> float:
    """Return the gate's score of a question that something is near to, by how far it asks for nothing remembered."""
    found = [Found(passage("I drink green tea"), 0.6, 0.6, TermScore(*[0.0] * len(TermScore._fields)))]
    zeros = np.zeros(1)
    signals = Signals(
        cosine=np.array([0.6]), identifiers=zeros, own_matched=zeros, self_share=zeros, speaker=zeros
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


def test_what_asks_for_nothing_remembered_opens_it_less() -> None:
    assert score(4.0) < score(2.0) < score(1.0)
    assert score(1.0) == pytest.approx(score(0.0))
