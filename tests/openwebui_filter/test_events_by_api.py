"""With the proxy there is no engine in Open WebUI: what is deleted there is erased by the memory API."""

import logging
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from tests.openwebui_filter.openwebui import EVENTS, load
from tests.openwebui_filter.test_events import deleted, deleted_chat
from tests.recollect_proxy.memory_api.serving import TOKEN, Api
from tests.support.people import person
from tests.support.stores import NOON, Store
from tests.support.waiting import until

from recollect.engine.background import model_waits
from recollect.model import Add, Formed, Reason

CHATS = ["7d9c1f52-2f1b-4c6e-9a53-0a8a3c1b7a11", "0f6c2b3a-9a53-4c6e-8f0d-7d9c1f522f1b"]
LATER = "3e0d6a5b-6a38-4f0c-9a0e-2f4c6b8d1e57"
BY_API = "a conversation without a chat of Open WebUI's"


@pytest.fixture
async def store(store: Store) -> Store:
    """Its store, and what two users said; the id of one must be quoted in a path."""
    store = replace(store, anna=person("an/na"))
    for user in (store.anna, store.ben):
        for session_id in (*CHATS, BY_API):
            await store.log.append(store.exchange("I live in Lisbon", user.chat(session_id)))
    return store


@pytest.fixture
def events(api: Api) -> Any:
    made = load(EVENTS, function_id="recollect_events")
    made.valves = made.Valves(memory_api=f"http://127.0.0.1:{api.port}/memory/", key=TOKEN)
    return made


async def happens(events: Any, event: dict[str, Any]) -> None:
    """Wait until all is done that follows on it."""
    await events.event(event=event)
    await until(lambda: not events._running)


async def sessions(store: Store, user_id: str | None = None) -> set[str]:
    """Return the chats of a user that are remembered, Anna's unless told otherwise."""
    return set(await store.memories.sessions(user_id or store.anna))


async def test_a_chat_that_is_deleted_and_then_their_account_are_erased(events: Any, store: Store) -> None:
    await happens(events, deleted_chat(CHATS[0], store.anna))
    assert await sessions(store) == {CHATS[1], BY_API}

    await happens(events, deleted(store.anna))
    assert await sessions(store) == set()
    assert await sessions(store, store.ben) == {*CHATS, BY_API}


async def test_of_all_chats_those_of_open_webui_are_erased_that_had_begun(events: Any, store: Store) -> None:
    later, odd = (
        datetime.now(UTC) + timedelta(minutes=1),
        {CHATS[0].replace("-", ""), "../../../users/x", "-" * 36},
    )
    await store.log.append(store.exchange("I live in Oslo", store.anna.chat(LATER), at=later))
    for session_id in (*odd, CHATS[0].upper()):
        await store.log.append(store.exchange("I live in Oslo", store.anna.chat(session_id)))

    await happens(events, deleted(store.anna, event="chat.deleted_all"))

    assert await sessions(store) == {BY_API, LATER, *odd}


async def test_an_api_that_is_away_is_tried_again(
    events: Any, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    reachable = events.valves
    monkeypatch.setitem(type(events).event.__globals__, "_DELAYS", (0.01,) * 10_000)
    events.valves = reachable.model_copy(update={"memory_api": "http://127.0.0.1:9/memory"})
    tries: list[str] = []
    there = type(events).event.__globals__["_to_delete"]

    async def found_on_the_third_try(client: Any, user: str, *what: Any) -> list[str]:
        tries.append(user)
        if len(tries) > 2:
            user = user.replace("http://127.0.0.1:9/memory", reachable.memory_api.rstrip("/"))
        urls: list[str] = await there(client, user, *what)
        return urls

    monkeypatch.setitem(type(events).event.__globals__, "_to_delete", found_on_the_third_try)
    await happens(events, deleted(store.anna))

    assert len(tries) == 3
    assert await sessions(store) == set()


@pytest.mark.parametrize(
    ("valves", "says"),
    [
        ({"key": "another"}, "the memory API answers 401"),
        ({"memory_api": "recollect/memory"}, "UnsupportedProtocol"),
        ({"memory_api": "http://127.0.0.1:9/memory"}, "ConnectError"),
    ],
)
async def test_what_can_never_be_done_or_not_within_an_hour_is_told_and_the_token_never(
    valves: dict[str, str],
    says: str,
    events: Any,
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    for name, value in (("_DELAYS", ()), ("_LONG_DELAY", 0.01), ("_TRYING_SECONDS", 0.1)):
        monkeypatch.setitem(type(events).event.__globals__, name, value)
    events.valves = events.valves.model_copy(update=valves)

    with caplog.at_level(logging.INFO, logger="recollect_openwebui"):
        await happens(events, deleted(store.anna))

    told = [record.getMessage() for record in caplog.records]
    assert told == [f"Recollect: not all of user {store.anna} is erased: {says}"]
    assert await sessions(store) == {*CHATS, BY_API}


@pytest.fixture
def open_webui(monkeypatch: pytest.MonkeyPatch) -> list[tuple[dict[str, str], dict[str, Any]]]:
    """What Open WebUI is told to show, and where: its own modules as the function finds them."""
    shown: list[tuple[dict[str, str], dict[str, Any]]] = []

    class Chats:
        @staticmethod
        async def get_message_by_id_and_message_id(_chat_id: str, message_id: str) -> dict[str, str]:
            return {"id": message_id, "parentId": "said-1"}

    async def get_event_emitter(where: dict[str, str]) -> Any:
        async def emit(event: dict[str, Any]) -> None:
            shown.append((where, event))

        return emit

    for name, found in (
        ("models.chats", SimpleNamespace(Chats=Chats)),
        ("socket.main", SimpleNamespace(get_event_emitter=get_event_emitter)),
    ):
        monkeypatch.setitem(sys.modules, f"open_webui.{name}", found)
    return shown


def finished(user_id: str, chat_id: str = CHATS[0]) -> dict[str, Any]:
    data = {"user_id": user_id, "chat_id": chat_id, "message_id": "answer-1"}
    return {"event": "chat.finished", "subject": {"type": "chat", "id": chat_id}, "data": data}


async def test_what_an_answer_taught_is_shown_over_it_once_it_is_formed_and_once(
    events: Any, store: Store, open_webui: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_waits, "_UNLOGGED_SECONDS", 0.0)
    scope = store.anna.chat(CHATS[0])
    exchange = store.exchange("I have a dog.", scope, key="said-1")
    await store.log.append(exchange)
    await events.event(event=finished(store.anna))
    memory = store.memory("I have a dog.", scope)
    await store.inbox.complete([Formed(exchange, (Add(memory, Reason.NEW),))], at=NOON)
    await until(lambda: not events._running)

    for user_id in (store.ben, store.anna):
        await happens(events, finished(user_id))

    where = {"user_id": store.anna, "chat_id": CHATS[0], "message_id": "answer-1"}
    told = {"type": "status", "data": {"description": "Remembered: I have a dog.", "done": True}}
    assert open_webui == [(where, told)]


async def test_events_are_not_shown_where_they_are_switched_off(
    events: Any, store: Store, open_webui: list[Any]
) -> None:
    there = events.valves
    for change in ({"show_remembered": False}, {"memory_api": ""}):
        events.valves = there.model_copy(update=change)
        await events.event(event=finished(store.anna))

        assert not events._running
    assert open_webui == []
