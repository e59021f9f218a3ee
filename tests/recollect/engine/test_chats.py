"""Chats are searched by their people; a chat without an id is known by its first words and its recent exchanges."""

import json
import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from tests.recollect.engines import PATIENT, engine_over
from tests.scripted.models import BrokenEmbedder
from tests.support.notes import note_placed
from tests.support.recollections import injection, logged
from tests.support.stores import NOON, Store
from tests.support.tables import table
from uuid_utils.compat import uuid7

from recollect.composition import Placed
from recollect.engine import Engine, Policy, Prepared, RecallOptions
from recollect.engine.live import recent_exchanges
from recollect.engine.live.recent_exchanges import AskedRequest, RecentExchanges, asked_request
from recollect.engine.people.browsing import ALL_TIME, FoundInChats
from recollect.errors import MessageNotFoundError, SwitchedOffError
from recollect.model import (
    ALL_TOLD,
    UNNAMED,
    Action,
    Actor,
    Chat,
    Disclosure,
    Flags,
    Hide,
    Kind,
    Message,
    Reason,
    Role,
    Scope,
    Skip,
    Turn,
    Update,
)
from recollect.ports import Embedder
from recollect.recall import NeedThresholds
from recollect.text.dates.date_finder import Period
from recollect.wire.turn import detect_turn

_DAY = timedelta(days=1)
NO_HISTORY = Disclosure(frozenset({Kind.FACT}), history=False)
ATTIC, ROOF, BIKE = (
    "The attic needs insulation before winter",
    "The roof of the attic leaks since the storm",
    "The chain of my bicycle jumps uphill",
)


@pytest.fixture
async def subject(store: Store) -> Engine:
    """Return an engine with three messages of three days in two chats."""
    made = engine_over(store, PATIENT)
    for days, chat, text in ((3, "house", ATTIC), (2, "house", ROOF), (1, "bike", BIKE)):
        said = store.turn(text, store.anna.chat(chat), key=text, at=NOON - days * _DAY)
        await made.log_turn(said)
        await made.remember(said, "Measure it first.")
    await made.drain(store.anna)
    return made


async def search(store: Store, subject: Engine, text: str = "attic", **changed: object) -> FoundInChats:
    return await subject.search_chats(store.anna, text, **{"limit": 20, **changed})  # type: ignore[arg-type]


def texts(found: FoundInChats) -> list[str]:
    return [each.item.content for each in found.found]


async def test_the_best_come_first_with_chat_and_date_and_no_statement(store: Store, subject: Engine) -> None:
    await subject.add(store.anna, "Has an attic", session_id="house")

    found = await search(store, subject)

    assert set(texts(found)[:2]) == {ATTIC, ROOF}
    assert {each.item.session_id for each in found.found[:2]} == {"house"}
    assert {each.item.dated for each in found.found[:2]} == {NOON - 3 * _DAY, NOON - 2 * _DAY}
    assert "Measure it first." in texts(found), "nothing that was said is left out"
    assert "Has an attic" not in texts(found)


@table(
    "start, end, wanted",
    [
        (NOON - 2 * _DAY, NOON, {ROOF, BIKE}),
        (NOON - 9 * _DAY, NOON - 2 * _DAY, {ATTIC}),
        (NOON, NOON + _DAY, set()),
    ],
)
async def test_a_period_holds_its_start_and_not_its_end(
    store: Store, subject: Engine, start: object, end: object, wanted: set[str]
) -> None:
    found = await search(store, subject, period=Period(start, end))  # type: ignore[arg-type]

    assert {each for each in texts(found) if each in {ATTIC, ROOF, BIKE}} == wanted
    assert bool(found.found) == bool(wanted)


async def test_pages_join_to_the_whole(store: Store, subject: Engine) -> None:
    whole = [each.item.id for each in (await search(store, subject)).found]
    page = await search(store, subject, limit=2)
    pages = [each.item.id for each in page.found]
    while page.next is not None:
        page = await search(store, subject, limit=2, after=page.next)
        pages += [each.item.id for each in page.found]

    assert pages == whole
    with pytest.raises(MessageNotFoundError):
        await search(store, subject, after=uuid4())


async def test_hidden_messages_erased_chats_and_others_are_not_found(store: Store, subject: Engine) -> None:
    [roof] = [each.item for each in (await search(store, subject)).found if each.item.content == ROOF]
    await store.memories.apply(
        store.anna.chat("house"), [Hide((roof.id,), Reason.UNDONE)], actor=Actor.USER, at=NOON
    )
    await subject.erase_session(store.anna.chat("bike"))

    assert {each for each in texts(await search(store, subject)) if each in {ATTIC, ROOF, BIKE}} == {ATTIC}
    assert (await subject.search_chats(store.ben, "attic", limit=9)).found == ()


