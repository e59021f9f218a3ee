import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.wire import COMPLETIONS, MESSAGES, RESPONSES, Anchor, Dialect, anchors

IMAGES = "Here are the images from the tool results above. Please analyze them."
RETRIEVED = '### Task:\nUse it.\n<context>\n<source id="1">a</source>\n</context>\n\n'


def message(role: str, content: Any) -> dict[str, Any]:
    return {"role": role, "content": content}


def user(content: Any) -> dict[str, Any]:
    return message("user", content)


def assistant(content: Any) -> dict[str, Any]:
    return message("assistant", content)


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
        message("system", "Be kind."),
        user("Hi"),
        message("developer", "Be brief."),
        assistant("Hello!"),
        user("Tea?"),
        {**assistant(None), "tool_calls": [{"id": "1"}]},
        message("tool", "a pot"),
        user([{"type": "text", "text": IMAGES}, {"type": "image_url"}]),
        assistant("Yes."),
        user("ok"),
    )

    assert found == (
        Anchor(1, digest("user:2:Hi")),
        Anchor(4, digest("user:2:Hiassistant:6:Hello!user:4:Tea?")),
        Anchor(9, digest("user:4:Tea?assistant:4:Yes.user:2:ok")),
    )


def test_images_alone_have_an_anchor_and_are_not_counted_among_what_was_said() -> None:
    image = user([{"type": "image_url"}])

    assert keys(user("a"), assistant("b"), image, assistant("c"), user("d")) == [
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

    assert keys(user("Tea?" + block), assistant("Yes."), user("No" + block)) == keys(
        user("Tea?"), assistant("Yes."), user("No")
    )


def test_an_edit_makes_another_key() -> None:
    assert keys(user("Tea")) != keys(user("Tea?"))
    assert keys(user("a"), assistant("b"), user("c"))[1] != keys(user("a"), assistant("x"), user("c"))[1]


def test_a_long_message_is_known_by_its_length_and_both_ends() -> None:
    middle = "x" * 5_000

    assert (
        len({keys(user(each))[0] for each in (f"a{middle}b", f"a{middle}c", f"c{middle}b", f"a{middle}xb")})
        == 4
    )


def test_a_second_yes_to_another_answer_has_another_key() -> None:
    first, second, third = keys(user("go"), assistant("Tea?"), user("yes"), assistant("Milk?"), user("yes"))

    assert len({first, second, third}) == 3


def test_the_same_again_in_one_request_is_numbered() -> None:
    said = [user("yes"), assistant("Again?")] * 4

    found = keys(*said, user("no"))

    assert found[2:4] == [found[1] + "#2", found[1] + "#3"]
    assert found == keys(*said)[:4] + found[4:]


@pytest.mark.parametrize("text", ["\ud83d", "\0", "a" * 100_000, "\u202eabc"])
def test_any_text_has_a_key(text: str) -> None:
    body = json.dumps({"messages": [user(text)]}, ensure_ascii="\ud83d" in text).encode()
    chat = COMPLETIONS.read(body)

    assert chat is None or len(anchors(chat)) == 1


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
turns = st.lists(st.tuples(texts, texts), min_size=1, max_size=8)


def spoken(said: list[tuple[str, str]]) -> list[dict[str, Any]]:
    return [part for asked, answered in said for part in (user(asked), assistant(answered))]


@given(turns, st.integers(0, 16))
def test_a_key_stays_when_more_is_said(said: list[tuple[str, str]], length: int) -> None:
    messages = spoken(said)
    shorter = messages[: length % len(messages) + 1]

    assert anchored(*messages)[: len(anchored(*shorter))] == anchored(*shorter)


@given(turns, st.integers(0, 16))
def test_a_key_stays_when_the_head_is_cut_off(said: list[tuple[str, str]], cut: int) -> None:
    numbered = [(f"{n}{asked}", f"{n}{answered}") for n, (asked, answered) in enumerate(said)]
    messages = spoken(numbered)
    cut %= len(messages)

    whole = {anchor.position: anchor.key for anchor in anchored(*messages)}
    for anchor in anchored(*messages[cut:]):
        if anchor.position >= 2:
            assert anchor.key == whole[anchor.position + cut]
