"""What formation decided is told apart item by item, and what was done without one is not lost."""

from typing import Any
from uuid import UUID

from tests.support.recollections import memory
from uuid_utils.compat import uuid7

from bench.formation.cases import Decision, Item
from bench.formation.decisions import UNASKED, Decided, decided_items
from bench.scripted import NumberedCandidate
from recollect.model import (
    Add,
    Change,
    Doubt,
    Hide,
    Ignore,
    Kind,
    Mark,
    Provenance,
    Quarantine,
    Reason,
    Reinforce,
    Replace,
    Retire,
)

STORED = uuid7()
NUMBERS: dict[UUID, int] = {STORED: 0}


def items(*contents: str) -> list[Item]:
    return [{"evidence": f"I said {each}", "content": each} for each in contents]


def refused(number: int, reason: Reason = Reason.NO_EVIDENCE) -> Ignore:
    return Ignore(reason, NumberedCandidate("x", Kind.FACT, 0.5, "x", number=number))


def decided(*changes: Change | tuple[Change, Change], of: int = 3) -> tuple[list[Decided], list[Decided]]:
    done = [each if isinstance(each, tuple) else (each, each) for each in changes]
    return decided_items(items("a walnut", "a spoon", "a kettle")[:of], done, NUMBERS)


def held(content: str) -> Quarantine:
    made = memory(content, provenance=Provenance(evidence=f"I said {content}"))
    return Quarantine(made, Reason.INSTRUCTION)


def test_main_changes_belong_to_the_items_in_their_order_and_marks_to_none() -> None:
    found, alone = decided(
        Replace(STORED, memory("a walnut"), Reason.CONTRADICTS),
        Mark(uuid7(), Doubt.SUSPECT, Reason.SUSPECT),
        Add(memory("a spoon")),
        Reinforce(STORED),
        Hide((uuid7(),), Reason.CONFIDENTIAL),
    )

    assert [(each.decision, each.target, each.reason) for each in found] == [
        (Decision.REPLACE, 0, "contradicts"),
        (Decision.ADD, None, "new"),
        (Decision.REINFORCE, 0, "repeats"),
    ]
    assert alone == []


def test_what_is_refused_and_held_back_comes_last_and_is_given_to_its_own_item() -> None:
    found, alone = decided(Add(memory("a kettle")), held("a spoon"), refused(0))

    assert [each.decision for each in found] == [Decision.IGNORE, Decision.QUARANTINE, Decision.ADD]
    assert found[0].reason == "no_evidence"
    assert alone == []


def test_what_comes_behind_the_items_was_done_without_one() -> None:
    found, alone = decided(
        Add(memory("a walnut")),
        Add(memory("remembered"), Reason.ASKED),
        Retire(STORED, Reason.FORGOTTEN),
        Ignore(Reason.NOTHING_TO_FORGET),
        of=1,
    )

    assert [each.decision for each in found] == [Decision.ADD]
    assert [(each.decision, each.target, each.reason) for each in alone] == [
        (Decision.RETIRE, 0, "forgotten"),
        (Decision.IGNORE, None, "nothing_to_forget"),
        (Decision.ADD, None, "asked"),
    ]


def test_a_command_that_is_held_back_has_no_item() -> None:
    found, alone = decided(held("a command"), of=0)

    assert found == []
    assert [each.decision for each in alone] == [Decision.QUARANTINE]


def test_where_no_model_was_asked_nothing_is_decided_of_any_item() -> None:
    assert decided(Retire(STORED, Reason.FORGOTTEN), of=2)[0] == [UNASKED, UNASKED]
    assert decided() == ([UNASKED] * 3, [])


def test_what_the_store_really_did_counts() -> None:
    again = memory("a walnut")
    found, _ = decided(
        (Add(again), Ignore(Reason.EQUAL_CONTENT, target=STORED)),
        (Replace(STORED, again, Reason.REFINES), Retire(STORED, Reason.REFINES)),
        (Reinforce(STORED), Ignore(Reason.DELETED, target=uuid7())),
    )

    assert [(each.decision, each.target, each.merged) for each in found] == [
        (Decision.IGNORE, 0, True),
        (Decision.REPLACE, 0, False),
        (Decision.IGNORE, None, False),
    ]


def test_a_mark_in_place_of_a_memory_is_nothing_kept() -> None:
    unlikely: Any = (Add(memory("a walnut")), Mark(STORED, None, Reason.DISPUTED))

    assert decided(unlikely, of=1)[0] == [Decided(Decision.IGNORE, "disputed")]
