"""Who is deleted in Open WebUI is erased, and what only a deleted chat taught, as soon as that can be done."""

import logging
import sys
from collections.abc import Callable
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.openwebui_filter.openwebui import EVENTS, Chat, load
from tests.openwebui_filter.telling import LISBON, formed, told
from tests.support.people import Person
from tests.support.waiting import until

from recollect.assembly import process_engine
from recollect.engine import Engine
from recollect.errors import StoreUnavailableError
from recollect.model import Erasure
from recollect_openwebui import background, erasure

LOCKER = "My locker at the pool has the number 417."
DIARY = "Keeps a diary."


@pytest.fixture
def events() -> Any:
    return load(EVENTS, function_id="recollect_events")


def deleted(user_id: Any, *, event: str = "user.deleted", kind: str = "user") -> dict[str, Any]:
    """Return an event as 0.12.4 makes it (``events.build_event``)."""
    return {
        "event": event,
        "resource": "user",
        "operation": "deleted",
        "actor": {"id": "an administrator", "role": "admin", "type": "user"},
        "subject": {"type": kind, "id": user_id},
        "data": {},
    }


async def contents(engine: Engine, user_id: str) -> list[str]:
    return [memory.content for memory in (await engine.page(user_id, limit=100)).memories]


async def test_all_of_who_is_deleted_goes_and_nothing_of_anybody_else(
    memory: Any, engine: Engine, events: Any, alice: Person, bob: Person
) -> None:
    for user_id in (alice, bob):
        await Chat(memory, user_id).says(LISBON)
        await formed(memory, user_id, 1)

    with capture_logs() as logs:
        await events.event(event=deleted(alice))
        await told()

    assert await contents(engine, alice) == []
    assert await engine.history(alice) == []
    assert len(await contents(engine, bob)) == 1
    [line] = [line for line in logs if line["event"] == "data_erased"]
    assert line["rows"] > 0


def deleted_chat(chat_id: Any, owner: Any) -> dict[str, Any]:
    """Return the event of a chat that its owner, or an administrator, deleted."""
    return deleted(chat_id, event="chat.deleted", kind="chat") | {"data": {"owner_id": owner}}


async def two_chats(memory: Any, user_id: str) -> list[Chat]:
    """Have two chats, and each of their sentences in memory."""
    chats = [Chat(memory, user_id), Chat(memory, user_id)]
    for chat, text in zip(chats, (LISBON, LOCKER), strict=True):
        await chat.says(text)
    await formed(memory, user_id, 2)
    return chats


async def test_what_a_deleted_chat_taught_goes_and_nothing_else(
    memory: Any, engine: Engine, events: Any, alice: Person
) -> None:
    gone, left = await two_chats(memory, alice)

    await events.event(event=deleted_chat(gone.chat_id, alice))
    await told()

    assert await engine.sessions(alice) == [left.chat_id]
    [content] = await contents(engine, alice)
    assert LOCKER in content


async def test_the_chat_of_another_is_not_erased_for_its_id(
    memory: Any, engine: Engine, events: Any, alice: Person, bob: Person
) -> None:
    chat, other = await two_chats(memory, alice)

    await events.event(event=deleted_chat(chat.chat_id, bob))
    await told()

    assert set(await engine.sessions(alice)) == {chat.chat_id, other.chat_id}


async def test_all_chats_go_but_what_was_written_by_hand_or_came_by_the_api_stays(
    memory: Any, engine: Engine, events: Any, alice: Person
) -> None:
    await two_chats(memory, alice)
    await engine.add(alice, DIARY)
    await Chat(memory, alice, chat_id="").says(LISBON)
    await formed(memory, alice, 3)

    await events.event(event=deleted(alice, event="chat.deleted_all"))
    await told()

    assert len(await engine.sessions(alice)) == 1
    by_hand, by_api = sorted(await contents(engine, alice), key=len)
    assert by_hand == DIARY
    assert LISBON in by_api


async def test_an_administrator_may_keep_what_deleted_chats_taught(
    memory: Any, engine: Engine, events: Any, alice: Person
) -> None:
    events.valves = events.Valves(erase_chats=False)
    gone, left = await two_chats(memory, alice)

    await events.event(event=deleted_chat(gone.chat_id, alice))
    await events.event(event=deleted(alice, event="chat.deleted_all"))
    await told()

    assert set(await engine.sessions(alice)) == {gone.chat_id, left.chat_id}


async def test_whatever_else_happens_erases_nobody(engine: Engine, events: Any, alice: Person) -> None:
    await engine.add(alice, LISBON)
    others: list[dict[str, Any]] = [
        {},
        deleted_chat(None, alice),
        deleted_chat("chat-1", None),
        deleted(alice, event="user.role_updated"),
        deleted(alice, event="chat.deleted"),
        deleted(alice, kind="chat"),
        deleted(None),
        deleted(alice) | {"subject": None},
        deleted("."),
        deleted(".."),
        deleted("..", event="chat.deleted_all"),
        deleted_chat(".", alice),
        deleted_chat("..", alice),
        deleted_chat("chat-1", ".."),
    ]

    for event in others:
        await events.event(event=event)
        await told()

        assert await contents(engine, alice) == [LISBON], event


@pytest.mark.parametrize("known", [deleted(".."), deleted_chat("..", "alice")])
async def test_what_is_no_id_is_told_of(
    known: dict[str, Any], events: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="recollect_openwebui"):
        await events.event(event=known)

    assert [record.getMessage() for record in caplog.records] == [
        "Recollect: nothing is erased of what was deleted: a dot or two are no id"
    ]


async def test_who_is_deleted_before_there_is_an_engine_is_erased_once_there_is(
    events: Any, new_filter: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, alice: Person
) -> None:
    monkeypatch.setattr(erasure, "_LOOK_SECONDS", 0.01)
    assert process_engine._shared == []
    with capture_logs() as logs:
        await events.event(event=deleted(alice))
        await until(lambda: bool(logs))
        live = await new_filter()._engine()
        assert await live.ready(60)
        await told()

    assert [line["event"] for line in logs if line["event"] in {"erasure_postponed", "data_erased"}] == [
        "erasure_postponed",
        "data_erased",
    ]


async def test_a_store_that_is_away_is_waited_for(
    engine: Engine, events: Any, monkeypatch: pytest.MonkeyPatch, alice: Person
) -> None:
    monkeypatch.setattr(erasure, "_LOOK_SECONDS", 0.01)
    await engine.add(alice, LISBON)
    really, tries = engine.erase, []

    async def away(user_id: str) -> Erasure:
        tries.append(user_id)
        if len(tries) < 3:
            raise StoreUnavailableError
        return await really(user_id)

    monkeypatch.setattr(engine, "erase", away)
    await events.event(event=deleted(alice))
    await told()

    assert len(tries) == 3
    assert await contents(engine, alice) == []
    assert not background._running


async def test_a_missing_package_is_told(
    events: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for module in [
        name for name in sys.modules if name.partition(".")[0] in {"recollect", "recollect_openwebui"}
    ]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "recollect_openwebui", None)

    with caplog.at_level(logging.INFO):
        await events.event(event=deleted("alice"))

    assert "nothing of user alice is erased, module recollect_openwebui is missing" in caplog.text
