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
from recollect.wire import COMPLETIONS, MESSAGES, RESPONSES, ChatBody, Dialect, anchors, read_body
from recollect.wire.turn import Anchor, prompt_texts, read_turn

AT = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
IMAGES = {
    "role": "user",
    "content": [
        {"type": "text", "text": "Here are the images from the tool results above. Please analyze them."},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ],
}
SYSTEM = {"role": "system", "content": "Be kind."}
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


def maybe(*messages: dict[str, Any], **ids: str | None) -> Turn | None:
    given: dict[str, Any] = {"session_id": "s", "message_id": None} | ids
    return read_turn(body(*messages, model="gpt-5"), user_id="ann", at=AT, **given)


def turn(*messages: dict[str, Any], **ids: str | None) -> Turn:
    read = maybe(*messages, **ids)
    assert read is not None
    return read


def test_a_turn_is_what_the_user_said_last_and_what_came_before() -> None:
    read = turn(
        SYSTEM,
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
        [SYSTEM],
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


def test_a_file_and_a_long_text_around_the_words_are_a_document() -> None:
    file, page = {"type": "file", "file": {"file_id": "f1"}}, RETRIEVED.replace("a<", f"{'a' * 200}<")

    assert turn(user([{"type": "text", "text": "And this?"}, file])).has_document
    assert turn(user([file]), assistant("A lease."), user("When does it end?")).has_document
    assert turn(user(f"{page}When does it end?")).has_document
    assert not turn(user(f"{RETRIEVED}When does it end?")).has_document
    assert not turn(user([{"type": "image_url"}, {"type": "text", "text": "Who is it?"}])).has_document


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
    assert turn(*first).key != turn(*[*first, assistant("With sugar?"), user("yes")]).key
    assert turn(user("yes")).key != turn(*first).key
    rounds = [assistant("And?"), user("yes")] * 6
    assert turn(user("Tea?"), *rounds).key != turn(user("Milk?"), *rounds).key


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


def anchored(*messages: dict[str, Any], dialect: Dialect = COMPLETIONS, **members: Any) -> tuple[Anchor, ...]:
    listed = "input" if dialect is RESPONSES else "messages"
    chat = dialect.read(json.dumps({listed: messages, **members}).encode())
    assert chat is not None
    return anchors(chat)


def keys(*messages: dict[str, Any]) -> list[str]:
    return [anchor.key for anchor in anchored(*messages)]


def digest(said: str) -> str:
    return "a:" + hashlib.sha256(said.encode(errors="surrogatepass")).hexdigest()


def test_each_message_of_the_user_has_an_anchor_over_the_last_three_that_say_something() -> None:
    found = anchored(
        SYSTEM,
        user("Hi"),
        {"role": "developer", "content": "Be brief."},
        assistant("Hello!"),
        user("Tea?"),
        CALLS,
        RESULT,
        IMAGES,
        assistant("Yes."),
        user("ok"),
    )

    assert found == (
        Anchor(1, digest("user:2:Hi")),
        Anchor(4, digest("user:2:Hiassistant:6:Hello!user:4:Tea?")),
        Anchor(9, digest("user:4:Tea?assistant:4:Yes.user:2:ok")),
    )


def test_images_alone_have_an_anchor_and_are_not_counted_among_what_was_said() -> None:
    assert keys(user("a"), assistant("b"), user([{"type": "image_url"}]), assistant("c"), user("d")) == [
        digest("user:1:a"),
        digest("user:1:aassistant:1:buser:0:"),
        digest("assistant:1:bassistant:1:cuser:1:d"),
    ]


def test_what_a_frontend_puts_around_a_message_leaves_its_key() -> None:
    plain = keys(user("Tea?"), assistant("Yes."), user("Which?"))

    assert keys(user(RETRIEVED + "Tea?"), assistant("Yes."), user(RETRIEVED + "Which?")) == plain
    assert keys(user([{"type": "text", "text": "Tea?"}]), assistant("Yes."), user("Which?\n")) == plain


def test_what_we_added_leaves_its_key() -> None:
    block = "\n\n<recollect_memories>\n- a\n</recollect_memories>"

    with_blocks = keys(user("Tea?" + block), assistant("Yes."), user("No" + block))
    assert with_blocks == keys(user("Tea?"), assistant("Yes."), user("No"))


def test_a_long_message_is_known_by_its_length_and_both_ends() -> None:
    middle = "x" * 5_000
    long = (f"a{middle}b", f"a{middle}c", f"c{middle}b", f"a{middle}xb")

    assert len({keys(user(each))[0] for each in long}) == len(long)


def test_the_same_again_in_one_request_is_numbered() -> None:
    said = [user("yes"), assistant("Again?")] * 4

    found = keys(*said, user("no"))

    assert found[2:4] == [found[1] + "#2", found[1] + "#3"]
    assert found == keys(*said)[:4] + found[4:]


def test_every_api_has_the_same_keys() -> None:
    said = [user("Hi"), assistant("Hello!"), user("Tea?")]
    plain = anchored(*said)
    moved = tuple(Anchor(anchor.position + 1, anchor.key) for anchor in plain)

    assert anchored(*said, dialect=MESSAGES) == anchored(*said, dialect=RESPONSES) == plain
    assert anchored(*said, dialect=MESSAGES, system="s") == moved
    assert anchored(*said, dialect=RESPONSES, instructions="s") == moved
    text = RESPONSES.read(b'{"input":"Hi"}')
    assert text is not None
    assert anchors(text) == plain[:1]


def test_the_results_of_tools_have_no_anchor() -> None:
    result = {"type": "tool_result", "tool_use_id": "1", "content": "22 degrees"}
    found = anchored(
        user("Hi"),
        assistant([{"type": "tool_use", "id": "1", "name": "f", "input": {}}]),
        user([result]),
        assistant([{"type": "tool_use", "id": "2", "name": "f", "input": {}}]),
        user([result, {"type": "text", "text": "And?"}]),
        dialect=MESSAGES,
    )

    assert [anchor.position for anchor in found] == [0, 4]


texts = st.sampled_from(["yes", "no", "Tea?", "1:user:1:a"]) | st.text(min_size=1, max_size=5)
said_in_turns = st.lists(st.tuples(texts, texts), min_size=1, max_size=8)


def rounds(said: list[tuple[str, str]]) -> list[dict[str, Any]]:
    return [part for asked, answered in said for part in (user(asked), assistant(answered))]


@given(said_in_turns, st.integers(0, 16))
def test_a_key_stays_when_the_head_is_cut_off(said: list[tuple[str, str]], cut: int) -> None:
    numbered = [(f"{n}{asked}", f"{n}{answered}") for n, (asked, answered) in enumerate(said)]
    messages = rounds(numbered)
    cut %= len(messages)

    whole = {anchor.position: anchor.key for anchor in anchored(*messages)}
    for anchor in anchored(*messages[cut:]):
        if anchor.position >= 2:
            assert anchor.key == whole[anchor.position + cut]


def prompt_of(dialect: Dialect, **members: Any) -> tuple[str, ...]:
    chat = dialect.read(json.dumps(members).encode())
    assert chat is not None
    return prompt_texts(chat)


def test_all_that_a_prompt_says_is_told_newest_first() -> None:
    documents = '### Task:\n<context>\n<source id="1">Tea is warm.</source>\n</context>\n\nIs it?'
    chat = body(SYSTEM, user([{"type": "image_url"}]), assistant("  "), RESULT, user(documents))

    assert prompt_texts(chat) == (documents, "22 degrees", "Be kind.")


def test_instructions_beside_the_messages_are_told_too() -> None:
    system = [{"type": "text", "text": "Be kind."}]
    for told in (
        prompt_of(RESPONSES, instructions="Be kind.", input="hi"),
        prompt_of(MESSAGES, system=system, messages=[user("hi")]),
    ):
        assert told == ("hi", "Be kind.")


def test_a_long_message_is_cut_off() -> None:
    assert prompt_texts(body(user("a" * 20_001), user("b" * 20_000))) == ("b" * 20_000, "a" * 20_000)


def test_a_long_conversation_is_told_from_its_end() -> None:
    told = prompt_texts(body(*(user(str(n % 10) * 15_000) for n in range(20))))

    assert [text[0] for text in told] == list("9876")
    assert [len(text) for text in told] == [15_000] * 3 + [5_000]
