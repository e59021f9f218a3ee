"""Connections are lent, used again while fresh, and never lost; who waits for one gets it in turn."""

import asyncio
import socket
from typing import Any

import pytest
from tests.recollect_proxy.upstream.loops import on_both_loops
from tests.recollect_proxy.upstream.servers import GET, WHOLE, ask, pooled, serving
from tests.servers.full_queue import nobody_accepts
from tests.support.waiting import until

from recollect_proxy.upstream import pool as pool_module
from recollect_proxy.upstream.connection import BusyError, SilentError, UnreachableError
from recollect_proxy.upstream.pool import Address, LentConnection, Pool
from recollect_proxy.upstream.timeouts import IDLE_SECONDS

REFUSING = "http://127.0.0.1:9"


async def exchange(pool: Pool) -> bool:
    """Exchange something; return whether the connection was used before."""
    lent = await pool.acquire()
    try:
        assert (await ask(lent.connection)).status == 200
        return lent.reused
    finally:
        pool.release(lent)


@on_both_loops
async def test_the_connection_used_last_is_used_first() -> None:
    async with serving() as server, pooled(server) as pool:
        first, second = await pool.acquire(), await pool.acquire()
        assert (first.reused, second.reused, pool.lent, pool.idle) == (False, False, 2, 0)
        for lent in (first, second):
            await ask(lent.connection)
            pool.release(lent)
        assert (pool.lent, pool.idle) == (0, 2)

        for expected in (second, first):
            lent = await pool.acquire()
            assert lent.reused
            assert lent.connection is expected.connection
        assert pool.idle == 0


@on_both_loops
async def test_what_can_not_be_used_again_is_closed_and_not_kept() -> None:
    async with serving() as server, pooled(server) as pool:
        lent = await pool.acquire()
        lent.connection.send(*GET, silence=20)
        pool.release(lent)  # the answer was not read

        assert (pool.lent, pool.idle) == (0, 0)
        assert not await exchange(pool)


@on_both_loops
async def test_an_idle_connection_that_the_server_closed_is_not_lent() -> None:
    async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(WHOLE)
        await writer.drain()
        writer.close()  # without having told

    async with serving(once) as server, pooled(server) as pool:
        lent = await pool.acquire()
        await ask(lent.connection)
        pool.release(lent)
        await until(lambda: lent.connection.closed)

        assert not await exchange(pool)


@on_both_loops
@pytest.mark.usefixtures("soon_stale")
async def test_idle_connections_are_closed_after_a_while() -> None:
    async with serving() as server, pooled(server) as pool:
        for _ in range(2):
            lent = [await pool.acquire() for _ in range(3)]
            for each in lent:
                await ask(each.connection)
                pool.release(each)
            await until(lambda: pool.idle == 0)
            assert all(each.connection.closed for each in lent)
            assert pool._sweep is None


@on_both_loops
async def test_a_stale_connection_is_not_lent_even_before_it_is_swept() -> None:
    async with serving() as server, pooled(server) as pool:
        assert not await exchange(pool)
        [connection] = pool._idle
        connection.idle_since -= IDLE_SECONDS
        assert not await exchange(pool)
        assert connection.closed


@pytest.fixture
def soon_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "IDLE_SECONDS", 0.1)


@on_both_loops
async def test_who_comes_when_all_are_lent_waits_in_turn() -> None:
    served: list[int] = []

    async def take(pool: Pool, number: int) -> None:
        lent = await pool.acquire()
        served.append(number)
        await ask(lent.connection)
        pool.release(lent)

    async with serving() as server, pooled(server, limit=1) as pool:
        held = await pool.acquire()
        waiting = [asyncio.create_task(take(pool, number)) for number in range(5)]
        await until(lambda: pool.waiting == 5)
        waiting[1].cancel()  # who leaves does not hold the others up
        await asyncio.gather(waiting[1], return_exceptions=True)
        assert (pool.waiting, pool.lent) == (4, 1)

        pool.release(held)
        late = asyncio.create_task(take(pool, 5))
        await asyncio.gather(*waiting, late, return_exceptions=True)
        assert served == [0, 2, 3, 4, 5]
        assert (pool.waiting, pool.lent) == (0, 0)