async def test_agents_search_no_log_that_is_switched_off(store: Store, subject: Engine) -> None:
    found = await subject.agents.in_chats(store.anna, "attic", limit=2, period=ALL_TIME)
    assert set(texts(found)) == {ATTIC, ROOF}

    await subject.change_flags(Flags(history=False), ("history",), store.anna)

    with pytest.raises(SwitchedOffError):
        await subject.agents.in_chats(store.anna, "attic", limit=2, period=ALL_TIME)


# -- Recent exchanges are bounded for each person and for all, tell chats apart, and go with their person --


AT = datetime(2026, 11, 28, tzinfo=UTC)
LONG = ("Which of the two roads to Ghent is shorter?", "The one along the river is the shorter one of them.")
THANKS = ("Thanks!", "You are welcome!")


def request_of(
    person: str, *texts: str, chat: str | None = None, at: datetime = AT, **asked: Any
) -> AskedRequest:
    messages = [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(texts)]
    body = json.dumps({"model": "scripted", "messages": messages, **asked}).encode()
    detected = detect_turn(body, user_id=person, session_id=chat, message_id=None, at=at)
    assert detected.turn is not None
    assert detected.body is not None
    return asked_request(detected.turn, detected.body)


def heard(
    kept: RecentExchanges, person: str, *texts: str, chat: str, answer_id: str = "", at: datetime = AT
) -> AskedRequest:
    """Record an exchange: the earlier texts, the message and its answer."""
    *said, answer = texts
    asked = request_of(person, *said, chat=chat, at=at)
    kept.keep_request(asked, words=True)
    kept.note_answer(asked, answer, answer_id)
    return asked


def chat_of(kept: RecentExchanges, person: str, own: str, *texts: str, follows: str = "") -> str | None:
    history = tuple(Message(Role.ASSISTANT if at % 2 else Role.USER, text) for at, text in enumerate(texts))
    turn = Turn(Scope(person, own), "A dog.", key="w", at=AT, model="", history=history, follows=follows)
    return kept.chat_of(turn)


def test_a_pair_that_stands_in_many_chats_tells_none_of_them() -> None:
    kept = RecentExchanges()
    heard(kept, "anna", "Hi", "Hello!", *THANKS, chat="fp:a")
    heard(kept, "anna", *THANKS, *LONG, chat="fp:a")
    heard(kept, "anna", *LONG, chat="fp:c")

    assert chat_of(kept, "anna", "fp:b", *THANKS) is None
    assert chat_of(kept, "anna", "fp:b", "What is a fjord?", "An inlet.", *THANKS) is None
    assert chat_of(kept, "anna", "fp:b", "Hi", "Hello!", *THANKS) == "fp:a"
    assert chat_of(kept, "anna", "fp:b", *THANKS, *LONG) == "fp:a"
    assert chat_of(kept, "anna", "fp:a", *LONG) == "fp:a"
    assert chat_of(kept, "anna", "fp:c", *THANKS, *LONG) == "fp:c", "it carries a beginning that was heard"
    assert chat_of(kept, "anna", "fp:b", *LONG) == "fp:c"


def test_what_was_said_until_an_erasure_is_forgotten_of_that_person_alone() -> None:
    kept = RecentExchanges()
    for person in ("anna", "ben"):
        heard(kept, person, *LONG, chat=f"of {person}", answer_id="resp_1")
    scopes = kept.scopes  # what the store is asked about, while others are heard
    under_way = request_of("anna", "How do tides work?", chat="of anna")
    kept.keep_request(under_way, words=True)

    kept.forget("anna", AT)
    kept.note_answer(under_way, "They follow the moon.", "resp_2")
    later = heard(kept, "anna", "And now?", "Nothing.", chat="later", at=AT + timedelta(seconds=1))
    kept.forget("anna", AT)

    known = [
        (chat_of(kept, person, "new", *LONG), chat_of(kept, person, "new", follows="resp_1"))
        for person in ("anna", "ben")
    ]
    assert known == [(None, None), ("of ben", "of ben")]
    assert chat_of(kept, "anna", "new", follows="resp_2") is None
    assert [*scopes] == [Scope("ben", "of ben"), later.turn.scope]


