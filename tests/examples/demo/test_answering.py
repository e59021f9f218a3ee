"""The scripted LLM says back what its prompt holds, and extracts what its script understands."""

import json
from typing import Any

import pytest
from tests.support.tables import table

from examples.demo.answering import NOTED, TOLD, UNKNOWN, answer, extract

NAME = "What is my boat called?"
NOTES = "You are kind.\n<notes>\n- [FACT] Has a boat called Kittiwake. (2026-03-15)\n- [FACT] Is a smith.\n</notes>"
BOATS = "The boat leaks.\nThe red boat sails.\nA red boat sails north.\nNothing here."
PARTS = [{"type": "text", "text": "A boat"}, {"type": "image_url"}, "odd", {"text": "called Tern."}]


@table(
    ("question", "prompt", "said"),
    [
        *(
            (each, "- [FACT] Has a boat.", NOTED)
            for each in ("My boat is called Kittiwake.", PARTS, None, 17)
        ),
        (NAME, NOTES, TOLD + "Has a boat called Kittiwake."),
        # the lines that share most words come first, and two are said at most
        ("Does the red boat sails north?", BOATS, TOLD + "A red boat sails north. / The red boat sails."),
        # nothing that shares no word, no question, no markup, nothing of its own, and not for common words alone
        *(
            (NAME, each, UNKNOWN)
            for each in (
                "- [FACT] Is a smith.",
                "",
                "Is my boat red?",
                "<boat>",
                f"  A: {UNKNOWN} About a boat.",
            )
        ),
        ("What would you tell about this?", "This is what they would tell about that.", UNKNOWN),
    ],
)
@table("role", ["system", "user"])
def test_a_statement_is_noted_and_a_question_answered_with_the_lines_that_speak_of_it(
    question: Any, prompt: str, said: str, role: str
) -> None:
    assert answer([{"role": role, "content": prompt}, {"role": "user", "content": question}]) == said


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
