"""A memory that a person called not helpful is left out of the prompts of questions like that one, until they take it back."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.recollect.engines import PATIENT, CountedCache, engine_over
from tests.recollect.store.keeping import rows_with
from tests.scripted.models import BrokenEmbedder, WordEmbedder
from tests.servers.databases import administrator, run_sql, sql_rows
from tests.support.notes import note_placed
from tests.support.recollections import standing
from tests.support.stores import LATER, NOON, NORTH, Store, vector
from uuid_utils.compat import uuid7

from recollect.engine import Engine, Prepared
from recollect.engine.turns.explain import request_record
from recollect.errors import (
    AlwaysNeededError,
    DuplicateEntryError,
    MemoryNotFoundError,
    ProfileEntryNotFoundError,
    ProfileFullError,
    ProfileNotAllowedError,
    QuestionNotKeptError,
    StoreError,
)
from recollect.model import (
    Actor,
    Drop,
    Ending,
    EntryState,
    Erase,
    Flags,
    Kind,
    Memory,
    OwnProfile,
    Past,
    ProfileEntry,
    ProfileField,
    Reason,
    Replace,
    Retire,
    Turn,
    TurnNotes,
    Use,
)
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder
from recollect.ports import Embedder
from recollect.recall.profile_fields import importance_of, likely_fields

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
    rows = await sql_rows(dsn, 'SELECT memory_id, "values" IS NOT NULL AS is_made FROM recollect.not_helpful')
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


@pytest.mark.parametrize("is_past_first", [True, False])
async def test_a_done_to_do_is_left_out_alike(store: Store, *, is_past_first: bool) -> None:
    world = await begin(store, kind=Kind.TODO)
    heir = await world.engine.add(store.anna, "The favourite tea came.")
    done = Retire(world.tea.id, Reason.ENDED, past=Past(NOON, Ending.DONE, heir.id))

    async def ended() -> None:
        await store.memories.apply(store.anna.scope, [done], actor=Actor.FORMATION, at=NOON)
        assert (await world.engine.get(store.anna, world.tea.id, past=True)).past is not None

    if is_past_first:
        await ended()
        assert await world.is_given(ASKED), "with the statement that calls it done"
    await world.calls_it_not_helpful()
    if not is_past_first:
        await ended()

    assert not await world.is_given(ASKED)
    await world.engine.take_back_not_helpful(store.anna, world.request, world.tea.id)
    assert await world.is_given(ASKED)


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
    assert (dict(erasure.rows)["not_helpful"], dict(erasure.left)["not_helpful"]) == (2, 0)


async def _erase_chat(world: World) -> None:
    erasure = await world.engine.erase_session(world.store.anna.chat("first"))
    assert dict(erasure.rows)["not_helpful"] == 2


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
    bees = await world.engine.add(own_store.anna, "Keeps bees.")
    assert await own_store.feedback.note_not_helpful(own_store.anna, world.request, bees.id, at=NOON)

    await erase(world)

    left = {memory for memory, _ in await kept_questions(own_dsn)}
    assert left == ({bees.id} if erase is _erase_memory else set())


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


# -- A profile holds statements that a person wrote or confirmed; without their consent, none is left anywhere --


STANDS = replace(PATIENT, stands=True)
CANARY = "canaryphrase"
VECTOR = vector(*NORTH)
CONFIRMED, PROPOSED = EntryState.CONFIRMED, EntryState.PROPOSED


async def somebody(store: Store, *, allows: bool = True, second: Embedder | None = None) -> Engine:
    subject = engine_over(store, STANDS, embedder=second)
    if allows:
        await allow(subject, store.anna)
    return subject


async def allow(subject: Engine, user_id: str, *, allows: bool | None = True) -> None:
    await subject.change_flags(Flags(profile=allows), ("profile",), user_id)


async def told(subject: Engine, user_id: str) -> list[tuple[str, EntryState, str]]:
    entries = (await subject.profile(user_id)).entries
    return [(each.field.value, each.state, each.content) for each in entries]


def of_field(profile: OwnProfile, field: ProfileField) -> ProfileEntry:
    [entry] = [each for each in profile.entries if each.field is field]
    return entry


async def retired(store: Store, *memories: UUID | None) -> None:
    """Forget memories of Anna's."""
    changes = [Retire(each, Reason.FORGOTTEN) for each in memories if each is not None]
    assert len(changes) == len(memories)
    await store.memories.apply(store.anna.scope, changes, actor=Actor.USER, at=LATER)


