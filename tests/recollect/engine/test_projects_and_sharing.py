"""A project has a memory of its own, which stands in its chats with the person's; a team's is stated by its members, each named."""

import asyncio
import json
import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs
from tests.recollect.engine.test_requests_to_memory import DONE, NOT_DONE, Chat, answer, told
from tests.recollect.engines import PATIENT, engine_over
from tests.recollect.store.keeping import indexed
from tests.support.people import person
from tests.support.stores import LATER, NOON, Store
from tests.support.tables import table
from tests.support.watched_stores import Before, with_parts

from recollect.engine import Engine
from recollect.engine.live.live_engine import log_recall
from recollect.engine.people.browsing import ALL_TIME
from recollect.errors import (
    ChangeNotFoundError,
    DuplicateMemoryError,
    MemoryNotFoundError,
    NotAllowedInTeamError,
    ProjectNotFoundError,
    StoreError,
    TeamNotFoundError,
)
from recollect.index import Snapshot
from recollect.model import (
    MOST_MEMBERS,
    SEPARATOR,
    STATEMENTS,
    Actor,
    Add,
    Flags,
    Item,
    Kind,
    MemoryFilter,
    ProfileField,
    Reason,
    Removal,
    Revision,
    Scope,
    Skip,
    TeamRole,
    is_agents,
    person_of,
    project_name,
    project_of,
    project_scope,
    project_within,
    team_of,
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


class Lives:
    """A person with two projects, and an engine."""

    def __init__(self, subject: Engine) -> None:
        self.subject, self.own = subject, person("anna")
        self.boat, self.house = (project_scope(self.own, each) for each in ("boat", "house"))


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


async def test_recall_in_a_project_is_joined_anew_when_a_memory_changed(store: Store, lives: Lives) -> None:
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
async def test_prompts_name_projects_statements(store: Store, lives: Lives, name: str, heading: str) -> None:
    lives = Lives(lives.subject)
    there = project_scope(lives.own, name)
    await lives.subject.add(lives.own, TEA)
    await lives.subject.add(there, "I drink black tea on the boat")

    prepared = await lives.subject.prepare(store.turn(WHICH_TEA, Scope(there, "asking")))

    lines = told(prepared).splitlines()
    assert lines[-5:-1] == ["2026:", f"\u2022 {TEA}", heading, "\u2022 I drink black tea on the boat"]


async def test_in_a_projects_chats_stand_the_profile_and_both_memories(store: Store, lives: Lives) -> None:
    subject = engine_over(store, replace(PATIENT, stands=True))
    await subject.change_flags(Flags(profile=True), ("profile",), lives.own)
    await subject.add_to_profile(lives.own, ProfileField.NAME, "Is called Anna")
    hello = store.turn("hello", Scope(lives.boat, "asking"))
    assert "This project" not in told(await subject.prepare(hello))
    await subject.add(lives.own, "I am allergic to nuts", importance=0.9)
    await subject.add(lives.boat, "Answer in the words of sailors", importance=0.9)

    block = told(await subject.prepare(hello))

    for each in ("Is called Anna", "I am allergic to nuts", "Answer in the words of sailors"):
        assert each in block


async def test_what_is_said_in_a_project_stays_and_is_searched_there(store: Store, lives: Lives) -> None:
    said = store.turn(BOAT, Scope(lives.boat, "chat"))
    assert await lives.subject.remember(said, "A fine name.")
    await lives.subject.drain(lives.boat)

    assert {each.session_id for each in await found_in_chats(lives, lives.boat)} == {"chat"}
    assert (await found_in_chats(lives, lives.own), await lives.subject.sessions(lives.own)) == ([], [])
    assert await lives.subject.sessions(lives.boat) == ["chat"]
    assert await recalled(store, lives.subject, lives.own, WHICH_BOAT) == set()


async def found_in_chats(lives: Lives, user_id: str) -> list[Item]:
    found = await lives.subject.search_chats(user_id, WHICH_BOAT, limit=9, period=ALL_TIME)
    return [each.item for each in found.found]


@table("name, undone_there", [("boat", True), ("boat", False), ("", True), ("", False)])
async def test_a_moved_memory_is_in_its_new_place_alone_and_back_once_it_is_undone_from_either(
    lives: Lives, name: str, *, undone_there: bool
) -> None:
    lives = Lives(subject := lives.subject)
    here, there = (lives.own, lives.boat) if name else (lives.boat, lives.own)
    boat = await subject.add(here, BOAT, kind=Kind.TODO, importance=0.7)

    moved = await subject.move(here, boat.id, name, actor=Actor.USER)

    assert (moved.content, moved.kind, moved.importance) == (BOAT, Kind.TODO, 0.7)
    assert [await contents(subject, each) for each in (here, there)] == [set(), {BOAT}]
    [gone, *_] = await subject.history(here, boat.id)
    [came] = await subject.history(there, moved.id)
    assert {gone.reason, came.reason} == {Reason.MOVED}
    await subject.undo(*((there, came.id) if undone_there else (here, gone.id)), actor=Actor.USER)
    assert [await contents(subject, each) for each in (here, there)] == [{BOAT}, set()]


@table("since", ["moved on", "edited"])
async def test_a_memory_changed_since_its_move_stays_when_that_is_undone(lives: Lives, since: str) -> None:
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


async def test_of_a_list_in_a_project_the_own_is_forgotten_and_back_too(store: Store, lives: Lives) -> None:
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


@table("project, of_bound_key", [("boat", True), ("agent:coder", False)])
async def test_an_agent_or_a_key_for_one_project_has_nothing_of_the_persons_own_forgotten(
    store: Store, project: str, *, of_bound_key: bool
) -> None:
    anna = person("anna")
    subject, scope = engine_over(store, PATIENT), Scope(project_scope(anna, project), "chat")
    await subject.add(anna, TEA)
    chat = Chat(store, subject, scope, of_bound_key=of_bound_key)
    await chat.says("What do you know about me?", f"1. {TEA}")

    assert answer(await chat.says("Forget number 1")).startswith(f"{NOT_DONE} Nothing was changed")
    assert await contents(subject, anna) == {TEA}


async def test_a_key_for_one_project_brings_back_nothing_of_the_persons_own(
    store: Store, lives: Lives
) -> None:
    await lives.subject.add(lives.own, TEA)
    chat = Chat(store, lives.subject, Scope(lives.boat, "chat"))
    await chat.says("What do you know about me?", f"1. {TEA}")
    await chat.says("Forget number 1")
    chat.of_bound_key = True

    assert answer(await chat.says("Undo that")).startswith(NOT_DONE)
    assert await contents(lives.subject, lives.own) == set()


async def test_in_a_project_an_agent_forgets_nothing_of_the_persons_own(lives: Lives) -> None:
    await lives.subject.add(lives.own, TEA)

    forgetting = await lives.subject.agents.forget_named(lives.boat, TEA, agent="a")

    assert (forgetting.forgotten, await contents(lives.subject, lives.own)) == (None, {TEA})


async def test_a_block_in_a_project_goes_with_the_own_memory_it_names(store: Store, lives: Lives) -> None:
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


async def test_a_project_is_erased_without_the_rest_and_a_person_with_all(store: Store, lives: Lives) -> None:
    for scope, words in ((lives.own, TEA), (lives.boat, BOAT), (lives.house, "The house is old")):
        await lives.subject.add(scope, words)
        await lives.subject.remember(store.turn(words, Scope(scope, "chat")), "I see.")
    assert [each.name for each in await lives.subject.projects(lives.own)] == ["boat", "house"]
    assert (await lives.subject.project(lives.own, "house")).name == "house"
    with pytest.raises(ProjectNotFoundError):
        await lives.subject.project(lives.own, "garden")

    erased = await lives.subject.erase(lives.boat)

    assert not any(count for _, count in erased.left)
    assert [each.name for each in await lives.subject.projects(lives.own)] == ["house"]
    assert await contents(lives.subject, lives.own) == {TEA}
    assert await recalled(store, lives.subject, lives.own, WHICH_TEA) == {TEA}
    with pytest.raises(ProjectNotFoundError):
        await lives.subject.change_project(lives.own, "boat", title="x")
    late = store.turn("The boat is late", Scope(lives.house, "chat"))

    forgotten: list[str] = []
    lives.subject.when_erased(lambda user_id, _: forgotten.append(user_id))

    erased = await lives.subject.erase(lives.own)

    assert forgotten == [lives.own, lives.house], "also by what keeps recent exchanges"
    assert not any(count for _, count in erased.left)
    assert await lives.subject.projects(lives.own) == []
    for scope in (lives.own, lives.house):
        assert (await contents(lives.subject, scope), await lives.subject.sessions(scope)) == (set(), [])
    assert not await lives.subject.remember(late, "It was said before.")


# -- What a team's members state in its chats is recalled for all of them, with who said it; their chats and own memories are not --


PLUMBER, NUTS = "The plumber's number is 555 0199", "I am allergic to nuts"
WHICH_PLUMBER, WHICH_NUTS = "What is the plumber's number", "Am I allergic to nuts"


def test_an_agents_memory_and_a_part_of_a_team_are_told_by_their_names() -> None:
    ids = (
        "anna",
        "agent:a",
        "team:a",
        *(f"anna\x1f{each}" for each in ("a", "agent:", "agents", "team:", "team:a")),
    )

    assert [each for each in (*ids, "anna\x1fagent:a") if is_agents(each)] == ["anna\x1fagent:a"]
    assert [team_of(each) for each in ids] == ["", "", "", "", "", "", "", "a"]


class Family:
    """A family of an owner and a writer, a reader, and somebody who is not in it; its id no other test has."""

    def __init__(self, subject: Engine) -> None:
        self.subject = subject
        self.clara, self.ben, self.dora, self.mallory = map(person, ("clara", "ben", "dora", "mallory"))
        self.id = f"family of {self.clara}"

    def part(self, who: str) -> str:
        """Return somebody's part of it, whether they are in it or not."""
        return project_scope(who, f"team:{self.id}")


@pytest.fixture
async def family(store: Store) -> Family:
    made = Family(engine_over(store, PATIENT))
    await made.subject.keep_team(made.id, " The \n family ")
    for who, role, name in (
        (made.clara, TeamRole.OWNER, "Clara"),
        (made.ben, TeamRole.WRITER, "Ben"),
        (made.dora, TeamRole.READER, "Dora"),
    ):
        await made.subject.set_member(made.id, who, role, name)
    return made


async def test_what_a_member_states_is_recalled_for_members_alone(store: Store, family: Family) -> None:
    subject = family.subject
    await subject.add(family.part(family.clara), PLUMBER)

    for who in (family.clara, family.ben, family.dora):
        assert await recalled(store, subject, family.part(who), WHICH_PLUMBER) == {PLUMBER}
        assert await recalled(store, subject, who, WHICH_PLUMBER) == set(), "outside of its chats"
        assert await recalled(store, subject, project_scope(who, "boat"), WHICH_PLUMBER) == set()
    prepared = await subject.prepare(store.turn(WHICH_PLUMBER, Scope(family.part(family.mallory), "asking")))
    assert (prepared.recall.recollections, prepared.recall.skipped) == ((), Skip.NOT_IN_TEAM)


async def test_the_prompt_names_who_said_it_and_who_the_user_is(store: Store, family: Family) -> None:
    subject = family.subject
    await subject.add(family.part(family.clara), NUTS)
    await subject.add(family.part(family.ben), "I am allergic to cats")

    for_ben, for_clara = [
        told(await subject.prepare(store.turn("Who is allergic?", Scope(family.part(who), "asking"))))
        for who in (family.ben, family.clara)
    ]

    assert "This team, 2026:" in for_ben
    assert f"\u2022 Clara: {NUTS}" in for_ben
    assert "\u2022 Ben (the user): I am allergic to cats" in for_ben
    assert f"\u2022 Clara (the user): {NUTS}" in for_clara
    assert "\u2022 Ben: I am allergic to cats" in for_clara


async def test_statements_of_two_members_stand_side_by_side(store: Store, family: Family) -> None:
    for who in (family.clara, family.ben):
        said = store.turn(f"Remember that {NUTS}", Scope(family.part(who), "chat"))
        await family.subject.remember(said, "I will.")
        await family.subject.drain(family.part(who))

    page = await family.subject.page(family.part(family.dora), limit=9)

    assert {each.said_by for each in page.memories} == {family.clara, family.ben}


async def test_what_changed_counts_for_all_from_the_next_turn_on(store: Store, family: Family) -> None:
    subject, asking = family.subject, family.part(family.ben)
    assert await recalled(store, subject, asking, WHICH_PLUMBER) == set()
    number = await subject.add(family.part(family.clara), PLUMBER)
    assert await recalled(store, subject, asking, WHICH_PLUMBER) == {PLUMBER}

    await subject.revise(family.part(family.clara), number.id, content=f"{PLUMBER}0")

    assert await recalled(store, subject, asking, WHICH_PLUMBER) == {f"{PLUMBER}0"}


async def test_a_writer_corrects_forgets_and_brings_back_what_another_stated(family: Family) -> None:
    subject, ben, clara = family.subject, family.part(family.ben), family.part(family.clara)
    number = await subject.add(clara, PLUMBER, session_id="chat")

    fixed = await subject.revise(ben, number.id, content=f"{PLUMBER}0", actor=Actor.USER)
    await subject.forget(ben, number.id, actor=Actor.USER)

    assert (fixed.said_by, fixed.provenance.session_id) == (family.clara, None)
    assert await contents(subject, clara) == set()
    rows = await subject.history(clara, number.id)
    assert [each.by for each in rows] == [family.ben, family.ben, ""]
    assert (await subject.undo(ben, rows[0].id, actor=Actor.USER)).by == family.ben
    assert await contents(subject, clara) == {f"{PLUMBER}0"}
    with pytest.raises(ChangeNotFoundError):
        await subject.undo(ben, rows[2].id)
    await subject.set_member(family.id, family.ben, TeamRole.READER)
    with pytest.raises(NotAllowedInTeamError):
        await subject.undo(ben, rows[1].id)


async def test_a_reader_changes_nothing_and_states_nothing(store: Store, family: Family) -> None:
    subject, dora = family.subject, family.part(family.dora)
    number = await subject.add(family.part(family.clara), PLUMBER)
    own = await subject.add(family.dora, TEA)

    for refused in (
        subject.add(dora, TEA),
        subject.revise(dora, number.id, content=TEA),
        subject.forget(dora, number.id),
        subject.move(family.dora, own.id, f"team:{family.id}"),
        subject.agents.dictate(dora, TEA, kind=Kind.FACT, importance=0.5, agent="a"),
        subject.agents.forget_one(dora, number.id, agent="a"),
    ):
        with pytest.raises(NotAllowedInTeamError):
            await refused
    await subject.remember(store.turn(f"Remember that {NUTS}", Scope(dora, "chat")), "No.")
    await subject.drain(dora)
    assert await contents(subject, dora) == {PLUMBER}


@table("role, refused", [(TeamRole.READER, NotAllowedInTeamError), (TeamRole.FORMER, TeamNotFoundError)])
async def test_who_may_not_write_in_a_team_any_more_moves_nothing_back_into_it(
    family: Family, role: TeamRole, refused: type[Exception]
) -> None:
    subject, ben = family.subject, family.part(family.ben)
    await subject.set_member(family.id, family.ben, TeamRole.WRITER)
    number = await subject.add(ben, f"{PLUMBER} for a {role}")
    moved = await subject.move(ben, number.id, "")
    [came] = await subject.history(family.ben, moved.id)
    await subject.set_member(family.id, family.ben, role)

    for undoing in (subject.undo, subject.undo_together):
        with pytest.raises(refused):
            await undoing(family.ben, came.id)

    assert number.content in await contents(subject, family.ben)
    assert await contents(subject, family.part(family.clara)) == set()


async def test_who_is_not_in_a_team_meets_it_as_one_that_is_not_there(store: Store, family: Family) -> None:
    subject = family.subject
    number = await subject.add(family.part(family.clara), PLUMBER)
    own = await subject.add(family.mallory, TEA)

    for team in (f"team:{family.id}", "team:none"):
        part = project_scope(family.mallory, team)
        for refused in (
            subject.page(part, limit=9),
            subject.get(part, number.id),
            subject.history(part, number.id),
            subject.todos(part, limit=9),
            subject.search(part, WHICH_PLUMBER, limit=9),
            subject.add(part, TEA),
            subject.revise(part, number.id, content=TEA),
            subject.forget(part, number.id),
            subject.undo(part, number.id),
            subject.approve(part, number.id),
            subject.move(family.mallory, own.id, team),
            subject.agents.found(part, WHICH_PLUMBER, limit=9),
            subject.agents.dictate(part, TEA, kind=Kind.FACT, importance=0.5, agent="a"),
        ):
            with pytest.raises(TeamNotFoundError):
                await refused
        assert not await subject.remember(store.turn(PLUMBER, Scope(part, "chat")), "I see.")
        assert await subject.sessions(part) == []


async def test_nobody_sees_anothers_chats_summaries_or_sources(store: Store, family: Family) -> None:
    subject, clara, ben = family.subject, family.part(family.clara), family.part(family.ben)
    said = store.turn(f"Remember that {NUTS}", Scope(clara, "chat"))
    await subject.remember(said, "I will.")
    await subject.drain(clara)
    summary = store.memory("Clara talked about nuts", Scope(clara, "chat"), kind=Kind.SUMMARY)
    await store.memories.apply(Scope(clara, "chat"), [Add(summary)], actor=Actor.FORMATION, at=NOON)

    [mine] = [each for each in (await subject.page(clara, limit=9)).memories if each.content == NUTS]
    theirs = await subject.get(ben, mine.id)

    assert (mine.provenance.session_id, theirs.provenance.session_id) == ("chat", None)
    assert (theirs.provenance.evidence, theirs.version) == (None, mine.version)
    assert {each.content for each in (await subject.page(ben, limit=9)).memories} == {NUTS}
    by_words = await subject.said_last(ben, limit=9, taken=MemoryFilter(words=("nuts",)))
    assert [(each.content, each.label, each.provenance.session_id) for each in by_words.memories] == [
        (NUTS, "Clara", None)
    ]
    with pytest.raises(MemoryNotFoundError):
        await subject.get(ben, summary.id)
    assert await subject.sessions(ben) == []
    assert (await subject.search_chats(ben, "nuts", limit=9, period=ALL_TIME)).found == ()
    assert all(each.session_id is None for each in await subject.history(ben, mine.id))


async def test_what_members_share_is_to_be_done_once(family: Family) -> None:
    subject, clara, ben = family.subject, family.part(family.clara), family.part(family.ben)
    dentist = await subject.add(clara, "Has to call the dentist", kind=Kind.TODO)
    await subject.share(clara, dentist.id, [ben])

    assert [each.id for each in await subject.todos(ben, limit=9)] == [dentist.id]


async def test_who_left_reads_nothing_and_their_statements_stay_for_now(store: Store, family: Family) -> None:
    subject, clara, ben = family.subject, family.part(family.clara), family.part(family.ben)
    await subject.add(ben, PLUMBER)
    await subject.add(clara, NUTS)
    await subject.leave_team(family.id, family.ben)

    assert (await recalled(store, subject, ben, WHICH_NUTS), await subject.teams(family.ben)) == (set(), [])
    assert await recalled(store, subject, clara, WHICH_PLUMBER) == {PLUMBER}
    await subject.erase(ben)
    assert await recalled(store, subject, clara, WHICH_PLUMBER) == set()


async def test_who_may_not_write_any_more_changes_no_words_that_they_stated(family: Family) -> None:
    subject, ben = family.subject, family.part(family.ben)
    number = await subject.add(ben, PLUMBER)
    revised = Revision(number.id, content=NUTS)

    await subject.set_member(family.id, family.ben, TeamRole.READER)
    for refused in (subject.revise(ben, number.id, content=NUTS), subject.change_all(ben, [revised])):
        with pytest.raises(NotAllowedInTeamError):
            await refused
    await subject.leave_team(family.id, family.ben)
    for change in (revised, Removal(number.id)):
        with pytest.raises(TeamNotFoundError):
            await subject.change_all(ben, [change])

    assert await contents(subject, family.part(family.clara)) == {PLUMBER}


async def test_a_forgotten_statement_leaves_the_blocks_of_the_other_members(
    store: Store, family: Family
) -> None:
    subject, clara, ben = family.subject, family.part(family.clara), family.part(family.ben)
    chat = Chat(store, subject, Scope(ben, "asking"))
    nuts = await subject.add(clara, NUTS)
    await chat.says(WHICH_NUTS, "Clara is.")
    assert NUTS in str((await store.chats.chat(Scope(ben, "asking"), exchanges=9)).injections)

    await subject.forget(clara, nuts.id, actor=Actor.USER)

    assert (await store.chats.chat(Scope(ben, "asking"), exchanges=9)).injections == ()


async def test_all_that_a_person_stated_in_teams_goes_with_them(store: Store, family: Family) -> None:
    subject, clara, ben = family.subject, family.part(family.clara), family.part(family.ben)
    chat = Chat(store, subject, Scope(ben, "asking"))
    await subject.add(clara, NUTS)
    await chat.says(WHICH_NUTS, "Clara is.")
    before = await store.chats.chat(Scope(ben, "asking"), exchanges=9)
    assert NUTS in str(before.injections)
    await store.answers.reserve(ben, "key", b"request", at=NOON)
    await store.answers.keep(ben, "key", f"Undone: {NUTS}".encode(), None, at=NOON)

    erased = await subject.erase(family.clara)

    assert not any(count for _, count in erased.left)
    assert (await store.chats.chat(Scope(ben, "asking"), exchanges=9)).injections == ()
    assert await store.answers.reserve(ben, "key", b"request", at=NOON) is None, "its answer is gone"
    assert await contents(subject, ben) == set()
    assert [each.person for each in (await subject.team(family.id, None)).members] == sorted(
        [family.ben, family.dora]
    )


async def test_a_team_is_erased_whole(family: Family) -> None:
    subject, clara = family.subject, family.part(family.clara)
    await subject.add(clara, NUTS)
    await subject.add(family.clara, TEA)
    await subject.leave_team(family.id, family.ben)

    erased = await subject.erase_team(family.id)

    assert sum(dict(each.rows)["vectors"] for each in erased) == 1
    assert not any(count for each in erased for _, count in each.left)
    assert (await subject.teams(family.clara), await subject.projects(family.clara)) == ([], [])
    assert await contents(subject, family.clara) == {TEA}
    with pytest.raises(TeamNotFoundError):
        await subject.team(family.id, None)


async def test_what_is_written_while_a_team_is_erased_goes_too_and_nothing_is_written_afterwards(
    store: Store, family: Family
) -> None:
    clara, ben = family.part(family.clara), family.part(family.ben)

    async def go_on(user_id: str, **_: object) -> None:
        """Clara, whose part is erased before Ben's, goes on as his is."""
        if user_id == ben:
            await family.subject.add(clara, NUTS)
            await family.subject.remember(store.turn(PLUMBER, Scope(clara, "chat"), at=LATER), "I see.")

    erasing = engine_over(with_parts(store, memories=Before(store.memories, erase=go_on)), PATIENT)
    await family.subject.set_member(family.id, "a " + family.clara, TeamRole.WRITER)
    await erasing.erase_team(family.id)

    assert await family.subject.projects(family.clara) == []
    for late in (
        store.memories.apply(
            Scope(clara, ""), [Add(store.memory(NUTS, Scope(clara, "")))], actor=Actor.USER, at=LATER
        ),
        family.subject.set_member(family.id, family.clara, TeamRole.WRITER),
    ):
        with pytest.raises(TeamNotFoundError):
            await late


async def test_who_joins_at_the_same_moment_makes_no_team_larger_than_it_may_be(family: Family) -> None:
    subject, people = family.subject, [f"m{number}" for number in range(MOST_MEMBERS)]
    many = await subject.keep_team(f"many of {family.clara}")

    done = await asyncio.gather(
        *(subject.set_member(many.id, who, TeamRole.READER) for who in (*people, "one more", "and one")),
        return_exceptions=True,
    )

    assert sum(isinstance(each, NotAllowedInTeamError) for each in done) == 2
    assert len((await subject.team(many.id, None)).members) == MOST_MEMBERS
    await subject.set_member(many.id, "m0", TeamRole.WRITER)


async def test_who_is_in_a_team_is_said_by_its_owners(family: Family) -> None:
    subject = family.subject

    assert (await subject.team(family.id, family.dora)).title == "The family"
    assert (await subject.team(family.id, family.clara, owns=True)).id == family.id
    for who in (family.ben, family.dora):
        with pytest.raises(NotAllowedInTeamError):
            await subject.team(family.id, who, owns=True)
    with pytest.raises(TeamNotFoundError):
        await subject.team(family.id, family.mallory)
    with pytest.raises(TeamNotFoundError):
        await subject.leave_team(family.id, family.mallory)


PLACES = ("", "boat", "team:ONE", "team:TWO", "agent:mate")
IN_TEAM = {2: (0, 1), 3: (1, 2)}
"""Who of three people is in which team."""
_CANARY = re.compile(r"(stated|said)-(\d)-(\d)-\d+")
_STEPS = st.lists(
    st.tuples(st.sampled_from(["state", "say"]), st.integers(0, 2), st.integers(0, len(PLACES) - 1)),
    min_size=5,
    max_size=9,
)


def met(texts: list[str]) -> set[tuple[str, int, int]]:
    """Return whose canaries texts hold."""
    return {(what, int(who), int(where)) for what, who, where in _CANARY.findall("\n".join(texts))}


@given(steps=_STEPS)
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_no_canary_crosses_between_memories(store: Store, steps: list[tuple[str, int, int]]) -> None:
    subject, people = engine_over(store, PATIENT), tuple(map(person, ("anna", "ben", "carl")))
    names = [each.replace("ONE", f"1 {people[0]}").replace("TWO", f"2 {people[0]}") for each in PLACES]
    for where, members in IN_TEAM.items():
        team = await subject.keep_team(names[where].removeprefix("team:"))
        for who in members:
            await subject.set_member(team.id, people[who], TeamRole.WRITER)
    scopes = {
        (who, where): project_scope(people[who], names[where])
        for who in range(3)
        for where in range(len(PLACES))
        if where not in IN_TEAM or who in IN_TEAM[where]
    }
    done = [each for each in steps if each[1:] in scopes]
    for number, (what, who, where) in enumerate(done):
        user_id = scopes[who, where]
        if what == "state":
            await subject.add(user_id, f"The name of my boat is stated-{who}-{where}-{number}")
        else:
            turn = store.turn(f"My boat is called said-{who}-{where}-{number}", Scope(user_id, f"c{number}"))
            await subject.remember(turn, "I see.")
            await subject.drain(user_id)
    stated = {("stated", who, where) for what, who, where in done if what == "state"}

    with capture_logs() as logs:
        for (who, where), user_id in scopes.items():
            asked = store.turn("What is the name of my boat, and how is it called?", Scope(user_id, "asking"))
            prepared = await subject.prepare(asked)
            log_recall(asked, prepared)
            in_chat = [told(prepared), str((await subject.inspect(asked)).candidates)]
            in_chat.append(str(await subject.agents.found(user_id, "the name of my boat", limit=50)))
            there = [
                str(await subject.page(user_id, limit=50)),
                str(await subject.search(user_id, "boat", limit=50)),
                str(await subject.said_last(user_id, limit=50, taken=MemoryFilter(words=("boat",)))),
            ]
            own = [str(await subject.history(user_id))]
            own.append(
                str(await subject.search_chats(user_id, "how is my boat called", limit=50, period=ALL_TIME))
            )
            of_team = {("stated", each, where) for each in IN_TEAM.get(where, (who,))}
            assert met(own) <= {("stated", who, where), ("said", who, where)}
            assert met(there) <= of_team | {("said", who, where)}
            assert met(in_chat) <= of_team | {("stated", who, 0), ("said", who, where)}
            assert met(in_chat) >= stated & (of_team | {("stated", who, 0)})
    assert not met([str(logs)])
    for who in range(3):
        async for _, row in subject.export(people[who]):
            of = names.index(json.loads(row).get("project", ""))
            assert met([row]) <= {("stated", who, of), ("said", who, of)}


async def test_no_log_tells_the_name_of_a_project_or_a_team(store: Store, family: Family) -> None:
    subject, clara = family.subject, family.clara
    with capture_logs() as logs:
        for user_id in (project_scope(clara, "divorce"), family.part(clara)):
            turn = store.turn(PLUMBER, Scope(user_id, "chat"))
            log_recall(turn, await subject.prepare(turn))
            await subject.remember(turn, "I see.")
            await subject.drain(user_id)

    assert {each["event"] for each in logs} >= {"recalled", "memories_decided", "formed"}
    assert "divorce" not in str(logs)
    assert "family of" not in str(logs)
