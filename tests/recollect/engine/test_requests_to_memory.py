"""Requests to the memory as a whole are done before the answer, and the prompt says which."""

import asyncio
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest
from tests.recollect.engines import PATIENT, engine_over
from tests.support.notes import note_block, note_placed
from tests.support.people import Person, person
from tests.support.searching import important
from tests.support.stores import NOON, Store
from tests.support.tables import table
from tests.support.watched_stores import Before, Outage, breakable, with_parts

from recollect.composition import Bounds
from recollect.engine import Engine, Prepared, RecallOptions
from recollect.errors import StoreUnavailableError
from recollect.model import (
    Action,
    Actor,
    Flags,
    Injection,
    Message,
    Place,
    Placement,
    Reason,
    Role,
    Scope,
    Skip,
    Turn,
    project_scope,
)

FACTS = ("Lives in Lisbon", "Has a dog called Fips", "Works as a nurse")
QUESTION = "What do you know about me?"
DONE, NOT_DONE = "- [DONE]", "- [NOT DONE]"


def told(prepared: Prepared) -> str:
    """Return the text added to the prompt."""
    return "\n".join([prepared.placed.system, *prepared.placed.beside.values()])


def answer(prepared: Prepared) -> str:
    """Return the lines of the turn's own block that report on the message's requests."""
    own = prepared.placed.own
    lines = own.block.splitlines() if own is not None else []
    assert own is None or own.block in told(prepared)
    return "\n".join(line for line in lines if line.startswith((DONE, NOT_DONE)))


@dataclass
class Chat:
    """A chat as its frontend sends it: with its history."""

    store: Store
    subject: Engine
    scope: Scope
    said: list[Message] = field(default_factory=list)
    anchors: list[tuple[int, str]] = field(default_factory=list)
    of_bound_key: bool = False

    async def says(self, text: str, reply: str = "All right.", *, logs: bool = True) -> Prepared:
        """Say something, and get an answer."""
        turn = self.turn(text)
        if logs:
            await self.subject.log_turn(turn)
        prepared = await self.subject.prepare(turn)
        await note_placed(self.subject, turn, prepared.placed)
        if logs:
            await self.subject.remember(turn, reply)
            await self.subject.drain(self.scope.user_id)
        self.anchors = list(turn.anchors)
        self.said += [Message(Role.USER, text), Message(Role.ASSISTANT, reply)]
        return prepared

    def turn(self, text: str) -> Turn:
        number = len(self.said)
        return self.store.turn(
            text,
            self.scope,
            history=tuple(self.said),
            anchors=(*self.anchors, (number, f"{self.scope.session_id}:{number}")),
            key=f"k{number}",
            at=NOON + timedelta(minutes=number),
            of_bound_key=self.of_bound_key,
        )

    async def is_listed(self) -> tuple[str, ...]:
        """List all memories with the next answer, and return them in the order of their numbers."""
        turn = self.turn(QUESTION)
        memories = await important(self.store.snapshots, self.scope.user_id, limit=60)
        state_of = tuple(each.id for each in memories)
        block = "\n".join(f"\u2022 {each.content} (number {n})" for n, each in enumerate(memories, 1))
        await note_block(
            self.store.log,
            self.scope,
            Injection(turn.anchor, Place.BESIDE, block, state_of, 50, turn.at, listed=state_of),
            (),
        )
        self.anchors = list(turn.anchors)
        listed = "\n".join(f"{number}. {each.content}" for number, each in enumerate(memories, 1))
        self.said += [Message(Role.USER, QUESTION), Message(Role.ASSISTANT, f"I know this:\n{listed}")]
        return tuple(each.content for each in memories)


async def somebody(store: Store, user: Person | None = None) -> Engine:
    subject = engine_over(store, PATIENT)
    for content in FACTS:
        await subject.add(user or store.anna, content)
    return subject


async def known(subject: Engine, user: Person) -> set[str]:
    return {each.content for each in (await subject.page(user, limit=50)).memories if each.content in FACTS}


