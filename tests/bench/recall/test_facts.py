"""Facts are read with what they rest on, and scored by it."""

from pathlib import Path
from typing import Any

import pytest
from tests.bench.conversations import (
    FRIENDS,
    TEA,
    conversation,
    fact,
    labelled,
    question,
    turn,
    write,
)
from tests.recollections import memory

from bench.recall.dataset import DatasetError
from bench.recall.facts import Fact, FactIds, Facts, fact_steps, read_facts
from bench.recall.turn_ids import UnknownOriginError


def read(tmp_path: Path, *lines: dict[str, Any]) -> Facts:
    return read_facts(write(tmp_path / "facts.jsonl", *lines), [labelled(TEA), labelled(FRIENDS)])


def test_facts_are_known_when_the_last_turn_they_rest_on_was_said(tmp_path: Path) -> None:
    facts = read(
        tmp_path,
        fact("anna", "She likes music and tea.", "t1", "t5"),
        fact("anna", "She knows a volcano.", "t3"),
        fact("friends", "Rufus is a beagle.", "D1:1"),
    )

    assert facts.name == "facts.jsonl"
    assert [(each.id, each.place) for each in facts.of["anna"]] == [("anna/1", 2), ("anna/0", 4)]
    assert f"{facts.of['anna'][1].at:%Y-%m-%d}" == "2026-03-02"
    assert facts.of["friends"][0].evidence == ("D1:1",)


def test_facts_of_other_conversations_and_unknown_members_are_passed_over(tmp_path: Path) -> None:
    facts = read(tmp_path, fact("bob", "Bob rides.", "x"), fact("anna", "Tea.", "t1") | {"session": "1"})

    assert list(facts.of) == ["anna"]


def test_what_a_store_keeps_as_one_statement_is_one_fact_resting_on_both(tmp_path: Path) -> None:
    facts = read(tmp_path, fact("anna", "She drinks tea.", "t1"), fact("anna", "she drinks  TEA", "t5", "t1"))

    [only] = facts.of["anna"]
    assert (only.text, only.evidence) == ("She drinks tea.", ("t1", "t5"))


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"conversation": "anna", "fact": "Tea."}, "line 2: Object missing required field `evidence`"),
        (fact("anna", " . ", "t1"), "line 2: a fact says nothing"),
        (fact("anna", "Tea."), "line 2: a fact rests on no turn"),
        (fact("anna", "Tea.", "t9"), "line 2: a fact names the turn `t9`, which is not there"),
    ],
)
def test_a_fact_that_is_not_what_it_must_be_is_named(
    tmp_path: Path, wrong: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(DatasetError, match=r"facts\.jsonl") as raised:
        read(tmp_path, fact("anna", "Fine.", "t1"), wrong)

    assert complaint in str(raised.value)


def test_a_file_without_facts_of_these_conversations_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="holds no fact of these conversations"):
        read(tmp_path, fact("bob", "Bob rides.", "x"))


def test_a_question_sees_only_facts_that_rest_on_what_was_said_before() -> None:
    asked = [question("end", "?"), question("early", "?", before="t2"), question("first", "?", before="t1")]
    one = labelled(conversation([turn(f"t{n}", "Said.") for n in range(1, 4)], asked))
    facts = [Fact(f"f{n}", "Known.", (f"t{n}",), n - 1, None) for n in range(1, 4)]

    def order(**options: int) -> list[str]:
        return [step.id for step in fact_steps(one, facts, **options)]

    assert order() == ["first", "f1", "early", "f2", "f3", "end"]
    assert order(questions=1) == ["f1", "f2", "f3", "end"]


def test_a_fact_is_relevant_if_any_of_its_turns_is_evidence_and_recall_counts_turns(tmp_path: Path) -> None:
    facts = read(
        tmp_path,
        fact("anna", "She likes music and tea.", "t1", "t5"),
        fact("anna", "She knows a volcano.", "t3"),
    )

    scores = facts.score("anna", ["anna/1", "anna/0"], ["t1", "t2"])

    assert scores.recall_at_5 == 1 / 2
    assert scores.reciprocal_rank == 1 / 2
    assert facts.covered("anna", ["t1", "t2"]) == 1 / 2
    assert facts.score("bob", [], ["t1"]).hit_at_20 == 0.0
    assert facts.covered("bob", ["t1"]) == 0.0


def test_a_memory_is_traced_to_the_fact_it_was_written_for() -> None:
    ids = FactIds()
    tea, cello = memory("Tea."), memory("Cello.")
    for n, each in enumerate([tea, cello]):
        ids.written(each, Fact(f"f{n}", each.content, ("t1",), 0, None))

    assert ids.expand([cello, tea, cello]) == ("f1", "f0")
    with pytest.raises(UnknownOriginError):
        ids.expand([memory("Tea.")])
