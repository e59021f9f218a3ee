import hashlib
import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table

from recollect.model import Message, Role, Scope, Turn
from recollect.wire import ChatBody, read_body, read_turn

AT = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
IMAGES = {
    "role": "user",
    "content": [
        {"type": "text", "text": "Here are the images from the tool results above. Please analyze them."},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ],
}
CALLS = {"role": "assistant", "content": "", "tool_calls": [{"id": "1"}]}
RESULT = {"role": "tool", "content": "22 degrees", "tool_call_id": "1"}
RETRIEVED = '### Task:\nUse it.\n<context>\n<source id="1">a</source>\n</context>\n\n'


def user(content: Any, **fields: Any) -> dict[str, Any]:
    return {"role": "user", "content": content, **fields}


def assistant(content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content}


def body(*messages: dict[str, Any], **fields: Any) -> ChatBody:
    chat = read_body(json.dumps({"messages": messages, **fields}).encode())
    assert chat is not None
    return chat


def maybe(
    *messages: dict[str, Any], session_id: str | None = "s", message_id: str | None = None
) -> Turn | None:
    chat = body(*messages, model="gpt-5")
    return read_turn(chat, user_id="ann", session_id=session_id, message_id=message_id, at=AT)


def turn(*messages: dict[str, Any], session_id: str | None = "s", message_id: str | None = None) -> Turn:
    read = maybe(*messages, session_id=session_id, message_id=message_id)
    assert read is not None
    return read


def test_a_turn_is_what_the_user_said_last_and_what_came_before() -> None:
    read = turn(
        {"role": "system", "content": "Be kind."},
        user(f"{RETRIEVED}I moved to Leipzig.", name="Ann"),
        assistant("How nice!"),
        user([{"type": "image_url"}]),
        CALLS,
        RESULT,
        assistant([{"type": "text", "text": "A cat."}]),
        user("  Is it warm there? ", name="Ann B."),
        message_id="m7",
    )

    assert read == Turn(
        scope=Scope("ann", "s"),
        text="Is it warm there?",
        key="m7",
        at=AT,
        model="gpt-5",
        history=(
            Message(Role.USER, "I moved to Leipzig.", "Ann"),
            Message(Role.ASSISTANT, "How nice!"),
            Message(Role.ASSISTANT, "A cat."),
        ),
        speaker="Ann B.",
    )


@table(
    "after",
    [
        [CALLS, RESULT],
        [CALLS, RESULT, CALLS, RESULT, IMAGES],
        [CALLS, RESULT, IMAGES, CALLS, RESULT],
        [assistant("It is")],
        [{"role": "system", "content": "Be brief."}],
        [{"role": "critic", "content": "Wrong."}, {}],
    ],
)
def test_what_follows_the_users_message_changes_nothing(after: list[dict[str, Any]]) -> None:
    said = [user("hi"), assistant("hello"), user("Is it warm?")]

    assert replace(turn(*said, *after), begun_answer="") == turn(*said)


def test_images_of_tools_are_not_history_either() -> None:
    read = turn(user("Draw a cat"), CALLS, RESULT, IMAGES, assistant("There."), user("Thanks"))

    assert [message.text for message in read.history] == ["Draw a cat", "There."]


@table(
    "messages",
    [
        [assistant("hello")],
        [{"role": "system", "content": "Be kind."}],
        [{}],
        [IMAGES],
        [{"role": ["user"], "content": "hi"}],
    ],
)
def test_without_a_message_of_the_user_there_is_no_turn(messages: list[dict[str, Any]]) -> None:
    assert maybe(*messages) is None


@table(
    "messages",
    [
        [user("")],
        [user(None)],
        [user([{"type": "image_url"}])],
        [user(RETRIEVED)],
        [user("hi"), assistant("hello"), user([{"type": "image_url"}])],
    ],
)
def test_a_message_without_words_is_a_turn_without_words(messages: list[dict[str, Any]]) -> None:
    assert turn(*messages).text == ""


def test_a_chat_that_begins_with_a_picture_is_known_by_it() -> None:
    def sent(picture: str, **fields: Any) -> Turn:
        part = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + picture * 30}} | fields
        return turn(user([part]), assistant("A menu."), user("Thanks"), session_id=None)

    menu = sent("menu").scope
    assert menu == sent("menu", cache_control={"type": "ephemeral"}).scope
    assert menu != sent("dish").scope


def test_a_retry_is_not_another_turn() -> None:
    said = [user("Tea?"), assistant("Yes."), user("Really?")]

    assert turn(*said).key == turn({"role": "system", "content": "Now: 9:31"}, *said).key
    assert turn(*said).key == turn(*said[:2], user(f"{RETRIEVED}Really?")).key
    assert turn(*said).key.startswith("h:")


def test_the_same_word_later_is_another_turn() -> None:
    first = [user("Tea?"), assistant("With milk?"), user("yes")]
    second = [*first, assistant("With sugar?"), user("yes")]

    assert turn(*first).key != turn(*second).key
    assert turn(user("yes")).key != turn(*first).key


def test_who_said_what_is_part_of_the_key() -> None:
    assert turn(user("a"), assistant("b"), user("c")).key != turn(assistant("a"), user("b"), user("c")).key
    assert turn(user("ab"), user("c")).key != turn(user("a"), user("bc")).key
    assert turn(user("a"), user("b")).key != turn(user("auserb")).key


@pytest.mark.parametrize("blank", [None, "", "  "])
def test_a_blank_id_is_no_id(blank: str | None) -> None:
    read = turn(user("hi"), assistant("hello"), user("Tea?"), session_id=blank, message_id=blank)

    assert read.key == turn(user("hi"), assistant("hello"), user("Tea?")).key
    assert read.scope == Scope("ann", "fp:" + hashlib.sha256(b"hi").hexdigest()[:32])


def test_a_chat_without_an_id_is_known_by_its_first_words() -> None:
    first = turn(user(f"{RETRIEVED}Whose?"), session_id=None)
    later = turn(user("Whose?"), assistant("Ann's."), user("Sure?"), session_id=None)
    other = turn(user("Sure?"), session_id=None)

    assert first.scope.session_id == later.scope.session_id != other.scope.session_id


@pytest.mark.parametrize("name", [None, 5, ["Ann"], {}])
def test_a_speaker_is_named_by_text_only(name: object) -> None:
    assert turn(user("hi", name=name)).speaker is None


MESSAGE = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(["system", "user", "assistant", "tool", 5, None]),
        "content": st.none() | st.text() | st.integers() | st.lists(st.dictionaries(st.text(), st.text())),
        "name": st.none() | st.text() | st.integers(),
    },
)


@given(st.lists(MESSAGE, min_size=1))
def test_any_messages_make_a_turn_or_none(messages: list[dict[str, Any]]) -> None:
    read = maybe(*messages, session_id=None)

    if read is not None:
        assert all(message.text for message in read.history)
        assert read == maybe(*messages, session_id=None)