def test_one_pushes_out_their_own_alone_and_of_many_the_oldest_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = RecentExchanges()
    heard(kept, "anna", *LONG, chat="of anna")
    for number in range(300):
        heard(kept, "ben", f"Number {number}?", "Yes.", chat="of ben")
    assert sum(each.user_id == "ben" for each in kept.scopes) == 200
    assert chat_of(kept, "anna", "new", *LONG) == "of anna"

    monkeypatch.setattr(recent_exchanges, "_BYTES", kept.bytes)
    heard(kept, "carl", *LONG, chat="of carl")

    assert {each.user_id for each in kept.scopes} == {"ben", "carl"}
    assert 0 < kept.bytes <= recent_exchanges._BYTES


@table("minutes, others, left", [(9, 0, True), (11, 0, False), (1, 6, True), (1, 8, False)])
def test_words_of_eight_exchanges_are_kept_for_ten_minutes(minutes: int, others: int, *, left: bool) -> None:
    kept = RecentExchanges()
    first = heard(kept, "anna", *LONG, chat="chat")
    later = AT + timedelta(minutes=minutes)
    for number in range(others + 1):
        heard(kept, "anna", f"Number {number}?", "Yes.", chat="chat", at=later)

    assert (bool(first.text), bool(first.answer)) == (left, left)


def test_a_title_that_is_asked_for_while_the_answer_is_under_way_is_a_task() -> None:
    kept = RecentExchanges()
    kept.keep_request(request_of("anna", LONG[0], stream=True), words=True)

    assert kept.is_task(request_of("anna", f"Title for: {LONG[0]}"))
    assert not kept.is_task(request_of("ben", f"Title for: {LONG[0]}"))


def test_a_question_that_the_chat_goes_on_without_is_its_clients_own_and_forgotten() -> None:
    kept = RecentExchanges()
    heard(kept, "anna", *LONG, chat="fp:a")
    title = heard(kept, "anna", *LONG, "Give this a title", "Two roads", chat="fp:a")
    second = heard(kept, "anna", *LONG, "And by train?", "An hour longer.", chat="fp:a")
    goes_on = request_of("anna", *LONG, "And by train?", "An hour longer.", "Thanks!", chat="fp:a")
    kept.keep_request(goes_on, words=True)

    assert kept.note_answer(goes_on, "You are welcome!", "") == (title.turn,)
    assert len([*kept.scopes]) == 3
    assert kept.note_answer(title, "Two roads", "") == ()
    assert second.pair is not None


def test_a_message_that_the_chat_carries_is_no_clients_question_where_people_repeat_themselves() -> None:
    kept = RecentExchanges()
    said = [*THANKS, "And two and two?", "4", *THANKS, "And three and three?", "6", *THANKS]
    for end in range(2, len(said), 2):
        heard(kept, "anna", *said[:end], chat="fp:a")
    goes_on = request_of("anna", *said[:-1], chat="fp:a")
    kept.keep_request(goes_on, words=True)
    history = [Message(Role.ASSISTANT if at % 2 else Role.USER, text) for at, text in enumerate(said[:-2])]

    assert kept.note_answer(goes_on, said[-1], "", history) == ()


@table("may_see, left", [(ALL_TOLD, 3), (Disclosure(frozenset({Kind.FACT})), 2), (NO_HISTORY, 0)])
def test_a_server_gets_of_a_chat_what_it_may_see(may_see: Disclosure, left: int) -> None:
    block = injection("a:1", "Drinks tea")
    done = Update(uuid7(), NOON, Action.ADD, Actor.FORMATION, Reason.ASKED, uuid7())
    whole = Chat(injections=(block,), exchanges=(logged(1),), summary="They talk.", done=(done,))
    chat = whole.as_told(may_see)

    assert len(chat.injections) + len(chat.exchanges) + bool(chat.summary) == left
    assert bool(chat.injections) is bool(chat.done) is may_see.is_whole


# -- A chat without an id is known by its first words; later ones that begin with the same are others --


WHICH = "What tea do I drink"
BY_MEANING_ALONE = replace(PATIENT, reach=replace(PATIENT.reach, lexical=False))
NEVER = replace(PATIENT, bar=NeedThresholds(need=math.inf))


def first(store: Store) -> Turn:
    return store.turn(WHICH, store.anna.chat(f"{UNNAMED}0"), key="m0", anchors=((0, "a:1"),))


def anew(store: Store) -> Turn:
    return replace(first(store), at=NOON + timedelta(hours=5))


def behind(store: Store) -> Turn:
    return replace(
        anew(store),
        text="And at noon?",
        anchors=((0, "a:1"), (2, "a:2")),
        history=(Message(Role.USER, WHICH), Message(Role.ASSISTANT, "Tea.")),
    )


