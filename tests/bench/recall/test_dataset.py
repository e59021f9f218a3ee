"""A file of labelled conversations is read, and what is wrong with it is said with its line."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.bench.conversations import FRIENDS, TEA, conversation, fact, question, turn, write

from bench.recall.dataset import DatasetError, read_conversations


def test_conversations_are_read_in_order(tmp_path: Path) -> None:
    tea, friends = read_conversations(write(tmp_path / "two.jsonl", TEA, FRIENDS))

    assert [tea.id, friends.id] == ["anna", "friends"]
    assert [each.id for each in tea.turns] == ["t1", "t2", "t3", "t4", "t5", "t6"]
    assert tea.turns[0].at == datetime(2026, 3, 1, 9, tzinfo=UTC)
    assert tea.questions[0].evidence == ("t1",)
    assert tea.questions[0].at is None
    assert friends.turns[1].speaker == "Dario"


def test_empty_lines_and_unknown_members_are_passed_over(tmp_path: Path) -> None:
    path = write(tmp_path / "one.jsonl", TEA | {"source": "a test", "speakers": ["user"]})
    path.write_text("\n" + path.read_text() + "\n \n")

    [tea] = read_conversations(path)

    assert tea.id == "anna"


def test_a_date_with_an_offset_is_kept_as_the_moment_it_names(tmp_path: Path) -> None:
    asked = question("q", "What?", asked_at="2026-03-15T09:00:00+02:00")

    [read] = read_conversations(write(tmp_path / "one.jsonl", conversation([], [asked])))

    assert read.questions[0].at == datetime(2026, 3, 15, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ("{", "line 2: "),
        ('"a text"', "line 2: Expected `object`"),
        ("[" * 100_000, "line 2: "),
    ],
)
def test_a_line_that_is_no_json_object_is_named(tmp_path: Path, wrong: str, complaint: str) -> None:
    path = write(tmp_path / "bad.jsonl", TEA)
    path.write_text(path.read_text() + wrong)

    with pytest.raises(DatasetError, match=r"bad\.jsonl") as raised:
        read_conversations(path)

    assert complaint in str(raised.value)


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in TEA.items() if key != name}


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        (without("turns"), "missing required field `turns`"),
        (without("questions"), "missing required field `questions`"),
        (conversation([{"id": "t"}]), "missing required field `session` - at `$.turns[0]`"),
        (conversation([turn("t", "x", session=1)]), "Expected `str`, got `int` - at `$.turns[0].session`"),
        (conversation([], name=" "), "the id of a conversation must have 1 to 200 characters"),
        (conversation([turn("t" * 201, "x")]), "the id of a turn must have 1 to 200 characters"),
        (conversation([turn("t", "x", session="a\0b")]), "the id of a turn's session must have"),
        (conversation([turn("t", "x"), turn("t", "y")]), "the id `t` of a turn was there before"),
        (conversation([turn("t", "x", date="yesterday")]), "the date of turn `t` is not ISO 8601"),
        (
            conversation([], [question("q", "x", asked_at="1/2/3")]),
            "the date of question `q` is not ISO 8601",
        ),
        (
            conversation([], [question("q", "x", "t9")]),
            "question `q` names the turn `t9`, which is not there",
        ),
        (conversation([], [question("q", "x", before="t8")]), "question `q` names the turn `t8`"),
        (FRIENDS, "the id `friends` of a conversation was there before"),
    ],
)
def test_a_conversation_that_is_not_what_it_must_be_is_named(
    tmp_path: Path, wrong: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(DatasetError) as raised:
        read_conversations(write(tmp_path / "bad.jsonl", FRIENDS, wrong))

    assert "bad.jsonl, line 2: " in str(raised.value)
    assert complaint in str(raised.value)


@pytest.mark.parametrize("before", [(), (TEA,)])
def test_a_file_of_facts_is_told_from_one_of_conversations(tmp_path: Path, before: tuple[Any, ...]) -> None:
    path = write(tmp_path / "facts.jsonl", *before, fact("anna", "She drinks tea.", "t1"))

    with pytest.raises(DatasetError, match=r"facts\.jsonl holds facts: name it with --facts"):
        read_conversations(path)


def test_a_file_without_conversations_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="holds no conversation"):
        read_conversations(write(tmp_path / "empty.jsonl"))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"none\.jsonl: No such file"):
        read_conversations(tmp_path / "none.jsonl")
