"""A memory that a person called not helpful is left out of the prompts of questions like that one, until they take it back."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.recollect.engines import PATIENT, engine_over
from tests.scripted.models import BrokenEmbedder, WordEmbedder
from tests.servers.databases import administrator
from tests.support.stores import LATER, NOON, Store
from uuid_utils.compat import uuid7

from recollect.engine import Engine
from recollect.engine.turns.explain import request_record
from recollect.errors import AlwaysNeededError, MemoryNotFoundError, QuestionNotKeptError
from recollect.model import Actor, Drop, Erase, Memory, Turn, TurnNotes, Use

ASKED = "Which tea is my favourite?"
OTHER = "Where do I buy my favourite kettle and tea leaves in winter?"
TEA = "My favourite tea is Lapsang Souchong."


@dataclass(frozen=True)
class World:
    """Anna, her memory of tea, and the request that was given it."""

    store: Store
    engine: Engine
    tea: Memory
    request: UUID
    message: UUID

    async def calls_it_not_helpful(self) -> None:
        record = await self.engine.request_of(self.store.anna, self.request)
        assert record is not None
        await self.engine.call_not_helpful(record, self.tea.id)
        await drained(self.engine, self.store.anna)

    async def is_given(self, text: str) -> bool:
        """Return whether a new chat's question is given it."""
        prepared = await self.engine.prepare(asking(self.store, text, str(uuid7())))
        return self.tea.id in {each.item.id for each in prepared.included}


def asking(store: Store, text: str, chat: str, user: str | None = None) -> Turn:
    scope = replace(store.anna.scope, user_id=user or store.anna, session_id=chat)
    return store.turn(text, scope, key=f"{chat}:k")


async def drained(engine: Engine, user_id: str) -> None:
    while (await engine.drain(user_id)) is not None:
        pass


async def begin(store: Store, **changed: Any) -> World:
    engine = engine_over(store, replace(PATIENT, stands=True), embedder=WordEmbedder())
    tea = await engine.add(store.anna, TEA, **changed)
    said = store.exchange(ASKED, store.anna.chat("first"), key="first:k")
    await store.log.append(said)
    prepared, request = await engine.prepare(said.turn), uuid7()
    record = request_record(prepared, said.turn, request_id=request, at=NOON, api="completions")
    await engine.write_notes(said.turn, TurnNotes(request=record))
    return World(store, engine, tea, request, said.message_id)


async def kept_questions(dsn: str) -> list[tuple[UUID, bool]]:
    """Return the memory of each row, and whether its question is embedded."""
    async with administrator(dsn) as connection:
        rows = await connection.fetch(
            'SELECT memory_id, "values" IS NOT NULL AS is_made FROM recollect.not_helpful'
        )
    return [(row["memory_id"], row["is_made"]) for row in rows]


async def test_questions_like_it_are_not_given_it_until_that_is_taken_back(store: Store) -> None:
    world = await begin(store)
    assert await world.is_given(ASKED)

    await world.calls_it_not_helpful()
    prepared = await world.engine.prepare(asking(store, ASKED, "again"))

    dropped = {each.item.id: each.dropped for each in prepared.recall.ranked}
    assert dropped[world.tea.id] is Drop.NOT_HELPFUL
    assert not await world.is_given(ASKED), "nor in the standing part"
    assert await world.is_given(OTHER)
    [told] = await world.engine.not_helpful_for(store.anna, world.tea.id)
    assert (told.request_id, told.question) == (world.request, ASKED)
    await world.engine.take_back_not_helpful(store.anna, world.request, world.tea.id)
    assert await world.is_given(ASKED)
    with pytest.raises(MemoryNotFoundError):
        await world.engine.take_back_not_helpful(store.anna, world.request, world.tea.id)


async def test_it_counts_while_the_embedder_of_the_log_is_away(store: Store) -> None:
    world, of_log = await begin(store), BrokenEmbedder()
    of_log.name = "of a server"
    engine = engine_over(store, replace(PATIENT, stands=True), log_embedder=of_log)
    await store.log.append(store.exchange("My bicycle is red"))
    record = await engine.request_of(store.anna, world.request)
    assert record is not None

    await engine.call_not_helpful(record, world.tea.id)
    assert timedelta(seconds=30) in [await engine.drain(store.anna) for _ in range(3)]

    assert not await replace(world, engine=engine).is_given(ASKED)


async def test_a_memory_that_comes_back_is_left_out_as_before(store: Store) -> None:
    world = await begin(store)
    await world.calls_it_not_helpful()
    await world.engine.forget(store.anna, world.tea.id)
    [gone] = await world.engine.history(store.anna, world.tea.id, limit=1)

    await world.engine.undo(store.anna, gone.id)

    assert await world.is_given(OTHER)
    assert not await world.is_given(ASKED)


@pytest.mark.parametrize("changed", [{"importance": 0.85}, {"use": Use.ALWAYS}])
async def test_what_is_always_needed_stays(store: Store, changed: dict[str, Any]) -> None:
    world = await begin(store)
    await world.calls_it_not_helpful()
    await world.engine.revise(store.anna, world.tea.id, **changed)

    assert await world.is_given(ASKED), "also where it became so later"
    with pytest.raises(AlwaysNeededError):
        await world.calls_it_not_helpful()