async def asked(store: Store, subject: Engine, chat: str, text: str = "integral arctangent") -> Prepared:
    turn = store.turn(text, store.anna.chat(chat), key=f"{chat}:k", anchors=((0, f"{chat}:a"),))
    prepared = await subject.prepare(turn)
    await note_placed(subject, turn, prepared.placed)
    record = request_record(prepared, turn, request_id=uuid7(), at=NOON, api="completions")
    await subject.write_notes(turn, TurnNotes(request=record))
    return prepared


class TestConsent:
    async def test_without_it_there_is_no_profile(self, store: Store) -> None:
        subject = await somebody(store, allows=False)

        for attempt in (
            subject.add_to_profile(store.anna, ProfileField.NAME, "Is called Anna"),
            subject.propose_profile(store.anna),
            subject.confirm_in_profile(store.anna, uuid7()),
        ):
            with pytest.raises(ProfileNotAllowedError):
                await attempt
        assert await subject.profile(store.anna) == await subject.profile(store.ben)
        assert not (await subject.profile(store.anna)).consents

    async def test_nobody_gives_it_for_everybody(self, own_store: Store) -> None:
        subject = await somebody(own_store, allows=False)

        await own_store.flags.change_flags(None, Flags(profile=True), ("profile",), at=NOON)

        assert (await own_store.flags.flags(own_store.anna)).profile is None
        with pytest.raises(ProfileNotAllowedError):
            await subject.add_to_profile(own_store.anna, ProfileField.NAME, "Is called Anna")

    @pytest.mark.parametrize("allows", [False, None])
    async def test_taken_back_no_table_has_it(
        self, own_store: Store, own_dsn: str, *, allows: bool | None
    ) -> None:
        store = own_store
        subject = await somebody(store)
        await subject.add_to_profile(store.anna, ProfileField.NOTES, f"Says {CANARY}")
        await subject.drain(store.anna)
        prepared = await asked(store, subject, "chat-1")
        assert f"Says {CANARY}" in standing(prepared)
        taken = await subject.reserve_answer(store.anna, "key", b"request")
        assert taken == NOON
        await subject.keep_answer(store.anna, "key", CANARY.encode(), None, at=NOON)
        assert {"profile_entries", "injections", "kept_answers"} <= (await rows_with(own_dsn, CANARY)).keys()
        assert await embeddings(own_dsn) == 1

        await allow(subject, store.anna, allows=allows)

        assert (await rows_with(own_dsn, CANARY), await embeddings(own_dsn)) == ({}, 0)
        assert not await told(subject, store.anna)
        await allow(subject, store.anna)
        assert not await told(subject, store.anna), "consent given anew brings nothing back"

    async def test_taken_back_no_cache_keeps_an_embedding(self, store: Store) -> None:
        cache = CountedCache()
        subject = engine_over(store, STANDS, cache=cache)
        await allow(subject, store.anna)
        assert cache.cleared == 0

        await allow(subject, store.anna, allows=False)

        assert cache.cleared == 1
        with pytest.raises(ValueError, match="each user"):
            await subject.change_flags(Flags(profile=True), ("profile",))

    async def test_another_setting_leaves_it_as_it_is_and_so_does_another_person(self, store: Store) -> None:
        subject = await somebody(store)
        await subject.add_to_profile(store.anna, ProfileField.NOTES, "Rows")

        await subject.change_flags(Flags(recall=False), ("recall",), store.anna)
        await allow(subject, store.ben)
        await allow(subject, store.ben, allows=False)

        assert await told(subject, store.anna) == [("notes", CONFIRMED, "Rows")]

    async def test_it_and_the_profile_are_gone_or_neither_is(self, own_store: Store, own_dsn: str) -> None:
        subject = await somebody(own_store)
        await subject.add_to_profile(own_store.anna, ProfileField.NOTES, "Rows")
        await run_sql(
            own_dsn,
            "CREATE FUNCTION recollect.refuse() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'no'; END $$; CREATE TRIGGER refuse BEFORE DELETE ON "
            "recollect.profile_entries FOR EACH ROW EXECUTE FUNCTION recollect.refuse()",
        )
        try:
            with pytest.raises(StoreError):
                await allow(subject, own_store.anna, allows=False)
            assert await told(subject, own_store.anna) == [("notes", CONFIRMED, "Rows")]
        finally:
            await run_sql(own_dsn, "DROP FUNCTION recollect.refuse() CASCADE")

    async def test_what_was_under_way_when_it_was_taken_back_is_noted_nowhere(self, store: Store) -> None:
        subject = await somebody(store)
        await subject.add_to_profile(store.anna, ProfileField.NOTES, f"Says {CANARY}")
        turn = store.turn("integral", store.anna.chat("late"), anchors=((0, "late:a"),))
        prepared = await subject.prepare(turn)

        await allow(subject, store.anna, allows=False)
        await note_placed(subject, turn, prepared.placed)

        chat = await store.chats.chat(turn.scope, exchanges=0)
        assert chat.injections == ()


