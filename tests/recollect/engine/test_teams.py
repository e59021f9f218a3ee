"""What a team's members state in its chats is recalled for all of them, with who said it; their chats and own memories are not."""

import asyncio
import json
import re
from dataclasses import dataclass, field
from datetime import datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs
from tests.recollect.engine.test_chat_requests import Chat, told
from tests.recollect.engine.test_projects import contents, recalled
from tests.recollect.engines import PATIENT, engine_over
from tests.support.people import Person, person
from tests.support.stores import LATER, NOON, Store
from tests.support.tables import table
from tests.support.watched_stores import Through, with_parts

from recollect.engine import Engine
from recollect.engine.live.chat_counts import log_recall
from recollect.engine.people.chat_search import Period
from recollect.errors import (
    ChangeNotFoundError,
    MemoryNotFoundError,
    NotAllowedInTeamError,
    TeamNotFoundError,
)
from recollect.model import (
    MOST_MEMBERS,
    Actor,
    Add,
    Erasure,
    Kind,
    MemoryFilter,
    Removal,
    Revision,
    Scope,
    Skip,
    TeamRole,
    project_scope,
    team_of,
)

PLUMBER, NUTS, TEA = "The plumber's number is 555 0199", "I am allergic to nuts", "I drink green tea"
WHICH_PLUMBER, WHICH_NUTS, WHICH_TEA = (
    "What is the plumber's number",
    "Am I allergic to nuts",
    "What tea do I drink",
)


@table(
    ("user_id", "team"),
    [
        ("anna", ""),
        ("anna\x1fboat", ""),
        ("anna\x1fteam:family", "family"),
        ("anna\x1fteam:", ""),
        ("team:family", ""),
    ],
)
def test_a_part_tells_its_team(user_id: str, team: str) -> None:
    assert team_of(user_id) == team


@dataclass
class Family:
    """A family of an owner and a writer, a reader, and somebody who is not in it."""

    subject: Engine
    clara: Person = field(default_factory=lambda: person("clara"))
    ben: Person = field(default_factory=lambda: person("ben"))
    dora: Person = field(default_factory=lambda: person("dora"))
    mallory: Person = field(default_factory=lambda: person("mallory"))

    @property
    def id(self) -> str:
        """Its id, which no other test has."""
        return f"family of {self.clara}"

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


async def test_what_one_member_states_is_recalled_for_the_others_and_for_nobody_else(
    store: Store, family: Family
) -> None:
    subject = family.subject
    await subject.add(family.part(family.clara), PLUMBER)

    for who in (family.clara, family.ben, family.dora):
        assert await recalled(store, subject, family.part(who), WHICH_PLUMBER) == {PLUMBER}
        assert await recalled(store, subject, who, WHICH_PLUMBER) == set(), "outside of its chats"
        assert await recalled(store, subject, project_scope(who, "boat"), WHICH_PLUMBER) == set()
    prepared = await subject.prepare(store.turn(WHICH_PLUMBER, Scope(family.part(family.mallory), "asking")))
    assert (prepared.recall.recollections, prepared.recall.skipped) == ((), Skip.NOT_IN_TEAM)


async def test_a_members_own_memories_are_recalled_there_for_them_alone(store: Store, family: Family) -> None:
    subject = family.subject
    await subject.add(family.clara, TEA)

    assert await recalled(store, subject, family.part(family.clara), WHICH_TEA) == {TEA}
    assert await recalled(store, subject, family.part(family.ben), WHICH_TEA) == set()
    assert await contents(subject, family.part(family.clara)) == set()


async def test_the_prompt_names_who_said_it_and_who_the_user_is(store: Store, family: Family) -> None:
    subject = family.subject
    await subject.add(family.part(family.clara), NUTS)
    await subject.add(family.part(family.ben), "I am allergic to cats")

    for_ben = told(
        await subject.prepare(store.turn("Who is allergic?", Scope(family.part(family.ben), "asking")))
    )
    for_clara = told(
        await subject.prepare(store.turn("Who is allergic?", Scope(family.part(family.clara), "a")))
    )

    assert "This team, 2026:" in for_ben
    assert f"\u2022 Clara: {NUTS}" in for_ben
    assert "\u2022 Ben (the user): I am allergic to cats" in for_ben
    assert f"\u2022 Clara (the user): {NUTS}" in for_clara
    assert "\u2022 Ben: I am allergic to cats" in for_clara


async def test_equal_and_contrary_statements_of_two_members_stand_side_by_side(
    store: Store, family: Family
) -> None:
    for who in (family.clara, family.ben):
        said = store.turn(f"Remember that {NUTS}", Scope(family.part(who), "chat"))
        await family.subject.remember(said, "I will.")
        await family.subject.drain(family.part(who))

    page = await family.subject.page(family.part(family.dora), limit=9)

    assert {each.said_by for each in page.memories} == {family.clara, family.ben}


async def test_what_changed_counts_for_all_members_from_the_next_turn_on(
    store: Store, family: Family
) -> None:
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


async def test_a_reader_changes_nothing_and_what_they_say_is_not_kept_as_memories(
    store: Store, family: Family
) -> None:
    subject, dora = family.subject, family.part(family.dora)
    number = await subject.add(family.part(family.clara), PLUMBER)
    own = await subject.add(family.dora, TEA)

    for refused in (
        subject.add(dora, TEA),
        subject.revise(dora, number.id, content=TEA),
        subject.forget(dora, number.id),
        subject.move(family.dora, own.id, f"team:{family.id}"),
        subject.agents.dictate(dora, TEA, kind=Kind.FACT, importance=0.5, agent="a"),
        subject.agents.take_away(dora, number.id, agent="a"),
    ):
        with pytest.raises(NotAllowedInTeamError):
            await refused
    await subject.remember(store.turn(f"Remember that {NUTS}", Scope(dora, "chat")), "No.")
    await subject.drain(dora)
    assert await contents(subject, dora) == {PLUMBER}


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


