import asyncio

import pytest

from recollect.engine.turns.equal_questions import EqualQuestions


class Counted:
    def __init__(self) -> None:
        self.times = 0
        self.may_end = asyncio.Event()

    async def work(self) -> int:
        self.times += 1
        number = self.times
        await self.may_end.wait()
        if number == 1 and self.fails:
            raise ValueError("once")
        return number

    fails = False


async def test_equal_work_at_the_same_time_is_done_once() -> None:
    equal, counted = EqualQuestions[int](), Counted()
    asked = [asyncio.create_task(equal.once("same", counted.work)) for _ in range(100)]
    other = asyncio.create_task(equal.once("other", counted.work))
    await asyncio.sleep(0)
    counted.may_end.set()

    assert await asyncio.gather(*asked) == [1] * 100
    assert await other == 2


async def test_one_who_gives_up_does_not_take_the_result_from_others() -> None:
    equal, counted = EqualQuestions[int](), Counted()
    first, second = (asyncio.create_task(equal.once("same", counted.work)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.sleep(0)
    counted.may_end.set()

    assert await second == 1


async def test_a_failure_is_not_shared_with_later_work() -> None:
    equal, counted = EqualQuestions[int](), Counted()
    counted.fails = True
    counted.may_end.set()

    with pytest.raises(ValueError, match="once"):
        await equal.once("same", counted.work)
    assert await equal.once("same", counted.work) == 2


async def test_a_result_that_lacks_something_is_not_shared_with_later_work() -> None:
    counted = Counted()
    equal = EqualQuestions[int](lambda number: number > 1)
    counted.may_end.set()

    assert [await equal.once("same", counted.work) for _ in range(3)] == [1, 2, 2]


async def test_once_cleared_nothing_earlier_is_shared() -> None:
    equal, counted = EqualQuestions[int](), Counted()
    counted.may_end.set()
    assert await equal.once("same", counted.work) == 1

    equal.clear()

    assert await equal.once("same", counted.work) == 2


async def test_a_result_is_shared_for_two_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.engine.turns.equal_questions._SECONDS", 0.01)
    equal, counted = EqualQuestions[int](), Counted()
    counted.may_end.set()

    assert [await equal.once("same", counted.work) for _ in range(2)] == [1, 1]
    await asyncio.sleep(0.1)
    assert await equal.once("same", counted.work) == 2
