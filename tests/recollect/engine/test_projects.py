"""A project has a memory of its own: in its chats it stands with the person's, and it is never met outside of it."""

import json
import re
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs
from tests.recollect.engine.test_chat_requests import DONE, Chat, answer, told
from tests.recollect.engines import PATIENT, engine_over
from tests.recollect.store.found import indexed
from tests.support.people import Person, person
from tests.support.stores import NOON, Store
from tests.support.tables import table

from recollect.engine import Engine
from recollect.engine.live.chat_counts import log_recall
from recollect.engine.people.chat_search import Period
from recollect.errors import DuplicateMemoryError, MemoryNotFoundError, ProjectNotFoundError, StoreError
from recollect.index import Snapshot
from recollect.model import (
    SEPARATOR,
    STATEMENTS,
    Actor,
    Flags,
    Item,
    Kind,
    MemoryFilter,
    ProfileField,
    Reason,
    Scope,
    is_agents,
    person_of,
    project_name,
    project_of,
    project_scope,
    project_within,
)

TEA, BOAT = "I drink green tea", "The boat is called Petrel"
WHICH_TEA, WHICH_BOAT = "What tea do I drink", "How is the boat called"


@table(
    ("text", "name"),
    [
        ("boat", "boat"),
        ("  the  boat ", "the boat"),
        ("cafe\u0301", "caf\u00e9"),
        ("\u8239", "\u8239"),
        ("x" * 64, "x" * 64),
        ("x" * 65, None),
        (" ", None),
        ("", None),
        ("a\nb", None),
        (f"a{SEPARATOR}b", None),
        ("a\0", None),
        ("\ud800", None),
        (7, None),
        (None, None),
    ],
)
def test_a_projects_name_has_one_form(text: object, name: str | None) -> None:
    assert project_name(text) == name


@given(st.text(min_size=1).filter(lambda text: SEPARATOR not in text), st.text())
def test_a_projects_id_tells_person_and_project(user_id: str, text: str) -> None:
    name = project_name(text) or ""
    scope = project_scope(user_id, name)

    assert (person_of(scope), project_of(scope)) == (user_id, name)


def test_an_agents_own_memory_is_told_by_its_name() -> None:
    ids = ("anna\x1fagent:coder", "anna\x1fagent:", "anna\x1fagents", "agent:coder", "anna")

    assert [is_agents(each) for each in ids] == [True, False, False, False, False]


@table(
    ("bound", "named", "project"),
    [
        ("", "", ""),
        ("", "boat", "boat"),
        ("boat", "", "boat"),
        ("boat", "boat", "boat"),
        ("boat", "house", None),
        ("agent:coder", "boat", None),
    ],
)
def test_a_key_for_a_project_reaches_no_other(bound: str, named: str, project: str | None) -> None:
    assert project_within(bound, named) == project


async def contents(subject: Engine, user_id: str) -> set[str]:
    page = await subject.page(user_id, limit=50)
    return {each.content for each in page.memories if each.kind in STATEMENTS}


async def recalled(store: Store, subject: Engine, user_id: str, question: str) -> set[str]:
    recall = await subject.recall(store.turn(question, Scope(user_id, "asking")))
    return {each.item.content for each in recall.recollections}


@dataclass
class Lives:
    """A person with two projects, and an engine."""

    subject: Engine
    own: Person = field(default_factory=lambda: person("anna"))

    @property
    def boat(self) -> str:
        """The id of the one project."""
        return project_scope(self.own, "boat")

    @property
    def house(self) -> str:
        """The id of the other one."""
        return project_scope(self.own, "house")


@pytest.fixture
def lives(store: Store) -> Lives:
    return Lives(engine_over(store, PATIENT))


async def test_nothing_is_kept_under_an_id_that_tells_no_project(lives: Lives) -> None:
    with pytest.raises(StoreError):
        await lives.subject.add(f"{lives.boat}{SEPARATOR}house", BOAT)


