"""Whose turn it is to use a connection, by order alone: no database is asked."""

import asyncio
from collections.abc import Sequence

import pytest

from recollect.store.pool.shares import Lending


async def let_in(size: int, asking: Sequence[tuple[str, bool]]) -> tuple[list[int], list[int]]:
    """Return who of those that ask at once is let in first, and the order in which the others follow as the first leave."""
    lending, inside, go_on = Lending(size), list[int](), asyncio.Event()

    async def one(number: int, user_id: str, *, is_write: bool) -> None:
        async with lending.turn(user_id, is_write=is_write):
            inside.append(number)
            await go_on.wait()

    tasks = [
        asyncio.create_task(one(number, user_id, is_write=is_write))
        for number, (user_id, is_write) in enumerate(asking)
    ]
    await asyncio.sleep(0)
    first = list(inside)
    go_on.set()
    await asyncio.gather(*tasks)
    assert not lending._held
    assert not lending._waiting
    return first, inside[len(first) :]


READ, WRITE = False, True


@pytest.mark.parametrize(
    ("asking", "first", "next_one"),
    [
        ([("flood", READ)] * 12 + [("anna", READ)], [0, 1, 2, 3, 4, 12], 5),
        ([("flood", WRITE)] * 12 + [("anna", WRITE)], [0, 1, 2, 12], 3),
        ([(f"writer {n}", WRITE) for n in range(20)] + [("anna", READ)], [*range(6), 20], 6),
        ([(f"reader {n}", READ) for n in range(12)] + [("a", WRITE), ("b", READ)], [*range(10)], 10),
    ],
    ids=["one person's reads", "one person's writes", "many people's writes", "reads before writes"],
)
async def test_one_is_left_for_others(
    asking: list[tuple[str, bool]], first: list[int], next_one: int
) -> None:
    at_once, later = await let_in(10, asking)
    assert at_once == first
    assert later[0] == next_one
    assert sorted(at_once + later) == [*range(len(asking))]


async def test_of_those_who_wait_whoever_holds_least_comes_next() -> None:
    lending, order, go_on = Lending(4), list[str](), asyncio.Event()

    async def one(user_id: str) -> None:
        async with lending.turn(user_id, is_write=False):
            order.append(user_id)
            await go_on.wait()

    async with lending.turn("ben", is_write=False):
        async with lending.turn("cleo", is_write=False):
            waiting = [asyncio.create_task(one(each)) for each in ("flood", "flood", "flood", "anna")]
            await asyncio.sleep(0)
            assert order == ["flood", "flood"]
        await asyncio.sleep(0)
        assert order == ["flood", "flood", "anna"]
        go_on.set()
        await asyncio.gather(*waiting)


async def test_who_is_cancelled_while_waiting_takes_no_connection() -> None:
    lending = Lending(1)

    async def one() -> None:
        async with lending.turn("anna", is_write=True):
            pass

    async with lending.turn("anna", is_write=True):
        waiting = [asyncio.create_task(one()) for _ in range(2)]
        await asyncio.sleep(0)
        waiting[0].cancel()
    waiting[1].cancel()  # in the moment in which it is let in
    await asyncio.wait(waiting)
    async with asyncio.timeout(5), lending.turn("ben", is_write=True):
        assert len(lending._held) == 1


@pytest.mark.parametrize(
    ("waited", "order"),
    [
        (0.4, ["reads", "reads too", "writes"]),
        (0.5, ["writes", "reads", "reads too"]),
        (9.0, ["writes", "reads", "reads too"]),
    ],
)
async def test_a_write_lets_reads_go_first_for_half_a_second(waited: float, order: list[str]) -> None:
    now, entered = [0.0], list[str]()
    lending = Lending(1, clock=lambda: now[0])

    async def one(user_id: str, *, is_write: bool) -> None:
        async with lending.turn(user_id, is_write=is_write):
            entered.append(user_id)

    async with asyncio.TaskGroup() as group, lending.turn("holds the only one", is_write=False):
        writing = group.create_task(one("writes", is_write=True))
        await asyncio.sleep(0)
        now[0] = waited
        for user_id in ("reads", "reads too"):
            group.create_task(one(user_id, is_write=False))
        await asyncio.sleep(0)
        assert not entered
        assert not writing.done()
    assert entered == order
