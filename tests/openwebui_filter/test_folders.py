"""Where a person wants it, each folder of their chats in Open WebUI has a memory of its own."""

import sys
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from tests.openwebui_filter.openwebui import UNDO, Chat, load
from tests.openwebui_filter.telling import DOG, LISBON, WHERE, formed, told
from tests.support.people import Person
from tests.support.waiting import until

from recollect.engine import Engine
from recollect.model import project_scope
from recollect_openwebui import my_memories
from recollect_openwebui.erasure import begin_erasing_chat

FOLDER = "4a1d6a5b-6a38-4f0c-9a0e-2f4c6b8d1e57"
BY_FOLDER = {"folders": True}


@dataclass
class Tables:
    """Open WebUI's tables, as it loads them: the folders of chats, and their names."""

    folders: dict[str, str] = field(default_factory=dict)
    fails: bool = False

    async def get_chat_folder_id(self, chat_id: str, _user_id: str) -> str | None:
        """Return a chat's folder."""
        if self.fails:
            raise OSError
        return self.folders.get(chat_id)

    async def get_folder_by_id(self, folder_id: str) -> Any:
        """Return a folder."""
        return SimpleNamespace(id=folder_id, name="Moving house")


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> Tables:
    made = Tables()
    monkeypatch.setitem(sys.modules, "open_webui.models.chats", SimpleNamespace(Chats=made))
    monkeypatch.setitem(sys.modules, "open_webui.models.folders", SimpleNamespace(Folders=made))
    return made


def chat_in(tables: Tables, memory: Any, user: str, folder: str | None = FOLDER, **valves: bool) -> Chat:
    chat = Chat(memory, user, valves={**BY_FOLDER, **valves})
    if folder is not None:
        tables.folders[chat.chat_id] = folder
    return chat


async def test_what_is_said_in_a_folder_is_recalled_in_it_alone(
    memory: Any, tables: Tables, alice: Person
) -> None:
    await chat_in(tables, memory, alice).says(LISBON)
    await formed(memory, project_scope(alice, FOLDER), 1)

    assert LISBON in await chat_in(tables, memory, alice).says(WHERE)
    assert await chat_in(tables, memory, alice, "another").says(WHERE) == ""
    assert await chat_in(tables, memory, alice, None).says(WHERE) == ""


async def test_a_folder_is_called_as_open_webui_calls_it(
    memory: Any, engine: Engine, tables: Tables, alice: Person
) -> None:
    await chat_in(tables, memory, alice).says(LISBON)

    async def is_named() -> bool:
        return [each.title for each in await engine.projects(alice)] == ["Moving house"]

    await until(is_named)


async def test_a_new_chats_folder_is_known_before_the_chat_is_kept(
    memory: Any, tables: Tables, alice: Person
) -> None:
    chat = chat_in(tables, memory, alice, None)
    chat.metadata = {"folder_id": FOLDER}

    await chat.says(LISBON)

    await formed(memory, project_scope(alice, FOLDER), 1)


async def test_without_the_wish_folders_mean_nothing(memory: Any, tables: Tables, alice: Person) -> None:
    await chat_in(tables, memory, alice, folders=False).says(LISBON)
    await formed(memory, alice, 1)

    assert LISBON in await chat_in(tables, memory, alice, None).says(WHERE)


async def test_a_folder_that_is_not_known_costs_the_message_its_memory(
    memory: Any, engine: Engine, tables: Tables, alice: Person
) -> None:
    await engine.add(alice, LISBON)
    tables.fails = True

    assert await chat_in(tables, memory, alice).says(WHERE) == ""
    assert await engine.sessions(alice) == []


async def test_the_button_undoes_what_a_message_in_a_folder_taught(
    taught: Any, tables: Tables, alice: Person
) -> None:
    chat = chat_in(tables, taught, alice)
    await chat.says(DOG)
    await told()
    engine: Engine = (await taught._engine()).engine
    assert [each.content for each in await of(engine, alice)] == [DOG]

    await chat.acts(load(UNDO, function_id="recollect_undo"))

    assert await of(engine, alice) == []


async def of(engine: Engine, user_id: str) -> list[Any]:
    return list((await engine.page(project_scope(user_id, FOLDER), limit=9)).memories)


async def test_a_deleted_chat_is_erased_in_its_folder(
    memory: Any, engine: Engine, tables: Tables, alice: Person
) -> None:
    chat = chat_in(tables, memory, alice)
    await chat.says(LISBON)
    await formed(memory, project_scope(alice, FOLDER), 1)

    begin_erasing_chat(alice, chat.chat_id)

    async def is_gone() -> bool:
        return not await of(engine, alice)

    await until(is_gone)


async def test_my_memories_lists_and_changes_those_of_folders_too(engine: Engine, alice: Person) -> None:
    own = [await engine.add(alice, f"Likes tea {number}") for number in range(3)]
    boat = await engine.add(project_scope(alice, "boat"), "The boat is called Petrel")
    mine = my_memories(alice)
    assert mine is not None

    listed, after = [], None
    while True:
        page = await mine.page(limit=2, after=after)
        listed += page["memories"]
        if (after := page["next"]) is None:
            break

    assert [(each["id"], each["project"]) for each in listed] == [
        *((str(each.id), "") for each in reversed(own)),
        (str(boat.id), "boat"),
    ]
    await mine.correct(str(boat.id), "The boat is called Gull")
    [edit, *_] = await mine.changes(limit=5, memory_id=str(boat.id))
    await mine.undo(edit["id"])
    await mine.forget(str(boat.id))
    [forgotten, *_] = await mine.changes(limit=5)
    assert (forgotten["before"], forgotten["action"]) == ("The boat is called Petrel", "retire")
