"""The summarizer against a chat completions server on a real socket."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recollect.models.extractors.completions_server import Server, fenced, says
from tests.support.tables import table

from recollect.errors import InvalidExtractionError
from recollect.model import Material, Message, Outline, Role
from recollect.models.extractors import ModelSummarizer
from recollect.models.extractors import OpenAICompatibleModel as Model
from recollect.models.extractors.summarizer import (
    ALL_MESSAGES_LENGTH,
    ITEM_LENGTH,
    MESSAGE_LENGTH,
    PART_ITEMS,
    SUMMARY_TOKENS,
    read_summary,
    shortened,
    summary_messages,
)
from recollect.ports import Asker, Summarized
from recollect.text.tokens import estimate_tokens

ASKER = Asker("anna", "chat-model")
MATERIAL = Material(
    (
        Message(Role.USER, "I paint the kitchen\non Friday", "Anna\nBerg"),
        Message(Role.ASSISTANT, "In which colour?", "Bot"),
        Message(Role.USER, "Green"),
    ),
    before="Anna renovates her flat.",
    outline=Outline(decisions=("No wallpaper",), todos=("Buy\npaint", "Find a ladder")),
    at=datetime(2026, 11, 21, 23, tzinfo=UTC),
)
WRITTEN = {
    "summary": "Anna paints her kitchen green on 2026-11-27.",
    "facts": [],
    "preferences": ["Green for the kitchen"],
    "decisions": ["No wallpaper"],
    "todos": ["Paint the kitchen on 2026-11-27"],
    "entities": ["Anna: the person"],
}
OUTLINE = Outline(
    preferences=("Green for the kitchen",),
    decisions=("No wallpaper",),
    todos=("Paint the kitchen on 2026-11-27",),
    entities=("Anna: the person",),
)


@pytest.fixture
def summarizer(model: Model) -> ModelSummarizer:
    return ModelSummarizer(model)


class TestSummarizing:
    async def test_one_call_summarizes(self, server: Server, summarizer: ModelSummarizer) -> None:
        server.replies = [says(json.dumps(WRITTEN), total_tokens=700)]

        found = await summarizer.summarize(MATERIAL, ASKER)

        assert found == Summarized(WRITTEN["summary"], OUTLINE, 700, "chat-model summary-1")  # type: ignore[arg-type]  # it is a text
        [body] = server.bodies
        assert body["response_format"]["json_schema"]["name"] == "summary"
        assert "JSON" in body["messages"][0]["content"]


class TestWhatIsShown:
    def test_the_last_summary_and_what_was_said_since(self) -> None:
        shown = summary_messages(MATERIAL)[1]["content"]

        assert shown.startswith("Date of the last message: 2026-11-21\nName of the person: Anna Berg\n\n")
        assert fenced(shown) == {
            "The summary so far": "Anna renovates her flat.",
            "Its parts": "decisions: No wallpaper\ntodos: Buy paint\ntodos: Find a ladder",
            "What was said since": "Person: I paint the kitchen on Friday\n"
            "Assistant: In which colour?\nPerson: Green",
        }

    def test_what_is_empty_is_not_shown(self) -> None:
        shown = summary_messages(Material((Message(Role.USER, "Hello"),)))[1]["content"]

        assert fenced(shown) == {"What was said since": "Person: Hello"}
        assert shown.startswith("What was said since:")

    def test_long_messages_are_cut_and_share_their_room(self) -> None:
        one = summary_messages(Material((Message(Role.USER, "x" * 100_000),)))[1]["content"]
        many = summary_messages(Material((Message(Role.USER, "x" * 3_000),) * 100))[1]["content"]

        assert MESSAGE_LENGTH < len(one) < MESSAGE_LENGTH + 100
        assert ALL_MESSAGES_LENGTH < len(many) < ALL_MESSAGES_LENGTH + 2_000


def read(**fields: object) -> tuple[str, Outline]:
    return read_summary(json.dumps({"summary": "Anna paints."} | fields))


@table(
    ("value", "expected"),
    [
        (["a", "a", " b\n c ", "", None, 7], ("a", "b c")),
        ([{"text": "a", "due": "Friday"}, {"task": "b"}, {"name": 7, "todo": "c"}], ("a", "c")),
        ("a", ("a",)),
        (None, ()),
        (7, ()),
        ({"text": "a"}, ("a",)),
        (["a\0\ud800"], ("a",)),
        ([str(number) for number in range(1000)], tuple(str(number) for number in range(PART_ITEMS))),
    ],
)
def test_the_parts_are_read_leniently(value: object, expected: tuple[str, ...]) -> None:
    assert read(todos=value)[1].todos == expected


def test_a_long_item_is_cut() -> None:
    [item] = read(facts=["x" * 1000])[1].facts

    assert len(item) == ITEM_LENGTH
    assert item.endswith("x …")


@table(
    "answer",
    [
        *("", "Anna paints.", "[]", '{"facts": []}', '{"summary": 7}', '{"summary": " \\n"}'),
        '{"summary": "..."}',
    ],
)
def test_an_answer_without_a_summary_is_invalid(answer: str) -> None:
    with pytest.raises(InvalidExtractionError):
        read_summary(answer)


@pytest.mark.parametrize(
    ("sentence", "mark"), [("Anna paints the kitchen green.", "."), ("安娜把厨房漆成绿色。", "。")]
)
def test_a_long_text_is_cut_behind_a_sentence(sentence: str, mark: str) -> None:
    space = " " if mark == "." else ""
    text, _ = read(summary=space.join([sentence] * 100))

    assert text.endswith(sentence)
    assert SUMMARY_TOKENS * 0.8 < estimate_tokens(text) <= SUMMARY_TOKENS


def test_a_point_within_a_number_or_name_ends_no_sentence() -> None:
    text = shortened("Version 3.5 of file.py " * 100, 50)

    assert text.endswith((" of …", "Version …", " 3.5 …", " file.py …"))


def test_a_short_first_sentence_is_not_all_that_is_left_of_a_long_text() -> None:
    text = shortened("Yes. " + "word " * 1000, 50)

    assert text.endswith("word …")
    assert 40 < estimate_tokens(text) <= 50


def test_a_text_without_words_is_cut_anywhere() -> None:
    text = shortened("x" * 100_000, 50)

    assert text.endswith("xx …")
    assert 40 < estimate_tokens(text) <= 50


@given(st.text(st.characters(codec=None), max_size=2000), st.integers(10, 200))
def test_what_is_shortened_fits_and_begins_alike(text: str, tokens: int) -> None:
    cut = shortened(text, tokens)

    assert estimate_tokens(cut) <= tokens
    assert text.startswith(cut.removesuffix(" …").rstrip())


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*WRITTEN, "text"]), inner),
)


@given(st.one_of(st.text(), json_values.map(json.dumps), json_values.map(lambda value: f"so: {value}")))
def test_whatever_is_answered_is_read_or_invalid(answer: str) -> None:
    try:
        text, outline = read_summary(answer)
    except InvalidExtractionError:
        return

    assert text.strip()
    text.encode("utf-8")
    for part in (outline.facts, outline.preferences, outline.decisions, outline.todos, outline.entities):
        assert len(part) <= PART_ITEMS
        assert all(0 < len(item) <= ITEM_LENGTH for item in part)


def test_a_huge_summary_is_read_within_its_limits() -> None:
    text, outline = read(summary="word. " * 20_000, facts=["x" * 5] * 5_000, todos="y" * 10_000)

    assert estimate_tokens(text) <= SUMMARY_TOKENS
    assert outline.facts == ("xxxxx",)
    assert len(outline.todos[0]) == ITEM_LENGTH
    with pytest.raises(InvalidExtractionError):
        read(summary="x" * 1_000_000)
