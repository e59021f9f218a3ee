"""People search what was said in their chats: ranked as for a chat, but with nothing left out as irrelevant."""

from datetime import timedelta
from uuid import uuid4

import pytest
from tests.recollect.engines import PATIENT, engine_over
from tests.support.stores import NOON, Store
from tests.support.tables import table

from recollect.engine import Engine
from recollect.engine.people.chat_search import FoundInChats, Period
from recollect.errors import MessageNotFoundError, SwitchedOffError
from recollect.model import Actor, Flags, Hide, Reason

_DAY = timedelta(days=1)
ATTIC, ROOF, BIKE = (
    "The attic needs insulation before winter",
    "The roof of the attic leaks since the storm",
    "The chain of my bicycle jumps uphill",
)


@pytest.fixture
async def subject(store: Store) -> Engine:
    """Return the engine of somebody who said three things, on three days in two chats."""
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


async def test_the_best_come_first_with_chat_and_date(store: Store, subject: Engine) -> None:
    found = await search(store, subject)

    assert set(texts(found)[:2]) == {ATTIC, ROOF}
    assert {each.item.session_id for each in found.found[:2]} == {"house"}
    assert {each.item.dated for each in found.found[:2]} == {NOON - 3 * _DAY, NOON - 2 * _DAY}
    assert "Measure it first." in texts(found)  # nothing is left out


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
    pages = []
    after = None
    while True:
        page = await search(store, subject, limit=2, after=after)
        pages += [each.item.id for each in page.found]
        after = page.next
        if after is None:
            break

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
    found = await subject.agents.in_chats(store.anna, "attic", limit=2, period=Period())
    assert set(texts(found)) == {ATTIC, ROOF}

    await subject.set_flags(Flags(history=False), store.anna)

    with pytest.raises(SwitchedOffError):
        await subject.agents.in_chats(store.anna, "attic", limit=2, period=Period())
