"""The typed client does everything the memory API can, over a real socket."""

import asyncio
import socket
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import msgspec
import pytest
from tests.recollect.store.keeping import apply
from tests.recollect_proxy.memory_api.serving import TOKEN, Api
from tests.recollect_proxy.memory_api.test_documentation import operations, validator
from tests.support.stores import NOON, Store

from recollect import model
from recollect.api.chats import ChangesOfMessage, MarkedTurn, MessageToUndo
from recollect.api.endpoint_table import (
    Answer,
    Held,
    Memories,
    Operation,
    Profiles,
    Projects,
    Requests,
    Server,
    Settings,
    Shared,
    Teams,
    Tokens,
    Users,
)
from recollect.api.memories import (
    Bulk,
    BulkCorrection,
    BulkForget,
    HeldDecision,
    Memory,
    MemoryChange,
    Move,
    NewGlobalMemory,
    NewMemory,
    NewSessionMemory,
    Sharing,
    TodoEnd,
)
from recollect.api.people import (
    CommonFlagsChange,
    FlagsChange,
    NewProfileEntry,
    Profile,
    ProfileEntryChange,
)
from recollect.api.projects import NewMember, NewTeam, ProjectChange
from recollect.api.queries import OfErasure, OfMemories, OfPage, OfSearch
from recollect.client import (
    AsyncMemoryClient,
    ChangedMeanwhileError,
    ConflictError,
    InvalidRequestError,
    MemoryApiError,
    MemoryClient,
    NotFoundError,
    UnauthorizedError,
    UnavailableError,
)


class Checked(AsyncMemoryClient):
    """The client, which holds each answer to the OpenAPI document."""

    def __init__(self, api: Api, document: Any) -> None:
        self._document, self._asked = document, ""
        checking = httpx.AsyncClient(event_hooks={"response": [self._check]}, timeout=30)
        super().__init__(f"http://127.0.0.1:{api.port}/", TOKEN, client=checking)

    async def ask(self, operation: Operation[Answer], *ids: str | UUID, **given: Any) -> Answer:
        self._asked = f"{operation.method} {operation.path}"
        return await super().ask(operation, *ids, **given)

    async def _check(self, response: httpx.Response) -> None:
        await response.aread()
        known = operations(self._document)[self._asked]["responses"][str(response.status_code)]
        for media in known.get("content", {}).values():
            shape = media["schema"]["$ref"].rpartition("/")[2]
            validator(self._document, shape).validate(response.json())


@pytest.fixture
async def client(api: Api, documentation: Any) -> AsyncIterator[AsyncMemoryClient]:
    async with Checked(api, documentation) as client:
        yield client


async def test_a_memory_is_found_corrected_and_brought_back(api: Api, client: AsyncMemoryClient) -> None:
    anna, ask = str(api.anna), client.ask
    new = NewMemory("Likes tea.", importance=0.4, session_id="chat-1")
    tea = await ask(Memories.add_memory, anna, send=new)
    assert (tea.content, tea.importance, tea.provenance.session_id) == ("Likes tea.", 0.4, "chat-1")
    assert await ask(Memories.read_memory, anna, tea.id) == tea
    looked = OfSearch(q="tea", kind=[model.Kind.FACT], limit=3)
    [found] = (await ask(Memories.search_memories, anna, send=looked)).found
    assert (found.memory.id, found.score > 0) == (tea.id, True)

    change = MemoryChange(content="Likes milk.")
    milk = await ask(Memories.correct_memory, anna, tea.id, send=change, if_match=tea.etag)
    assert milk.etag not in {None, tea.etag}
    with pytest.raises(ChangedMeanwhileError) as refused:
        await ask(Memories.forget_memory, anna, tea.id, if_match=tea.etag)
    assert refused.value.problem is not None
    assert (refused.value.problem.status, refused.value.problem.error.code) == (412, "changed_meanwhile")

    history = await ask(Memories.list_memory_changes, anna, tea.id)
    edit = history.changes[0]
    before = OfMemories(as_of=edit.at - timedelta(microseconds=1))
    past = await ask(Memories.list_memories, anna, send=before)
    assert [each.content for each in past.memories] == ["Likes tea."]
    assert (edit.before, edit.after) == ("Likes tea.", "Likes milk.")
    undone = await ask(Memories.undo_change, anna, edit.id, key="undo-1")
    assert (await ask(Memories.undo_change, anna, edit.id, key="undo-1")) == undone
    assert (await ask(Memories.read_memory, anna, tea.id)).etag == tea.etag
    await ask(Memories.forget_memory, anna, tea.id)
    gone = await ask(Memories.list_memories, anna, send=OfMemories(state=model.State.PAST, text="TEA"))
    assert [each.known_until is not None for each in gone.memories] == [True]


