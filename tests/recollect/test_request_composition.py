"""Over a chat each composed request is how the next one begins, so that an upstream's cache stays valid."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recollect.composition.simulated_chat import Sent, SimulatedChat, last_only, prefix
from tests.support.recollections import recollection
from tests.support.tables import table

from recollect.composition import Bounds, Placed
from recollect.model import Message, Role
from recollect.request_composition import compose_request
from recollect.wire import COMPLETIONS, SystemStyle


def last_messages(number: int) -> Any:
    return lambda messages: messages[-number:]


def messages_of(sent: Sent) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(sent.body)["messages"]
    return listed


def goes_on(sent: Sent, following: Sent) -> bool:
    return following.body.startswith(prefix(sent))


texts = st.sampled_from(
    ["yes", "Tea?", 'a "b"\\', "\u00e4\n\u8239", "</recollect_memories>", "yes"]
) | st.text(st.characters(codec="utf-8"), min_size=1, max_size=6).filter(
    lambda text: text.strip() == text and "<" not in text
)


@pytest.mark.parametrize("style", list(SystemStyle))
@given(
    st.lists(st.tuples(texts, texts, st.booleans()), min_size=2, max_size=7),
    st.sampled_from(["", "Be kind."]),
)
def test_requests_begin_as_before(style: SystemStyle, said: list[tuple[str, str, bool]], system: str) -> None:
    recalled = iter([[recollection(f"Note {n}.")] if some else [] for n, (_, _, some) in enumerate(said)])
    chat = SimulatedChat(recalls=lambda _: next(recalled), system=system, style=style)

    sent = [chat.exchange(asked, answered) for asked, answered, _ in said]

    assert all(goes_on(one, following) for one, following in pairwise(sent))


def test_it_is_so_until_the_oldest_half_of_the_blocks_goes() -> None:
    chat = SimulatedChat(Bounds(memory_tokens=150, chat_memory_tokens=1200))

    sent = [chat.exchange(f"turn {n}") for n in range(30)]

    for one, following in pairwise(sent):
        assert goes_on(one, following) is not bool(following.placed.detached)


def test_the_same_turn_once_more_is_the_same_bytes() -> None:
    chat = SimulatedChat()
    chat.exchange("one")
    sent = chat.send("two")

    assert chat.send("two").body == sent.body
    chat.answer(sent)
    chat.exchange("three")
    assert chat.send("two", after=chat.messages[:2]).body == sent.body


def test_an_edited_message_keeps_what_was_before_and_its_own_blocks() -> None:
    chat = SimulatedChat()
    first, old = chat.exchange("one"), chat.exchange("two")
    before = chat.messages[:2]

    edited = chat.send("two, edited", after=before)

    assert goes_on(first, edited)
    assert b"A note on two, edited." in edited.body
    assert b"A note on two." not in edited.body
    assert chat.send("two", after=before).body == old.body
    assert chat.send("two, edited", after=before).body == edited.body


def test_of_who_sends_the_last_message_alone_requests_begin_alike_between_the_steps() -> None:
    chat = SimulatedChat(carries=last_only)

    sent = [chat.exchange(f"turn {n}") for n in range(13)]

    held = [goes_on(one, following) for one, following in pairwise(sent)]
    assert held == [True, True, True, False] + [True, True, False] * 2 + [True, True]
    assert all(len(messages_of(each)) <= 8 for each in sent)
    assert all(sent[0].placed.system in each.placed.system for each in sent)


@table("carried", [2, 3, 4, 5, 8])
def test_of_who_cuts_off_the_head_requests_begin_alike_between_the_steps(carried: int) -> None:
    chat = SimulatedChat(carries=last_messages(carried))

    sent = [chat.exchange(f"turn {n}") for n in range(20)]

    held = [goes_on(one, following) for one, following in pairwise(sent)]
    for one, following in pairwise(sent):
        told = [message["content"].split("\n")[0] for message in messages_of(following)[1:]]
        assert len(set(told)) == len(told)  # nothing twice
        assert told[-3:] == [one.turn.text, f"Answer to {one.turn.text}.", following.turn.text]
    assert held[-9:].count(False) == 3


def test_where_nothing_is_added_the_request_stays_as_it_came() -> None:
    body = b'{"messages":[{"role":"user","content":"hi"}]}'
    chat = COMPLETIONS.read(body)

    assert chat is not None
    assert compose_request(COMPLETIONS, chat, Placed()) is None


def test_what_has_no_certain_place_is_not_added() -> None:
    chat = COMPLETIONS.read(b'{"messages":[{"role":"user","content":"hi"}]}')

    assert chat is not None
    assert compose_request(COMPLETIONS, chat, Placed(beside={5: "NOTE"})) is None


def test_a_restored_message_has_its_block_beside_it() -> None:
    chat = COMPLETIONS.read(b'{"messages":[{"role":"user","content":"hi"}]}')
    earlier = ((Message(Role.USER, "tea"), "NOTE"), (Message(Role.ASSISTANT, "Noted."), ""))

    assert chat is not None
    assert compose_request(COMPLETIONS, chat, Placed(earlier=earlier)) == (
        b'{"messages":[{"role":"user","content":"tea\\n\\nNOTE"},{"role":"assistant","content":"Noted."},'
        b'{"role":"user","content":"hi"}]}'
    )