async def test_it_needs_a_request_that_was_given_it_and_a_question_that_is_kept(store: Store) -> None:
    world = await begin(store)
    record = await world.engine.request_of(store.anna, world.request)
    assert record is not None
    other = await world.engine.add(store.anna, "Keeps bees.")

    with pytest.raises(MemoryNotFoundError):
        await world.engine.call_not_helpful(record, other.id)
    await store.memories.erase_session(store.anna.chat("first"), at=LATER)
    with pytest.raises(QuestionNotKeptError):
        await world.engine.call_not_helpful(record, world.tea.id)


async def test_it_is_one_persons_alone(store: Store) -> None:
    world = await begin(store)
    shared = await store.memories.share(store.anna, world.tea.id, at=NOON, actor=Actor.USER)
    await world.engine.add(store.ben, shared.content)
    await world.calls_it_not_helpful()

    assert not await world.is_given(ASKED)
    prepared = await world.engine.prepare(asking(store, ASKED, "bens", store.ben))
    assert TEA in {each.item.content for each in prepared.included}
    assert await store.feedback.of_requests(store.ben, [world.request]) == frozenset()
    assert await store.feedback.of_memory(store.ben, world.tea.id, limit=9) == []
    assert not await store.feedback.remove(store.ben, world.request, world.tea.id)


async def _erase_user(world: World) -> None:
    erasure = await world.engine.erase(world.store.anna)
    assert dict(erasure.rows)["not_helpful"] == 1
    assert dict(erasure.left)["not_helpful"] == 0


async def _erase_chat(world: World) -> None:
    erasure = await world.engine.erase_session(world.store.anna.chat("first"))
    assert dict(erasure.rows)["not_helpful"] == 1


async def _erase_memory(world: World) -> None:
    await _wish(world, (world.tea.id,), ())


async def _erase_question(world: World) -> None:
    await _wish(world, (), (world.message,))


async def _wish(world: World, memories: tuple[UUID, ...], messages: tuple[UUID, ...]) -> None:
    change = Erase(memories, messages)
    done = await world.store.memories.apply(world.store.anna.scope, [change], actor=Actor.USER, at=LATER)
    assert done == [change]


@pytest.mark.parametrize("erase", [_erase_user, _erase_chat, _erase_memory, _erase_question])
async def test_it_is_erased_with_its_user_its_chat_its_memory_and_its_question(
    own_store: Store, own_dsn: str, erase: Callable[[World], Coroutine[Any, Any, None]]
) -> None:
    world = await begin(own_store)
    await world.calls_it_not_helpful()
    assert await kept_questions(own_dsn) == [(world.tea.id, True)]

    await erase(world)

    assert await kept_questions(own_dsn) == []


async def test_two_statements_that_may_be_one_are_asked_about_and_merged_by_hand_alone(store: Store) -> None:
    engine = engine_over(store, PATIENT, embedder=WordEmbedder())
    topics = ("dinner ideas", "restaurant choices", "recipes")
    first = await engine.add(store.anna, "Allergic to all nuts")
    again = await engine.add(store.anna, "Is allergic to nuts")
    bees = await engine.add(store.anna, "Keeps bees in Kent")
    for each in (first, again):
        await engine.revise(store.anna, each.id, use=Use.TOPIC, topics=topics)
    await engine.revise(store.anna, bees.id, use=Use.TOPIC, topics=("gardening", "honey"))
    await engine.add(store.ben, "Is allergic to nuts")

    [pair] = await engine.told_twice(store.anna, limit=9)

    assert {each.id for each in pair} == {first.id, again.id}
    assert await engine.told_twice(store.ben, limit=9) == []
    await engine.merge(store.anna, first.id, again.id, actor=Actor.USER)
    assert await engine.told_twice(store.anna, limit=9) == []
    [gone, *_] = await engine.history(store.anna, again.id, limit=1)
    await engine.undo(store.anna, gone.id)
    assert len(await engine.told_twice(store.anna, limit=9)) == 1
    for each in (first, again):
        await engine.confirm(store.anna, each.id, actor=Actor.USER)
    assert await engine.told_twice(store.anna, limit=9) == [], "both are right, for half a year"
    with pytest.raises(MemoryNotFoundError):
        await engine.merge(store.anna, first.id, first.id, actor=Actor.USER)


async def test_the_names_of_a_statement_are_those_that_a_persons_other_ones_have(store: Store) -> None:
    engine = engine_over(store, PATIENT)
    husband = await engine.add(store.anna, "Clara's husband is Jan")
    oboe = await engine.add(store.anna, "Sister Clara plays the oboe")
    await engine.add(store.ben, "Jan keeps bees")

    assert await engine.shared_names(store.anna, husband.id) == ["Clara"]
    await engine.add(store.anna, "Jan eats no nuts")
    assert await engine.shared_names(store.anna, husband.id) == ["Clara", "Jan"]
    await engine.forget(store.anna, oboe.id, actor=Actor.USER)
    assert await engine.shared_names(store.anna, husband.id) == ["Jan"]
    assert await engine.shared_names(store.ben, husband.id) == []