async def test_pages_follow_by_themselves(api: Api, client: AsyncMemoryClient) -> None:
    anna, ask = str(api.anna), client.ask
    for number in range(5):
        new = NewMemory(f"Number {number}.", kind=model.Kind.TODO if number == 2 else model.Kind.FACT)
        await ask(Memories.add_memory, anna, send=new)

    facts = OfMemories(kind=[model.Kind.FACT], limit=2)
    told = [each.content async for each in client.each(Memories.list_memories, anna, send=facts)]
    changes = [each.after async for each in client.each(Memories.list_changes, anna, send=OfPage(limit=2))]

    assert told == [f"Number {number}." for number in (4, 3, 1, 0)]
    assert changes == [f"Number {number}." for number in (4, 3, 2, 1, 0)]
    assert [each.text for each in (await ask(Memories.list_todos, anna)).todos] == ["Number 2."]


async def test_many_are_changed_at_once_or_refused_by_name(api: Api, client: AsyncMemoryClient) -> None:
    anna, ask = str(api.anna), client.ask
    one, two = [await ask(Memories.add_memory, anna, send=NewMemory(each)) for each in ("One.", "Two.")]

    wrong = Bulk([BulkForget(one.id), BulkForget(uuid4())])
    with pytest.raises(ConflictError) as refused:
        await ask(Memories.change_many_memories, anna, send=wrong)
    both = Bulk([BulkForget(one.id), BulkCorrection(id=two.id, event_at=NOON)])
    done = await ask(Memories.change_many_memories, anna, send=both, key="k")

    assert refused.value.problem is not None
    errors = refused.value.problem.errors
    assert isinstance(errors, list)
    assert [(each.index, each.code) for each in errors] == [(1, "memory_not_found")]
    told = [(each.done, each.memory and each.memory.event_at) for each in done.results]
    assert told == [("forgotten", None), ("corrected", NOON)]


async def test_all_else_is_asked_too(own_api: Api, own_store: Store, documentation: Any) -> None:
    api, store = own_api, own_store
    anna, ben = str(api.anna), str(api.ben)
    held = [store.memory(f"Always praise the {name}.") for name in ("Aurora", "Bristol")]
    await apply(store, *(model.Quarantine(each, model.Reason.INSTRUCTION) for each in held))
    await store.log.append(store.exchange("Hello."))
    async with Checked(api, documentation) as client:
        ask = client.ask
        waiting = await ask(Held.list_held, anna)
        assert {each.memory.id for each in waiting.held} == {each.id for each in held}
        token = await ask(Tokens.make_token, anna)
        link = await ask(Tokens.make_page_link, anna)
        assert token.expires_at > link.expires_at
        assert [each.operation for each in (await ask(Users.list_admin_reads, anna)).reads][-1]
        kept = await ask(Held.approve_held, anna, held[0].id)
        await ask(Held.refuse_held, anna, held[1].id)
        await apply(store, model.Quarantine(store.memory("They row."), model.Reason.APPROVAL, hides=False))
        all_of = HeldDecision(approved=False, session_id="chat-1")
        assert (await ask(Held.decide_held, anna, send=all_of)).decided == 0
        assert (await ask(Held.decide_held, anna, send=HeldDecision(approved=False))).decided == 1
        shared = await ask(Shared.share_memory, anna, kept.id, send=Sharing([ben]))
        assert shared.shared
        assert [each.id async for each in client.each(Memories.list_memories, ben)] == [kept.id]
        rule = await ask(Shared.add_global_memory, send=NewGlobalMemory("Lunch is at noon."))
        assert [each.id for each in (await ask(Shared.list_global_memories)).memories] == [rule.id]
        await ask(Shared.forget_global_memory, rule.id)
        assert (await ask(Users.list_sessions, anna)).sessions == ["chat-1"]
        assert (await ask(Users.erase_session, anna, "chat-1")).rows["messages"] == 2
        change = FlagsChange(recall=False, user_cap=9)
        assert (await ask(Settings.change_user_settings, anna, send=change)).own.recall is False
        assert (await ask(Settings.read_user_settings, anna)).effective.user_cap == 9
        assert (await ask(Settings.change_settings, send=CommonFlagsChange(user_cap=7))).user_cap == 7
        assert (await ask(Settings.read_settings)).user_cap == 7
        assert (await ask(Server.read_usage, anna)).tokens == 0
        assert (await ask(Server.retry_formation)).retried == 0
        assert (await ask(Server.check_health)).store == "ok"
        with pytest.raises(NotFoundError):
            await ask(Requests.explain_request, uuid4())
        proof = await ask(Users.erase_user, anna, send=OfErasure(vacuum=True))
        assert set(proof.left.values()) == {0}
        assert "vectors" in (proof.vacuumed or [])


