"""Of a chat the branch that is shown is read, as the proxy would have heard it."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recollect_proxy.importers.kept import BEGUN, chat_row, message, talk
from tests.tables import table

from recollect.model import ROOT, Exchange
from recollect.wire import detect_turn
from recollect_proxy.importers.exchanges import exchanges_of
from recollect_proxy.importers.lines import BrokenRowError
from recollect_proxy.importers.openwebui import read_chat

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)


def read(messages: list[dict[str, Any]], **changed: Any) -> list[Exchange]:
    return exchanges_of(read_chat(chat_row(messages, **changed)), at=NOW)


def said(exchanges: list[Exchange]) -> list[tuple[str, str]]:
    return [(each.turn.text, each.reply) for each in exchanges]


def test_questions_and_answers_are_exchanges_with_openwebuis_own_ids() -> None:
    exchanges = read(talk(("I keep bees.", "How many hives?"), ("Four.", "A lot of honey.")))

    assert said(exchanges) == [("I keep bees.", "How many hives?"), ("Four.", "A lot of honey.")]
    first, second = (each.turn for each in exchanges)
    assert (first.scope.user_id, first.scope.session_id) == ("anna", "chat-1")
    assert (first.key, first.parent, second.key, second.parent) == ("u1", ROOT, "u2", "a1")
    assert first.at == datetime.fromtimestamp(BEGUN + 60, UTC)
    assert (first.model, second.model) == ("scripted", "scripted")
    assert (len(first.history), len(second.history)) == (0, 2)


def test_a_turn_is_the_one_that_the_proxy_hears() -> None:
    messages = talk(
        ("I keep bees.", "How many hives?"), ("Yes.", "Yes?"), ("Yes.", "Yes?"), ("Yes.", ""), ("Yes.", "No")
    )
    exchanges = read(messages)

    for position, exchange in zip(range(0, len(messages), 2), exchanges, strict=True):
        sent = [
            {"role": each["role"], "content": each["content"]}
            for each in messages[: position + 1]
            if each["content"]
        ]
        heard = detect_turn(
            json.dumps({"model": "scripted", "messages": sent}).encode(),
            user_id="anna",
            session_id="chat-1",
            message_id=exchange.turn.key,
            parent_id=exchange.turn.parent,
            at=exchange.turn.at,
        ).turn
        assert heard is not None
        assert exchange.turn.anchor == heard.anchor
        assert (exchange.turn.text, exchange.turn.key, exchange.turn.parent) == (
            heard.text,
            heard.key,
            heard.parent,
        )


def test_of_a_chat_longer_than_a_request_is_read_every_turn_is_read() -> None:
    exchanges = read(talk(*((f"This is number {number}.", "Go on.") for number in range(1_200))))

    assert [each.turn.text for each in exchanges[::400]] == [f"This is number {n}." for n in (0, 400, 800)]
    assert len({each.turn.anchor for each in exchanges}) == len(exchanges) == 1_200


def test_a_message_without_an_answer_was_for_the_model_that_answered_before() -> None:
    messages = talk(("I keep bees.", "Oh."), ("Four.", ""))

    assert [each.turn.model for each in read(messages[:3])] == ["scripted", "scripted"]
    assert [each.turn.model for each in read(messages[:1])] == [""]


def test_only_the_branch_that_is_shown_is_read() -> None:
    messages = talk(("I keep geese.", "Loud."), ("Very.", "Why?"))
    edited = message("u1b", "user", "I keep bees.", None, timestamp=BEGUN + 300)
    answer = message("a1b", "assistant", "Busy.", "u1b", timestamp=BEGUN + 301)
    other = message("a1c", "assistant", "Buzzing.", "u1b", timestamp=BEGUN + 302)

    assert said(read([*messages, edited, answer, other], current="a1b")) == [("I keep bees.", "Busy.")]
    assert said(read([*messages, edited, answer, other], current="a1c")) == [("I keep bees.", "Buzzing.")]


def test_where_nothing_says_what_is_shown_the_newest_is() -> None:
    messages = talk(("I keep geese.", "Loud."))
    newer = message("u9", "user", "I keep bees.", None, timestamp=BEGUN + 900)
    row = chat_row([*messages, newer], current="gone")

    assert said(exchanges_of(read_chat(row), at=NOW)) == [("I keep bees.", "")]
    row["chat"]["history"]["currentId"] = None
    assert said(exchanges_of(read_chat(row | {"current_message_id": "a1"}), at=NOW)) == [
        ("I keep geese.", "Loud.")
    ]


def test_a_chat_of_long_ago_is_a_list() -> None:
    listed = [
        {"id": "u1", "role": "user", "content": "I keep bees."},
        {"id": "a1", "role": "assistant", "content": "Oh."},
    ]

    exchanges = exchanges_of(read_chat(chat_row([], chat={"messages": listed, "title": "Old"})), at=NOW)

    assert said(exchanges) == [("I keep bees.", "Oh.")]
    assert exchanges[0].turn.parent == ROOT


def test_a_circle_of_messages_ends() -> None:
    one, other = message("u1", "user", "I keep bees.", "a1"), message("a1", "assistant", "Oh.", "u1")

    assert said(read([one, other], current="a1")) == [("I keep bees.", "Oh.")]


@table("broken", ["a text", {"role": "tool"}, {"role": "user", "id": "x" * 300, "content": "a"}])
def test_a_broken_message_is_said(broken: Any) -> None:
    name = broken["id"] if isinstance(broken, dict) and "id" in broken else "u1"
    row = chat_row([], chat={"history": {"messages": {name: broken}, "currentId": name}})
    with pytest.raises(BrokenRowError, match="message"):
        exchanges_of(read_chat(row), at=NOW)
    with pytest.raises(BrokenRowError, match="message"):
        exchanges_of(read_chat(chat_row([], chat={"messages": [broken]})), at=NOW)


def test_what_nobody_wrote_is_no_exchange() -> None:
    machine = message(
        "u2", "user", "The sub-agent is done.", "a1", meta={"internal": True}, timestamp=BEGUN + 99
    )
    messages = [*talk(("I keep bees.", "Oh.")), machine, message("a2", "assistant", "Good.", "u2")]

    assert said(read(messages)) == [("I keep bees.", "Oh.")]


def test_a_title_task_is_no_exchange() -> None:
    task = "### Task:\nGenerate a concise title summarizing the chat history.\n<chat_history>\nUSER: a\n</chat_history>"

    assert read(talk((task, "Bees"))) == []


def test_an_attached_document_and_empty_words_are_not_the_users() -> None:
    wrapped = '### Task:\nRespond.\n<context>\n<source id="1">I keep wolves.</source>\n</context>\nWhat does it say?'

    assert said(read(talk((wrapped, "Wolves."), ("  ", "Well?")))) == [("What does it say?", "Wolves.")]


def test_of_an_answer_the_words_count_and_not_the_reasoning() -> None:
    folded = (
        '<details type="reasoning" done="true">\n<summary>Thought</summary>\n> Bees\n</details>\nHow many?'
    )
    messages = talk(("I keep bees.", folded), ("Four.", "unseen"), ("Five.", "unseen"))
    messages[3]["output"] = [
        {"type": "reasoning", "content": [{"type": "output_text", "text": "Hm."}]},
        {
            "type": "message",
            "content": [
                {"type": "output_text", "text": "A lot "},
                {"type": "output_text", "text": "of honey."},
            ],
        },
        "broken",
    ]
    messages[5]["error"] = {"content": "The model is away."}

    assert said(read(messages)) == [
        ("I keep bees.", "How many?"),
        ("Four.", "A lot of honey."),
        ("Five.", ""),
    ]


@table(
    ("content", "text"),
    [
        ('Yes.<details type="reasoning">never closed', "Yes."),
        ('See <details type="table">mine</details> here', 'See <details type="table">mine</details> here'),
        ('a<details type="tool_calls">b</details>c<details type="code_interpreter">d</details>e', "ace"),
        ([{"type": "text", "text": "one"}, {"type": "image_url"}, 7], "one"),
        (None, ""),
    ],
)
def test_an_answer_in_any_shape_is_read(content: Any, text: str) -> None:
    assert read(talk(("I keep bees.", content)))[0].reply == text


def test_several_answers_to_one_message_give_the_first_that_says_something() -> None:
    messages = [
        *talk(("I keep bees.", "")),
        message("a2", "assistant", "How many?", "a1"),
        message("a3", "assistant", "Tell me.", "a2"),
    ]

    assert said(read(messages)) == [("I keep bees.", "How many?")]


def test_a_message_without_a_time_was_said_when_it_was_answered() -> None:
    messages = talk(("I keep bees.", "Oh."))
    del messages[0]["timestamp"]
    assert read(messages)[0].turn.at == datetime.fromtimestamp(BEGUN + 65, UTC)

    del messages[1]["timestamp"]
    assert read(messages)[0].turn.at == datetime.fromtimestamp(BEGUN, UTC)
    assert (
        read(messages, created_at=None, chat={"history": chat_row(messages)["chat"]["history"]})[0].turn.at
        == NOW
    )


def test_times_rise_whatever_the_clocks_said_and_nothing_is_said_in_the_future() -> None:
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


def test_the_same_chat_has_the_same_ids_again() -> None:
    messages = talk(("one", "1"), ("two", "2"))

    first, second = read(messages), read(messages, id_="chat-1")
    assert [(e.id, e.message_id, e.reply_id) for e in first] == [
        (e.id, e.message_id, e.reply_id) for e in second
    ]
    others = {e.id for e in (*read(messages, id_="chat-2"), *read(messages, user="ben"))}
    assert not others & {e.id for e in first}


@table(
    ("changed", "reason"),
    [
        ({"meta": {"internal": True}}, "of a sub-agent"),
        ({"meta": '{"automation_id": "a-1"}'}, "of an automation"),
        ({}, ""),
    ],
)
def test_what_is_nobodys_chat_is_left_out(changed: dict[str, Any], reason: str) -> None:
    assert read_chat(chat_row([], **changed)).left_out == reason


@given(st.lists(st.tuples(st.text(), st.text()), max_size=4))
def test_any_words_are_survived(pairs: list[tuple[str, str]]) -> None:
    exchanges = read(talk(*pairs))

    assert len(exchanges) <= len(pairs)
    assert all(
        "\0" not in text and text.isprintable() is not None for each in said(exchanges) for text in each
    )


def test_a_chat_of_thousands_of_turns_is_read_whole() -> None:
    exchanges = read(talk(*((f"word {n}", "yes") for n in range(2_000))))

    assert len(exchanges) == 2_000
    assert len(exchanges[-1].turn.history) == 100
    assert exchanges[-1].turn.at - exchanges[0].turn.at == timedelta(seconds=60 * 1_999)


def test_a_system_message_is_passed_over() -> None:
    first, second = talk(("I keep bees.", "How many hives?"))
    prompt = message("s", "system", "Be brief.", None)

    assert said(read([prompt, first | {"parentId": "s"}, second])) == [("I keep bees.", "How many hives?")]


@table("role", [[], {}, None, 1])
def test_a_message_of_a_role_that_is_none_makes_the_chat_broken(role: Any) -> None:
    with pytest.raises(BrokenRowError, match="message"):
        read([*talk(("one", "1")), message("u2", role, "two", "a1")])


def test_a_current_message_that_is_no_id_is_not_known() -> None:
    row = chat_row(talk(("one", "1")))
    row["chat"]["history"]["currentId"] = ["a1"]

    assert said(exchanges_of(read_chat(row), at=NOW)) == [("one", "1")]
