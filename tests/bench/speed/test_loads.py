"""The load generator and the mock speak HTTP as it is, and lose nothing."""

import asyncio
from collections.abc import AsyncIterator
from itertools import repeat

import pytest

from bench.speed.client import BrokenAnswerError, Connection, Events, Target
from bench.speed.loads import burst, closed_loop, in_pairs, open_loop, streams
from bench.speed.mock_upstream import MockUpstream
from bench.speed.prompts import NOW, WHOLE, Questions, Requests, messages, paced, statements
from bench.speed.watching import reading

STAMP = b"@123456789@"
BACKLOG = 1_000
"""Of connections that are opened at once: one that finds no room in it is tried again after a second."""


def target(port: int, model: str, size: int = 2_000) -> Target:
    return Target(port, Requests(model, size, b"X-Own: yes\r\n", Questions()))


@pytest.fixture
async def mock() -> AsyncIterator[int]:
    server = await asyncio.get_running_loop().create_server(MockUpstream, "127.0.0.1", 0, backlog=BACKLOG)
    async with server:
        yield server.sockets[0].getsockname()[1]


class Deaf(asyncio.Transport):
    """A transport that sends nothing."""

    def write(self, _data: object) -> None:
        pass


def heard(*parts: bytes) -> tuple[Connection, Events]:
    events = Events()
    connection = Connection(events)
    connection.connection_made(Deaf())
    connection.send(b"", lambda _connection: None)
    for part in parts:
        connection.data_received(part)
    return connection, events


ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
    b"X-Recollect-Memories: 3\r\n\r\n15\r\ndata: "
    + STAMP
    + b"\r\n\r\n\r\n15\r\ndata: "
    + STAMP
    + b"\r\n\r\n\r\n"
    b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n"
)


@pytest.mark.parametrize("size", [1, 2, 7, 50, len(ANSWER)])
def test_an_answer_is_understood_wherever_the_network_cuts_it(size: int) -> None:
    connection, events = heard(*(ANSWER[at : at + size] for at in range(0, len(ANSWER), size)))

    assert (connection.complete, connection.events, len(events.delays)) == (True, 2, 2)
    assert connection.memories
    assert connection.sent_at <= connection.first_at <= connection.ended_at


def test_a_stream_without_its_done_is_not_complete() -> None:
    connection, _ = heard(ANSWER.replace(b"[DONE]", b"[GONE]"))

    assert connection.ended_at
    assert not connection.complete


def test_an_error_and_a_broken_connection_are_failures() -> None:
    refused, _ = heard(b"HTTP/1.1 503 No\r\nContent-Length: 2\r\n\r\nno")
    broken, _ = heard(ANSWER[:150])
    broken.connection_lost(None)

    assert refused.failure == "answered with 503"
    assert broken.failure == "the connection was closed within an answer"


async def test_a_closed_connection_fails_and_does_not_hang() -> None:
    connection, _ = heard(ANSWER)
    connection.connection_lost(None)

    with pytest.raises(BrokenAnswerError, match="between two requests"):
        await connection.ask(b"")


@pytest.mark.parametrize("size", [2_000, 200_000])
def test_a_prompt_has_its_size_and_ends_with_the_question(size: int) -> None:
    requests = Requests(WHOLE, size, b"", repeat(b"Who?"))
    head, _, body = next(requests).partition(b"\r\n\r\n")

    assert abs(len(body) - size) < 300
    assert head.endswith(b"Content-Length: %d" % len(body))
    assert messages(size)[-2]["role"] == "assistant"


def test_no_question_comes_twice_and_statements_are_the_same_in_every_run() -> None:
    questions = Questions()

    assert len({next(questions) for _ in range(5_000)}) == 5_000
    assert list(statements(50)) == list(statements(50))


async def test_pairs_bring_a_time_of_each_way(mock: int) -> None:
    seen = await in_pairs(target(mock, NOW), target(mock, NOW, 200_000), pairs=5, warm_up=2)

    assert [len(seen.own), len(seen.base)] == [5, 5]
    assert min(seen.own + seen.base) > 0


async def test_streams_bring_every_event(mock: int) -> None:
    seen = await streams(
        target(mock, paced(20, 50)), count=4, tokens=20, stagger=0.05, window=0.1, reading=lambda: reading([])
    )

    assert seen.complete == 4
    assert 0 < len(seen.delays) < 80
    assert min(seen.delays) > 0


async def test_a_closed_loop_asks_again_and_again(mock: int) -> None:
    seen = await closed_loop(target(mock, WHOLE), connections=3, seconds=0.2)

    assert len(seen.latencies) > 3
    assert seen.failed == 0


async def test_a_closed_loop_waits_for_a_system_that_is_slower_than_its_time() -> None:
    class Slow(MockUpstream):
        def _answer(self, request: bytes) -> None:
            self._loop.call_later(0.1, super()._answer, request)

    server = await asyncio.get_running_loop().create_server(Slow, "127.0.0.1", 0, backlog=BACKLOG)
    async with server:
        port = server.sockets[0].getsockname()[1]
        seen = await closed_loop(target(port, WHOLE), connections=3, seconds=0.05)

    assert len(seen.latencies) >= 12
    assert seen.seconds >= 0.4
    assert seen.failed == 0


async def test_an_open_loop_sends_what_is_due(mock: int) -> None:
    seen = await open_loop(target(mock, WHOLE), rate=200, seconds=0.2)

    assert len(seen.latencies) == len(seen.late) == 40
    assert min(seen.late) >= 0
    assert seen.failed == 0


async def test_an_open_loop_counts_the_wait_of_a_request_that_was_kept_from_being_sent() -> None:
    """A server that answers nobody within the first tenth of a second makes all of them late, not only the first."""

    class Stalling(MockUpstream):
        def _answer(self, request: bytes) -> None:
            self._loop.call_later(0.1, super()._answer, request)

    server = await asyncio.get_running_loop().create_server(Stalling, "127.0.0.1", 0, backlog=BACKLOG)
    async with server:
        seen = await open_loop(target(server.sockets[0].getsockname()[1], WHOLE), rate=3_000, seconds=0.1)

    assert seen.failed == 0
    assert len(seen.latencies) == 300
    assert max(seen.latencies) > 150  # more are due than there are connections: they wait twice


async def test_a_burst_brings_each_first_byte(mock: int) -> None:
    seen = await burst(target(mock, NOW), count=10)

    assert len(seen.latencies) == 10