async def test_in_a_project_its_memory_stands_with_the_persons_own(store: Store, lives: Lives) -> None:
    await lives.subject.add(lives.own, TEA)
    await lives.subject.add(lives.boat, BOAT)

    assert await recalled(store, lives.subject, lives.boat, WHICH_TEA) == {TEA}
    assert await recalled(store, lives.subject, lives.boat, WHICH_BOAT) == {BOAT}
    for elsewhere in (lives.own, lives.house):
        assert await recalled(store, lives.subject, elsewhere, WHICH_BOAT) == set()
        assert await recalled(store, lives.subject, elsewhere, WHICH_TEA) == {TEA}


async def test_what_changed_of_the_persons_own_counts_in_the_project_from_the_next_turn_on(
    store: Store, lives: Lives
) -> None:
    await lives.subject.add(lives.boat, BOAT)
    assert await recalled(store, lives.subject, lives.boat, WHICH_TEA) == set()
    tea = await lives.subject.add(lives.own, TEA)
    assert await recalled(store, lives.subject, lives.boat, WHICH_TEA) == {TEA}
    assert await recalled(store, lives.subject, lives.boat, WHICH_TEA) == {TEA}

    await lives.subject.forget(lives.own, tea.id)

    assert await recalled(store, lives.subject, lives.boat, WHICH_TEA) == set()


async def test_what_is_recalled_in_a_project_is_joined_again_only_when_a_memory_changed(
    store: Store, lives: Lives
) -> None:
    cache = store.snapshots
    tea, _ = await lives.subject.add(lives.own, TEA), await lives.subject.add(lives.boat, BOAT)

    async def joined() -> Snapshot:
        return await cache.with_others(await cache.get(lives.boat), [await cache.get(lives.own)])

    at_first = await joined()
    for scope in (lives.own, lives.boat):
        assert await store.log.append(store.exchange("The mast is new", Scope(scope, "chat")))
        assert await indexed(store.index, scope)
    then = await joined()
    assert then.memories is at_first.memories
    assert then.passages is not None
    assert len(then.passages.items) == 2, "the log is the latest"
    await lives.subject.forget(lives.own, tea.id)
    assert {each.content for each in (await joined()).memories.items} == {BOAT}
    cache.forget(lives.own)
    assert cache.has(lives.own), "by the project's"
    cache.forget(lives.boat)
    assert not cache.has(lives.own)


async def test_a_project_alone_recalls_nothing_of_the_persons_own(store: Store, lives: Lives) -> None:
    await lives.subject.add(lives.own, TEA)
    await lives.subject.add(lives.boat, BOAT)

    changed = await lives.subject.change_project(lives.own, "boat", title="The Petrel", alone=True)

    assert (changed.title, changed.alone, changed.memories) == ("The Petrel", True, 1)
    assert await recalled(store, lives.subject, lives.boat, WHICH_TEA) == set()
    assert await recalled(store, lives.subject, lives.boat, WHICH_BOAT) == {BOAT}
    assert (await lives.subject.search(lives.boat, WHICH_TEA, limit=9)).memories[0][0].content == BOAT


@table(("name", "heading"), [("boat", "This project, 2026:"), ("agent:mate", "This agent, 2026:")])
async def test_the_prompt_says_which_statements_are_the_projects(
    store: Store, lives: Lives, name: str, heading: str
) -> None:
    lives = Lives(lives.subject)
    there = project_scope(lives.own, name)
    await lives.subject.add(lives.own, TEA)
    await lives.subject.add(there, "I drink black tea on the boat")

    prepared = await lives.subject.prepare(store.turn(WHICH_TEA, Scope(there, "asking")))

    lines = told(prepared).splitlines()
    assert lines[-5:-1] == [
        "2026:",
        f"\u2022 {TEA}",
        heading,
        "\u2022 I drink black tea on the boat",
    ]


async def test_a_persons_profile_is_theirs_in_a_project_too(store: Store, lives: Lives) -> None:
    subject = engine_over(store, replace(PATIENT, stands=True))
    await subject.change_flags(Flags(profile=True), ("profile",), lives.own)
    await subject.add_to_profile(lives.own, ProfileField.NAME, "Is called Anna")

    block = told(await subject.prepare(store.turn("hello", Scope(lives.boat, "asking"))))

    assert "Is called Anna" in block
    assert "This project" not in block


