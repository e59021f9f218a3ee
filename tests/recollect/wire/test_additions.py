import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table

from recollect.model import Message, Role
from recollect.wire import ChatBody, read_body, restorable, said_with


def goes_on(role: str) -> ChatBody:
    messages = [{"role": "system", "content": "s"}, {"role": role, "content": "x"}]
    chat = read_body(json.dumps({"messages": messages}).encode())
    assert chat is not None
    return chat


def conversation(said: str) -> tuple[Message, ...]:
    """Write a conversation short: ``u1 a1`` is a message of the user and its answer; ``s1`` the system's."""
    roles = {"u": Role.USER, "a": Role.ASSISTANT, "s": Role.SYSTEM}
    return tuple(Message(roles[word[0]], word[1:].replace("_", " ")) for word in said.split())


@table(
    ("earlier", "role", "kept"),
    [
        ("", "user", ""),
        ("u1 a1 u2 a2", "user", "u1 a1 u2 a2"),
        ("a0 u1 a1", "user", "u1 a1"),
        ("u1 a1 u2", "user", "u1 a1"),
        ("u1 a1 u2", "tool", "u1 a1"),
        ("u1 a1 u2", "assistant", "u1 a1 u2"),
        ("u1 u2 a2", "user", "u2 a2"),
        ("u1 s1 u2 a2", "user", "u2 a2"),
        ("u1 a_ u2 a2", "user", "u2 a2"),
        ("u1 a_ u_ a2", "user", "u1 a2"),
        ("a0 a1", "assistant", ""),
    ],
)
def test_what_is_restored_takes_turns(earlier: str, role: str, kept: str) -> None:
    assert restorable(goes_on(role), conversation(earlier)) == conversation(kept)


def test_answers_in_a_row_become_one() -> None:
    first, second = restorable(goes_on("user"), conversation("u1 a1 a2"))

    assert (first.text, second.text) == ("1", "1\n\n2")


roles = st.sampled_from(sorted(Role))


@given(
    st.lists(st.builds(Message, roles, st.sampled_from(["", " ", "a", "b"]))), st.sampled_from(sorted(Role))
)
def test_whatever_was_said_is_restored_in_turns_and_only_once(said: list[Message], role: Role) -> None:
    chat = goes_on(role)

    kept = restorable(chat, said)

    assert [message.role for message in kept] == [Role.USER, Role.ASSISTANT] * (len(kept) // 2) + (
        [Role.USER] * (len(kept) % 2)
    )
    assert len(kept) % 2 == 0 or role == "assistant"
    assert restorable(chat, kept) == kept


@pytest.mark.parametrize(
    ("said", "added", "both"), [("a", "b", "a\n\nb"), ("", "b", "b"), ("a", "", "a"), (" ", "b", " \n\nb")]
)
def test_what_is_added_to_a_text_follows_after_a_blank_line(said: str, added: str, both: str) -> None:
    assert said_with(said, added) == both
