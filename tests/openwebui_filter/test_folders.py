"""Where a person wants it, each folder of their chats in Open WebUI has a memory of its own."""

import sys
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from tests.openwebui_filter.openwebui import UNDO, Chat, load
from tests.openwebui_filter.telling import DOG, LISBON, WHERE, formed, told
from tests.support.people import Person
from tests.support.tables import table
from tests.support.waiting import until

from recollect.engine import Engine
from recollect.model import TeamRole, project_scope
from recollect_openwebui import my_memories
from recollect_openwebui.erasure import begin_erasing
from recollect_openwebui.hook_call import Call, folder_title, team_named

FOLDER = "4a1d6a5b-6a38-4f0c-9a0e-2f4c6b8d1e57"
BY_FOLDER = {"folders": True}


@dataclass
class Tables:
    """Open WebUI's tables, as it loads them: the folders of saved chats, and whose folders they are.

    A failure of the database is None there, as is what does not exist.
    """

    folders: dict[tuple[str, str], str | None] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)
    name: str = "Moving house"
    fails: bool = False

    async def get_chat_folder_id(self, chat_id: str, user_id: str) -> str | None:
        return None if self.fails else self.folders.get((chat_id, user_id))

    async def get_chat_by_id_and_user_id(self, chat_id: str, user_id: str) -> Any:
        """Return a person's chat."""
        is_there = not self.fails and (chat_id, user_id) in self.folders
        return SimpleNamespace(folder_id=self.folders[chat_id, user_id]) if is_there else None

    async def get_folder_by_id_and_user_id(self, folder_id: str, user_id: str) -> Any:
        """Return a person's folder."""
        is_theirs = self.owners.get(folder_id) == user_id
        return SimpleNamespace(id=folder_id, name=self.name) if is_theirs else None


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> Tables:
    made = Tables()
    monkeypatch.setitem(sys.modules, "open_webui.models.chats", SimpleNamespace(Chats=made))
    monkeypatch.setitem(sys.modules, "open_webui.models.folders", SimpleNamespace(Folders=made))
    return made


def chat_in(tables: Tables, memory: Any, user: str, folder: str | None = FOLDER, **valves: bool) -> Chat:
    chat = Chat(memory, user, valves={**BY_FOLDER, **valves})
    tables.folders[chat.chat_id, user] = folder
    tables.owners[FOLDER] = user
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


@table(
    ("folder", "project"),
    [
        ("team:family", "team:family"),
        (" Team : The  Lisbon crew ", "team:The Lisbon crew"),
        ("team:", None),
        ("family", None),
        ("team", None),
        ("my team:family", None),
        (f"team:{'x' * 60}", None),
    ],
)
def test_a_folder_names_a_team_by_its_id(folder: str, project: str | None) -> None:
    assert team_named(folder) == project


async def test_a_family_of_two_shares_what_each_states_in_the_folder_of_its_team(
    memory: Any, engine: Engine, tables: Tables, alice: Person, bob: Person
) -> None:
    team = await engine.keep_team(f"family of {alice}")
    await engine.set_member(team.id, alice, TeamRole.OWNER, "Alice")
    await engine.set_member(team.id, bob, TeamRole.WRITER, "Bob")
    tables.name = f"team:{team.id}"
    nuts, parts = "Is allergic to nuts", {who: project_scope(who, tables.name) for who in (alice, bob)}

    await chat_in(tables, memory, alice).says(LISBON)
    await formed(memory, parts[alice], 1)
    await engine.add(parts[alice], nuts)
    assert f"Alice: {nuts}" in await chat_in(tables, memory, bob).says("Is anybody allergic to nuts?")
    assert LISBON not in await chat_in(tables, memory, bob).says(WHERE), "a chat is its person's own"
    assert nuts not in await chat_in(tables, memory, alice, None).says("Is anybody allergic to nuts?")


async def test_in_the_folder_of_a_team_that_one_is_not_in_nothing_is_recalled_or_kept(
    memory: Any, engine: Engine, tables: Tables, alice: Person, bob: Person
) -> None:
    team = await engine.keep_team(f"family of {alice}")
    await engine.add(bob, LISBON)
    tables.name = f"team:{team.id}"
    chat = chat_in(tables, memory, bob)

    assert await chat.says(WHERE) == ""
    await told()
    assert any("you are not in the team" in each for each in chat.statuses)
    assert [await engine.sessions(each) for each in (bob, project_scope(bob, tables.name))] == [[], []]