async def embeddings(dsn: str) -> int:
    async with administrator(dsn) as connection:
        count: int = await connection.fetchval(
            'SELECT count(*) FROM recollect.profile_entries WHERE "values" IS NOT NULL'
        )
        return count


class TestByHand:
    async def test_it_is_written_changed_and_taken_out(self, store: Store) -> None:
        subject = await somebody(store)
        tea = await subject.add_to_profile(store.anna, ProfileField.NOTES, "Likes tea")
        name = await subject.add_to_profile(store.anna, ProfileField.NAME, "Is called Anna")
        assert {each.own_words for each in (await subject.profile(store.anna)).entries} == {True}

        await subject.change_in_profile(
            store.anna, tea.id, content="Wants short answers", field=ProfileField.ANSWERS
        )

        assert await told(subject, store.anna) == [
            ("answers", CONFIRMED, "Wants short answers"),
            ("name", CONFIRMED, "Is called Anna"),
        ]
        [first, _] = (await subject.profile(store.anna)).entries
        assert (first.embedding_model, first.created_at, first.own_words) == (None, NOON, True)
        await subject.remove_from_profile(store.anna, name.id)
        assert len(await told(subject, store.anna)) == 1
        for attempt in (
            subject.remove_from_profile(store.anna, name.id),
            subject.change_in_profile(store.anna, name.id, content="x"),
            subject.confirm_in_profile(store.ben, tea.id),
        ):
            with pytest.raises((ProfileEntryNotFoundError, ProfileNotAllowedError)):
                await attempt

    async def test_nothing_is_said_twice(self, store: Store) -> None:
        subject = await somebody(store)
        tea = await subject.add_to_profile(store.anna, ProfileField.NOTES, "Likes tea")
        rain = await subject.add_to_profile(store.anna, ProfileField.NOTES, "Likes rain")

        with pytest.raises(DuplicateEntryError):
            await subject.add_to_profile(store.anna, ProfileField.GOALS, "Likes tea")
        with pytest.raises(DuplicateEntryError):
            await subject.change_in_profile(store.anna, rain.id, content="Likes tea")
        await subject.change_in_profile(store.anna, tea.id, content="Likes tea", field=ProfileField.GOALS)

    async def test_it_is_bounded(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("recollect.store.users.settings_and_profiles.MOST_ENTRIES", 2)
        subject = await somebody(store)
        for number in range(2):
            await subject.add_to_profile(store.anna, ProfileField.NOTES, f"Number {number}")

        with pytest.raises(ProfileFullError):
            await subject.add_to_profile(store.anna, ProfileField.NOTES, "Number 3")

    async def test_secrets_are_masked(self, store: Store) -> None:
        subject = await somebody(store)

        entry = await subject.add_to_profile(store.anna, ProfileField.NOTES, "My password is hunter2-Geheim!")

        assert "hunter2" not in entry.content
        assert "hunter2" not in str(await told(subject, store.anna))

    async def test_a_job_embeds_it_once_it_can_and_again_by_another_embedder(self, store: Store) -> None:
        subject, other = await somebody(store), WordEmbedder()
        tea = await subject.add_to_profile(store.anna, ProfileField.NOTES, "Likes tea")
        other.name = "other"

        for embedder, model in ((BrokenEmbedder(), None), (WordEmbedder(), "words"), (other, "other")):
            engine = engine_over(store, STANDS, embedder=embedder)
            assert await engine.unembedded(store.anna) == 1
            await engine.drain(store.anna)
            [entry] = (await engine.profile(store.anna)).entries
            assert entry.embedding_model == model
        assert await engine.unembedded(store.anna) == 0
        await engine.change_in_profile(store.anna, tea.id, content="Likes milk")
        assert await engine.unembedded(store.anna) == 1, "not by what it said before"


class TestProposed:
    @pytest.fixture
    async def subject(self, store: Store) -> Engine:
        subject = await somebody(store)
        for content in ("Prefers short, direct answers", "Works as a teacher in Ghent"):
            await subject.add(store.anna, content)
        return subject

    async def test_what_is_known_is_proposed_and_then_confirmed(self, store: Store, subject: Engine) -> None:
        await subject.propose_profile(store.anna)
        before = standing(await asked(store, subject, "chat-1"))
        [answers, domain] = sorted((await subject.profile(store.anna)).entries, key=lambda each: each.field)

        confirmed = await subject.confirm_in_profile(store.anna, answers.id)
        await subject.remove_from_profile(store.anna, domain.id)

        assert (answers.field, domain.field) == (ProfileField.ANSWERS, ProfileField.DOMAIN)
        assert {answers.state, domain.state} == {PROPOSED}
        assert before == {"Prefers short, direct answers", "Works as a teacher in Ghent"}, "as memories"
        assert (confirmed.state, confirmed.own_words) == (CONFIRMED, False)
        again = await subject.propose_profile(store.anna)
        assert [(each.field, each.state) for each in again.entries] == [(ProfileField.ANSWERS, CONFIRMED)]

    async def test_what_is_written_by_hand_is_not_proposed(self, store: Store, subject: Engine) -> None:
        await subject.add_to_profile(store.anna, ProfileField.ANSWERS, "prefers short, direct answers!")

        await subject.propose_profile(store.anna)

        assert [each[0] for each in await told(subject, store.anna) if each[1] is PROPOSED] == ["domain"]

    @pytest.mark.parametrize(
        ("changed", "left"),
        [
            ({"content": "Teaches history"}, [("Teaches history", True, None)]),
            ({"field": ProfileField.NOTES}, []),
        ],
    )
    async def test_who_forgets_a_memory_forgets_its_proposal_though_it_was_confirmed_or_put_elsewhere(
        self, store: Store, subject: Engine, changed: dict[str, Any], left: list[object]
    ) -> None:
        proposed = await subject.propose_profile(store.anna)
        for entry in proposed.entries * 2:
            await subject.confirm_in_profile(store.anna, entry.id)
        domain = of_field(proposed, ProfileField.DOMAIN)
        await subject.change_in_profile(store.anna, domain.id, **changed)

        await retired(store, *(each.memory_id for each in proposed.entries))

        entries = (await subject.profile(store.anna)).entries
        assert [(each.content, each.own_words, each.memory_id) for each in entries] == left

    @pytest.mark.parametrize("by_memory", [True, False])
    async def test_what_is_taken_out_meanwhile_stays_out(self, store: Store, *, by_memory: bool) -> None:
        subject = await somebody(store)
        await subject.add(store.anna, "Prefers short, direct answers")
        [entry] = (await subject.propose_profile(store.anna)).entries

        if by_memory:
            await retired(store, entry.memory_id)
        else:
            await subject.remove_from_profile(store.anna, entry.id)

        with pytest.raises(ProfileEntryNotFoundError):
            await store.profiles.change(store.anna, entry)
        assert await told(subject, store.anna) == []

    async def test_what_is_so_no_more_is_outdated_and_not_given(self, store: Store, subject: Engine) -> None:
        for entry in (await subject.propose_profile(store.anna)).entries:
            await subject.confirm_in_profile(store.anna, entry.id)
        domain = of_field(await subject.profile(store.anna), ProfileField.DOMAIN)
        assert domain.memory_id is not None
        new = store.memory("Works as a nurse in Ghent")
        change = Replace(domain.memory_id, new, Reason.CONTRADICTS)
        await store.memories.apply(store.anna.scope, [change], actor=Actor.FORMATION, at=LATER)

        domain = of_field(await subject.profile(store.anna), ProfileField.DOMAIN)
        given = standing(await asked(store, subject, "chat-2"))
        still = await subject.confirm_in_profile(store.anna, domain.id)

        assert domain.outdated
        assert "Works as a teacher in Ghent" not in given
        assert (still.outdated, still.own_words) == (False, True)
        assert "Works as a teacher in Ghent" in standing(await asked(store, subject, "chat-3"))

    async def test_an_edited_memory_outdates_what_it_proposed(self, store: Store, subject: Engine) -> None:
        answers = of_field(await subject.propose_profile(store.anna), ProfileField.ANSWERS)
        await subject.confirm_in_profile(store.anna, answers.id)
        assert answers.memory_id is not None

        await subject.revise(store.anna, answers.memory_id, content="Prefers long answers")

        entry = of_field(await subject.profile(store.anna), ProfileField.ANSWERS)
        assert (entry.content, entry.outdated) == ("Prefers short, direct answers", True)


class TestInPrompts:
    async def test_it_stands_in_every_chat_beside_what_matters_most(self, store: Store) -> None:
        subject = await somebody(store)
        await subject.add(store.anna, "Is allergic to nuts", importance=1.0)
        await subject.add_to_profile(store.anna, ProfileField.ADDRESS, "Wants to be called Dr. Weber")

        prepared = await asked(store, subject, "chat-1")

        assert standing(prepared) == {"Is allergic to nuts", "Wants to be called Dr. Weber"}
        assert "\u2022 To be addressed as: Wants to be called Dr. Weber" in prepared.placed.system
        [page] = (await subject.recalls(store.anna, limit=9)).requests
        assert dict(page.given_by or {}) == {"statements": 1, "profile": 1}

    async def test_what_endangers_comes_before_a_coding_style(self, store: Store) -> None:
        subject = engine_over(store, replace(STANDS, bounds=replace(STANDS.bounds, standing_tokens=14)))
        await allow(subject, store.anna)
        await subject.add(store.anna, "Is allergic to nuts", importance=1.0)
        await subject.add_to_profile(store.anna, ProfileField.CODING_STYLE, "Indents code with four spaces")

        assert standing(await asked(store, subject, "chat-1")) == {"Is allergic to nuts"}

    async def test_who_has_the_standing_part_off_is_given_none(self, store: Store) -> None:
        subject = await somebody(store)
        await subject.add_to_profile(store.anna, ProfileField.NAME, "Is called Anna")
        await subject.change_flags(Flags(standing=False), ("standing",), store.anna)

        assert standing(await asked(store, subject, "chat-1")) == set()

    async def test_a_changed_statement_is_added_again_nowhere(self, store: Store) -> None:
        subject = await somebody(store)
        entry = await subject.add_to_profile(store.anna, ProfileField.NAME, "Is called Anna")
        await asked(store, subject, "chat-1")

        await subject.change_in_profile(store.anna, entry.id, content="Is called Ana")

        assert (await store.chats.chat(store.anna.chat("chat-1"), exchanges=0)).injections == ()

    async def test_it_is_in_no_numbered_list(self, store: Store) -> None:
        subject = await somebody(store, second=WordEmbedder())
        await subject.add(store.anna, "Is allergic to nuts", importance=1.0)
        await subject.add_to_profile(store.anna, ProfileField.NAME, "Is called Anna")

        prepared = await asked(store, subject, "chat-1", "What do you know about me?")

        assert prepared.placed.injection is not None
        [listed] = prepared.placed.injection.listed
        assert (await subject.get(store.anna, listed)).content == "Is allergic to nuts"

    async def test_agents_are_given_it_with_what_matters_most(self, store: Store) -> None:
        subject = await somebody(store)
        await subject.add(store.anna, "Is allergic to nuts")
        await subject.add_to_profile(store.anna, ProfileField.NAME, "Is called Anna")

        profile = await subject.agents.profile(store.anna)

        assert {each.content for each in profile.statements} == {"Is allergic to nuts", "Is called Anna"}
        assert profile.count == 1


def test_what_the_question_is_near_to_comes_first() -> None:
    near, far = (
        importance_of(ProfileField.GOALS, VECTOR, VECTOR),
        importance_of(ProfileField.GOALS, VECTOR, -VECTOR),
    )

    assert far < near < 0.9 < importance_of(ProfileField.NAME, None, None)
    assert importance_of(ProfileField.GOALS, None, VECTOR) == far


async def test_of_what_a_statement_tells_is_guessed_in_several_languages(e5: MultilingualE5Embedder) -> None:
    told = {
        "Prefers short answers.": ProfileField.ANSWERS,
        "Quiere respuestas breves.": ProfileField.ANSWERS,
        "Arbeitet bei einer Bank.": ProfileField.DOMAIN,
        "Programs in Rust.": ProfileField.LANGUAGES,
        "Lives in Lisbon.": None,
        "Le gusta el flamenco.": None,
    }

    assert dict(zip(told, await likely_fields(list(told), e5), strict=True)) == told
