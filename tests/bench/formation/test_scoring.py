"""Each figure counts what it says, and nothing else."""

from typing import Any

import pytest
from tests.bench.formation_cases import given_case, item, judgement, outcome, stored, truth

from bench.formation.cases import Decision
from bench.formation.scoring import score, tally
from recollect.model import Doubt

ADD, REINFORCE, REPLACE = Decision.ADD, Decision.REINFORCE, Decision.REPLACE
IGNORE, QUARANTINE, RETIRE = Decision.IGNORE, Decision.QUARANTINE, Decision.RETIRE


def replacing(topic: str, **changed: Any) -> dict[str, Any]:
    return given_case(
        "I moved.",
        stored=[stored("Lives in Graz.")],
        extracted=[item("Lives in Linz.", "I moved")],
        truth=[truth("replace", 0, 0)],
        **{"class": topic} | changed,
    )


def test_what_is_decided_as_it_should_be_is_right_in_every_figure() -> None:
    found = tally(
        [
            outcome(judgement(ADD, ADD), judgement(IGNORE, IGNORE, reason="no_evidence")),
            outcome(
                judgement(REPLACE, REPLACE, target=0, hit=0),
                case=replacing("contradiction"),
                gone=frozenset({0}),
            ),
        ]
    )

    assert found["cases"] == {"of": 2, "count": 2, "share": 1.0}
    assert found["items"] == {"of": 3, "count": 3, "share": 1.0}
    assert found["junk_kept"] == {"of": 1, "count": 0, "share": 0.0}
    assert found["junk_in_store"] == {"of": 2, "count": 0, "share": 0.0}
    assert found["false_merges"] == {"of": 2, "count": 0, "share": 0.0}
    assert found["missed_contradictions"] == {"of": 1, "count": 0, "share": 0.0}
    assert found["wrong_replacements"]["count"] == 0
    assert found["missed_duplicates"]["share"] is None


def test_junk_is_what_was_kept_of_what_should_be_refused_or_held_back() -> None:
    found = tally(
        [outcome(judgement(IGNORE, ADD), judgement(QUARANTINE, REPLACE, hit=0), judgement(ADD, ADD))]
    )

    assert found["junk_kept"] == {"of": 2, "count": 2, "share": 1.0}
    assert found["junk_in_store"] == {"of": 3, "count": 2, "share": 2 / 3}
    assert found["quarantine"]["count"] == 0


@pytest.mark.parametrize(
    ("did", "reason", "merged", "lost"),
    [
        (REINFORCE, "repeats", 1, 0),
        (IGNORE, "equal_content", 1, 0),
        (IGNORE, "repeats", 1, 0),
        (IGNORE, "no_evidence", 0, 1),
        (QUARANTINE, "instruction", 0, 0),
    ],
)
def test_new_ones_taken_for_known_are_false_merges(
    did: Decision, reason: str, merged: int, lost: int
) -> None:
    found = tally([outcome(judgement(ADD, did, hit=0, reason=reason))])

    assert found["false_merges"]["count"] == merged
    assert found["false_merges_where_the_model_is_right"]["count"] == merged
    assert found["lost"]["count"] == lost
    assert found["quarantine"]["false_alarms"] == (did is QUARANTINE)
    assert found["items"]["count"] == 0


def test_false_merges_are_counted_apart_where_the_model_is_wrong() -> None:
    wrong = given_case("I moved.", model="wrong")

    found = tally([outcome(judgement(ADD, REINFORCE, reason="repeats"), case=wrong)])

    assert found["false_merges"]["count"] == 1
    assert found["false_merges_where_the_model_is_right"] == {"of": 0, "count": 0, "share": None}


def test_a_duplicate_is_found_by_reinforcing_or_ignoring_it_for_its_target() -> None:
    found = tally(
        [
            outcome(
                judgement(REINFORCE, REINFORCE, target=0, hit=0, reason="repeats"),
                judgement(REINFORCE, IGNORE, target=0, hit=0, reason="equal_content"),
                judgement(REINFORCE, REINFORCE, target=0, hit=1, reason="repeats"),
                judgement(REINFORCE, ADD, target=0),
            )
        ]
    )

    assert found["items"]["count"] == 2
    assert found["missed_duplicates"] == {"of": 4, "count": 1, "share": 0.25}


