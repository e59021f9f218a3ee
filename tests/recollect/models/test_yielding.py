"""Chats come first where one server answers them and what the background asks."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest

from recollect.errors import ExtractorError, YieldedError
from recollect.models.background_limits import (
    BESIDE_SHARE,
    FIRST_IDLE,
    IDLE_FOR_WORK,
    LONGEST_IDLE,
    LONGEST_WAIT,
    SHORTEST_IDLE,
    Yielding,
)

ANNA, BEN = "anna", "ben"


class Server:
    """One that chats have too, on a clock that stands until it is moved."""

    def __init__(self, idle: float | None = None, *, yields: bool = True) -> None:
        self.now = 1000.0
        self.yielding = Yielding(yields=yields, idle=idle, now=lambda: self.now)

    def chats_for(self, seconds: float) -> None:
        self.yielding.note_running_chats(1)
        self.now += seconds
        self.yielding.note_running_chats(0)

    async def works(self, user: str = ANNA, *, seconds: float = 0.0) -> None:
        """Ask a model, which answers after so long."""

        async def answer() -> None:
            self.now += seconds

        with self.yielding.turn(user):
            await self.yielding.call(user, answer)

    async def is_given_up(self, user: str = ANNA) -> None:
        """Ask a model, and let a chat come meanwhile, which is over at once."""
        asked = asyncio.Event()

        async def work() -> None:
            with self.yielding.turn(user):
                await self.yielding.call(user, _never(asked))

        working = asyncio.create_task(work())
        await asked.wait()
        self.chats_for(0)
        with pytest.raises(YieldedError):
            await working


def _never(asked: asyncio.Event) -> Callable[[], Awaitable[None]]:
    async def never() -> None:
        asked.set()
        await asyncio.Event().wait()

    return never


async def test_nothing_begins_while_a_chat_runs_nor_for_a_while_behind_it() -> None:
    server = Server(idle=3)
    await server.works()

    server.yielding.note_running_chats(1)
    with pytest.raises(YieldedError):
        await server.works()
    server.yielding.note_running_chats(0)
    server.now += 2
    with pytest.raises(YieldedError) as early:
        await server.works()
    server.now += 1
    await server.works()

    assert early.value.wait == timedelta(seconds=1)


async def test_what_runs_is_cancelled_as_soon_as_a_chat_comes() -> None:
    server = Server(idle=0)

    await server.is_given_up()

    assert server.yielding.given_up == 1
    await server.works()


async def test_a_server_that_chats_do_not_have_is_left_to_nobody() -> None:
    server = Server(yields=False)

    server.yielding.note_running_chats(1)
    await server.works()

    assert server.yielding.wait(ANNA) == timedelta()


async def test_the_idle_time_becomes_five_times_what_the_work_takes_within_bounds() -> None:
    server = Server()
    assert server.yielding.idle == FIRST_IDLE

    for _ in range(20):
        await server.works(seconds=4)
    assert server.yielding.idle == pytest.approx(4 * IDLE_FOR_WORK, rel=0.01)
    for _ in range(20):
        await server.works(seconds=4000)
    assert server.yielding.idle == LONGEST_IDLE
    for _ in range(20):
        await server.works(seconds=0.1)
    assert server.yielding.idle == SHORTEST_IDLE


async def test_it_doubles_each_time_somebody_comes_back_too_early() -> None:
    server = Server()

    await server.is_given_up()
    assert server.yielding.idle == 2 * FIRST_IDLE
    for _ in range(9):
        server.now += LONGEST_IDLE
        await server.is_given_up()

    assert server.yielding.idle == LONGEST_IDLE


async def test_one_that_is_set_stays() -> None:
    server = Server(idle=0)

    await server.works(seconds=40)
    await server.is_given_up()

    assert server.yielding.idle == 0


async def test_work_that_asks_no_model_tells_nothing_of_how_long_that_takes() -> None:
    server = Server()

    with server.yielding.turn(ANNA):
        pass

    assert server.yielding.idle == FIRST_IDLE


class TestChatsThatNeverPause:
    async def test_put_nothing_off_for_ever(self) -> None:
        server = Server()
        server.yielding.note_running_chats(1)
        assert server.yielding.wait(ANNA) > timedelta()

        server.now += LONGEST_WAIT - 1
        assert server.yielding.wait(ANNA) == timedelta(seconds=1)
        server.now += 1
        await server.works(seconds=30)

    async def test_what_is_done_beside_them_is_not_given_up(self) -> None:
        server = Server(idle=0)
        server.yielding.note_running_chats(1)
        server.yielding.wait(ANNA)
        server.now += LONGEST_WAIT

        async def answer() -> str:
            server.yielding.note_running_chats(0)
            server.yielding.note_running_chats(1)
            await asyncio.sleep(0)
            return "done"

        with server.yielding.turn(ANNA):
            assert await server.yielding.call(ANNA, answer) == "done"

    async def test_leave_it_a_tenth_of_the_time_one_user_after_the_other(self) -> None:
        server = Server()
        server.yielding.note_running_chats(1)
        for user in (ANNA, BEN):
            server.yielding.wait(user)
        server.now += LONGEST_WAIT

        with server.yielding.turn(ANNA):
            assert server.yielding.wait(BEN) > timedelta()
            server.now += 30

        began = server.now
        while server.yielding.wait(BEN):
            server.now += 1
        assert server.now - began == pytest.approx(30 / BESIDE_SHARE - 30, abs=1)

    async def test_count_from_when_it_first_had_to_wait_also_where_it_was_begun_in_vain(self) -> None:
        server = Server(idle=0)

        await server.is_given_up()
        server.yielding.note_running_chats(1)
        server.now += LONGEST_WAIT

        await server.works()

    async def test_count_from_then_though_they_pause_for_long_each_time_while_it_is_tried(self) -> None:
        server = Server(idle=0)
        began = server.now

        while server.now - began < LONGEST_WAIT + 2 * LONGEST_IDLE:
            server.now += 2 * LONGEST_IDLE
            await server.is_given_up()
        server.yielding.note_running_chats(1)

        await server.works()

    async def test_are_counted_anew_where_nothing_began_in_a_long_pause(self) -> None:
        server = Server(idle=3)
        server.yielding.note_running_chats(1)
        server.yielding.wait(ANNA)
        server.now += 100
        server.yielding.note_running_chats(0)

        server.now += 5_000
        server.yielding.note_running_chats(1)

        assert server.yielding.wait(ANNA) == timedelta(seconds=3)
        server.now += LONGEST_WAIT
        await server.works()

    async def test_are_counted_on_through_pauses_that_are_short(self) -> None:
        server = Server(idle=3)
        server.yielding.note_running_chats(1)
        server.yielding.wait(ANNA)
        server.now += LONGEST_WAIT

        server.yielding.note_running_chats(0)
        server.now += 3.1
        server.yielding.note_running_chats(1)

        await server.works()


async def test_a_call_that_fails_fails() -> None:
    server = Server(idle=0)

    async def fail() -> None:
        raise ExtractorError

    with pytest.raises(ExtractorError), server.yielding.turn(ANNA):
        await server.yielding.call(ANNA, fail)


async def test_who_is_cancelled_takes_the_call_with_them() -> None:
    server, asked, ended = Server(idle=0), asyncio.Event(), asyncio.Event()

    async def ask() -> None:
        try:
            await _never(asked)()
        finally:
            ended.set()

    working = asyncio.create_task(server.yielding.call(ANNA, ask))
    await asked.wait()
    working.cancel()
    await asyncio.wait({working})

    assert working.cancelled()
    assert ended.is_set()