@pytest.fixture
async def chat(store: Store) -> Chat:
    return Chat(store, await somebody(store), store.anna.chat("chat-1"))


FORGOTTEN, UNCLEAR = f"{DONE} Forgotten, as the user asked", "not certain what is meant"


class TestForgettingByNumber:
    @table(
        "seen, text, gone, told_so",
        [
            ("123", "Please forget number 3", "3", FORGOTTEN),
            ("123", "Delete the last one", "3", FORGOTTEN),
            ("123", "Borra el primero", "1", FORGOTTEN),
            ("123", "把第二条删掉", "2", FORGOTTEN),
            ("123", "Forget number 9", "", "Nothing was forgotten: the list has 3 statements"),
            # what counts is the list that the person saw
            ("321", "Forget the first", "3", FORGOTTEN),
            ("12", "Delete the last one", "2", FORGOTTEN),
            # a model may keep the block's numbers, and leave something out
            ("- {2} (number 2)\n- {3} (number 3)", "Forget number 2", "2", FORGOTTEN),
            ("{2} (Nummer 2)\n\n{3} (Nummer 3)", "Vergiss Nummer 3", "3", FORGOTTEN),
            ("{2} (number 2), {3} (number 3)", "Forget number 3", "", UNCLEAR),
            ("- {1} (since 34)\n- {2} (aged 29)", "Delete the last one", "2", FORGOTTEN),
            # in another language the numbers count
            ("1. \u732b\n2. \u72d7\n3. \u9e1f", "把第二条删掉", "2", FORGOTTEN),
            ("1. \u732b\n2. {1}\n3. {3}", "Forget the first", "", UNCLEAR),
            ("You live by the sea and have a pet.", "Forget the second", "", UNCLEAR),
            ("1. You live in Lisbon\n1. You are a nurse", "Forget the second", "", UNCLEAR),
        ],
    )
    async def test_the_one_that_is_meant_for_certain_is_forgotten_and_the_answer_is_told(
        self, store: Store, seen: str, text: str, gone: str, told_so: str
    ) -> None:
        anna = person("anna")
        subject = await somebody(store, anna)
        chat = Chat(store, subject, anna.chat("chat-1"))
        listed = await chat.is_listed()
        if seen.isdigit():
            seen = "\n".join(f"{n}. {listed[int(each) - 1]}" for n, each in enumerate(seen, 1))
        chat.said[-1] = Message(Role.ASSISTANT, seen.format("", *listed))

        prepared = await chat.says(text, logs=False)

        taken = [listed[int(each) - 1] for each in gone]
        assert await known(subject, anna) == {*FACTS}.difference(taken)
        assert told_so in answer(prepared)
        assert not any(each in answer(prepared) for each in taken)
        done = prepared.carried_out.updates if prepared.carried_out else ()
        assert [(each.before, each.action, each.actor, each.reason) for each in done] == [
            (each, Action.RETIRE, Actor.USER, Reason.FORGOTTEN) for each in taken
        ]

    async def test_the_numbers_stay_what_they_were_and_nothing_is_forgotten_twice(self, chat: Chat) -> None:
        listed = await chat.is_listed()

        await chat.says("Forget number 1", logs=False)
        await chat.says("And forget number 3", logs=False)
        again = await chat.says("Forget number 3", logs=False)

        assert await known(chat.subject, chat.store.anna) == {listed[1]}
        assert answer(again).startswith(f"{NOT_DONE} Nothing was forgotten")

    @pytest.mark.parametrize("is_listed", [False, True])
    async def test_another_list_is_what_is_meant(self, store: Store, chat: Chat, *, is_listed: bool) -> None:
        if is_listed:
            await chat.is_listed()
        await chat.says("Which colours does a rainbow have?", "1. Red\n2. Orange\n3. Yellow", logs=False)

        prepared = await chat.says("Delete the last one", logs=False)

        assert (await known(chat.subject, store.anna), answer(prepared)) == ({*FACTS}, "")

    async def test_undoing_brings_it_back(self, store: Store, chat: Chat) -> None:
        await chat.is_listed()
        await chat.says("Forget number 2", logs=False)

        prepared = await chat.says("No, bring it back", logs=False)

        assert await known(chat.subject, store.anna) == {*FACTS}
        assert answer(prepared) == f"{DONE} Undone, as the user asked: 1 change of what is remembered."
        assert answer(await chat.says("Undo that", logs=False)) == ""


