"""A request is, up to its last message, how the next one of its chat begins: an upstream's cache stays valid."""

import json
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recollect.wire.fuzzing import dialects

from recollect.model import Message, Role
from recollect.wire import (
    COMPLETIONS,
    RESPONSES,
    Additions,
    ChatBody,
    Dialect,
    SystemStyle,
    anchors,
    said_with,
)


@dataclass(frozen=True)
class Frontend:
    """Sends all that was said so far with each request, always written the same way."""

    dialect: Dialect
    separators: tuple[str, str]
    escaped: bool
    indent: int | None
    system: tuple[str, Any] | None
    last: bool

    def request(self, messages: list[dict[str, Any]]) -> ChatBody:
        head: list[dict[str, Any]] = []
        members: dict[str, Any] = {"model": "m", "temperature": 1.0}
        if self.system and self.dialect is COMPLETIONS:
            head.append({"role": self.system[0], "content": self.system[1]})
        elif self.system:
            name = "instructions" if self.dialect is RESPONSES else "system"
            members[name] = self.system[1] if self.dialect is not RESPONSES else "Be kind."
        listed = {"input" if self.dialect is RESPONSES else "messages": head + messages}
        body = members | listed | {"stream": True} if self.last else listed | members
        written = json.dumps(body, ensure_ascii=self.escaped, separators=self.separators, indent=self.indent)
        chat = self.dialect.read(written.encode())
        assert chat is not None
        return chat


words = st.sampled_from(["yes", "no", "", "Tea?", 'a "b"\\', "\u00e4\n"]) | st.text(max_size=4)
contents = words | st.lists(
    st.fixed_dictionaries({"type": st.just("text"), "text": words})
    | st.just({"type": "image_url", "image_url": {"url": "data:,"}}),
    max_size=2,
)
turns = st.lists(st.tuples(contents, words), min_size=2, max_size=6)
additions = st.text(min_size=1, max_size=6)
frontends = st.builds(
    Frontend,
    dialects,
    st.sampled_from([(",", ":"), (", ", ": "), (" ,", " : ")]),
    st.booleans(),
    st.sampled_from([None, 0, 2]),
    st.none() | st.tuples(st.sampled_from(["system", "developer"]), contents),
    st.booleans(),
)
restored = st.lists(st.builds(Message, st.sampled_from([Role.USER, Role.ASSISTANT]), words), max_size=4)
styles = st.sampled_from(list(SystemStyle))


def said_in(turns_said: list[tuple[Any, str]]) -> list[dict[str, Any]]:
    """Return the messages of a request: each turn's question and answer, but the answer to the last."""
    messages = [
        {"role": role, "content": content}
        for asked, answered in turns_said
        for role, content in (("user", asked), ("assistant", answered))
    ]
    return messages[:-1]


def up_to_its_last_message(dialect: Dialect, body: bytes) -> bytes:
    chat = dialect.read(body)
    assert chat is not None
    spans = chat.message_spans()
    assert spans is not None
    last = spans[-1]
    assert last is not None
    return body[: last.end]


def composed(
    chat: ChatBody,
    dialect: Dialect,
    style: SystemStyle,
    system: str,
    texts: list[str],
    earlier: list[Message],
) -> bytes:
    own = [position for position, message in enumerate(chat.messages) if message.role == "user"]
    beside = dict(zip(own, texts, strict=False))
    body = dialect.compose(chat, Additions(system, beside, tuple(earlier)), style)
    assert body is not None
    return body


@pytest.mark.parametrize("style", list(SystemStyle))
@given(
    frontend=frontends,
    said=turns,
    system=st.just("") | additions,
    texts=st.lists(st.just("") | additions, min_size=6, max_size=6),
    earlier=st.just([]) | restored,
)
def test_a_request_is_how_the_next_one_begins(
    frontend: Frontend,
    said: list[tuple[Any, str]],
    system: str,
    texts: list[str],
    earlier: list[Message],
    style: SystemStyle,
) -> None:
    requests = [
        composed(frontend.request(said_in(said[:length])), frontend.dialect, style, system, texts, earlier)
        for length in range(1, len(said) + 1)
    ]

    for request, following in pairwise(requests):
        assert following.startswith(up_to_its_last_message(frontend.dialect, request))


@given(
    dialect=dialects,
    said=st.lists(
        st.tuples(st.text(" a\n", min_size=1, max_size=4).map("q".__add__), words.map("a".__add__))
    ).filter(lambda said: len(said) > 1),
    system=st.just("") | st.just("<recollect_history>\nOld.\n</recollect_history>"),
    told=st.lists(st.booleans(), min_size=20, max_size=20),
    cut=st.integers(1, 20),
    style=styles,
)
def test_a_restored_message_says_what_it_said_when_it_was_sent(
    dialect: Dialect, said: list[tuple[str, str]], system: str, told: list[bool], cut: int, style: SystemStyle
) -> None:
    cut = 1 + cut % (len(said) - 1)
    frontend = Frontend(dialect, (",", ":"), escaped=False, indent=None, system=None, last=True)
    blocks = [
        f"<recollect_memories>\n- {n}\n</recollect_memories>" if told[n % 20] else ""
        for n in range(len(said))
    ]
    earlier = [
        message
        for (asked, answered), block in zip(said[:cut], blocks, strict=False)
        for message in (Message(Role.USER, said_with(asked, block)), Message(Role.ASSISTANT, answered))
    ]

    whole = composed(frontend.request(said_in(said)), dialect, style, system, blocks, [])
    rest = composed(frontend.request(said_in(said[cut:])), dialect, style, system, blocks[cut:], earlier)

    assert rest == whole


@given(frontend=frontends, said=turns, told=st.lists(st.booleans(), min_size=6, max_size=6), style=styles)
def test_the_keys_are_the_same_in_every_request_whatever_was_added(
    frontend: Frontend, said: list[tuple[Any, str]], told: list[bool], style: SystemStyle
) -> None:
    dialect = frontend.dialect
    blocks = [
        f"<recollect_memories>\n- {n}\n</recollect_memories>" if fact else "" for n, fact in enumerate(told)
    ]
    history = "<recollect_history>\nOld.\n</recollect_history>"
    whole = [anchor.key for anchor in anchors(frontend.request(said_in(said)))]

    for length in range(1, len(said) + 1):
        request = frontend.request(said_in(said[:length]))
        sent_back = dialect.read(composed(request, dialect, style, history, blocks, []))

        assert sent_back is not None
        assert [anchor.key for anchor in anchors(request)] == whole[: len(anchors(request))]
        assert [anchor.key for anchor in anchors(sent_back)] == whole[: len(anchors(request))]
