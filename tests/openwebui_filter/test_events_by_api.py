"""With the proxy there is no engine in Open WebUI: what is deleted there is erased by the memory API."""

import logging
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.contracts.stores import exchange
from tests.openwebui_filter.openwebui import EVENTS, load
from tests.openwebui_filter.test_events import deleted, deleted_chat
from tests.recollect_proxy.memory_api.serving import TOKEN, Api, engine_over, serve
from tests.waiting import until

from recollect.model import Scope
from recollect.postgres import Postgres

CHATS = ["7d9c1f52-2f1b-4c6e-9a53-0a8a3c1b7a11", "0f6c2b3a-9a53-4c6e-8f0d-7d9c1f522f1b"]
LATER = "3e0d6a5b-6a38-4f0c-9a0e-2f4c6b8d1e57"
BY_API = "a conversation without a chat of Open WebUI's"


@pytest.fixture
async def api(postgres: Postgres) -> AsyncIterator[Api]:
    """The memory API of a proxy, and what two users said."""
    for user_id in ("a/b", "bob"):
        for session_id in (*CHATS, BY_API):
            await postgres.log.append(exchange("I live in Lisbon", Scope(user_id, session_id)))
    async with serve(engine_over(postgres)) as served:
        yield served


@pytest.fixture
def events(api: Api) -> Any:
    made = load(EVENTS, function_id="recollect_events")
    made.valves = made.Valves(memory_api=f"http://127.0.0.1:{api.port}/memory/", admin_token=TOKEN)
    return made


async def happens(events: Any, event: dict[str, Any]) -> None:
    """Wait until all is done that follows on it."""
    await events.event(event=event)
    await until(lambda: not events._running)


async def sessions(postgres: Postgres, user_id: str = "a/b") -> set[str]:
    return set(await postgres.memories.sessions(user_id))


async def test_who_is_deleted_is_erased(events: Any, postgres: Postgres) -> None:
    await happens(events, deleted("a/b"))

    assert await sessions(postgres) == set()
    assert await sessions(postgres, "bob") == {*CHATS, BY_API}


async def test_a_chat_that_is_deleted_is_erased(events: Any, postgres: Postgres) -> None:
    await happens(events, deleted_chat(CHATS[0], owner="a/b"))

    assert await sessions(postgres) == {CHATS[1], BY_API}
    assert await sessions(postgres, "bob") == {*CHATS, BY_API}


async def test_of_all_chats_those_of_open_webui_are_erased(events: Any, postgres: Postgres) -> None:
    await happens(events, deleted("a/b", event="chat.deleted_all"))

    assert await sessions(postgres) == {BY_API}


async def test_an_api_that_is_away_is_tried_again(
    events: Any, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
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
    await happens(events, deleted("a/b"))

    assert len(tries) == 3
    assert await sessions(postgres) == set()


async def test_an_api_that_stays_away_is_given_up(
    events: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    known = type(events).event.__globals__
    monkeypatch.setitem(known, "_DELAYS", ())
    monkeypatch.setitem(known, "_LONG_DELAY", 0.01)
    monkeypatch.setitem(known, "_TRYING_SECONDS", 0.1)
    events.valves = events.valves.model_copy(update={"memory_api": "http://127.0.0.1:9/memory"})

    with caplog.at_level(logging.INFO, logger="recollect.openwebui"):
        await happens(events, deleted("a/b"))

    assert [record.getMessage() for record in caplog.records] == [
        "Recollect: not all of user a/b is erased: ConnectError"
    ]


@pytest.mark.parametrize(
    "event",
    [
        deleted(".."),
        deleted("..", event="chat.deleted_all"),
        deleted_chat(".", owner="a/b"),
        deleted_chat("..", owner="a/b"),
        deleted_chat(CHATS[0], owner=".."),
    ],
)
async def test_what_names_another_path_erases_nothing(
    event: dict[str, Any], events: Any, postgres: Postgres
) -> None:
    await happens(events, event)

    assert await sessions(postgres) == {*CHATS, BY_API}


async def test_of_all_chats_those_stay_that_began_after_they_were_deleted(
    events: Any, postgres: Postgres
) -> None:
    later = datetime.now(UTC) + timedelta(minutes=1)
    await postgres.log.append(exchange("I live in Oslo", Scope("a/b", LATER), at=later))

    await happens(events, deleted("a/b", event="chat.deleted_all"))

    assert await sessions(postgres) == {BY_API, LATER}


@pytest.mark.parametrize("odd", [CHATS[0].replace("-", ""), "../../../users/x", "-" * 36])
async def test_only_ids_as_open_webui_makes_them_are_those_of_its_chats(
    odd: str, events: Any, postgres: Postgres
) -> None:
    for session_id in (odd, CHATS[0].upper()):
        await postgres.log.append(exchange("I live in Oslo", Scope("a/b", session_id)))

    await happens(events, deleted("a/b", event="chat.deleted_all"))

    assert await sessions(postgres) == {BY_API, odd}


@pytest.mark.parametrize(
    ("valves", "says"),
    [
        ({"admin_token": "another"}, "the memory API answers 401"),
        ({"memory_api": "recollect/memory"}, "UnsupportedProtocol"),
    ],
)
async def test_what_can_never_be_done_is_told_at_once_and_the_token_never(
    events: Any,
    postgres: Postgres,
    caplog: pytest.LogCaptureFixture,
    valves: dict[str, str],
    says: str,
) -> None:
    events.valves = events.valves.model_copy(update=valves)

    with caplog.at_level(logging.INFO, logger="recollect.openwebui"):
        await happens(events, deleted("a/b"))

    assert f"not all of user a/b is erased: {says}" in caplog.text
    assert TOKEN not in caplog.text
    assert await sessions(postgres) == {*CHATS, BY_API}