@on_both_loops
async def test_who_waits_too_long_is_told_that_all_are_busy_and_takes_no_place() -> None:
    async with serving() as server, pooled(server, limit=1, connect_timeout=0.1) as pool:
        held = await pool.acquire()
        outcomes = await asyncio.gather(*(pool.acquire() for _ in range(3)), return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [BusyError] * 3
        assert pool.waiting == 0
        pool.release(held)

    async with serving() as server, pooled(server, limit=1) as pool:
        held = await pool.acquire()
        waiting = asyncio.create_task(pool.acquire())
        await until(lambda: pool.waiting == 1)
        pool.release(held)
        waiting.cancel()  # its place is already given to it
        await asyncio.gather(waiting, return_exceptions=True)
        assert waiting.cancelled()
        assert not await exchange(pool)


@on_both_loops
async def test_a_failure_to_connect_takes_no_place() -> None:
    async with pooled(REFUSING, limit=2) as pool:
        for _ in range(5):
            with pytest.raises(UnreachableError):
                await pool.acquire()
        assert not pool._limit.locked()

    async with pooled("http://upstream.invalid") as pool:
        with pytest.raises(UnreachableError):
            await pool.acquire()


@on_both_loops
async def test_another_connection_takes_the_place_of_one_and_the_old_one_is_closed() -> None:
    async with serving() as server, pooled(server, limit=1) as pool:
        assert not await exchange(pool)
        lent = await pool.acquire()
        assert lent.reused
        old = lent.connection
        await ask(old)  # good for another, and yet nobody would ever use it
        await pool.replace(lent)

        assert old.closed
        assert (lent.reused, lent.connection is old, pool.lent) == (False, False, 1)
        await ask(lent.connection)
        pool.release(lent)
        assert pool.idle == 1


@on_both_loops
async def test_a_connection_that_can_not_be_replaced_is_taken_back_all_the_same() -> None:
    async with serving() as server, pooled(server, limit=1) as pool:
        lent = await pool.acquire()
        pool._address = Address.parse(REFUSING)
        with pytest.raises(UnreachableError):
            await pool.replace(lent)
        pool.release(lent)

        assert (pool.lent, pool.idle, pool._limit.locked()) == (0, 0, False)


@on_both_loops
@pytest.mark.usefixtures("soon_stale")
async def test_closing_closes_what_is_idle_and_what_is_lent_and_what_comes_after_is_swept_too() -> None:
    async with serving() as server, pooled(server) as pool:
        lent, used = await pool.acquire(), await pool.acquire()
        await ask(used.connection)
        pool.release(used)
        await pool.aclose()

        assert lent.connection.closed
        assert used.connection.closed
        assert pool.idle == 0
        pool.release(lent)
        assert pool.idle == 0

        assert not await exchange(pool)  # one that was on its way
        await until(lambda: pool.idle == 0)


@on_both_loops
async def test_the_next_of_a_names_addresses_is_tried_where_the_first_is_dead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with serving() as server, pooled(f"http://llm.test:{server.port}") as pool:
        dead: list[Any] = [
            (socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("::1", server.port, 0, 0)),
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.2", server.port)),
        ]
        alive = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", server.port))
        _resolve_to(monkeypatch, [*dead, alive])
        assert not await exchange(pool)

        _resolve_to(monkeypatch, dead)
        await pool.aclose()
        with pytest.raises(UnreachableError):
            await pool.acquire()


@on_both_loops
async def test_the_next_of_a_names_addresses_is_tried_where_the_first_does_not_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pool_module, "NEXT_ADDRESS_SECONDS", 0.05)
    with nobody_accepts() as silent:
        async with serving() as server, pooled(f"http://llm.test:{server.port}") as pool:
            places = [("127.0.0.1", silent), ("127.0.0.1", server.port)]
            _resolve_to(monkeypatch, [(socket.AF_INET, socket.SOCK_STREAM, 6, "", place) for place in places])
            assert not await exchange(pool)


@on_both_loops
async def test_a_server_that_does_not_accept_is_silent_and_leaving_it_leaves_nothing() -> None:
    with nobody_accepts() as silent:
        async with pooled(f"http://127.0.0.1:{silent}", limit=1, connect_timeout=0.1) as pool:
            with pytest.raises(SilentError):
                await pool.acquire()
            assert not pool._limit.locked()
        async with pooled(f"http://127.0.0.1:{silent}", limit=1) as pool:
            connecting = asyncio.create_task(pool.acquire())
            await asyncio.sleep(0.05)
            connecting.cancel()
            await asyncio.gather(connecting, return_exceptions=True)
            assert connecting.cancelled()
            assert not pool._limit.locked()


@on_both_loops
async def test_who_leaves_at_any_moment_of_connecting_leaves_nothing_open() -> None:
    async with serving() as server, pooled(server, limit=1) as pool:
        for turns in range(30):
            connecting = asyncio.create_task(pool.acquire())
            for _ in range(turns):
                await asyncio.sleep(0)
            if turns % 3 == 0:
                await asyncio.sleep(0.001)
            connecting.cancel()
            [outcome] = await asyncio.gather(connecting, return_exceptions=True)
            if isinstance(outcome, LentConnection):
                pool.release(outcome)
            assert (pool.lent, pool.waiting, pool._limit.locked()) == (0, 0, False)


def _resolve_to(monkeypatch: pytest.MonkeyPatch, found: list[Any]) -> None:
    loop = asyncio.get_running_loop()

    async def resolve(name: str, *rest: Any, **options: Any) -> list[Any]:
        if name != "llm.test":  # uvloop resolves addresses too, when it connects
            return await type(loop).getaddrinfo(loop, name, *rest, **options)
        return found

    monkeypatch.setattr(loop, "getaddrinfo", resolve)
