"""A chat without an id, sent in parts or without words, is recognized by an answer or by the messages it still carries."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from uuid import uuid4

from tests.recollect_proxy.chat.spoken import APIS, RESPONSES, Api, replies
from tests.recollect_proxy.frontends import Frontend, Sent
from tests.recollect_proxy.given import TEA, WHICH_TEA, given_memory
from tests.recollect_proxy.own_proxies import listens, named
from tests.scripted.dialects import named_event
from tests.scripted.upstream import ScriptedUpstream, streamed, whole
from tests.servers.running_proxy import RunningProxy, User, somebody
from tests.support.tables import table

FACTS = ("Lives in Lisbon", "Has a dog called Fips", "Works as a nurse")
LIST = "What do you know about me?"
FORGET = "Forget number 2."
DONE = "- [DONE] Forgotten, as the user asked: number 2"


standing, proxy = listens(standing_tokens=160), named("standing")
"""A proxy that forms no memories: chats are known again by the log."""


async def person_of(proxy: RunningProxy) -> User:
    person = somebody()
    for content in FACTS:
        await given_memory(proxy, person, content)
    return person


async def left(proxy: RunningProxy, person: User) -> set[str]:
    page = await proxy.engine.page(person.known_as, limit=99)
    return {each.content for each in page.memories} & {*FACTS}


def numbered(text: str) -> str:
    """Return the list that the model was given as it answers with it."""
    found = re.findall(r"^\u2022 (.+) \(number (\d+)\)$", text, re.MULTILINE)
    return "\n".join(f"{number}. {content}" for content, number in found)


# -- the server keeps the chat ---------------------------------------------------------------------


class Chain:
    """A chat kept by the LLM's server: each request has the new message and the id of the last answer."""

    def __init__(self, proxy: RunningProxy, upstream: ScriptedUpstream, person: User) -> None:
        self._proxy, self._upstream, self._person = proxy, upstream, person
        self.last: str | None = None

    async def says(self, said: Any, *, stream: bool = False, **fields: Any) -> Sent:
        """Say something, and return what went up for it."""
        answer_id = f"resp_{uuid4().hex}"
        response = json.loads(RESPONSES.whole("All right.")) | {"id": answer_id}
        self._upstream.otherwise = lambda _: whole(json.dumps(response).encode())
        if stream:
            self._upstream.otherwise = lambda _: streamed(
                named_event({"type": "response.created", "response": response | {"status": "in_progress"}}),
                named_event({"type": "response.output_text.delta", "delta": "All right."}),
                named_event({"type": "response.completed", "response": response}),
            )
        body = {"model": "scripted", "input": said} | (
            {"previous_response_id": self.last} if self.last else {}
        )
        headers = [each for each in self._person.headers() if each[0] != b"X-OpenWebUI-Chat-Id"]
        answer = await self._proxy.fetch(b"POST", RESPONSES.path, headers, json.dumps(body | fields).encode())
        assert answer.status == 200, answer.body
        await self._proxy.settle()
        self.last = answer_id
        return Sent(self._upstream.last.body, RESPONSES)


TOOL_RESULT = [{"type": "function_call_output", "call_id": "1", "output": "22 degrees"}]


@table("stream", [False, True])
@table("between", [[], ["Thanks."], [[{"role": "user", "content": "Thanks."}]], [TOOL_RESULT]])
async def test_an_answers_id_names_its_chat(
    proxy: RunningProxy, upstream: ScriptedUpstream, *, stream: bool, between: list[Any]
) -> None:
    person = await person_of(proxy)
    chain = Chain(proxy, upstream, person)

    listed = numbered((await chain.says([{"role": "user", "content": LIST}], stream=stream)).text)
    for said in between:
        await chain.says(said, stream=stream)
    sent = await chain.says([{"role": "user", "content": FORGET}], stream=stream)

    assert DONE in sent.text
    assert await left(proxy, person) == {each for each in FACTS if f"2. {each}" not in listed}
    chats = await proxy.rows("SELECT id FROM recollect.sessions WHERE user_id = $1", person.known_as)
    assert len(chats) == 1