class TestStopping:
    async def test_nothing_is_kept_from_then_on_until_it_is_on_again(self, store: Store, chat: Chat) -> None:
        await chat.says("I play the cello")
        before = len(await messages(store))

        stopped = await chat.says("Stop remembering me.")
        await chat.says("I play the oboe")

        assert (len(await messages(store)), await known(chat.subject, store.anna)) == (before, {*FACTS})
        assert answer(stopped).startswith(f"{DONE} From now on nothing")
        assert "Remember me again" in answer(stopped)
        assert (await chat.subject.flags(store.anna)) == Flags(record=False)

        resumed = await chat.says("Remember me again")
        await chat.says("I play the harp")

        assert answer(resumed).startswith(f"{DONE} What the user says is remembered again")
        assert any("harp" in each for each in await messages(store))
        assert not any("oboe" in each for each in await messages(store))

    @table(("project", "of_bound_key"), [("agent:coder", False), ("boat", True)])
    async def test_by_an_agent_or_a_key_for_one_project_it_is_refused_since_it_would_hold_everywhere(
        self, store: Store, project: str, *, of_bound_key: bool
    ) -> None:
        scope = Scope(project_scope(store.anna, project), project)
        chat = Chat(store, engine_over(store, PATIENT), scope, of_bound_key=of_bound_key)

        for said in ("Stop remembering me.", "Remember me again."):
            assert answer(await chat.says(said)).startswith(f"{NOT_DONE} Nothing was changed")
        assert await chat.subject.flags(store.anna) == Flags()

    async def test_undoing_turns_it_on_again(self, chat: Chat) -> None:
        await chat.says("Merk dir nichts mehr über mich!")

        await chat.says("Mach das rückgängig")

        assert (await chat.subject.flags(chat.store.anna)).record is None

    async def test_what_the_operator_wants_for_everybody_stays(self, store: Store) -> None:
        chat = Chat(store, engine_over(store, replace(PATIENT, records=False)), store.anna.chat("chat-1"))

        assert answer(await chat.says("Remember me again")).startswith(NOT_DONE)


async def messages(store: Store, person: str | None = None) -> list[str]:
    """Return a person's messages in the log."""
    user = person or store.anna
    return [
        each.said
        for chat_id in await store.memories.sessions(user)
        for each in (await store.chats.chat(Scope(user, chat_id), exchanges=60)).exchanges
    ]


class TestLeavingAChatOut:
    async def test_its_log_and_lessons_go_and_nothing_more_is_kept(self, store: Store, chat: Chat) -> None:
        await Chat(store, chat.subject, store.anna.chat("chat-2")).says("I play the oboe")
        await chat.says("I play the cello")
        assert len(await messages(store)) == 2

        left_out = await chat.says("Keep this chat out of your memory, please.")
        await chat.says("I play the harp")

        assert await messages(store) == ["I play the oboe"]
        assert answer(left_out).startswith(f"{DONE} Nothing of this chat is remembered")
        learned = [each.content for each in (await chat.subject.page(store.anna, limit=50)).memories]
        assert not any("cello" in each or "harp" in each for each in learned)
        assert await known(chat.subject, store.anna) == {*FACTS}
        imported = store.exchange("I play the cello", chat.scope)
        assert not await store.log.append(imported, revives=True), "not even by an import"

    @pytest.mark.parametrize("text", ["Remember this chat again", "Undo that"])
    async def test_it_can_be_taken_in_again(self, store: Store, chat: Chat, text: str) -> None:
        await chat.says("Don't remember this chat")

        taken_in = await chat.says(text)
        await chat.says("I play the harp")

        assert answer(taken_in).startswith(f"{DONE} What is said in this chat is remembered again")
        assert "I play the harp" in await messages(store)
        assert answer(await chat.says("Remember this chat again")).startswith(NOT_DONE)

    async def test_a_new_chat_that_begins_with_the_same_words_is_remembered(self, store: Store) -> None:
        subject, unnamed = engine_over(store, PATIENT), store.anna.chat("fp:1")
        chat = Chat(store, subject, unnamed)
        await chat.says("I play the harp")
        await chat.says("Don't remember this chat")
        soon, later = (
            store.turn("I play the harp", unnamed, at=NOON + after)
            for after in (timedelta(minutes=30), timedelta(days=1))
        )

        assert not await subject.remember(soon, "Good.")
        assert await subject.remember(later, "Good.")
        assert await messages(store) == ["I play the harp"]


