"""The outcome of an exchange is awaited, and all of it is taken back at once."""

from datetime import timedelta

import pytest
from tests.recollect.engines import PATIENT, engine_over
from tests.support.stores import Store
from tests.support.tables import table
from uuid_utils.compat import uuid7

from recollect.engine import Engine
from recollect.engine.background import model_waits
from recollect.engine.background.model_waits import await_outcome
from recollect.model import Action, Actor, Formed, Outcome, Progress, Reason, Reinforce, Turn

TEA = "I drink tea in the morning"


async def contents(store: Store, subject: Engine) -> list[str]:
    return [each.content for each in (await subject.page(store.anna, limit=50)).memories]


async def remembered(store: Store, subject: Engine, said: Turn) -> None:
    assert await subject.remember(said, "Good.")
    assert await subject.drain(store.anna) is None


async def recalled(store: Store, subject: Engine) -> int:
    return len((await subject.recall(store.turn("What do I drink in the morning?"))).recollections)


async def test_what_became_of_an_exchange_is_told_by_its_key(store: Store) -> None:
    subject, said = engine_over(store, PATIENT), store.turn(TEA)
    assert await subject.outcome(said.scope, said.key) is None

    await subject.remember(said, "Good.")
    waiting = await subject.outcome(said.scope, said.key)
    await subject.drain(store.anna)
    formed = await subject.outcome(said.scope, said.key)

    assert waiting is not None
    assert (waiting.progress, waiting.updates) == (Progress.PENDING, ())
    assert formed is not None
    assert formed.progress is Progress.FORMED
    assert [each.action for each in formed.updates] == [Action.ADD]


async def test_what_an_exchange_taught_and_its_words_are_taken_back_and_nothing_else(store: Store) -> None:
    subject, said = engine_over(store, PATIENT), store.turn(TEA)
    await subject.add(store.anna, "I have a dog")
    await remembered(store, subject, said)
    assert await recalled(store, subject)

    undone = await subject.take_back(said.scope, said.key, actor=Actor.USER)

    assert undone is not None
    assert [(each.action, each.actor, each.reason) for each in undone] == [
        (Action.RETIRE, Actor.USER, Reason.UNDONE)
    ]
    assert await contents(store, subject) == ["I have a dog"]
    assert not await recalled(store, subject)
    assert await subject.take_back(said.scope, said.key) == ()


async def test_what_was_forgotten_by_mistake_comes_back(store: Store) -> None:
    subject, said = engine_over(store, PATIENT), store.turn("Please forget that I drink tea")
    tea = await subject.add(store.anna, "I drink tea")
    await remembered(store, subject, said)
    assert await contents(store, subject) == []

    undone = await subject.take_back(said.scope, said.key, actor=Actor.USER)

    assert undone is not None
    assert [(each.action, each.memory_id, each.after) for each in undone] == [
        (Action.RESTORE, tea.id, "I drink tea")
    ]
    assert await contents(store, subject) == ["I drink tea"]
    assert await recalled(store, subject)


async def test_what_waits_is_taken_back_before_it_is_formed(store: Store) -> None:
    subject, said = engine_over(store, PATIENT), store.turn(TEA)
    await subject.remember(said, "Good.")

    assert await subject.take_back(said.scope, said.key) == ()

    assert await subject.drain(store.anna) is None
    assert await contents(store, subject) == []


async def test_what_only_said_again_what_was_known_leaves_it_known(store: Store) -> None:
    subject, said = engine_over(store, PATIENT), store.turn(TEA)
    tea = await subject.add(store.anna, "Drinks tea")
    await subject.remember(said, "Good.")
    [pending] = await store.inbox.pending(store.anna, limit=9)
    message = pending.exchange.message_id
    formed = Formed(pending.exchange, (Reinforce(tea.id, messages=(message,)),))
    await store.inbox.complete([formed], at=said.at + timedelta(minutes=1))
    assert (await subject.get(store.anna, tea.id)).reinforcement_count == 1

    undone = await subject.take_back(said.scope, said.key)

    assert undone is not None
    assert [each.action for each in undone] == [Action.RESTORE]
    assert (await subject.get(store.anna, tea.id)).reinforcement_count == 0


async def test_what_was_deleted_since_is_not_brought_back_and_not_undone(store: Store) -> None:
    subject, said = engine_over(store, PATIENT), store.turn(TEA)
    await remembered(store, subject, said)
    [kept] = (await subject.page(store.anna, limit=9)).memories
    await subject.forget(store.anna, kept.id)

    assert await subject.take_back(said.scope, said.key) == ()
    assert await contents(store, subject) == []


async def test_of_what_is_not_in_the_log_nothing_is_taken_back(store: Store) -> None:
    subject, said = engine_over(store, PATIENT), store.turn(TEA)
    await remembered(store, subject, said)

    assert await subject.take_back(said.scope, "another key") is None
    assert await subject.take_back(store.ben.scope, said.key) is None
    assert len(await contents(store, subject)) == 1


# -- Memories of an exchange are awaited until they are formed, or the time is up --


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_waits, "_FIRST_SECONDS", 0.01)
    monkeypatch.setattr(model_waits, "_UNLOGGED_SECONDS", 0.02)


@table(
    ("states", "seconds", "looks"),
    [
        ([Progress.FORMED], 1, 1),
        ([Progress.PENDING, Progress.PENDING, Progress.FORMED], 1, 3),
        ([Progress.PENDING, Progress.FAILED], 1, 2),
        ([None, Progress.PENDING, Progress.FORMED], 1, 3),
        ([None, None, None, None, None], 1, 3),
        ([Progress.PENDING, Progress.PENDING], 0, 1),
    ],
)
async def test_it_ends_with_the_outcome_or_with_the_time(
    states: list[Progress | None], seconds: float, looks: int
) -> None:
    outcomes = [None if each is None else Outcome(each, (uuid7(), uuid7()), ()) for each in states]
    seen: list[Outcome | None] = []

    async def look() -> Outcome | None:
        seen.append(outcomes[len(seen)])
        return seen[-1]

    assert await await_outcome(look, seconds) is outcomes[looks - 1]
    assert len(seen) == looks