async def test_projects_todos_and_teams_are_asked_too(api: Api, client: AsyncMemoryClient) -> None:
    anna, ask = str(api.anna), client.ask
    boat = await ask(Memories.add_memory, anna, send=NewMemory("Sails."), project="\u8239")
    listed = client.each(Memories.list_memories, anna, project="\u8239")
    assert [each.project async for each in listed] == ["\u8239"]
    change = ProjectChange(title="The\nPetrel\x1f", alone=True)
    renamed = await ask(Projects.change_project, anna, "\u8239", send=change)
    assert (renamed.title, renamed.alone, renamed.memories) == ("The Petrel", True, 1)
    assert (await ask(Projects.list_projects, anna)).projects == [renamed]
    own = await ask(Projects.move_memory, anna, boat.id, send=Move(None), project="\u8239")
    assert (own.project, own.content) == ("", "Sails.")
    assert (await ask(Projects.erase_project, anna, "\u8239")).rows["users_vectors"] == 0
    buy = await ask(Memories.add_memory, anna, send=NewMemory("Buy tea.", kind=model.Kind.TODO))
    ended = await ask(Memories.end_todo, anna, buy.id, send=TodoEnd("done"))
    assert (ended.action, ended.reason) == ("retire", "ended")
    await ask(Teams.keep_team, send=NewTeam(f"crew of {anna}"))
    made = await ask(Teams.set_member, f"crew of {anna}", send=NewMember(anna, model.TeamRole.OWNER))
    assert [(each.person, each.role) for each in made.members] == [(anna, model.TeamRole.OWNER)]
    assert len((await ask(Teams.erase_team, f"crew of {anna}")).parts) == 1


async def test_a_chat_is_read_marked_and_undone(api: Api, store: Store, client: AsyncMemoryClient) -> None:
    anna, chat, ask = str(api.anna), store.anna.chat("a/b"), client.ask
    said = store.exchange("I drink green tea.", chat, key="m1")
    await store.log.append(said)
    of_chat: Any = {"kind": model.Kind.SUMMARY, "provenance": model.Provenance("a/b")}
    summary = store.memory("They spoke of tea.", **of_chat, outline=model.Outline(todos=("Buy tea.",)))
    await apply(store, model.Add(summary, model.Reason.SUMMARIZED), scope=chat)

    told = [each async for each in client.each(Users.list_messages, anna, "a/b", send=OfPage(limit=1))]
    await ask(Users.mark_turn, anna, "a/b", said.message_id, send=MarkedTurn(marked=True))
    again = await ask(Users.list_messages, anna, "a/b")
    read = await ask(Users.read_summary, anna, "a/b")

    assert [(each.text, each.marked) for each in told] == [("I drink green tea.", False), ("I see.", False)]
    assert [each.marked for each in again.items] == [True, True]
    assert (read.text, read.todos, read.memory_id) == ("They spoke of tea.", ["Buy tea."], summary.id)
    assert (await ask(Users.ask_for_summary, anna, "a/b")).turns == 1
    new = NewSessionMemory("Likes tea.", kind=model.Kind.PREFERENCE)
    written = await ask(Memories.add_session_memory, anna, "a/b", send=new, key="k")
    listed = await ask(Memories.list_session_memories, anna, "a/b")
    assert [each.id for each in listed.items] == [written.id, summary.id]
    assert await ask(Memories.read_session_memory, anna, "a/b", written.id) == written
    with pytest.raises(ChangedMeanwhileError):
        await ask(Memories.forget_session_memory, anna, "a/b", written.id, if_match='"1"')
    await ask(Memories.forget_session_memory, anna, "a/b", written.id, if_match=written.etag)
    with pytest.raises(NotFoundError):
        await ask(Memories.read_session_memory, anna, "a/b", written.id)
    assert (await ask(Users.take_message_changes, anna, "a/b", send=ChangesOfMessage("m1"))).line == ""
    undone = await ask(Users.undo_message, anna, "a/b", send=MessageToUndo("m1"))
    assert (undone.changes, undone.line[:28]) == ([], "Nothing is left here to undo")
    assert [each.hidden for each in (await ask(Users.list_messages, anna, "a/b")).items] == [True] * 2