async def test_a_folder_of_another_person_is_not_called_by_its_name(tables: Tables) -> None:
    tables.owners[FOLDER] = "ben"
    metadata = {"recollect_project": FOLDER}

    assert await folder_title(Call({"id": "ben"}, metadata)) == (FOLDER, "Moving house")
    assert await folder_title(Call({"id": "anna"}, metadata)) is None


@pytest.mark.parametrize("is_of_a_chat", [True, False])
async def test_a_request_names_a_folder_only_where_it_is_of_no_chat(
    memory: Any, engine: Engine, tables: Tables, alice: Person, *, is_of_a_chat: bool
) -> None:
    await engine.add(project_scope(alice, FOLDER), LISBON)
    chat = chat_in(tables, memory, alice, None)
    chat.metadata = {"folder_id": FOLDER}
    if not is_of_a_chat:
        chat.chat_id = ""

    assert (LISBON in await chat.says(WHERE)) != is_of_a_chat


async def test_without_the_wish_folders_mean_nothing(memory: Any, tables: Tables, alice: Person) -> None:
    await chat_in(tables, memory, alice, folders=False).says(LISBON)
    await formed(memory, alice, 1)

    assert LISBON in await chat_in(tables, memory, alice, None).says(WHERE)


async def test_a_folder_that_is_not_known_costs_the_message_its_memory(
    memory: Any, engine: Engine, tables: Tables, alice: Person
) -> None:
    await engine.add(alice, LISBON)
    for folder in (FOLDER, None):
        chat = chat_in(tables, memory, alice, folder)
        tables.fails = True
        assert await chat.says(WHERE) == ""
    assert await engine.sessions(alice) == []


async def test_the_button_undoes_what_a_message_in_a_folder_taught(
    taught: Any, learning: Engine, tables: Tables, alice: Person
) -> None:
    chat = chat_in(tables, taught, alice)
    await chat.says(DOG)
    await told()
    assert [each.content for each in await of(learning, alice)] == [DOG]

    await chat.acts(load(UNDO, function_id="recollect_undo"))

    assert await of(learning, alice) == []


async def of(engine: Engine, user_id: str) -> list[Any]:
    return list((await engine.page(project_scope(user_id, FOLDER), limit=9)).memories)


async def test_a_deleted_chat_is_erased_in_its_folder(
    memory: Any, engine: Engine, tables: Tables, alice: Person
) -> None:
    chat = chat_in(tables, memory, alice)
    await chat.says(LISBON)
    await formed(memory, project_scope(alice, FOLDER), 1)

    begin_erasing(alice, chat.chat_id)

    async def is_gone() -> bool:
        return not await of(engine, alice)

    await until(is_gone)


async def test_my_memories_lists_and_changes_those_of_folders_too(engine: Engine, alice: Person) -> None:
    own = [await engine.add(alice, f"Likes tea {number}") for number in range(3)]
    boat = await engine.add(project_scope(alice, "boat"), "The boat is called Petrel")
    mast = await engine.add(project_scope(alice, "boat"), "The mast is new")
    mine = my_memories(alice)
    assert mine is not None

    listed, after = [], None
    while True:
        page = await mine.page(limit=2, after=after)
        assert len(page["memories"]) <= 2
        listed += page["memories"]
        if (after := page["next"]) is None:
            break

    assert [(each["id"], each["project"]) for each in listed] == [
        *((str(each.id), "") for each in reversed(own)),
        (str(mast.id), "boat"),
        (str(boat.id), "boat"),
    ]
    await mine.correct(str(boat.id), "The boat is called Gull")
    [edit, *_] = await mine.changes(limit=5, memory_id=str(boat.id))
    await mine.undo(edit["id"])
    await mine.forget(str(boat.id))
    [forgotten, *_] = await mine.changes(limit=5)
    assert (forgotten["before"], forgotten["action"]) == ("The boat is called Petrel", "retire")
