"""Each person has a few recalls at a time; others' don't wait for them."""

import asyncio

import pytest

from recollect.engine.fair_turns import FairTurns


async def test_a_person_has_two_turns_at_a_time_and_another_person_waits_for_neither() -> None:
    turns, end, begun = FairTurns(), asyncio.Event(), list[str]()

    async def recall(user_id: str) -> None:
        async with turns.of(user_id, seconds=60):
            begun.append(user_id)
            await end.wait()

    tasks = [asyncio.create_task(recall(user_id)) for user_id in ("anna",) * 5 + ("ben",)]
    await asyncio.sleep(0.01)
    at_once = list(begun)
    end.set()
    await asyncio.gather(*tasks)

    assert at_once == ["anna", "anna", "ben"]
    assert begun.count("anna") == 5


async def test_a_turn_that_does_not_come_in_time_is_given_up_and_takes_no_place() -> None:
    turns = FairTurns()

    async with turns.of("anna", seconds=60), turns.of("anna", seconds=60):
        with pytest.raises(TimeoutError):
            async with turns.of("anna", seconds=0.01):
                pass

    async with turns.of("anna", seconds=0.01), turns.of("anna", seconds=0.01):
        pass
