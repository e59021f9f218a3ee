"""Who is deleted in Open WebUI is erased, and what only a deleted chat taught; what can't be erased yet waits in a file."""

import asyncio
import json
import logging
import os
import sys
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.openwebui_filter.openwebui import EVENTS, Chat, load
from tests.openwebui_filter.processes import Process
from tests.openwebui_filter.telling import LISBON, contents, formed, process_ends, told
from tests.support.people import Person, person
from tests.support.stores import NOON, Store, store_over
from tests.support.waiting import until

from recollect.assembly import host_engine
from recollect.engine import Engine
from recollect.engine.live.live_engine import LiveEngine
from recollect.errors import StoreUnavailableError
from recollect.model import Erasure, Scope
from recollect.settings.engine_settings import EngineSettings
from recollect_openwebui import engines, erasure, hook_call

LOCKER = "My locker at the pool has the number 417."
DIARY = "Keeps a diary."


@pytest.fixture
def events() -> Any:
    return load(EVENTS, function_id="recollect_events")


def deleted(user_id: Any, *, event: str = "user.deleted", kind: str = "user") -> dict[str, Any]:
    return {
        "event": event,
        "resource": "user",
        "operation": "deleted",
        "actor": {"id": "an administrator", "role": "admin", "type": "user"},
        "subject": {"type": kind, "id": user_id},
        "data": {},
    }


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
    return deleted(chat_id, event="chat.deleted", kind="chat") | {"data": {"owner_id": owner}}


async def two_chats(memory: Any, user_id: str) -> list[Chat]:
    chats = [Chat(memory, user_id), Chat(memory, user_id)]
    for chat, text in zip(chats, (LISBON, LOCKER), strict=True):
        await chat.says(text)
    await formed(memory, user_id, 2)
    return chats


async def test_what_a_deleted_chat_taught_goes_and_nothing_else_nor_the_chat_of_another(
    memory: Any, engine: Engine, events: Any, alice: Person, bob: Person
) -> None:
    gone, left = await two_chats(memory, alice)

    await events.event(event=deleted_chat(left.chat_id, bob))
    await events.event(event=deleted_chat(gone.chat_id, alice))
    await told()

    assert await engine.sessions(alice) == [left.chat_id]
    [content] = await contents(engine, alice)
    assert LOCKER in content


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


async def test_whatever_else_happens_erases_nobody_and_what_is_no_id_is_told_of(
    engine: Engine, events: Any, alice: Person, caplog: pytest.LogCaptureFixture
) -> None:
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

    with caplog.at_level(logging.INFO, logger="recollect_openwebui"):
        for event in others:
            await events.event(event=event)
            await told()

            assert await contents(engine, alice) == [LISBON], event

    assert [record.getMessage() for record in caplog.records if record.name == "recollect_openwebui"] == [
        "Recollect: nothing is erased of what was deleted: a dot or two are no id"
    ] * 6


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
    assert not hook_call._running


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


CHAT, OTHER = "7d9c1f52-2f1b-4c6e-9a53-0a8a3c1b7a11", "0f6c2b3a-9a53-4c6e-8f0d-7d9c1f522f1b"
BY_API = "x"
OF_ERASING = ("data_erased", "eras", "openwebui")
"""How what is logged of it begins."""

UNREADABLE = {
    "a": "{",
    "b": "7",
    "c": "",
    "d": '{"user_id": "alice", "chat_id": ""}',
    "e": '["alice"]',
    "f": '["alice", 7]',
    "g": '["alice", null, "2026-03-15T09:30:00"]',
    "h": '"alice"',
}


@pytest.fixture
def erasures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where what is to be erased waits, in Open WebUI's data folder."""
    monkeypatch.setattr(erasure, "_LOOK_SECONDS", 0.01)
    monkeypatch.setattr(erasure, "_LOOK_SECONDS_AT_MOST", 0.05)
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    engines._resume_once.cache_clear()
    return tmp_path / "recollect" / "to-erase"


@pytest.fixture
def store(engine: Engine) -> Store:
    return store_over(engine._backends.store)