async def test_an_answers_id_names_the_chat_of_nobody_else(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    person = await person_of(proxy)
    chain, strangers = Chain(proxy, upstream, person), Chain(proxy, upstream, user)
    await chain.says([{"role": "user", "content": LIST}])
    strangers.last = chain.last

    sent = await strangers.says([{"role": "user", "content": FORGET}])

    assert "[DONE]" not in sent.text
    assert not any(each in sent.text for each in FACTS)
    assert await left(proxy, person) == {*FACTS}
    rows = await proxy.rows(
        "SELECT DISTINCT user_id FROM recollect.sessions WHERE id IN (SELECT id FROM recollect.sessions WHERE user_id = $1)",
        user.known_as,
    )
    assert [row["user_id"] for row in rows] == [user.known_as]


# -- the client sends a part of it -----------------------------------------------------------------


@dataclass
class Window(Frontend):
    """A frontend that sends the last few messages alone, to a model that answers with the list that it was given."""

    most: int = 3

    async def says(self, text: str | list[dict[str, Any]]) -> Sent:
        """Say the next thing, and return what went up for it."""
        self.upstream.otherwise = lambda request: replies(_answer(request.body))(request)
        sent = await super().says(text)
        self.messages[-1]["content"] = _answer(sent.body)
        return sent

    async def again(self) -> Sent:
        """Send the last messages, and return what went up for them."""
        everything, self.messages = self.messages, self.messages[-self.most :]
        try:
            return await super().again()
        finally:
            self.messages = everything


def _answer(body: bytes) -> str:
    return numbered("\n".join(_texts(json.loads(body)))) or f"All right, number {len(body)}."


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(each)


@table("most, chat_id", [(3, "chat-1"), (4, "chat-1"), (5, None)])
async def test_a_sliding_window_is_one_chat_and_keeps_its_blocks(
    proxy: RunningProxy, upstream: ScriptedUpstream, most: int, chat_id: str | None
) -> None:
    person = await given_memory(proxy, somebody(), TEA)
    chat = Window(proxy, upstream, person, chat=chat_id, most=most)

    sent = [
        await chat.says(said)
        for said in ("Good evening.", WHICH_TEA, "How do tides work?", "And springtides?")
    ]

    chats = await proxy.rows("SELECT id FROM recollect.sessions WHERE user_id = $1", person.known_as)
    assert len(chats) == 1
    assert all(TEA in each.text for each in sent[1:])


ALLERGY = "Is allergic to shellfish."
PICTURE = "data:image/png;base64," + "iVBORw0KGgo" * 40
WORDLESS: list[tuple[str, Any, str | None]] = [
    ("completions", [{"type": "image_url", "image_url": {"url": PICTURE}}], "chat-1"),
    ("completions", f"![menu]({PICTURE})", None),
    ("responses", [{"type": "input_image", "image_url": PICTURE}], "chat-1"),
    (
        "messages",
        [{"type": "document", "source": {"type": "url", "url": "https://a.example/a.pdf"}}],
        "chat-1",
    ),
]


@table("name, content, chat_id", WORDLESS)
async def test_a_chat_keeps_what_it_was_given_and_begins_with_what_stands_in_every_chat(
    proxy: RunningProxy, upstream: ScriptedUpstream, name: str, content: Any, chat_id: str | None
) -> None:
    upstream.otherwise = replies("All right.")
    eater = await given_memory(proxy, somebody(), ALLERGY)
    api: Api = APIS[name]
    chat = Frontend(proxy, upstream, eater, chat=chat_id, api=api)
    later = Frontend(proxy, upstream, eater, chat=chat_id and "chat-2", api=api)

    sent = [
        await chat.says(said) for said in ("Good evening, I am in a restaurant.", content, "sqrt(2)*sqrt(8)=")
    ]
    begun = [await later.says(said) for said in (content, "sqrt(2)*sqrt(8)=", content)]

    for each in (sent, begun):
        assert ALLERGY in each[0].system
        assert all(one.begins(next_one) for one, next_one in pairwise(each))
    logged = await proxy.logged(eater)
    assert not [said for role, said in logged if role == "user" and not said.strip()]
