"""Each figure counts what it says, and nothing else."""

from typing import Any

import pytest
from tests.bench.formation_cases import given_case, item, judgement, outcome, stored, truth
from tests.support.tables import table

from bench.formation.cases import Decision
from bench.formation.outcome import Outcome
from bench.formation.scoring import Share, score, tally
from recollect.model import Doubt

ADD, REINFORCE, REPLACE = Decision.ADD, Decision.REINFORCE, Decision.REPLACE
IGNORE, QUARANTINE, RETIRE = Decision.IGNORE, Decision.QUARANTINE, Decision.RETIRE


def replacing(topic: str, **changed: Any) -> dict[str, Any]:
    return given_case(
        "I moved.",
        extracted=[item("Lives in Linz.", "I moved")],
        truth=[truth("replace", 0, 0)],
        **{"class": topic, "stored": [stored("Lives in Graz.")]} | changed,
    )


def of(count: int, out_of: int) -> Share:
    return Share(count, out_of)


TWO = replacing("contradiction", stored=[stored("Lives in Graz."), stored("Has a cat.")])
WRONG, ECHO = given_case("I moved.", model="wrong"), given_case("Hello.", **{"class": "injected-echo"})
EITHER = given_case(
    "I have two cats.",
    stored=[stored("Has one cat.")],
    extracted=[item("Has two cats.", "two cats")],
    truth=[truth("add", also=["replace"])],
)
MARKED = given_case(
    "I moved.", stored=[stored("A."), stored("B."), stored("C.")], suspect=[0, 1], disputed=[2]
)
REQUEST = given_case("Forget it.", **{"class": "request"})
MISSED = judgement(REPLACE, ADD, target=0)
DISTINCT = judgement(REPLACE, ADD, target=0, reason="distinct")


@table(
    ("outcomes", "figures"),
    [
        # what is decided as it should be is right in every figure
        (
            [
                outcome(judgement(ADD, ADD), judgement(IGNORE, IGNORE, reason="no_evidence")),
                outcome(
                    judgement(REPLACE, REPLACE, target=0, hit=0),
                    case=replacing("contradiction"),
                    gone=frozenset({0}),
                ),
            ],
            {
                "cases": of(2, 2),
                "items": of(3, 3),
                "junk_kept": of(0, 1),
                "junk_in_store": of(0, 2),
                "false_merges": of(0, 2),
                "missed_contradictions": of(0, 1),
                "wrong_replacements": of(0, 0),
                "missed_duplicates": of(0, 0),
            },
        ),
        # junk is what was kept of what should be refused or held back
        (
            [outcome(judgement(IGNORE, ADD), judgement(QUARANTINE, REPLACE, hit=0), judgement(ADD, ADD))],
            {"junk_kept": of(2, 2), "junk_in_store": of(2, 3), "quarantine": of(0, 1), "false_alarms": 0},
        ),
        (
            [outcome(judgement(QUARANTINE, QUARANTINE), judgement(ADD, QUARANTINE))],
            {"quarantine": of(1, 1), "false_alarms": 1},
        ),
        # false merges are counted apart where the model is wrong
        (
            [outcome(judgement(ADD, REINFORCE, reason="repeats"), case=WRONG)],
            {"false_merges": of(1, 1), "false_merges_where_the_model_is_right": of(0, 0)},
        ),
        # a duplicate is found by reinforcing or ignoring it for its target
        (
            [
                outcome(
                    judgement(REINFORCE, REINFORCE, target=0, hit=0, reason="repeats"),
                    judgement(REINFORCE, IGNORE, target=0, hit=0, reason="equal_content"),
                    judgement(REINFORCE, REINFORCE, target=0, hit=1, reason="repeats"),
                    judgement(REINFORCE, ADD, target=0),
                )
            ],
            {"items": of(2, 4), "missed_duplicates": of(1, 4)},
        ),
        # a contradiction is missed if the old one stands without a mark
        *(
            (
                [outcome(MISSED, case=replacing(topic), doubt=doubt)],
                {"missed_contradictions": contradictions, "missed_refinements": refinements},
            )
            for topic, doubt, contradictions, refinements in (
                ("contradiction", {}, of(1, 1), of(0, 0)),
                ("contradiction", {0: Doubt.DISPUTED}, of(0, 1), of(0, 0)),
                ("refinement", {0: Doubt.DISPUTED}, of(0, 0), of(1, 1)),
            )
        ),
        # a memory that is gone and should not be; it may go where a replacement is right too
        (
            [outcome(judgement(REPLACE, REPLACE, target=0, hit=1), case=TWO, gone=frozenset({1}))],
            {"wrong_replacements": of(1, 1), "cases": of(0, 1)},
        ),
        (
            [outcome(judgement(ADD, REPLACE, hit=0, also=(REPLACE,)), case=EITHER, gone=frozenset({0}))],
            {"wrong_replacements": of(0, 1), "cases": of(1, 1)},
        ),
        # an echo that is kept is a loop, and one that reinforces is told apart
        ([outcome(judgement(IGNORE, ADD), case=ECHO, re_extracted=1)], {"re_extraction_loops": 1}),
        ([outcome(judgement(ADD, ADD), case=ECHO, re_extracted=2)], {"re_extraction_loops": 2}),
        (
            [outcome(judgement(IGNORE, REINFORCE, reason="repeats"), case=ECHO)],
            {"re_extraction_loops": 0, "echoes_reinforced": 1},
        ),
        # marks are found, missed and wrong
        (
            [outcome(case=MARKED, doubt={0: Doubt.SUSPECT, 2: Doubt.SUSPECT})],
            {
                "marks": {
                    "suspect": {"of": 2, "found": 1, "wrong": 1},
                    "disputed": {"of": 1, "found": 0, "wrong": 0},
                }
            },
        ),
        # wrong decisions are counted by what was done and why
        (
            [outcome(DISTINCT, judgement(ADD, ADD)), outcome(judgement(IGNORE, ADD), DISTINCT)],
            {"wrong_decisions": {"replace -> add (distinct)": 2, "ignore -> add (new)": 1}},
        ),
        # requests are counted by what is asked
        (
            [
                outcome(judgement(RETIRE, RETIRE, target=0, hit=0), judgement(ADD, IGNORE), case=REQUEST),
                outcome(judgement(RETIRE, RETIRE, target=0, hit=0)),
            ],
            {
                "requests": {
                    "remember": of(0, 1),
                    "forget": of(1, 1),
                    "correct": of(0, 0),
                    "no_request": of(0, 0),
                }
            },
        ),
    ],
)
def test_each_figure_counts_what_it_says(outcomes: list[Outcome], figures: dict[str, Any]) -> None:
    found = tally(outcomes)

    assert {name: found[name] for name in figures} == figures


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

    merges = ("false_merges", "false_merges_where_the_model_is_right")
    assert [found[name].found for name in (*merges, "lost", "items")] == [merged, merged, lost, 0]
    assert found["false_alarms"] == (did is QUARANTINE)


def test_groups_are_told_apart_and_classes_come_in_their_order() -> None:
    german = given_case("Hallo.", language="de", model="wrong", **{"class": "transient"})
    made = given_case("Hello.", **{"class": "again"})

    found = score([outcome(case=made), outcome(case=german), outcome(judgement(ADD, ADD))])

    assert list(found["classes"]) == ["good", "transient", "again"]
    assert list(found["languages"]) == ["de", "en"]
    assert {name: each["cases"].of for name, each in found["models"].items()} == {"right": 2, "wrong": 1}
    assert found["overall"]["cases"].of == 3
