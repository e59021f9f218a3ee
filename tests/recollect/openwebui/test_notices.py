"""What a person is told of their memory is a line each, whatever the words."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recollections import NOON, passage, recollection
from tests.tables import table
from uuid_utils.compat import uuid7

from recollect.model import Action, Actor, Kind, Reason, Recollection, Role, Update
from recollect_openwebui import notices


def update(
    action: Action, before: str | None = None, after: str | None = None, reason: Reason = Reason.NEW
) -> Update:
    return Update(uuid7(), NOON, action, Actor.FORMATION, reason, uuid7(), before=before, after=after)


@pytest.mark.parametrize(
    ("count", "line"), [(1, "Recalled 1 memory"), (2, "Recalled 2 memories"), (11, "Recalled 11 memories")]
)
def test_how_many_were_recalled_is_told_in_good_english_and_is_done(count: int, line: str) -> None:
    shown = notices.recalled([recollection("Drinks tea")] * count)

    assert shown == {"type": "status", "data": {"description": line, "done": True}}


def test_a_memory_is_a_source_named_by_its_words_its_kind_and_its_date() -> None:
    born = datetime(1990, 5, 1, tzinfo=UTC)
    found = recollection("Was born in May", event_at=born)

    assert notices.citation(found) == {
        "type": "source",
        "data": {
            "source": {"name": "Was born in May (fact, 1990-05-01)"},
            "document": ["Was born in May"],
            "metadata": [{"source": f"recollect:{found.item.id}"}],
        },
    }


@pytest.mark.parametrize(
    ("found", "name"),
    [
        (recollection("Tea?", kind=Kind.QA_TURN), "Tea? (an earlier exchange, 2026-03-15)"),
        (recollection("Likes tea", kind=Kind.PREFERENCE), "Likes tea (preference, 2026-03-15)"),
        (
            Recollection(passage("I drink tea", role=Role.USER, said_at=NOON), 0.9),
            "I drink tea (you said, 2026-03-15)",
        ),
        (
            Recollection(passage("Have tea", role=Role.ASSISTANT, said_at=NOON), 0.9),
            "Have tea (an answer said, 2026-03-15)",
        ),
    ],
)
def test_a_source_is_named_by_what_it_is(found: Recollection, name: str) -> None:
    assert notices.citation(found)["data"]["source"] == {"name": name}


def test_a_long_memory_names_its_source_by_how_it_begins() -> None:
    name = notices.citation(recollection("Has a cat. " * 30))["data"]["source"]["name"]

    assert name.startswith("Has a cat. Has a cat.")
    assert name.endswith("\u2026 (fact, 2026-03-15)")
    assert len(name) <= 80


def test_two_parts_of_a_message_are_two_sources() -> None:
    message = uuid7()
    parts = [Recollection(passage("Tea", message_id=message, part=part), 0.9) for part in (0, 1)]

    first, second = (notices.citation(part)["data"]["metadata"][0]["source"] for part in parts)

    assert first != second


@table(
    ("changed", "line"),
    [
        ([], ""),
        ([update(Action.ADD, after="Drinks tea")], "Remembered: Drinks tea"),
        (
            [update(Action.REPLACE, "Lives in Rome", "Lives in Oslo")],
            "Replaced: Lives in Rome \u2192 Lives in Oslo",
        ),
        ([update(Action.REPLACE, None, "Lives in Oslo")], "Remembered: Lives in Oslo"),
        ([update(Action.EDIT, "Tea", "Green tea")], "Replaced: Tea \u2192 Green tea"),
        ([update(Action.RETIRE, "Drinks tea")], "Forgot: Drinks tea"),
        ([update(Action.RESTORE, None, "Drinks tea")], "Remembered: Drinks tea"),
        ([update(Action.RESTORE, "Oslo", "Rome")], "Replaced: Oslo \u2192 Rome"),
        ([update(Action.RESTORE, "Rome", "Rome")], ""),
        ([update(Action.ADD, after="Tea?\nYes.", reason=Reason.KEPT_VERBATIM)], ""),
        ([update(each, "Tea", "Tea") for each in (Action.REINFORCE, Action.MARK, Action.QUARANTINE)], ""),
        (
            [update(Action.ADD, after="Has\na  dog"), update(Action.RETIRE, "Drinks tea")],
            "Remembered: Has a dog; Forgot: Drinks tea",
        ),
        (
            [
                update(Action.ADD, after="I have a dog."),
                update(Action.REPLACE, "Lives in Rome.", "Lives in Oslo."),
                update(Action.ADD, after="I have a cat."),
            ],
            "Remembered 2: I have a dog \u00b7 I have a cat; Replaced: Lives in Rome \u2192 Lives in Oslo",
        ),
    ],
)
def test_what_was_changed_is_told_in_a_line_and_what_was_not_is_not(changed: list[Update], line: str) -> None:
    assert notices.changes(changed) == line


def test_what_was_undone_is_told_if_anything_was() -> None:
    assert notices.undone([update(Action.RETIRE, "Drinks tea")]) == "Undone. Forgot: Drinks tea"
    assert notices.undone([update(Action.RESTORE, "Rome", "Rome")]) == ""


@given(st.lists(st.text(st.characters(), max_size=900), max_size=9))
def test_any_words_fit_a_line(words: list[str]) -> None:
    rows = [update(Action.ADD, after=each) for each in words]

    line = notices.changes(rows)

    assert len(line) <= 300
    assert line == " ".join(line.split())


def test_a_long_statement_leaves_room_for_the_next() -> None:
    long, short = update(Action.ADD, after="word " * 100_000), update(Action.RETIRE, "Drinks tea")

    line = notices.changes([long, short])

    assert line.startswith("Remembered: word word")
    assert line.endswith("\u2026; Forgot: Drinks tea")