async def test_what_is_said_in_a_project_stays_there_and_is_searched_there_alone(
    store: Store, lives: Lives
) -> None:
    said = store.turn(BOAT, Scope(lives.boat, "chat"))
    assert await lives.subject.remember(said, "A fine name.")
    await lives.subject.drain(lives.boat)

    assert {each.session_id for each in await found_in_chats(lives, lives.boat)} == {"chat"}
    assert await found_in_chats(lives, lives.own) == []
    assert await lives.subject.sessions(lives.own) == []
    assert await lives.subject.sessions(lives.boat) == ["chat"]
    assert await recalled(store, lives.subject, lives.own, WHICH_BOAT) == set()


async def found_in_chats(lives: Lives, user_id: str) -> list[Item]:
    found = await lives.subject.search_chats(user_id, WHICH_BOAT, limit=9, period=Period())
    return [each.item for each in found.found]


@table("first", ["own", "boat"])
async def test_the_same_words_in_two_scopes_are_two_memories(lives: Lives, first: str) -> None:
    lives = Lives(lives.subject)
    there, then = (lives.own, lives.boat) if first == "own" else (lives.boat, lives.own)
    one = await lives.subject.add(there, TEA)
    other = await lives.subject.add(then, TEA)

    await lives.subject.forget(there, one.id)

    assert await contents(lives.subject, then) == {TEA}
    assert (await lives.subject.get(then, other.id)).owner == then
    with pytest.raises(MemoryNotFoundError):
        await lives.subject.get(there, other.id)


async def test_a_persons_settings_hold_in_their_projects(store: Store, lives: Lives) -> None:
    await lives.subject.change_flags(Flags(record=False), ("record",), lives.own)

    said = store.turn(BOAT, Scope(lives.boat, "chat"))
    assert not await lives.subject.remember(said, "A fine name.")
    assert (await lives.subject.policy_of(lives.boat)).records is False


# -- moving ------------------------------------------------------------------------------------------


async def test_a_moved_memory_is_in_its_new_place_alone_and_back_once_it_is_undone(lives: Lives) -> None:
    boat = await lives.subject.add(lives.own, BOAT, kind=Kind.TODO, importance=0.7)

    moved = await lives.subject.move(lives.own, boat.id, "boat", actor=Actor.USER)

    assert (moved.content, moved.kind, moved.importance) == (BOAT, Kind.TODO, 0.7)
    assert (await contents(lives.subject, lives.own), await contents(lives.subject, lives.boat)) == (
        set(),
        {BOAT},
    )
    [gone, *_] = await lives.subject.history(lives.own, boat.id)
    [came] = await lives.subject.history(lives.boat, moved.id)
    assert {gone.reason, came.reason} == {Reason.MOVED}
    await lives.subject.undo(lives.boat, came.id, actor=Actor.USER)
    assert (await contents(lives.subject, lives.own), await contents(lives.subject, lives.boat)) == (
        {BOAT},
        set(),
    )


async def test_a_move_is_undone_from_its_old_place_too(lives: Lives) -> None:
    boat = await lives.subject.add(lives.boat, BOAT)
    await lives.subject.move(lives.boat, boat.id, "", actor=Actor.USER)
    assert await contents(lives.subject, lives.own) == {BOAT}
    [gone, *_] = await lives.subject.history(lives.boat, boat.id)

    await lives.subject.undo(lives.boat, gone.id, actor=Actor.USER)

    assert (await contents(lives.subject, lives.own), await contents(lives.subject, lives.boat)) == (
        set(),
        {BOAT},
    )