def test_a_contradiction_is_missed_if_the_old_one_stands_without_a_mark() -> None:
    missed = judgement(REPLACE, ADD, target=0)

    found = [
        tally([outcome(missed, case=replacing("contradiction"))]),
        tally([outcome(missed, case=replacing("contradiction"), doubt={0: Doubt.DISPUTED})]),
        tally([outcome(missed, case=replacing("refinement"), doubt={0: Doubt.DISPUTED})]),
    ]

    assert [each["missed_contradictions"]["count"] for each in found] == [1, 0, 0]
    assert [each["missed_refinements"]["count"] for each in found] == [0, 0, 1]


def test_a_memory_that_is_gone_and_should_not_be_is_a_wrong_replacement() -> None:
    two = given_case(
        "I moved.",
        stored=[stored("Lives in Graz."), stored("Has a cat.")],
        extracted=[item("Lives in Linz.", "I moved")],
        truth=[truth("replace", 0, 0)],
    )

    found = tally([outcome(judgement(REPLACE, REPLACE, target=0, hit=1), case=two, gone=frozenset({1}))])

    assert found["wrong_replacements"] == {"of": 1, "count": 1, "share": 1.0}
    assert found["cases"]["count"] == 0


def test_where_a_replacement_is_right_too_what_it_replaces_may_go() -> None:
    either = given_case(
        "I have two cats.",
        stored=[stored("Has one cat.")],
        extracted=[item("Has two cats.", "two cats")],
        truth=[truth("add", also=["replace"])],
    )

    found = tally(
        [outcome(judgement(ADD, REPLACE, hit=0, also=(REPLACE,)), case=either, gone=frozenset({0}))]
    )

    assert found["wrong_replacements"]["count"] == 0
    assert found["cases"]["count"] == 1


def test_an_echo_that_is_kept_is_a_loop_and_one_that_reinforces_is_told_apart() -> None:
    echo = given_case("Hello.", **{"class": "injected-echo"})

    kept = tally([outcome(judgement(IGNORE, ADD), case=echo, re_extracted=1)])
    counted = tally([outcome(judgement(ADD, ADD), case=echo, re_extracted=2)])
    reinforced = tally([outcome(judgement(IGNORE, REINFORCE, reason="repeats"), case=echo)])

    assert (kept["re_extraction_loops"], counted["re_extraction_loops"]) == (1, 2)
    assert (reinforced["re_extraction_loops"], reinforced["echoes_reinforced"]) == (0, 1)


def test_marks_are_found_missed_and_wrong() -> None:
    marked = given_case(
        "I moved.", stored=[stored("A."), stored("B."), stored("C.")], suspect=[0, 1], disputed=[2]
    )

    found = tally([outcome(case=marked, doubt={0: Doubt.SUSPECT, 2: Doubt.SUSPECT})])

    assert found["marks"]["suspect"] == {"of": 2, "found": 1, "missed": 1, "wrong": 1}
    assert found["marks"]["disputed"] == {"of": 1, "found": 0, "missed": 1, "wrong": 0}


def test_wrong_decisions_are_counted_by_what_was_done_and_why() -> None:
    found = tally(
        [
            outcome(judgement(REPLACE, ADD, target=0, reason="distinct"), judgement(ADD, ADD)),
            outcome(judgement(IGNORE, ADD), judgement(REPLACE, ADD, target=0, reason="distinct")),
        ]
    )

    assert found["wrong_decisions"] == {"replace -> add (distinct)": 2, "ignore -> add (new)": 1}


def test_requests_are_counted_by_what_is_asked() -> None:
    request = given_case("Forget it.", **{"class": "request"})

    found = tally(
        [
            outcome(judgement(RETIRE, RETIRE, target=0, hit=0), judgement(ADD, IGNORE), case=request),
            outcome(judgement(RETIRE, RETIRE, target=0, hit=0)),
        ]
    )

    assert found["requests"]["forget"]["of"] == 1
    assert found["requests"]["forget"]["count"] == 1
    assert found["requests"]["remember"] == {"of": 1, "count": 0, "share": 0.0}


def test_groups_are_told_apart_and_classes_come_in_their_order() -> None:
    german = given_case("Hallo.", language="de", model="wrong", **{"class": "transient"})
    made = given_case("Hello.", **{"class": "again"})

    found = score([outcome(case=made), outcome(case=german), outcome(judgement(ADD, ADD))])

    assert list(found["classes"]) == ["good", "transient", "again"]
    assert list(found["languages"]) == ["de", "en"]
    assert {name: each["cases"]["of"] for name, each in found["models"].items()} == {"right": 2, "wrong": 1}
    assert found["overall"]["cases"]["of"] == 3
