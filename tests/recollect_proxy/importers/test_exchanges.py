"""The displayed branch of a chat becomes the exchanges that the proxy would have recorded."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recollect_proxy.importers.imports import BEGUN, chat_row, memory_row, message, talk
from tests.support.tables import table

from recollect.model import ROOT, Exchange
from recollect.wire import detect_turn
from recollect_proxy.importers.common_format import (
    BrokenRowError,
    as_object,
    exchanges_of,
    moment,
    name_of,
    stable_id,
)
from recollect_proxy.importers.openwebui import read_chat, read_memory

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)
BEES, BEES_OH = "I keep bees.", [("I keep bees.", "Oh.")]
OH, GEESE = talk((BEES, "Oh.")), talk(("I keep geese.", "Loud."), ("Very.", "Why?"))
BY_A_PROGRAM = message("u2", "user", "The sub-agent is done.", "a1", meta={"internal": True})
AFTERWARDS = message("a3", "assistant", "Tell me.", "a2")


def read(messages: list[dict[str, Any]], **changed: Any) -> list[Exchange]:
    return exchanges_of(read_chat(chat_row(messages, **changed)), at=NOW)


def said(exchanges: list[Exchange]) -> list[tuple[str, str]]:
    return [(each.turn.text, each.reply) for each in exchanges]


def test_a_turn_is_the_one_that_the_proxy_would_have_recorded() -> None:
    answers = ("Yes.", "Yes?"), ("Yes.", "Yes?"), ("Yes.", ""), ("Yes.", "No")
    messages = talk(("I keep bees.", "How many hives?"), *answers)
    exchanges = read(messages)

    for position, exchange in zip(range(0, len(messages), 2), exchanges, strict=True):
        before = [each for each in messages[: position + 1] if each["content"]]
        sent = [{"role": each["role"], "content": each["content"]} for each in before]
        turn = exchange.turn
        ids: Any = {"session_id": "chat-1", "message_id": turn.key, "parent_id": turn.parent}
        body = json.dumps({"model": "scripted", "messages": sent}).encode()
        heard = detect_turn(body, user_id="anna", **ids, at=turn.at).turn
        assert heard is not None
        for name in ("text", "key", "parent", "anchor", "scope"):
            assert getattr(turn, name) == getattr(heard, name), name
    first, second = (each.turn for each in exchanges[:2])
    assert (first.key, first.parent, second.key, second.parent) == ("u1", ROOT, "u2", "a1")
    assert (len(first.history), len(second.history)) == (0, 2)
    assert first.at == datetime.fromtimestamp(BEGUN + 60, UTC)
    ids_of = [[(e.id, e.message_id, e.reply_id) for e in each] for each in (read(messages), exchanges)]
    assert ids_of[0] == ids_of[1]
    others = {e.id for e in (*read(messages, id_="chat-2"), *read(messages, user="ben"))}
    assert not others & {e.id for e in exchanges}


@table(
    ("messages", "current", "found"),
    [
        (OH, None, BEES_OH),
        (
            [*GEESE, message("u1b", "user", BEES, None), message("a1b", "assistant", "Oh.", "u1b")],
            "a1b",
            BEES_OH,
        ),
        # no message is known to be displayed: the newest is
        ([*GEESE, message("u9", "user", BEES, None, timestamp=BEGUN + 900)], "gone", [(BEES, "")]),
        # a circle ends
        ([message("u1", "user", BEES, "a1"), message("a1", "assistant", "Oh.", "u1")], "a1", BEES_OH),
        # a program wrote the second message
        ([*OH, BY_A_PROGRAM, message("a2", "assistant", "Good.", "u2")], "a2", BEES_OH),
        # the first of several answers that has a text
        ([*talk((BEES, "")), message("a2", "assistant", "Oh.", "a1"), AFTERWARDS], "a3", BEES_OH),
        ([message("s", "system", "Be brief.", None), OH[0] | {"parentId": "s"}, OH[1]], "a1", BEES_OH),
    ],
)
def test_the_branch_is_read(messages: list[dict[str, Any]], current: str | None, found: list[Any]) -> None:
    assert said(read(messages, current=current)) == found


@table("shown", [{"currentId": "a1"}, {"currentId": ["a1"]}, {"currentId": None, "current_message_id": "a1"}])
def test_the_displayed_message_may_be_named_in_several_places(shown: dict[str, Any]) -> None:
    row = chat_row(OH) | shown
    row["chat"]["history"]["currentId"] = shown["currentId"]

    assert said(exchanges_of(read_chat(row), at=NOW)) == [("I keep bees.", "Oh.")]


def test_a_chat_of_a_very_old_release_is_a_list() -> None:
    listed = [{"id": each["id"], "role": each["role"], "content": each["content"]} for each in OH]

    exchanges = read([], chat={"messages": listed, "title": "Old"})

    assert (said(exchanges), exchanges[0].turn.parent) == ([("I keep bees.", "Oh.")], ROOT)


TASK = "### Task:\nGenerate a concise title summarizing the chat history.\n<chat_history>\nUSER: a\n</chat_history>"
DOCUMENT = (
    '### Task:\nRespond.\n<context>\n<source id="1">I keep wolves.</source>\n</context>\nWhat does it say?'
)


@table(
    ("pair", "found"),
    [
        ((TASK, "Bees"), []),
        ((DOCUMENT, "Wolves."), [("What does it say?", "Wolves.")]),
        (
            ("Hi.", 'a<details type="tool_calls">b</details>c<details type="table">d</details>'),
            [("Hi.", 'ac<details type="table">d</details>')],
        ),
        (("Hi.", [{"type": "text", "text": "one"}, {"type": "image_url"}, 7]), [("Hi.", "one")]),
        (("Hi.", None), [("Hi.", "")]),
    ],
)
def test_only_words_of_the_person_and_the_model_are_read(pair: Any, found: list[tuple[str, str]]) -> None:
    assert said(read(talk(pair))) == found


def test_an_answer_in_parts_is_read_and_an_error_has_no_text() -> None:
    messages = talk(("Four.", "unseen"), ("Five.", "unseen"))
    hm, *parts = [{"type": "output_text", "text": text} for text in ("Hm.", "A lot ", "of honey.")]
    thought, answer = {"type": "reasoning", "content": [hm]}, {"type": "message", "content": parts}
    messages[1]["output"] = [thought, answer, "broken"]
    messages[3]["error"] = {"content": "The model is away."}

    assert said(read(messages)) == [("Four.", "A lot of honey."), ("Five.", "")]


_LONG = {"role": "user", "id": "x" * 300, "content": "a"}


@table("broken", ["a text", *({"role": each} for each in ("tool", [1], None)), _LONG])
def test_a_broken_message_breaks_the_chat(broken: Any) -> None:
    name = broken["id"] if isinstance(broken, dict) and "id" in broken else "u1"
    for chat in ({"history": {"messages": {name: broken}, "currentId": name}}, {"messages": [broken]}):
        with pytest.raises(BrokenRowError, match="message"):
            read([], chat=chat)


def test_a_message_without_an_answer_has_the_model_of_the_answer_before() -> None:
    messages = talk(("I keep bees.", "Oh."), ("Four.", ""))

    assert [each.turn.model for each in read(messages[:3])] == ["scripted", "scripted"]
    assert [each.turn.model for each in read(messages[:1])] == [""]


def test_a_message_without_a_time_has_that_of_its_answer_or_its_chat() -> None:
    messages = talk(("I keep bees.", "Oh."))
    del messages[0]["timestamp"]
    times = [read(messages)[0].turn.at]
    del messages[1]["timestamp"]
    times.append(read(messages)[0].turn.at)
    untimed = {"history": chat_row(messages)["chat"]["history"]}
    times.append(read(messages, created_at=None, chat=untimed)[0].turn.at)

    assert times == [datetime.fromtimestamp(BEGUN + 65, UTC), datetime.fromtimestamp(BEGUN, UTC), NOW]


def test_times_rise_and_none_is_in_the_future() -> None:
    messages = talk(("one", "1"), ("two", "2"), ("three", "3"))
    for each in messages[2:]:
        each["timestamp"] = BEGUN - 999
    messages[4]["timestamp"] = messages[5]["timestamp"] = NOW.timestamp() + 999

    exchanges = read(messages)

    times = [each.turn.at for each in exchanges]
    assert times == sorted(set(times))
    assert times[-1] < datetime.fromtimestamp(BEGUN + 61, UTC)
    ids = [id_ for each in exchanges for id_ in (each.message_id, each.reply_id)]
    assert ids == sorted(set(ids)), "the log is read in this order"


@table(
    ("changed", "reason"),
    [
        ({"meta": {"internal": True}}, "of a sub-agent"),
        ({"meta": '{"automation_id": "a-1"}'}, "of an automation"),
        ({}, ""),
    ],
)
def test_a_chat_of_a_program_is_left_out(changed: dict[str, Any], reason: str) -> None:
    assert read_chat(chat_row([], **changed)).left_out == reason


@given(st.lists(st.tuples(st.text(), st.text()), max_size=4))
def test_any_words_are_read(pairs: list[tuple[str, str]]) -> None:
    exchanges = read(talk(*pairs))

    assert len(exchanges) <= len(pairs)
    assert all("\0" not in text for each in said(exchanges) for text in each)


def test_a_chat_of_thousands_of_turns_is_read_whole() -> None:
    exchanges = read(talk(*((f"word {n}", "yes") for n in range(2_000))))

    assert len({each.turn.anchor for each in exchanges}) == len(exchanges) == 2_000
    assert len(exchanges[-1].turn.history) == 100
    assert exchanges[-1].turn.at - exchanges[0].turn.at == timedelta(seconds=60 * 1_999)


BEGAN = datetime.fromtimestamp(BEGUN, UTC)


def test_a_memory_has_an_owner_a_time_a_path_and_its_chat() -> None:
    meta = '{"created_by": "manual", "chat_id": "chat-7"}'
    row = memory_row("My sister keeps geese.", type="user", path=" family/sister ", meta=meta)

    stored = read_memory(row)

    assert (stored.user_id, stored.created_at, stored.said_at) == ("anna", BEGAN, BEGAN)
    assert (stored.is_always_told, stored.path) == (True, "family/sister")
    assert (stored.session_id, stored.is_manual) == ("chat-7", True)
    edited = read_memory(memory_row("Tea.", updated_at=BEGUN + 60))
    assert (edited.created_at, edited.said_at) == (BEGAN, BEGAN + timedelta(minutes=1))


def test_a_memory_of_an_older_release_lacks_some_of_these() -> None:
    stored = read_memory({"id": "m", "content": "Tea.", "created_at": 10**400, "updated_at": BEGUN})

    assert (stored.user_id, stored.created_at, stored.said_at) == ("", None, BEGAN)
    assert (stored.is_always_told, stored.is_manual) == (False, False)
    assert (stored.path, stored.session_id) == ("", None)


def test_a_memory_is_known_by_its_whole_id_and_one_without_by_its_text() -> None:
    ids = [read_memory(memory_row("Tea.", id=id_)).id for id_ in ("x" * 200, "x" * 201, 7, None, "\0")]

    assert ids == ["x" * 200, "x" * 201, "7", "Tea.", "\ufffd"]


@table(
    ("row", "why"),
    [
        (memory_row(None), "no text"),
        *((memory_row("a secret thought", user_id=each), "names no owner") for each in ("*", "x" * 300)),
        (chat_row([], id=None), "id"),
        *((chat_row([], chat=each), "messages") for each in ("{broken", None)),
        (chat_row([], user_id="*"), "names no owner"),
    ],
)
def test_a_broken_row_says_why_and_quotes_nothing(row: dict[str, Any], why: str) -> None:
    with pytest.raises(BrokenRowError, match=why) as raised:
        read_chat(row) if "chat" in row else read_memory(row)
    assert "thought" not in str(raised.value)


def test_a_chat_without_a_time_has_the_one_of_the_web_page() -> None:
    assert read_chat(chat_row([], created_at=None)).created_at == BEGAN
    assert read_chat(chat_row([], created_at=None, chat={"history": {}})).created_at is None


@table(
    ("value", "at"),
    [
        *((BEGUN * unit, BEGAN) for unit in (1, 1.0, 10**3, 10**6, 10**9)),
        *((text, BEGAN) for text in (BEGAN.isoformat(), "2025-10-09T08:53:20Z", "2025-10-09T08:53:20")),
        *((text, None) for text in ("yesterday", "1960-01-01", "9" * 99, [1], None, True)),
        *((number, None) for number in (-1, 0, 10**400, float("nan"), float("inf"))),
    ],
)
def test_a_time_is_read_in_any_unit(value: object, at: datetime | None) -> None:
    assert moment(value) == at


@given(st.one_of(st.integers(), st.floats()))
def test_any_number_is_a_time_or_none(value: float) -> None:
    at = moment(value)

    assert at is None or at.year < 5139


def test_a_column_that_is_no_object_is_empty() -> None:
    assert as_object('{"a": 1}') == {"a": 1}
    assert as_object("[1]") == as_object("{") == as_object(None) == as_object("[" * 100_000) == {}


def test_a_row_is_named_by_the_printable_part_of_its_id() -> None:
    assert name_of("ab\x1b[31m\n") == "ab[31m"
    assert name_of(None) == "without id"
    assert len(name_of("x" * 1000)) == 100


names = st.lists(st.text(), min_size=1, max_size=3)


@given(names, names)
def test_an_id_belongs_to_its_names(one: list[str], other: list[str]) -> None:
    here, there = stable_id(NOW, *one), stable_id(NOW, *other)

    assert here == stable_id(NOW, *one)
    assert here.version == 7
    letters = "".join(one + other)
    if one != other and not any(0xD800 <= ord(each) <= 0xDFFF or each in "\0\ufffd" for each in letters):
        assert here != there


def test_ids_sort_by_time_and_say_it() -> None:
    ids = [stable_id(NOW + timedelta(milliseconds=number), "x") for number in range(50)]

    assert ids == sorted(ids)
    assert ids[0].int >> 80 == NOW.timestamp() * 1000
