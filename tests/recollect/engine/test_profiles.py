"""A profile holds statements that a person wrote or confirmed; without their consent, none is left anywhere."""

from dataclasses import replace
from uuid import UUID

import pytest
from tests.recollect.engines import PATIENT, CountedCache, engine_over
from tests.scripted.models import BrokenEmbedder, WordEmbedder
from tests.servers.databases import administrator
from tests.support.notes import note_placed
from tests.support.stores import LATER, NOON, NORTH, Store, vector
from uuid_utils.compat import uuid7

from recollect.engine import Engine, Prepared
from recollect.engine.turns.explain import request_record
from recollect.errors import (
    DuplicateEntryError,
    ProfileEntryNotFoundError,
    ProfileFullError,
    ProfileNotAllowedError,
    StoreError,
)
from recollect.model import (
    Actor,
    EntryState,
    Flags,
    Kind,
    OwnProfile,
    ProfileEntry,
    ProfileField,
    Reason,
    Replace,
    Retire,
    TurnNotes,
)
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder
from recollect.ports import Embedder
from recollect.recall.profile_fields import importance_of, likely_fields

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


def standing(prepared: Prepared) -> set[str]:
    return {each.item.content for each in prepared.included if each.standing}


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
    async def test_taken_back_nothing_of_it_is_left_in_any_table(
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
        assert {"profile_entries", "injections", "kept_answers"} <= await tables_with(own_dsn, CANARY)
        assert await embeddings(own_dsn) == 1

        await allow(subject, store.anna, allows=allows)

        assert await tables_with(own_dsn, CANARY) == set()
        assert await embeddings(own_dsn) == 0
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

    async def test_it_is_taken_back_and_the_profile_gone_or_neither(
        self, own_store: Store, own_dsn: str
    ) -> None:
        subject = await somebody(own_store)
        await subject.add_to_profile(own_store.anna, ProfileField.NOTES, "Rows")
        async with administrator(own_dsn) as connection:
            await connection.execute(
                "CREATE FUNCTION recollect.refuse() RETURNS trigger LANGUAGE plpgsql AS "
                "$$ BEGIN RAISE EXCEPTION 'no'; END $$; CREATE TRIGGER refuse BEFORE DELETE ON "
                "recollect.profile_entries FOR EACH ROW EXECUTE FUNCTION recollect.refuse()"
            )
        try:
            with pytest.raises(StoreError):
                await allow(subject, own_store.anna, allows=False)
            assert await told(subject, own_store.anna) == [("notes", CONFIRMED, "Rows")]
        finally:
            async with administrator(own_dsn) as connection:
                await connection.execute("DROP FUNCTION recollect.refuse() CASCADE")

    async def test_what_was_under_way_when_it_was_taken_back_is_noted_nowhere(self, store: Store) -> None:
        subject = await somebody(store)
        await subject.add_to_profile(store.anna, ProfileField.NOTES, f"Says {CANARY}")
        turn = store.turn("integral", store.anna.chat("late"), anchors=((0, "late:a"),))
        prepared = await subject.prepare(turn)

        await allow(subject, store.anna, allows=False)
        await note_placed(subject, turn, prepared.placed)

        chat = await store.chats.chat(turn.scope, exchanges=0)
        assert chat.injections == ()


async def tables_with(dsn: str, words: str) -> set[str]:
    async with administrator(dsn) as connection:
        names = await connection.fetch(
            "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'recollect'"
        )
        found = set()
        for each in names:
            rows = await connection.fetch(
                f"SELECT row_to_json(x)::text AS row FROM recollect.{each['name']} AS x"
            )
            if any(words in row["row"] or words.encode().hex() in row["row"] for row in rows):
                found.add(each["name"])
        return found


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
        monkeypatch.setattr("recollect.store.users.profiles.MOST_ENTRIES", 2)
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

    async def test_a_job_embeds_it_once_the_embedder_answers_and_again_by_another_one(
        self, store: Store
    ) -> None:
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

    async def test_what_is_known_is_proposed_and_counts_once_it_is_confirmed(
        self, store: Store, subject: Engine
    ) -> None:
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

    async def test_what_is_written_by_hand_already_is_not_proposed(
        self, store: Store, subject: Engine
    ) -> None:
        await subject.add_to_profile(store.anna, ProfileField.ANSWERS, "prefers short, direct answers!")

        await subject.propose_profile(store.anna)

        assert [field for field, state, _ in await told(subject, store.anna) if state is PROPOSED] == [
            "domain"
        ]

    async def test_who_forgets_the_memory_forgets_what_it_proposed(
        self, store: Store, subject: Engine
    ) -> None:
        proposed = await subject.propose_profile(store.anna)
        for entry in proposed.entries:
            await subject.confirm_in_profile(store.anna, entry.id)
        domain = of_field(proposed, ProfileField.DOMAIN)
        await subject.change_in_profile(store.anna, domain.id, content="Teaches history")

        await retired(store, *(each.memory_id for each in proposed.entries))

        [left] = (await subject.profile(store.anna)).entries
        assert (left.content, left.own_words, left.memory_id) == ("Teaches history", True, None)

    async def test_what_is_confirmed_twice_or_put_elsewhere_is_forgotten_with_its_memory(
        self, store: Store, subject: Engine
    ) -> None:
        proposed = await subject.propose_profile(store.anna)
        for _ in range(2):
            await subject.confirm_in_profile(store.anna, of_field(proposed, ProfileField.ANSWERS).id)
        domain = of_field(proposed, ProfileField.DOMAIN)
        await subject.confirm_in_profile(store.anna, domain.id)
        await subject.change_in_profile(store.anna, domain.id, field=ProfileField.NOTES)

        await retired(store, *(each.memory_id for each in proposed.entries))

        assert await told(subject, store.anna) == []

    @pytest.mark.parametrize("by_memory", [True, False])
    async def test_what_is_taken_out_while_it_is_confirmed_does_not_come_back(
        self, store: Store, *, by_memory: bool
    ) -> None:
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

    async def test_what_is_so_no_longer_is_outdated_and_given_to_no_prompt(
        self, store: Store, subject: Engine
    ) -> None:
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

    async def test_within_the_same_budget_what_endangers_comes_before_a_coding_style(
        self, store: Store
    ) -> None:
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

        injection = prepared.placed.injection
        listed = injection.listed if injection else ()
        assert all(
            each.kind is not Kind.PROFILE for each in [await subject.get(store.anna, one) for one in listed]
        )

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
