"""What is said over a WebSocket reaches the other side as it was said, and so does its end."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest
from tests.recollect_proxy.wire.talking_upstream import TalkingUpstream, talking
from tests.servers.running_proxy import RunningProxy
from tests.support.tables import table
from tests.support.waiting import until
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

LARGE = 5 * 1024 * 1024


@pytest.fixture
async def client(relay: RunningProxy) -> AsyncIterator[ClientConnection]:
    async with talking(relay.port) as connection:
        yield connection


def reset(transport: asyncio.WriteTransport) -> None:
    """Go away without a word, as a machine does that is switched off."""
    linger = struct.pack("ii", 1, 0)
    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    transport.abort()


async def ended(client: ClientConnection) -> tuple[int | None, str | None]:
    """Read to the end; return the code and reason of the close."""
    with suppress(ConnectionClosed):
        while True:
            await client.recv()
    return client.close_code, client.close_reason


# -- the handshake ---------------------------------------------------------------------------------


async def test_the_handshake_goes_on_as_it_came_and_nothing_is_added(
    relay: RunningProxy, talker: TalkingUpstream
) -> None:
    target = "/v1/realtime;a=1//x%2Fy/..?model=gpt%20x&&b=%zz"
    sent = [
        ("Authorization", "Bearer sk-1"),
        ("OpenAI-Beta", "realtime=v1"),
        ("OpenAI-Safety-Identifier", "u"),
        ("Cookie", "a=1"),
        ("Origin", "https://example.org"),
        ("X-Dup", "1"),
        ("X-Dup", "2"),
    ]
    async with talking(relay.port, target, headers=sent):
        request = talker.socket.request

    assert request is not None
    assert request.path == target
    assert request.headers["Host"] == f"127.0.0.1:{talker.port}"
    of_the_hop = {"host", "upgrade", "connection", "sec-websocket-key", "sec-websocket-version"}
    went_on = [(name, value) for name, value in request.headers.raw_items() if name.lower() not in of_the_hop]
    assert went_on == [(name.lower(), value) for name, value in sent]


async def test_who_speaks_is_not_told_to_the_upstream(relay: RunningProxy, talker: TalkingUpstream) -> None:
    for_us = ["X-OpenWebUI-User-Id", "X-OpenWebUI-User-Email", "X_OpenWebUI_User_Id", "X-Recollect-Task"]

    async with talking(relay.port, headers=[(name, "anna") for name in for_us]):
        request = talker.socket.request

    assert request is not None
    assert "anna" not in str(request.headers)


@pytest.mark.parametrize("selected", [None, "realtime", "openai-beta.realtime-v1"])
async def test_the_subprotocol_that_the_upstream_selects_is_the_clients(
    relay: RunningProxy, talker: TalkingUpstream, selected: str | None
) -> None:
    talker.subprotocol = selected
    offered = ["realtime", "openai-insecure-api-key.sk-1", "openai-beta.realtime-v1"]

    async with talking(relay.port, subprotocols=offered) as client:
        assert client.subprotocol == selected

    assert talker.socket.request is not None
    assert talker.socket.request.headers["Sec-WebSocket-Protocol"] == ", ".join(offered)


# -- messages --------------------------------------------------------------------------------------


async def test_text_and_bytes_of_any_size_go_both_ways(client: ClientConnection) -> None:
    said: list[str | bytes] = ["hello", b"\x00\xff", "", b"", "\u00e4\U0001f600\x00", '{"type":"x"}']
    said += ["\u00e9" * (LARGE // 2), b"\xff" * LARGE]

    for message in said:
        await client.send(message)

    assert [await client.recv() for _ in said] == said


async def test_a_message_in_fragments_arrives_whole(
    client: ClientConnection, talker: TalkingUpstream
) -> None:
    async def in_fragments(upstream: ServerConnection) -> None:
        heard = await upstream.recv()
        assert isinstance(heard, str)
        await upstream.send(iter(heard))

    talker.talk = in_fragments
    async with talking(client.remote_address[1]) as connection:
        await connection.send(["one ", "", "two ", "thr\u00e9e"])

        assert await connection.recv() == "one two thr\u00e9e"


async def test_both_sides_talk_at_once_without_waiting_for_each_other(
    relay: RunningProxy, talker: TalkingUpstream
) -> None:
    mine, yours = [f"client {n}" for n in range(1000)], [f"upstream {n}".encode() for n in range(1000)]
    heard: list[str | bytes] = []

    async def talk(upstream: ServerConnection) -> None:
        async def listen() -> None:
            heard.extend([await upstream.recv() for _ in mine])

        listening = asyncio.create_task(listen())
        for message in yours:
            await upstream.send(message)
        await listening

    talker.talk = talk
    async with talking(relay.port) as client:
        for message in mine:
            await client.send(message)

        assert [await client.recv() for _ in yours] == yours
        await client.wait_closed()
    assert heard == mine


async def test_each_of_many_sockets_hears_its_own(relay: RunningProxy) -> None:
    async def ask(name: str) -> None:
        async with talking(relay.port) as client:
            for number in range(20):
                await client.send(f"{name} {number}")
                assert await client.recv() == f"{name} {number}"

    await asyncio.gather(*(ask(f"client {n}") for n in range(20)))


async def test_pings_are_answered_on_both_sides(client: ClientConnection, talker: TalkingUpstream) -> None:
    await (await client.ping())
    await (await talker.socket.ping())
    await client.send("still there?")

    assert await client.recv() == "still there?"


# -- the end ---------------------------------------------------------------------------------------

CLOSES = [(1000, ""), (1000, "done"), (1001, "away"), (1013, "later"), (3000, "\u00fc"), (4999, "x" * 123)]
NO_STATUS: Any = None
"""The protocol takes it: a frame without a status, which is heard as 1005."""


@table(("code", "reason", "heard"), [*((*each, each) for each in CLOSES), (NO_STATUS, "", (1005, ""))])
async def test_either_side_hears_how_the_other_closed_and_all_that_was_said_before(
    relay: RunningProxy, talker: TalkingUpstream, code: int, reason: str, heard: tuple[int, str]
) -> None:
    async with talking(relay.port) as client:
        await client.close(code, reason)
    assert await talker.left() == heard

    async def talk(upstream: ServerConnection) -> None:
        for number in range(50):
            await upstream.send(str(number))
        await upstream.close(code, reason)

    talker.forget()
    talker.talk = talk
    async with talking(relay.port) as client:
        assert [await client.recv() for _ in range(50)] == [str(number) for number in range(50)]
        assert await ended(client) == heard
    talker.forget()


async def test_a_client_that_vanishes_is_lost_to_the_upstream_too(
    client: ClientConnection, talker: TalkingUpstream
) -> None:
    await client.send("hello")
    await client.recv()

    reset(client.transport)

    assert await talker.left() == (1006, "")


async def test_a_client_that_vanishes_within_the_handshake_leaves_nothing_open(
    relay: RunningProxy, talker: TalkingUpstream
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", relay.port)
    writer.write(
        b"GET /v1/realtime HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    await writer.drain()
    reset(writer.transport)

    await until(lambda: not relay.server.server_state.tasks)
    if talker.opened:  # else it never came so far
        await talker.left()
    del reader


async def test_an_upstream_that_vanishes_ends_the_clients_socket_with_an_error(
    relay: RunningProxy, talker: TalkingUpstream
) -> None:
    async def talk(upstream: ServerConnection) -> None:
        await upstream.recv()
        reset(upstream.transport)

    talker.talk = talk
    async with talking(relay.port) as client:
        await client.send("hello")

        assert await ended(client) == (1011, "")


async def test_a_client_that_goes_on_talking_hears_all_the_same_how_the_upstream_closed(
    relay: RunningProxy, talker: TalkingUpstream
) -> None:
    async def talk(upstream: ServerConnection) -> None:
        await upstream.recv()
        await upstream.send("last words")
        await upstream.close(4000, "enough")

    talker.talk = talk
    async with talking(relay.port) as client:

        async def go_on() -> None:
            while True:
                await client.send("and another thing")
                await asyncio.sleep(0.001)  # the others are in this process too

        talks = asyncio.create_task(go_on())
        assert await client.recv() == "last words"
        assert await ended(client) == (4000, "enough")
        await asyncio.wait({talks})
        assert isinstance(talks.exception(), ConnectionClosed)


async def test_what_is_no_text_ends_the_socket_on_both_sides(
    client: ClientConnection, talker: TalkingUpstream
) -> None:
    await client.send(b"\xff\xfe", text=True)

    assert (await ended(client))[0] == 1007
    assert (await talker.left())[0] in {1006, 1007}
