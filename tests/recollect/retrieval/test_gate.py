from recollect.retrieval import Gate


def test_a_turn_is_given_memories_from_the_threshold_on() -> None:
    gate = Gate(threshold=0.5)

    assert gate.opens(0.5)
    assert not gate.opens(0.499)


def test_a_turn_without_a_score_is_given_none() -> None:
    assert not Gate(threshold=0.0).opens(None)