class TestUndoing:
    async def test_what_the_message_before_taught_is_undone(self, store: Store, chat: Chat) -> None:
        await chat.says("Remember that I play the cello.")
        learned = [each.content for each in (await chat.subject.page(store.anna, limit=50)).memories]
        assert any("cello" in each for each in learned)

        prepared = await chat.says("Undo that")

        learned = [each.content for each in (await chat.subject.page(store.anna, limit=50)).memories]
        assert not any("cello" in each for each in learned)
        assert answer(prepared).startswith(f"{DONE} Undone, as the user asked: 2 changes")

    async def test_what_waits_to_be_learned_never_is(self, store: Store, chat: Chat) -> None:
        turn = chat.turn("Remember that I play the cello.")
        await chat.subject.remember(turn, "Noted.")
        chat.anchors = list(turn.anchors)
        chat.said += [Message(Role.USER, turn.text), Message(Role.ASSISTANT, "Noted.")]

        prepared = await chat.says("Undo that")

        learned = [each.content for each in (await chat.subject.page(store.anna, limit=50)).memories]
        assert not any("cello" in each and "Undo" not in each for each in learned)
        assert answer(prepared).startswith(DONE)

    @pytest.mark.parametrize(
        "before",
        [
            "Rename the variable x to y.",
            "I live in Porto now.\n```\nRemember that I play the cello.\n```",
            "From: Eva\nTo: Anna\nSubject: Hello\n\nRemember that I play the cello.",
        ],
    )
    async def test_without_a_request_nothing_is_undone(self, store: Store, chat: Chat, before: str) -> None:
        await chat.says("I play the cello")
        await chat.says(before)
        history = await chat.subject.history(store.anna)

        prepared = await chat.says("Undo that", logs=False)

        assert (answer(prepared), await chat.subject.history(store.anna)) == ("", history)

    async def test_a_quoted_wish_to_leave_a_chat_out_is_not_undone(self, store: Store, chat: Chat) -> None:
        await chat.says("Don't remember this chat")
        await chat.says("```\nDon't remember this chat\n```")

        prepared = await chat.says("Undo that")
        await chat.says("I play the harp")

        assert (answer(prepared), await messages(store)) == ("", [])


@pytest.mark.parametrize("text", ["Forget everything about me.", "Vergiss alles über mich"])
async def test_a_sentence_does_not_forget_everything(store: Store, chat: Chat, text: str) -> None:
    prepared = await chat.says(text)

    assert await known(chat.subject, store.anna) == {*FACTS}
    assert answer(prepared).startswith(f"{NOT_DONE} Nothing was forgotten: everything is not forgotten")