async def begun(subject: Engine, said: Turn) -> str:
    prepared = await subject.prepare(said, RecallOptions())
    await note_placed(subject, said, prepared.placed)
    return prepared.placed.system


@pytest.mark.parametrize(("session", "is_known_again"), [(f"{UNNAMED}0", False), ("chat-1", True)])
async def test_only_named_chats_are_known_after_hours(
    store: Store, session: str, *, is_known_again: bool
) -> None:
    subject = engine_over(store, PATIENT)
    await subject.add(store.anna, "I drink green tea")
    said = replace(first(store), scope=store.anna.chat(session))
    told = await begun(subject, said)
    await subject.add(store.anna, "What tea I drink is oolong")

    soon = await begun(subject, replace(said, at=NOON + timedelta(minutes=5)))
    later = await begun(subject, replace(said, at=NOON + timedelta(hours=5)))
    again = await begun(subject, replace(said, at=NOON + timedelta(hours=5, minutes=1)))

    assert "green tea" in told
    assert soon == told
    assert (later == told) is is_known_again
    assert ("oolong" in later) is not is_known_again
    if is_known_again:
        assert again == told


async def begin_hours_before(store: Store) -> None:
    """Begin a chat with the words that another one begins with hours later, and give it a block."""
    subject = engine_over(store, PATIENT)
    await subject.add(store.anna, "I drink green tea")
    assert "green tea" in await begun(subject, first(store))


async def blocks(store: Store) -> list[str]:
    return [each.block for each in (await store.chats.chat(first(store).scope, exchanges=0)).injections]


async def test_a_request_for_fewer_tokens_leaves_the_old_block_to_the_old_chat(store: Store) -> None:
    await begin_hours_before(store)
    subject = engine_over(store, PATIENT)
    await subject.add(store.anna, "What tea I drink is oolong")
    said = anew(store)

    prepared = await subject.prepare(said, RecallOptions(memory_tokens=500))
    await note_placed(subject, said, prepared.placed)

    assert prepared.placed.detached == ("a:1",)
    assert "oolong" in prepared.placed.system
    assert await blocks(store) == [prepared.placed.system]


@pytest.mark.parametrize(
    ("options", "policy", "embedder", "skip"),
    [
        (RecallOptions(recall=False), PATIENT, None, Skip.OFF),
        (RecallOptions(), NEVER, None, Skip.NOTHING_RELEVANT),
        (RecallOptions(memory_tokens=1), PATIENT, None, None),
        (RecallOptions(), BY_MEANING_ALONE, BrokenEmbedder(), Skip.EMBEDDER),
    ],
    ids=["recall off", "nothing relevant", "no room", "failed"],
)
async def test_the_old_block_goes_also_where_nothing_comes_in_its_place(
    store: Store, options: RecallOptions, policy: Policy, embedder: Embedder | None, skip: Skip | None
) -> None:
    await begin_hours_before(store)
    subject, said = engine_over(store, policy, embedder=embedder), anew(store)

    prepared = await subject.prepare(said, options)
    await note_placed(subject, said, prepared.placed)

    assert prepared.recall.skipped is skip
    assert prepared.placed.detached == ("a:1",)
    assert prepared.placed == Placed()  # nothing is added, as for a request without a place
    assert await blocks(store) == []
    assert (await subject.prepare(behind(store), RecallOptions(recall=False))).placed.system == ""


async def test_the_old_block_goes_also_where_a_bug_costs_the_memories(store: Store) -> None:
    await begin_hours_before(store)
    subject, said = engine_over(store, PATIENT), anew(store)

    def broken(text: str) -> int:
        raise LookupError(text)

    prepared: Prepared = await subject.prepare(said, RecallOptions(), count=broken)
    await note_placed(subject, said, prepared.placed)

    assert (prepared.recall.skipped, await blocks(store)) == (Skip.FAILED, [])


async def test_what_goes_on_or_is_sent_again_soon_keeps_its_block_whatever_the_options(store: Store) -> None:
    await begin_hours_before(store)
    subject = engine_over(store, PATIENT)
    told = await blocks(store)

    for said in (replace(first(store), at=NOON + timedelta(minutes=5)), behind(store)):
        prepared = await subject.prepare(said, RecallOptions(recall=False, memory_tokens=1000))
        await note_placed(subject, said, prepared.placed)

        assert prepared.placed.detached == ()
        assert [prepared.placed.system] == told == await blocks(store)
