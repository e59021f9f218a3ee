"""The labelled cases that are committed make sense, and others are refused with the line that does not."""

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.bench.conversations import write
from tests.bench.formation_cases import as_case, given_case, item, stored, truth
from tests.tables import table

from bench.formation.cases import CLASSES, Case, Half, Model, check_case, read_cases
from bench.recall.dataset import DatasetError, read_lines

COMMITTED = Path(__file__).parents[3] / "bench" / "formation" / "labelled"
LEAST_SHARE = 0.03
"""Of the half that is checked, for each class."""


def committed(half: Half | None = None) -> list[Case]:
    return read_cases(COMMITTED, half=half)


def test_there_are_enough_committed_cases_of_every_class_in_several_languages() -> None:
    cases = committed()
    checked = Counter(case.topic for case in committed(Half.CHECK))

    assert len(cases) >= 400
    assert len({case.language for case in cases}) >= 4
    assert {case.model for case in cases} == set(Model)
    assert all(checked[topic] >= LEAST_SHARE * checked.total() for topic in CLASSES)


def test_both_halves_hold_every_class_in_every_language_and_share_no_case() -> None:
    tune, check = committed(Half.TUNE), committed(Half.CHECK)

    assert {case.id for case in tune}.isdisjoint(case.id for case in check)
    assert {case.said for case in tune}.isdisjoint(case.said for case in check)
    assert {case.topic for case in tune} == {case.topic for case in check} == set(CLASSES)
    assert {case.language for case in check} <= {case.language for case in tune}
    assert len(check) >= 200


def test_no_committed_line_is_too_long_to_be_read() -> None:
    lengths = [len(line.decode()) for path in COMMITTED.glob("*.jsonl") for _, line in read_lines(path)]

    assert max(lengths) < 2_500


def test_a_committed_older_contradiction_is_older_and_all_else_is_newer() -> None:
    for case in committed():
        older = [memory for memory in case.stored if memory.said_at >= case.said_at]
        assert bool(older) == (case.topic == "older-contradiction"), case.id


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    english = [given_case("I cycle to work.", id=name) for name in ("one", "two")]
    write(tmp_path / "tune-en.jsonl", *english)
    write(tmp_path / "check-en.jsonl", given_case("I run.", id="three"))
    write(tmp_path / "check-de.jsonl", given_case("Ich laufe.", id="vier", language="de"))
    write(tmp_path / "notes.jsonl", {"no": "case"})
    return tmp_path


@table(
    ("chosen", "ids"),
    [
        ({}, ["one", "two", "vier", "three"]),
        ({"half": Half.TUNE}, ["one", "two"]),
        ({"half": Half.CHECK, "language": "de"}, ["vier"]),
        ({"half": Half.CHECK, "case_id": "two"}, ["two"]),
    ],
)
def test_cases_are_chosen_by_half_language_and_id(
    folder: Path, chosen: dict[str, Any], ids: list[str]
) -> None:
    assert [case.id for case in read_cases(folder, **chosen)] == ids


def test_a_folder_that_is_not_there_or_holds_no_such_case_is_told_of(folder: Path) -> None:
    with pytest.raises(DatasetError, match="is no folder: name with --cases"):
        read_cases(folder / "elsewhere")
    with pytest.raises(DatasetError, match="holds no such case"):
        read_cases(folder, language="fi")


def test_an_id_may_stand_in_one_file_only(folder: Path) -> None:
    write(folder / "tune-again.jsonl", given_case("I swim.", id="one"))

    with pytest.raises(DatasetError, match=r"tune-en\.jsonl, line 1: the id `one` was there before"):
        read_cases(folder)


def test_a_line_that_is_no_case_is_named(folder: Path) -> None:
    (folder / "tune-bad.jsonl").write_text('\n{"id": "x"}\n')

    with pytest.raises(DatasetError, match=r"tune-bad\.jsonl, line 2: Object missing required field"):
        read_cases(folder)


ONE = {"stored": [stored("Cycles.")], "extracted": [item("Runs.", "I run")]}


@table(
    ("changed", "complaint"),
    [
        ({"id": " "}, "an id must have"),
        ({"class": "strange"}, "there is no class `strange`"),
        ({"stored": [stored("A chat.", kind="summary")]}, "must be statements"),
        ({"redacted": [" - "]}, "must say something"),
        ({"history": [{"role": "assistant", "text": "Hi"}]}, "by turns"),
        ({"extracted": [item(" ", "I run")], "truth": [truth("add")]}, "says nothing"),
        (ONE, "each item must have one truth"),
        (ONE | {"truth": [truth("add"), truth("ignore")]}, "each item must have one truth"),
        (ONE | {"truth": [truth("replace")]}, "needs a target"),
        (ONE | {"truth": [truth("add", 0, 0)]}, "must have none"),
        (ONE | {"truth": [truth("replace", 0, 1)]}, "no stored memory 1"),
        (ONE | {"truth": [truth("add")], "injected": [1]}, "no stored memory 1"),
        (ONE | {"truth": [truth("add")], "suspect": [2]}, "no stored memory 2"),
        (
            {"extracted": [item("Runs.", "I run", about=3)], "truth": [truth("add")]},
            "no stored memory 3",
        ),
    ],
)
def test_a_case_that_makes_no_sense_is_refused(changed: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        check_case(as_case(given_case("I run.") | changed))


def test_a_case_with_a_member_nobody_knows_or_a_date_without_offset_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        as_case(given_case("I run.", strange=1))
    with pytest.raises(msgspec.ValidationError):
        as_case(given_case("I run.", said_at="2026-05-10T18:00:00"))
