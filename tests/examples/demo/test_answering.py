"""The scripted LLM says back what its prompt holds, and extracts what its script understands."""

import json
from typing import Any

import pytest

from examples.demo.answering import NOTED, TOLD, UNKNOWN, answer, extract


def asked(question: str, *before: str, role: str = "system") -> str:
    messages = [{"role": role, "content": text} for text in before]
    return answer([*messages, {"role": "user", "content": question}])


def test_a_statement_is_noted() -> None:
    assert asked("My boat is called Kittiwake.", "- [FACT] Has a boat.") == NOTED


def test_a_question_is_answered_with_the_line_that_speaks_of_it() -> None:
    prompt = "You are kind.\n<notes>\n- [FACT] Has a boat called Kittiwake. (2026-03-15)\n- [FACT] Is a smith.\n</notes>"

    assert asked("What is my boat called?", prompt) == TOLD + "Has a boat called Kittiwake."


def test_the_lines_that_share_most_words_come_first_and_two_are_said_at_most() -> None:
    prompt = "The boat leaks.\nThe red boat sails.\nA red boat sails north.\nNothing here."

    said = asked("Does the red boat sails north?", prompt)

    assert said == TOLD + "A red boat sails north. / The red boat sails."


def test_what_shares_no_word_with_the_question_is_not_said() -> None:
    assert asked("What is my boat called?", "- [FACT] Is a smith.") == UNKNOWN
    assert asked("What is my boat called?") == UNKNOWN


def test_common_words_alone_are_no_reason_to_say_a_line() -> None:
    assert asked("What would you tell about this?", "This is what they would tell about that.") == UNKNOWN


@pytest.mark.parametrize("line", ["Is my boat red?", "<boat>", f"  A: {UNKNOWN} About a boat."])
def test_questions_markup_and_its_own_words_are_not_said_back(line: str) -> None:
    assert asked("What is my boat called?", line) == UNKNOWN


def test_it_reads_what_the_chat_said_before_as_well() -> None:
    assert asked("What is my boat called?", "My boat is called Tern.", role="user") == (
        TOLD + "My boat is called Tern."
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ([{"type": "text", "text": "A boat"}, {"type": "image_url"}, "odd", {"text": "called Tern."}], NOTED),
        (None, NOTED),
        (17, NOTED),
    ],
)
def test_any_content_is_read(content: Any, said: str) -> None:
    assert answer([{"role": "user", "content": content}]) == said


@pytest.mark.parametrize(
    ("said", "known", "understood"),
    [
        (
            "I live in Porto, and I'm allergic to walnuts.",
            "",
            [("Lives in Porto", "new", []), ("Is allergic to walnuts", "new", [])],
        ),
        (
            "Remember that I moved to Braga.",
            "[0] (fact, told 2026-11-28) Is allergic to walnuts\n[1] (fact, told 2026-11-28) Lives in Porto",
            [("Lives in Braga", "contradicts", [1])],
        ),
        ("I live in Porto", "[0] (fact) Lives in Porto", [("Lives in Porto", "repeats", [0])]),
        ("In which town do I live?", "", []),
    ],
)
def test_it_extracts_the_sentences_of_its_script(said: str, known: str, understood: list[Any]) -> None:
    prompt = (
        f"Existing memories, numbered:\n=====\n{known}\n=====\n\nMessage 1, Sunday:\n=====\n{said}\n====="
    )

    told = json.loads(extract([{"role": "user", "content": prompt}]))["memories"]

    assert [(each["content"], each["relation"], each["about"]) for each in told] == understood
    assert all(each["evidence"] in said for each in told)
