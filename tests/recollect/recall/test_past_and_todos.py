"""A question about the past, a change or a due date gets the statements for it. The embedder is the real one: its vector tells the question's intent."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from tests.recollect.recall.test_needs import snapshot_of
from tests.support.recollections import memory, turn

from recollect.model import Ending, Kind, Memory, Past, Recollection
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder as RealE5
from recollect.recall.candidates import near_statements
from recollect.recall.common_names import SHARES_NAME
from recollect.recall.needed_statements import NO_NEEDS, Needs, intents_of
from recollect.recall.past_and_todos import _held_in, asked_for, is_open, with_past
from recollect.recall.question import Named, StatementVectors, read_query

NOW = datetime(2026, 6, 15, 10, tzinfo=UTC)
MOVED, QUIT = datetime(2025, 9, 14, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)
TOLD = datetime(2024, 3, 1, tzinfo=UTC)


def stated(content: str, **changed: object) -> Memory:
    return replace(memory(content), **{"observed_at": TOLD, **changed})  # type: ignore[arg-type]


LEEDS, NURSE = stated("Lives in Leeds", observed_at=MOVED), stated("Works as a nurse", observed_at=QUIT)
BRISTOL = stated("Lives in Bristol", past=Past(MOVED, Ending.CHANGED, LEEDS.id))
WAITER = stated("Works as a waiter", past=Past(QUIT, Ending.CHANGED, NURSE.id))
BOOKED = stated("Has to book a flight", kind=Kind.TODO, past=Past(QUIT, Ending.DONE))
TAX = stated("Has to send the tax return", kind=Kind.TODO, event_at=NOW + timedelta(days=9))
VISA = stated("Has to renew the visa", kind=Kind.TODO, event_at=NOW + timedelta(days=40))
RENT = stated("Has to pay the rent", kind=Kind.TODO, event_at=NOW - timedelta(days=3))
OLD = stated("Has to return the keys", kind=Kind.TODO, event_at=NOW - timedelta(days=90))
TEA = stated("Likes tea")
MILK = stated("Drinks oat milk", past=Past(QUIT, Ending.CHANGED))
EVERY = (LEEDS, NURSE, BRISTOL, WAITER, BOOKED, TAX, VISA, RENT, OLD, TEA)


async def found(
    embedder: RealE5,
    asked: str,
    needs: Needs = NO_NEEDS,
    statements: Sequence[Memory] = EVERY,
    *,
    knows: bool = True,
) -> Needs:
    """Return a question's needs; ``knows``: whether its vector is known."""
    query = read_query(replace(turn(asked), at=NOW))
    snapshot = await snapshot_of(embedder, statements)
    vector = await embedder.embed_question(query.asked)
    vectors = StatementVectors(vector if knows else None, Named(embedder.name, vector, embedder.gate))
    near = near_statements(snapshot.memories, vectors.near)
    return with_past(needs, query, snapshot, vectors, near, intents_of(query, vectors))


def wanted(needs: Needs) -> list[str]:
    return [each.item.content for each in needs.statements if each.item.id in needs.wanted]


@pytest.mark.parametrize(
    ("asked", "best"),
    [
        ("Where did I live before Leeds?", BRISTOL),
        ("Wo habe ich früher gewohnt?", BRISTOL),
        ("我以前做什么工作？", WAITER),
        ("¿En qué ciudad vivía antes?", BRISTOL),
        ("In which city did I live last year?", BRISTOL),
    ],
)
async def test_a_question_about_the_past_gets_what_held_then(
    embedder: RealE5, asked: str, best: Memory
) -> None:
    assert wanted(await found(embedder, asked))[0] == best.content


async def test_a_past_statement_is_found_by_what_took_its_place(embedder: RealE5) -> None:
    analyst = stated("Senior analyst at Finloop")
    before = stated("Works as an analyst at PayNidhi", past=Past(MOVED, Ending.CHANGED, analyst.id))
    office = stated("Works in an office in Gdynia", past=Past(QUIT, Ending.CHANGED, NURSE.id))
    everything = (analyst, NURSE, before, office)

    needs = await found(embedder, "Where did I work before Finloop?", statements=everything)

    assert wanted(needs)[0] == before.content