@table("since", ["moved on", "edited"])
async def test_a_memory_that_was_changed_since_its_move_stays_when_that_is_undone(
    lives: Lives, since: str
) -> None:
    lives = Lives(subject := lives.subject)
    boat = await subject.add(lives.boat, BOAT)
    moved = await subject.move(lives.boat, boat.id, "")
    if since == "edited":
        await subject.revise(lives.own, moved.id, content=TEA, actor=Actor.USER)
    else:
        await subject.move(lives.own, moved.id, "house")
    left = [await contents(subject, each) for each in (lives.own, lives.house)]
    [gone, *_] = await subject.history(lives.boat, boat.id)

    await subject.undo(lives.boat, gone.id, actor=Actor.USER)

    assert await contents(subject, lives.boat) == {BOAT}
    assert [await contents(subject, each) for each in (lives.own, lives.house)] == left


async def test_a_memory_is_not_moved_to_where_it_is_or_where_its_words_are(lives: Lives) -> None:
    boat = await lives.subject.add(lives.own, BOAT)
    await lives.subject.add(lives.boat, BOAT)

    with pytest.raises(DuplicateMemoryError):
        await lives.subject.move(lives.own, boat.id, "boat")
    with pytest.raises(MemoryNotFoundError):
        await lives.subject.move(lives.own, boat.id, "")
    with pytest.raises(MemoryNotFoundError):
        await lives.subject.move(lives.boat, boat.id, "")
    assert await contents(lives.subject, lives.own) == {BOAT}


# -- requests in a chat ------------------------------------------------------------------------------


async def test_of_a_list_in_a_project_the_persons_own_is_forgotten_and_brought_back_too(
    store: Store, lives: Lives
) -> None:
    await lives.subject.add(lives.own, TEA)
    await lives.subject.add(lives.boat, BOAT)
    chat = Chat(store, lives.subject, Scope(lives.boat, "chat"))
    await chat.says("What do you know about me?", f"1. {TEA}\n2. {BOAT}")

    forgotten = await chat.says("Forget number 1")

    assert answer(forgotten).startswith(DONE)
    assert await contents(lives.subject, lives.own) == set()
    assert await contents(lives.subject, lives.boat) == {BOAT}
    await chat.says("Undo that")
    assert await contents(lives.subject, lives.own) == {TEA}


async def test_a_block_in_a_project_goes_with_the_persons_own_memory_that_it_names(
    store: Store, lives: Lives
) -> None:
    tea = await lives.subject.add(lives.own, TEA)
    chat = Chat(store, lives.subject, Scope(lives.boat, "chat"))
    assert TEA in told(await chat.says(WHICH_TEA))
    assert TEA in told(await chat.says("And a bicycle?")), "earlier blocks are put back"

    await lives.subject.forget(lives.own, tea.id)

    assert TEA not in told(await chat.says("And a dog?"))


async def test_a_project_counts_how_often_the_persons_own_is_recalled(store: Store, lives: Lives) -> None:
    tea, turn = await lives.subject.add(lives.own, TEA), store.turn(WHICH_TEA, Scope(lives.boat, "chat"))
    included = (await lives.subject.prepare(turn)).included

    await lives.subject.remember(turn, "Green tea.", recollections=included)

    counted = await lives.subject.get(lives.own, tea.id)
    assert (counted.recall_count, counted.last_recalled_at) == (1, NOON)


# -- erasing -----------------------------------------------------------------------------------------


async def test_a_project_is_erased_without_the_rest_and_a_person_with_all(store: Store, lives: Lives) -> None:
    for scope, words in ((lives.own, TEA), (lives.boat, BOAT), (lives.house, "The house is old")):
        await lives.subject.add(scope, words)
        await lives.subject.remember(store.turn(words, Scope(scope, "chat")), "I see.")
    assert [each.name for each in await lives.subject.projects(lives.own)] == ["boat", "house"]

    erased = await lives.subject.erase(lives.boat)

    assert not any(count for _, count in erased.left)
    assert [each.name for each in await lives.subject.projects(lives.own)] == ["house"]
    assert await contents(lives.subject, lives.own) == {TEA}
    assert await recalled(store, lives.subject, lives.own, WHICH_TEA) == {TEA}
    with pytest.raises(ProjectNotFoundError):
        await lives.subject.change_project(lives.own, "boat", title="x")
    late = store.turn("The boat is late", Scope(lives.house, "chat"))

    erased = await lives.subject.erase(lives.own)

    assert not any(count for _, count in erased.left)
    assert await lives.subject.projects(lives.own) == []
    for scope in (lives.own, lives.house):
        assert await contents(lives.subject, scope) == set()
        assert await lives.subject.sessions(scope) == []
    assert not await lives.subject.remember(late, "It was said before.")


