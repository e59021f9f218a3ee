"""A user's chats, by when something was said in them."""

from datetime import UTC, datetime, timedelta, timezone

from tests.contracts.indexing import said
from tests.stores import LATER, NOON, Store

AN_HOUR_LATER = NOON + timedelta(hours=1)


async def test_the_chats_are_told_that_had_begun_by_some_time(store: Store) -> None:
    for number, scope in enumerate(
        (store.anna.scope, store.anna.elsewhere, store.anna.chat("chat-3"), store.ben.scope)
    ):
        await said(store, "Hello", scope, at=NOON + timedelta(hours=number))
    await said(store, "Hello again", at=NOON + timedelta(days=1))

    async def begun_before(at: datetime) -> list[str]:
        return await store.memories.sessions(store.anna, begun_before=at)

    for zone in (UTC, timezone(timedelta(hours=-5))):
        assert await begun_before(AN_HOUR_LATER.astimezone(zone)) == ["chat-1", "chat-2"]
    assert await begun_before(AN_HOUR_LATER - timedelta(microseconds=1)) == ["chat-1"]
    assert await begun_before(NOON - timedelta(microseconds=1)) == []
    assert await begun_before(datetime.max.replace(tzinfo=UTC)) == ["chat-1", "chat-3", "chat-2"]
    assert await store.memories.sessions("nobody", begun_before=LATER) == []


async def test_a_chat_that_is_erased_begins_anew_with_what_is_said_next(store: Store) -> None:
    await said(store, "Hello", at=NOON)
    await store.memories.erase_session(store.anna.scope, at=AN_HOUR_LATER)
    await said(store, "Hello again", at=NOON + timedelta(hours=2))

    assert await store.memories.sessions(store.anna, begun_before=AN_HOUR_LATER) == []
    assert await store.memories.sessions(store.anna) == ["chat-1"]