async def test_a_named_time_leaves_out_what_was_over_by_then(embedder: RealE5) -> None:
    assert wanted(await found(embedder, "Which job did I use to have in January 2026?"))[0] == WAITER.content
    assert BRISTOL.content not in wanted(
        await found(embedder, "Where did I use to live and work in January 2026?")
    )


async def test_a_change_comes_with_what_holds_since(embedder: RealE5) -> None:
    assert wanted(await found(embedder, "When did I change jobs?"))[:2] == [WAITER.content, NURSE.content]
    assert set(wanted(await found(embedder, "What has changed since January?"))) == {
        WAITER.content, NURSE.content,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "due"),
    [
        ("What do I still have to do this month?", [RENT, TAX]),
        ("Welche Aufgaben habe ich noch offen?", [RENT, TAX, VISA]),
        ("mere kaunse kaam pending hain", [RENT, TAX, VISA]),
    ],
)
async def test_what_is_due_is_open_todos_alone(embedder: RealE5, asked: str, due: list[Memory]) -> None:
    needs = Needs((Recollection(TEA, 0.5),), frozenset({TEA.id}))

    assert wanted(await found(embedder, asked, needs)) == [each.content for each in due]


@pytest.mark.parametrize(
    "asked",
    ["Where do I live?", "When did the Romans leave Britain?", "Write a to-do app", "Was trinke ich gern?"],
)
async def test_any_other_question_is_left_as_it_is(embedder: RealE5, asked: str) -> None:
    needs = Needs((Recollection(TEA, 1.0),), frozenset({TEA.id}))

    assert await found(embedder, asked, needs) is needs


@pytest.mark.parametrize(
    "asked",
    [
        "Where was I living in 2024?",
        "What did we say yesterday about the attic?",
        "Book me a table like last week",
    ],
)
async def test_without_a_vector_no_question_asks_for_the_past(embedder: RealE5, asked: str) -> None:
    assert await found(embedder, asked, knows=False) is NO_NEEDS


@pytest.mark.parametrize(
    "asked",
    [
        "Where did I use to work?",
        "What was my old phone number?",
        "Which book did I read before the summer?",
        "How has the climate changed since 1990?",
    ],
)
async def test_an_unrelated_past_statement_is_not_given(embedder: RealE5, asked: str) -> None:
    assert await found(embedder, asked, NO_NEEDS, [MILK, TEA]) is NO_NEEDS


async def test_the_log_is_left_out_only_if_a_past_statement_surely_serves(embedder: RealE5) -> None:
    sure = await found(embedder, "What did I use to drink?", NO_NEEDS, [MILK])
    doubtful = await found(embedder, "Where did I live before Leeds?")

    assert wanted(sure) == [MILK.content]
    assert wanted(doubtful) == [BRISTOL.content]
    assert (sure.served, doubtful.served) == (True, False)
    assert sure.at_most is doubtful.at_most is None


async def test_a_question_that_may_be_about_something_due_keeps_what_it_needs_but_no_old_todo(
    embedder: RealE5,
) -> None:
    needs = Needs((Recollection(TEA, 1.0), Recollection(OLD, 1.0)), frozenset({TEA.id, OLD.id}))
    needs = await found(embedder, "what is left for the exam", needs)

    assert set(wanted(needs)) == {each.content for each in (RENT, TAX, VISA, TEA)}
    assert not needs.served


async def test_who_has_nothing_left_to_do_is_given_no_old_todo(embedder: RealE5) -> None:
    needs = Needs((Recollection(OLD, 1.0), Recollection(TEA, 0.1)), frozenset({OLD.id, TEA.id}))
    needs = await found(embedder, "What do I still have to do this month?", needs, [OLD, TEA])

    assert (wanted(needs), needs.served) == ([TEA.content], False), "also what is hardly needed stays"


async def test_a_question_that_seems_to_be_about_todos_alone_keeps_what_it_surely_needs(
    embedder: RealE5,
) -> None:
    needs = Needs(
        (
            Recollection(TEA, 2.0 * 0.3),
            Recollection(NURSE, 2.0 * 0.29),
            Recollection(LEEDS, 1.0, SHARES_NAME),
        ),
        frozenset({TEA.id, NURSE.id, LEEDS.id}),
    )
    needs = await found(embedder, "What do I still have to do?", needs)

    assert needs.served
    assert TEA.content in wanted(needs)
    assert not {NURSE.content, LEEDS.content} & {*wanted(needs)}