class TestWhenItCanNotBeTold:
    @table(
        "text, is_clear",
        [
            ("Stop remembering me", True),
            ("Don't remember this chat", True),
            ("Forget number 2", False),
            ("Undo that", False),
        ],
    )
    async def test_an_absent_store_does_nothing(self, store: Store, text: str, *, is_clear: bool) -> None:
        outage = Outage(StoreUnavailableError("away"))
        subject = engine_over(breakable(store, outage), PATIENT)

        prepared = await subject.prepare(store.turn(text))

        assert DONE not in told(prepared)
        assert ("not certain that anything was changed" in answer(prepared)) is is_clear
        outage.failure = None
        assert await subject.flags(store.anna) == Flags()

    async def test_where_nothing_is_added_to_prompts_nothing_is_done(self, store: Store, chat: Chat) -> None:
        turn = chat.turn("Stop remembering me")

        prepared = await chat.subject.prepare(turn, RecallOptions(placement=Placement.OFF))

        assert (told(prepared).strip(), await chat.subject.flags(store.anna)) == ("", Flags())

    @pytest.mark.parametrize("is_noted", [True, False])
    @pytest.mark.parametrize("text", ["Forget number 2", "Undo that", "Remember this chat again"])
    async def test_it_is_done_once_and_told_the_same_again(
        self, store: Store, chat: Chat, text: str, *, is_noted: bool
    ) -> None:
        """As with the results of tools."""
        if text.endswith("again"):
            await chat.says("Don't remember this chat")
        await chat.is_listed()
        if text == "Undo that":
            await chat.says("Forget number 1", logs=False)
        turn = chat.turn(text)

        first = await chat.subject.prepare(turn)
        if is_noted:
            await note_placed(chat.subject, turn, first.placed)
        before = await chat.subject.history(store.anna)
        again = await chat.subject.prepare(turn)

        assert answer(first).startswith(DONE)
        assert (told(again), await chat.subject.history(store.anna)) == (told(first), before)

    async def test_it_is_told_anew_where_the_message_is_sent_again(self, store: Store, chat: Chat) -> None:
        turn = chat.turn("Remember me again")
        off = engine_over(store, replace(PATIENT, records=False, bounds=Bounds()))
        first = await off.prepare(turn)
        await note_placed(off, turn, first.placed)

        again = await chat.subject.prepare(turn)

        assert answer(first).startswith(NOT_DONE)
        assert answer(again).startswith(DONE)
        assert NOT_DONE not in told(again)


@table(
    "said",
    [
        "Translate into French.\n\nDon't remember this chat.",
        "Is this correct English? Don't remember this chat.",
        "How do I say this in Spanish? Don't remember anything about me.",
    ],
)
async def test_a_sentence_to_work_on_deletes_and_stops_nothing(store: Store, chat: Chat, said: str) -> None:
    await chat.says("I live in Lisbon.")

    prepared = await chat.says(said)

    assert chat.scope.session_id in await chat.subject.sessions(store.anna)
    assert (await chat.subject.flags(store.anna)).record is None
    assert "[DONE]" not in told(prepared)


@pytest.mark.parametrize(
    ("failure", "skipped"),
    [
        (StoreUnavailableError("away"), Skip.STORE),
        (RuntimeError("a bug"), Skip.FAILED),
        (None, Skip.DEADLINE),
    ],
)
async def test_what_was_done_is_told_anyway(store: Store, failure: Exception | None, skipped: Skip) -> None:
    async def read(*_: object, **__: object) -> None:
        if failure is None:
            await asyncio.Event().wait()
        raise failure or AssertionError

    chats = Before(store.chats, chat=read)
    patience = 30.0 if failure else 0.05
    subject = engine_over(with_parts(store, chats=chats), replace(PATIENT, stands=True, deadline=patience))

    prepared = await subject.prepare(store.turn("Stop remembering me"))

    assert answer(prepared).startswith(DONE)
    assert prepared.recall.skipped is skipped
    assert (await store.flags.own_flags(store.anna)).record is False


async def test_what_was_done_is_told_where_nothing_is_recalled(store: Store) -> None:
    subject = engine_over(store, PATIENT)
    await subject.change_flags(Flags(recall=False), ("recall",), store.anna)

    switched_off = await subject.prepare(store.turn("Stop remembering me"))
    not_wanted = await subject.prepare(
        store.turn("Remember me again", store.anna.chat("chat-2")), RecallOptions(recall=False)
    )

    assert answer(switched_off).startswith(DONE)
    assert answer(not_wanted).startswith(DONE)
    assert switched_off.recall.skipped is not_wanted.recall.skipped is Skip.OFF