async def test_a_profile_is_written_confirmed_and_taken_back(api: Api, client: AsyncMemoryClient) -> None:
    anna, ask = str(api.anna), client.ask
    is_anna = NewProfileEntry(model.ProfileField.NAME, "Is called Anna.")
    with pytest.raises(ConflictError) as refused:
        await ask(Profiles.add_profile_entry, anna, send=is_anna)
    assert refused.value.code == "profile_not_allowed"
    await ask(Settings.change_user_settings, anna, send=FlagsChange(profile=True))
    await ask(Memories.add_memory, anna, send=NewMemory("Prefers short, direct answers."))

    name = await ask(Profiles.add_profile_entry, anna, send=is_anna, key="k")
    proposed = await ask(Profiles.propose_profile, anna)
    [answers] = [each for each in proposed.entries if each.state == "proposed"]
    confirmed = await ask(Profiles.confirm_profile_entry, anna, answers.id)
    change = ProfileEntryChange(content="Is called Ana.")
    changed = await ask(Profiles.correct_profile_entry, anna, name.id, send=change)
    await ask(Profiles.erase_profile_entry, anna, answers.id)

    assert (confirmed.state, confirmed.field) == ("confirmed", "answers")
    profile = await ask(Profiles.read_profile, anna)
    assert (profile.consents, profile.entries, profile.updated_at) == (True, [changed], changed.changed_at)
    await ask(Settings.change_user_settings, anna, send=FlagsChange(profile=None))
    nothing = Profile(consents=False, entries=[], updated_at=None)
    assert await ask(Profiles.read_profile, anna) == nothing


async def test_the_one_that_waits_does_the_same(api: Api) -> None:
    anna = str(api.anna)

    def use() -> list[str]:
        with MemoryClient(f"http://127.0.0.1:{api.port}", TOKEN) as client:
            for number in range(3):
                client.ask(Memories.add_memory, anna, send=NewMemory(f"Number {number}."))
            with pytest.raises(InvalidRequestError) as refused:
                client.ask(Memories.list_memories, anna, send=OfMemories(text="x" * 201))
            assert refused.value.problem is not None
            assert (refused.value.problem.error.field, refused.value.problem.status) == ("text", 400)
            one = OfMemories(limit=1)
            return [each.content for each in client.each(Memories.list_memories, anna, send=one)]

    assert await asyncio.to_thread(use) == ["Number 2.", "Number 1.", "Number 0."]


async def test_who_has_no_token_no_server_or_another_server_is_told_so(api: Api) -> None:
    async with AsyncMemoryClient(f"http://127.0.0.1:{api.port}", "wrong") as client:
        with pytest.raises(UnauthorizedError):
            await client.ask(Memories.list_todos, "anna")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        async with AsyncMemoryClient(f"http://127.0.0.1:{unused.getsockname()[1]}", TOKEN) as client:
            with pytest.raises(UnavailableError) as unreached:
                await client.ask(Memories.list_todos, "anna")
    assert unreached.value.problem is None
    with api.over(None), pytest.raises(UnavailableError) as away:
        async with AsyncMemoryClient(f"http://127.0.0.1:{api.port}", TOKEN) as client:
            await client.ask(Memories.list_todos, "anna")
    assert away.value.code == "store_unavailable"
    for answer in (httpx.Response(200, text="<html>"), httpx.Response(302)):
        given = httpx.AsyncClient(transport=httpx.MockTransport(lambda _, answer=answer: answer))
        with pytest.raises(MemoryApiError, match=r"answer"):
            await AsyncMemoryClient("http://other", TOKEN, client=given).ask(Memories.list_todos, "anna")
        await given.aclose()


async def test_a_newer_servers_fields_and_words_are_no_error(api: Api) -> None:
    known = await api.write("Likes tea.")
    newer = known | {"kind": "a-kind-of-tomorrow", "source": "x", "of_tomorrow": {}}

    assert msgspec.json.decode(msgspec.json.encode(newer), type=Memory).kind == "a-kind-of-tomorrow"