@pytest.fixture
def first(memory: Any, store: Store, process: Process, monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ARG001 -- the engine opened for it
    """A filter before the first chat of its process: no engine is at hand until it asks for one."""

    def asked_for(settings: EngineSettings) -> Coroutine[Any, Any, LiveEngine]:
        monkeypatch.setattr(host_engine, "_shared", process.engines)
        return host_engine.shared_engine(settings)

    monkeypatch.setattr(host_engine, "_shared", [])
    monkeypatch.setattr(engines, "shared_engine", asked_for)
    engines._resume_once.cache_clear()
    return memory


def waiting(erasures: Path) -> list[str]:
    return sorted(each.name for each in erasures.glob("*"))


def everything_of(user_id: str) -> str:
    """Return the file content that asks to erase everything of a person."""
    return json.dumps([user_id, ""])


def write(erasures: Path, **texts: str) -> None:
    erasures.mkdir(parents=True)
    for name, text in texts.items():
        (erasures / f"{name}.json").write_text(text)


async def say(store: Store, *chats: Scope, at: datetime = NOON) -> None:
    """Have something said in each chat."""
    for chat in chats:
        await store.log.append(store.exchange(LISBON, chat, at=at))


async def test_what_a_process_could_not_erase_the_next_one_does_with_its_first_chat(
    erasures: Path, events: Any, new_filter: Callable[..., Any], own_store: Store
) -> None:
    gone, parted, cleared = person("gone"), person("parted"), person("cleared")
    for user in (gone, parted, cleared):
        await say(own_store, *map(user.chat, (CHAT, OTHER, BY_API)))
    for event in (deleted(gone), deleted_chat(CHAT, parted), deleted(cleared, event="chat.deleted_all")):
        await events.event(event=event)
    await until(lambda: len(waiting(erasures)) == 3)
    await process_ends()

    live = await new_filter()._engine()
    assert await live.ready(60)
    await told()

    assert set(await own_store.memories.sessions(gone)) == set()
    assert set(await own_store.memories.sessions(parted)) == {OTHER, BY_API}
    assert set(await own_store.memories.sessions(cleared)) == {BY_API}
    assert waiting(erasures) == []


async def test_an_erasure_that_nobody_can_read_is_told_and_stops_no_other(
    erasures: Path, first: Any, store: Store
) -> None:
    write(erasures, **UNREADABLE, z=everything_of(store.anna))
    await say(store, store.anna.chat("x"))

    with capture_logs() as logs:
        await first._engine()
        await told()

    assert await store.memories.sessions(store.anna) == []
    left = [f"{name}.json" for name in UNREADABLE]
    assert [line["file"] for line in logs if line["event"] == "erasure_read_failed"] == left
    assert waiting(erasures) == left


@pytest.mark.parametrize(
    ("data", "errors"),
    [
        (".", ["erasure_save_failed"]),  # where a file stands in place of the folder
        ("missing", []),
        (
            "x" * 1000,
            ["erasure_save_failed", "erasures_resume_failed"],
        ),  # to look whether it is a folder fails
    ],
)
async def test_where_no_file_can_be_kept_it_is_told_and_waits_all_the_same(
    data: str,
    errors: list[str],
    erasures: Path,
    events: Any,
    first: Any,
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    erasures.parent.write_text("no folder")
    monkeypatch.setenv("DATA_DIR", str(erasures.parents[1] / data))
    await say(store, store.anna.chat(BY_API))

    with capture_logs() as logs:
        await events.event(event=deleted(store.anna))
        await until(lambda: "erasure_postponed" in [line["event"] for line in logs])
        assert await (await first._engine()).ready(60)
        await told()

    assert [line["event"] for line in logs if line["log_level"] == "error"] == errors
    assert "openwebui_notification_failed" not in {line["event"] for line in logs}
    assert await store.memories.sessions(store.anna) == []


async def test_only_files_of_its_own_are_read(
    erasures: Path, first: Any, store: Store, tmp_path: Path
) -> None:
    write(erasures)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text(everything_of(store.anna))
    (erasures / "a.json").symlink_to(elsewhere)
    (erasures / "b.json").mkdir()
    os.mkfifo(erasures / "c.json")
    (erasures / "d.json").symlink_to("nowhere")
    (erasures / "e.part").write_text(everything_of(store.anna))
    await say(store, store.anna.chat(BY_API))

    with capture_logs() as logs:
        assert await (await first._engine()).ready(60)
        await told()

    odd = ["a.json", "b.json", "c.json", "d.json"]
    assert [line["file"] for line in logs if line["event"] == "erasure_read_failed"] == odd
    assert await store.memories.sessions(store.anna) == [BY_API]


async def test_an_erasure_that_another_process_carried_out_meanwhile_is_nothing(
    erasures: Path, first: Any, monkeypatch: pytest.MonkeyPatch, alice: Person
) -> None:
    write(erasures, a=everything_of(alice))
    really = erasure._read_request

    def too_late(file: Path) -> Any:
        file.unlink()
        return really(file)

    monkeypatch.setattr(erasure, "_read_request", too_late)
    with capture_logs() as logs:
        assert await (await first._engine()).ready(60)
        await told()

    assert not {"erasure_read_failed", "data_erased"} & {line["event"] for line in logs}


async def test_a_file_that_can_not_be_removed_is_no_failure(
    erasures: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch, alice: Person
) -> None:
    write(erasures, a=everything_of(alice))
    await engine.add(alice, LISBON)
    monkeypatch.setattr(Path, "unlink", _refuse)

    with capture_logs() as logs:
        erasure.resume_erasing()
        await told()

    assert [line["event"] for line in logs if line["event"].startswith(OF_ERASING)] == ["data_erased"]
    assert waiting(erasures) == ["a.json"]


def _refuse(_file: Path, *, missing_ok: bool = False) -> None:
    raise PermissionError(missing_ok)


async def test_a_file_is_whole_or_not_there(
    erasures: Path, events: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[str]] = []
    really = Path.replace

    def replace(file: Path, target: Path) -> Path:
        seen.append(waiting(erasures))
        return really(file, target)

    monkeypatch.setattr(Path, "replace", replace)
    await events.event(event=deleted("alice"))
    await until(lambda: bool([each for each in waiting(erasures) if each.endswith(".json")]))
    await process_ends()

    assert [each.endswith(".part") for [each] in seen] == [True]
    [name] = waiting(erasures)
    assert erasure._read_request(erasures / name) == ("alice", "", None)


async def test_of_all_chats_those_stay_that_began_after_they_were_deleted_however_late_that_is_done(
    erasures: Path, events: Any, first: Any, store: Store
) -> None:
    now = datetime.now(UTC)
    before, after = now - timedelta(minutes=1), now + timedelta(minutes=1)
    await say(store, store.anna.chat(CHAT), at=before)
    await say(store, store.anna.chat(OTHER), at=after)
    await events.event(event=deleted(store.anna, event="chat.deleted_all"))
    await until(lambda: bool(waiting(erasures)))
    await process_ends()

    assert await (await first._engine()).ready(60)
    await told()

    assert await store.memories.sessions(store.anna) == [OTHER]
    assert waiting(erasures) == []


async def test_only_ids_as_open_webui_makes_them_are_those_of_its_chats(
    events: Any, engine: Engine, store: Store
) -> None:
    an_hour_ago = datetime.now(UTC) - timedelta(hours=1)
    odd = {CHAT.replace("-", ""), f"{{{CHAT}}}", f"urn:uuid:{CHAT}", f"{CHAT}\n", "-" * 36}
    await say(store, *map(store.anna.chat, (CHAT, OTHER.upper(), *odd)), at=an_hour_ago)

    await events.event(event=deleted(store.anna, event="chat.deleted_all"))
    await told()

    assert set(await engine.sessions(store.anna)) == odd


async def test_it_looks_less_and_less_often(
    erasures: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch, alice: Person
) -> None:
    monkeypatch.setattr(erasure, "_LOOK_SECONDS", 1.0)
    monkeypatch.setattr(erasure, "_LOOK_SECONDS_AT_MOST", 60.0)
    slept: list[float] = []

    async def away(_user_id: str) -> Any:
        if len(slept) < 9:
            raise StoreUnavailableError
        raise ZeroDivisionError  # ends it

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(engine, "erase", away)
    monkeypatch.setattr(erasure, "asyncio", SimpleNamespace(sleep=sleep))
    write(erasures, a=everything_of(alice))
    erasure.resume_erasing()
    await asyncio.gather(*hook_call._running)

    assert slept == [1, 2, 4, 8, 16, 32, 60, 60, 60]