# -- nobody meets another's --------------------------------------------------------------------------

NAMES = ("", "boat", "house")
_CANARY = re.compile(r"(stated|said)-(\d)-(\d)-\d+")
_STEPS = st.lists(
    st.tuples(st.sampled_from(["state", "say"]), st.integers(0, 1), st.integers(0, 2)), min_size=4, max_size=8
)


@given(steps=_STEPS)
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_no_canary_crosses_between_people_and_projects(
    store: Store, steps: list[tuple[str, int, int]]
) -> None:
    subject, people = engine_over(store, PATIENT), (person("anna"), person("ben"))
    scopes = {
        (who, which): project_scope(people[who], NAMES[which]) for who in range(2) for which in range(3)
    }
    for number, (what, who, which) in enumerate(steps):
        user_id = scopes[who, which]
        if what == "state":
            await subject.add(user_id, f"The name of my boat is stated-{who}-{which}-{number}")
        else:
            turn = store.turn(f"My boat is called said-{who}-{which}-{number}", Scope(user_id, f"c{number}"))
            await subject.remember(turn, "I see.")
            await subject.drain(user_id)

    for (who, which), user_id in scopes.items():
        asked = store.turn("What is the name of my boat, and how is it called?", Scope(user_id, "asking"))
        prepared = await subject.prepare(asked)
        in_chat = [told(prepared), str((await subject.inspect(asked)).candidates)]
        in_chat.append(str(await subject.agents.found(user_id, "the name of my boat", limit=50)))
        there = [str(await subject.page(user_id, limit=50)), str(await subject.history(user_id))]
        there.append(str(await subject.search(user_id, "the name of my boat", limit=50)))
        of_words = MemoryFilter(words=("boat",))
        there.append(str(await subject.said_last(user_id, limit=50, taken=of_words)))
        there.append(
            str(await subject.search_chats(user_id, "how is my boat called", limit=50, period=Period()))
        )
        async for section, row in subject.export(user_id):
            of = NAMES.index(json.loads(row).get("project", ""))
            assert met([section, row]) <= {("stated", who, of or which), ("said", who, of or which)}
        assert met(there) <= {("stated", who, which), ("said", who, which)}
        assert met(in_chat) <= {("stated", who, 0), ("stated", who, which), ("said", who, which)}
        stated = {("stated", person, of) for what, person, of in steps if what == "state"}
        assert met(in_chat) >= stated & {("stated", who, 0), ("stated", who, which)}


def met(texts: list[str]) -> set[tuple[str, int, int]]:
    """Return whose canaries texts hold."""
    return {(what, int(who), int(which)) for what, who, which in _CANARY.findall("\n".join(texts))}


async def test_no_log_tells_a_projects_name(store: Store, lives: Lives) -> None:
    turn = store.turn(BOAT, Scope(project_scope(lives.own, "divorce"), "chat"))
    with capture_logs() as logs:
        log_recall(turn, await lives.subject.prepare(turn))
        await lives.subject.remember(turn, "I see.")
        await lives.subject.drain(turn.scope.user_id)

    assert {each["event"] for each in logs} >= {"recalled", "memories_decided", "formed"}
    assert "divorce" not in str(logs)


async def test_the_standing_part_holds_the_persons_and_the_projects(store: Store, lives: Lives) -> None:
    subject = engine_over(store, replace(PATIENT, stands=True))
    await subject.add(lives.own, "I am allergic to nuts", importance=0.9)
    await subject.add(lives.boat, "Answer in the words of sailors", importance=0.9)

    block = told(await subject.prepare(store.turn("hello", Scope(lives.boat, "asking"))))

    assert "I am allergic to nuts" in block
    assert "Answer in the words of sailors" in block
