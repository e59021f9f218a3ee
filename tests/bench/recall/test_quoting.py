from pathlib import Path
from typing import Any

import pytest
from tests.bench.conversations import conversation, fact, labelled, question, turn, write

from bench.recall.asking import Asked
from bench.recall.facts import read_facts
from bench.recall.quoting import quoted

SAID = (
    "Yesterday we picked up a grey kitten from the shelter; the vet vaccinated her against rabies on Friday."
)
ANNA = labelled(
    conversation(
        [turn("t1", SAID), turn("t2", "The weather was awful.")],
        [question("q1", "Which colour is the kitten?", "t1")],
    )
)


def asked(block: str, **changed: Any) -> Asked:
    [first] = ANNA.questions
    given = {"user_id": "anna", "injected": ("t1",), "block": block} | changed
    return Asked(first, **given)


def test_of_what_is_found_it_is_told_how_much_is_quoted() -> None:
    whole = quoted([asked(f"Notes:\n- [SAID] {SAID}")], [ANNA])
    part = quoted([asked("Notes:\n- [SAID] Yesterday we picked up a grey kitten")], [ANNA])

    assert (whole["evidence"], whole["found"], whole["whole"], whole["words"]) == (1, 1, 1.0, 1.0)
    assert part["whole"] == 0.0
    assert part["words"] == pytest.approx(3 / 8, abs=0.15)
    assert (part["labelled"], part["answers"]) == (0, None)


def test_the_words_that_answer_are_those_of_the_facts_as_far_as_the_turn_says_them(tmp_path: Path) -> None:
    grey = fact("anna", "Anna, who is fond of cats, has a grey kitten.", "t1")
    facts = write(tmp_path / "facts.jsonl", grey)
    labels = read_facts(facts, [ANNA])

    there = quoted([asked("- [SAID] we picked up a grey kitten …")], [ANNA], labels)
    missing = quoted([asked("- [SAID] … the vet vaccinated the kitten")], [ANNA], labels)

    assert (there["labelled"], there["answers"], there["answer_words"]) == (1, 1.0, 1.0)
    assert (missing["labelled"], missing["answers"], missing["answer_words"]) == (1, 0.0, 0.0)


def test_what_was_not_found_quotes_nothing() -> None:
    figures = quoted([asked("", injected=())], [ANNA])

    assert (figures["evidence"], figures["found"], figures["words"]) == (1, 0, None)