@pytest.mark.parametrize(
    ("asked", "due"),
    [
        ("What do I have to do tomorrow?", ["late", "tomorrow"]),
        ("What do I have to do this week?", ["late", "today", "tomorrow", "friday", "some day"]),
        ("What do I have to do on Friday?", ["late", "friday"]),
        ("What do I have to do by Friday?", ["late", "today", "tomorrow", "friday", "some day"]),
        ("What do I have to do by the end of June?", ["late", "today", "tomorrow", "friday", "some day"]),
        ("What did I have to do last week?", ["late"]),
    ],
)
async def test_todos_are_those_of_the_time_that_is_meant(
    embedder: RealE5, asked: str, due: list[str]
) -> None:
    days = {"late": -5, "today": 0, "tomorrow": 1, "friday": 4, "later": 30, "some day": None}
    todos = [
        stated(
            name,
            kind=Kind.TODO,
            observed_at=NOW,
            event_at=None if n is None else NOW.replace(hour=0) + timedelta(days=n),
        )
        for name, n in days.items()
    ]

    assert wanted(await found(embedder, asked, NO_NEEDS, todos)) == due


async def test_a_done_todo_comes_with_what_calls_it_done_if_the_question_is_nearer_to_it(
    embedder: RealE5,
) -> None:
    glasses = stated("Has got the new glasses")
    optician = stated(
        "Collect the glasses from the optician Lewin, ticket 2218",
        kind=Kind.TODO,
        past=Past(QUIT, Ending.DONE, glasses.id),
    )
    needs = Needs((Recollection(glasses, 1.0), Recollection(TEA, 0.5)), frozenset({glasses.id}))

    async def given(asked: str, needs: Needs) -> set[str]:
        return set(wanted(await found(embedder, asked, needs, [glasses, optician, TEA])))

    assert await given("Which optician made my glasses?", needs) == {glasses.content, optician.content}
    assert await given("Do I have new glasses?", needs) == {glasses.content}
    assert await given("Which optician made my glasses?", replace(needs, wanted=frozenset())) == set()


def test_what_was_over_when_it_was_told_is_so_by_the_persons_clock() -> None:
    told = datetime(2026, 3, 1, 1, tzinfo=UTC)  # still 28 February in New York
    query = replace(
        read_query(replace(turn("Where was I in March?"), at=NOW)), zone=ZoneInfo("America/New_York")
    )
    memory = stated("Has to be in Rome", kind=Kind.TODO, observed_at=told, event_at=told - timedelta(days=9))

    assert [_held_in(memory, query.periods[0], zone) for zone in (query.zone, None)] == [False, True]


async def test_who_has_no_past_gets_what_is_needed_anyhow(embedder: RealE5) -> None:
    assert await found(embedder, "Where did I live before?", NO_NEEDS, [TEA]) is NO_NEEDS


@pytest.mark.parametrize(
    ("asked", "subject"),
    [
        ("leeds se pehle main kahan rehti thi", "past"),
        ("pehle main kya kaam karti thi", "past"),
        ("mere kaunse kaam pending hain", "due"),
        ("wie heißt nochmal mein hausarzt", None),
    ],
)
async def test_a_subject_is_recognized_as_people_type(
    embedder: RealE5, asked: str, subject: str | None
) -> None:
    assert (
        asked_for(read_query(turn(asked)), StatementVectors(await embedder.embed_question(asked))) == subject
    )


async def test_a_document_is_not_the_persons_past(embedder: RealE5) -> None:
    query = read_query(turn("Where did I live before?", has_document=True))
    vector = await embedder.embed_question(query.asked)

    assert asked_for(query, StatementVectors(vector)) is None
    assert asked_for(replace(query, has_document=False), StatementVectors(vector)) == "past"
    assert asked_for(query, StatementVectors(np.zeros(3, np.float32))) is None


def test_a_todo_is_open_until_it_is_long_past() -> None:
    told_long_ago = replace(TAX, event_at=None, observed_at=NOW - timedelta(days=400))
    over = replace(TAX, holds_until=NOW - timedelta(days=1))

    assert [is_open(each, NOW) for each in (TAX, RENT, OLD, told_long_ago, over, TEA)] == [
        True, True, False, False, False, False,
    ]  # fmt: skip