async def test_nobody_sees_anothers_chats_summaries_or_where_a_memory_comes_from(
    store: Store, family: Family
) -> None:
    subject, clara, ben = family.subject, family.part(family.clara), family.part(family.ben)
    said = store.turn(f"Remember that {NUTS}", Scope(clara, "chat"))
    await subject.remember(said, "I will.")
    await subject.drain(clara)
    summary = store.memory("Clara talked about nuts", Scope(clara, "chat"), kind=Kind.SUMMARY)
    await store.memories.apply(Scope(clara, "chat"), [Add(summary)], actor=Actor.FORMATION, at=NOON)

    [mine] = [each for each in (await subject.page(clara, limit=9)).memories if each.content == NUTS]
    theirs = await subject.get(ben, mine.id)

    assert (mine.provenance.session_id, theirs.provenance.session_id) == ("chat", None)
    assert theirs.provenance.evidence is None
    assert theirs.version == mine.version
    assert {each.content for each in (await subject.page(ben, limit=9)).memories} == {NUTS}
    by_words = await subject.said_last(ben, limit=9, taken=MemoryFilter(words=("nuts",)))
    assert [(each.content, each.label, each.provenance.session_id) for each in by_words.memories] == [
        (NUTS, "Clara", None)
    ]
    with pytest.raises(MemoryNotFoundError):
        await subject.get(ben, summary.id)
    assert await subject.sessions(ben) == []
    assert (await subject.search_chats(ben, "nuts", limit=9, period=Period())).found == ()
    assert all(each.session_id is None for each in await subject.history(ben, mine.id))


async def test_a_member_who_left_reads_nothing_and_what_they_stated_stays_until_it_is_erased(
    store: Store, family: Family
) -> None:
    subject, clara, ben = family.subject, family.part(family.clara), family.part(family.ben)
    await subject.add(ben, PLUMBER)
    await subject.add(clara, NUTS)
    await subject.leave_team(family.id, family.ben)

    assert await recalled(store, subject, ben, WHICH_NUTS) == set()
    assert await subject.teams(family.ben) == []
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


async def test_with_a_person_goes_all_that_they_stated_in_teams_and_the_blocks_that_tell_it(
    store: Store, family: Family
) -> None:
    subject, clara, ben = family.subject, family.part(family.clara), family.part(family.ben)
    chat = Chat(store, subject, Scope(ben, "asking"))
    await subject.add(clara, NUTS)
    await chat.says(WHICH_NUTS, "Clara is.")
    before = await store.chats.chat(Scope(ben, "asking"), exchanges=9)
    assert NUTS in str(before.injections)

    erased = await subject.erase(family.clara)

    assert not any(count for _, count in erased.left)
    assert (await store.chats.chat(Scope(ben, "asking"), exchanges=9)).injections == ()
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
    assert await subject.teams(family.clara) == []
    assert await subject.projects(family.clara) == []
    assert await contents(subject, family.clara) == {TEA}
    with pytest.raises(TeamNotFoundError):
        await subject.team(family.id, None)


async def test_what_is_written_while_a_team_is_erased_goes_too_and_nothing_is_written_afterwards(
    store: Store, family: Family
) -> None:
    clara, ben = family.part(family.clara), family.part(family.ben)

    class ErasingMemories(Through):
        async def erase(self, user_id: str, *, at: datetime) -> Erasure:
            """Erase a part; Clara, whose part is erased before Ben's, goes on as his is."""
            if user_id == ben:
                await family.subject.add(clara, NUTS)
                await family.subject.remember(store.turn(PLUMBER, Scope(clara, "chat"), at=LATER), "I see.")
            done: Erasure = await self._part.erase(user_id, at=at)
            return done

    erasing = engine_over(with_parts(store, memories=ErasingMemories(store.memories)), PATIENT)
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


# -- nobody meets another's --------------------------------------------------------------------------

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
async def test_no_canary_crosses_between_people_projects_teams_and_agents(
    store: Store, steps: list[tuple[str, int, int]]
) -> None:
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
                str(await subject.search_chats(user_id, "how is my boat called", limit=50, period=Period()))
            )
            of_team = {("stated", each, where) for each in IN_TEAM.get(where, (who,))}
            assert met(own) <= {("stated", who, where), ("said", who, where)}
            assert met(there) <= of_team | {("said", who, where)}
            assert met(in_chat) <= of_team | {("stated", who, 0), ("said", who, where)}
            assert met(in_chat) >= stated & (of_team | {("stated", who, 0)})
    assert not met([str(logs)])
    for who in range(3):
        exported = [row async for _, row in subject.export(people[who])]
        assert {each for _, each, _ in met(exported)} <= {who}
        assert all(json.loads(row) for row in exported)


async def test_no_log_tells_a_teams_name(store: Store, family: Family) -> None:
    turn = store.turn(PLUMBER, Scope(family.part(family.clara), "chat"))
    with capture_logs() as logs:
        log_recall(turn, await family.subject.prepare(turn))
        await family.subject.remember(turn, "I see.")
        await family.subject.drain(turn.scope.user_id)

    assert {each["event"] for each in logs} >= {"recalled", "formed"}
    assert "family of" not in str(logs)
