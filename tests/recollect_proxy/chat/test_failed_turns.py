"""A turn that its LLM failed to answer leaves an answer that says at which stage; it is neither recalled nor learned from."""

import asyncio
import json
from typing import Any

from tests.recollect_proxy.chat.spoken import RESPONSES
from tests.recollect_proxy.given import TEA, WHICH_TEA, given_memory
from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.own_proxies import ListeningProxies
from tests.scripted.upstream import (
    Answer,
    End,
    ScriptedUpstream,
    completion_stream,
    events,
    failure,
    streamed,
    whole,
)
from tests.servers.running_proxy import RunningProxy, User, chat_request, somebody
from tests.support.raw_client import RawConnection
from tests.support.tables import table

SAID = "My sister lives in Tartu."
ERROR = b'data: {"error": {"message": "sk-upstream-secret"}}\n\n'


async def turns(proxy: RunningProxy, user: User, chat: str = "chat-1") -> list[tuple[Any, ...]]:
    """Return who of a chat said what, and how it failed, as the API lists it."""
    await proxy.settle()
    listed = await proxy.api(b"GET", f"/users/{user.id}/sessions/{chat}/messages")
    shown = ("role", "text", "failed_at", "failed_status", "hidden")
    return [tuple(each[name] for name in shown) for each in listed.json["messages"]]


ASKED = ("user", SAID, None, None, False)


@in_turn(
    ("answer", "left"),
    [
        (failure(503, message="sk-upstream-secret"), ("", "head", 503)),
        (failure(429), ("", "head", 429)),
        ((b"HTTP/1.1 2", End.CLOSE), ("", "head", None)),
        (streamed(*list(events("Tar", "tu"))[:3], End.CLOSE), ("Tartu", "stream", None)),
        (streamed(End.CLOSE), ("", "stream", None)),
        (streamed(*list(events("Tar", "tu"))[:3], ERROR), ("Tartu", "stream", None)),
        (streamed(ERROR), ("", "stream", None)),
    ],
)
async def test_a_failed_turn_leaves_an_answer_with_its_stage(
    listening_proxy: RunningProxy,
    upstream: ScriptedUpstream,
    user: User,
    answer: Answer,
    left: tuple[Any, ...],
) -> None:
    upstream.answers.append(answer)
    await listening_proxy.say(user, SAID, stream=True)

    assert await turns(listening_proxy, user) == [ASKED, ("assistant", *left, True)]


async def test_a_server_that_is_not_reached_is_told(listening_proxies: ListeningProxies, user: User) -> None:
    async with listening_proxies.serve(upstream="http://127.0.0.1:9") as proxy:
        await proxy.say(user, SAID)
        assert await turns(proxy, user) == [ASKED, ("assistant", "", "connect", None, True)]


async def test_a_client_that_leaves_is_told_and_keeps_what_it_was_shown(
    listening_proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    waits = asyncio.Event()
    for shown in (["Tar"], []):
        upstream.answers.append(streamed(*list(events(*shown, "tu"))[: 1 + len(shown)], waits))
        async with RawConnection(listening_proxy.port) as client:
            await client.send(chat_request(user, SAID, stream=True, chat=f"chat-{len(shown)}"))
            await client.read_head()
            if shown:
                await client.read_until(b'"Tar"')
            client.leave()
        await upstream.last.client_left.wait()

    assert await turns(listening_proxy, user) == [ASKED, ("assistant", "Tar", "client", None, False)]
    assert await turns(listening_proxy, user, "chat-0") == [ASKED, ("assistant", "", "client", None, True)]


async def test_what_came_of_a_failed_answer_goes_when_it_is_answered(
    listening_proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    upstream.answers += [
        streamed(*list(events("Tallinn", ", I"))[:3], End.CLOSE),
        completion_stream("Tar", "tu."),
    ]
    await listening_proxy.say(user, SAID, stream=True)
    await listening_proxy.say(user, SAID, stream=True)

    assert await turns(listening_proxy, user) == [ASKED, ("assistant", "Tartu.", None, None, False)]
    assert await listening_proxy.logged(user) == [("user", SAID), ("assistant", "Tartu.")]


async def test_what_came_of_a_failed_answer_is_recalled_and_learned_from_nowhere_and_holds_no_secret(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    came = (
        "The ferry to Piran leaves at noon, the key is sk-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL."
    )
    upstream.answers.append(streamed(*list(events(came, "x"))[:2], End.CLOSE))
    await proxy.say(user, SAID, stream=True)
    await proxy.formed(user)
    upstream.received.clear()

    await proxy.say(user, "When does the ferry to Piran leave?", chat="chat-2")
    await proxy.say(user, "And the ferry to Piran?")
    await proxy.formed(user)

    assert not any(b"at noon" in each.body for each in upstream.received)
    _, failed, *_ = await turns(proxy, user)
    assert ("at noon" in failed[1], "sk-abcdef" in failed[1]) == (True, False)
    exported = json.loads((await proxy.api(b"GET", f"/users/{user.id}/export")).body)
    assert [each["partial"] for each in exported["exchanges"] if each.get("partial")] == [failed[1]]


@table(
    ("answer", "is_given_again"),
    [
        (failure(429), True),
        ((b"HTTP/1.1 2", End.CLOSE), True),
        (streamed(*list(RESPONSES.stream("Lap", "sang."))[:6], End.CLOSE), True),
        (whole(RESPONSES.whole("Lapsang.")), False),
    ],
)
async def test_a_server_that_keeps_the_chat_keeps_no_failed_turn_and_no_block_of_it(
    proxy: RunningProxy, upstream: ScriptedUpstream, answer: Answer, *, is_given_again: bool
) -> None:
    person = await given_memory(proxy, somebody())
    told = []
    for said, answered in (("Hello!", None), (WHICH_TEA, answer), (f"{WHICH_TEA} Please!", None)):
        upstream.answers.append(answered or whole(RESPONSES.whole("Hm.")))
        asked = {"model": "scripted", "input": said, "conversation": "conv_1"}
        await proxy.fetch(b"POST", RESPONSES.path, person.headers(), json.dumps(asked).encode())
        await proxy.settle()
        told.append(TEA in upstream.last.body.decode())

    assert told == [False, True, is_given_again]
