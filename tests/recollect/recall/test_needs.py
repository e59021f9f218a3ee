"""Which statements a turn needs, and when the log stays away. The embedder is the real one: its vector tells the question's intent."""

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import numpy as np
import pytest
from tests.support.recollections import NOON, memory, passage, turn
from tests.support.tables import table
from tests.support.terms import document_of

from recollect.index import Embedded, Loaded, Snapshot, StoredMemory, StoredPassage
from recollect.model import Hints, Memory, Provenance, Use, Versions
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder as RealE5
from recollect.recall.candidates import match_of, near_statements
from recollect.recall.needed_statements import Needs, intents_of, needs_of
from recollect.recall.question import Named, StatementVectors, read_query
from recollect.recall.thresholds import NeedThresholds

LISBON, FIPS, NURSE = "Lives in Lisbon", "Has a dog called Fips", "Works as a nurse at Santa Maria"
TEA = "Drinks green tea"
FOUR = [LISBON, FIPS, NURSE, TEA]


async def snapshot_of(
    embedder: RealE5, statements: Sequence[Memory], said: Sequence[StoredPassage] = ()
) -> Snapshot:
    """Return a person's snapshot of these statements and messages, embedded by the real embedder."""
    stored = [
        StoredMemory(each, document_of(each.content), Embedded.of(embedder.name, text.reshape(1, -1)))
        for each, text in zip(statements, await embedder.embed([s.content for s in statements]), strict=True)
    ]
    return Snapshot.from_loaded("anna", Loaded(Versions(UUID(int=1), 1, 0, 1, 0, 0, 0), stored, said))


async def needed(
    embedder: RealE5,
    asked: str,
    contents: Sequence[str | Memory] = FOUR,
    *,
    is_named: bool = False,
    extractor: str | None = "m",
    has_document: bool = False,
    held: str = "",
    bar: NeedThresholds | None = None,
) -> tuple[Needs, list[str]]:
    """Return a question's needs among statements, with a passage of the log that holds ``held``."""
    query = read_query(turn(asked, has_document=has_document))
    vector = await embedder.embed_question(query.asked)
    statements = [
        each if isinstance(each, Memory) else memory(each, provenance=Provenance(extractor=extractor))
        for each in contents
    ]
    said = [StoredPassage(1, passage(held), document_of(held), None)] if held else []
    snapshot = await snapshot_of(embedder, statements, said)
    vectors = StatementVectors(vector, Named(embedder.name, vector, embedder.gate))
    needs = needs_of(
        query,
        snapshot.memories,
        match_of(snapshot, query.terms, np.ones(len(said), np.bool_)),
        snapshot.memories.letters.shared(query.asked),
        near_statements(snapshot.memories, vectors.near),
        vectors,
        intents_of(query, vectors),
        names_identifier=is_named,
        is_asked=False,
        listed=2,
        bar=bar or NeedThresholds(),
    )
    return needs, [each.content for each in statements if each.id in needs.wanted]


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Where do I live?", LISBON),
        ("Wo wohne ich?", LISBON),
        ("¿Dónde vivo?", LISBON),
        ("What do I work as?", NURSE),
        ("What's my job title", NURSE),
        ("my dogs name??", FIPS),
        ("我的狗叫什么名字？", FIPS),
    ],
)
async def test_the_answer_is_needed_in_any_language(embedder: RealE5, asked: str, answer: str) -> None:
    _, wanted = await needed(embedder, asked)

    assert answer in wanted


async def test_a_day_without_a_year_is_the_coming_one_too(embedder: RealE5) -> None:
    days = [NOON + timedelta(days=days) for days in (-300, -30, 40, 80)]
    statements = [memory(f"Appointment {n}", event_at=day.replace(hour=0)) for n, day in enumerate(days)]

    needs, _ = await needed(embedder, f"Could I go to a concert on {days[2]:%-d %B}?", statements)

    assert needs.statements[0].item == statements[2]


@pytest.mark.parametrize(
    "asked",
    [
        *("What do you know about me?", "Was weißt du über mich?", "¿Qué sabes de mí?"),
        *("Qu'est-ce que tu sais sur moi ?", "你知道我哪些事？", "私について何を知っていますか？"),
    ],
)
async def test_who_asks_for_all_that_is_known_is_given_it(embedder: RealE5, asked: str) -> None:
    needs, wanted = await needed(embedder, asked)

    assert needs.everything
    assert wanted == FOUR


@pytest.mark.parametrize(
    ("asked", "contents"),
    [
        ("Everything about Clara", ["Clara plays the oboe", "Clara likes dark chocolate"]),
        ("alles über Svenja", ["Svenja hat Zöliakie", "Svenja trinkt am liebsten Rieslingschorle"]),
    ],
)
async def test_all_about_one_person_is_not_everything(
    embedder: RealE5, asked: str, contents: list[str]
) -> None:
    needs, wanted = await needed(embedder, asked, [LISBON, *contents, NURSE])

    assert not needs.everything
    assert set(contents) <= set(wanted)


async def test_statements_that_share_a_name_with_the_best_are_needed_behind_it(embedder: RealE5) -> None:
    asked, husband, stamps = "Who is Clara married to?", "Clara's husband is Jan", "Jan collects stamps"
    bar = NeedThresholds(statement=0.4, linked=0.0)

    needs, wanted = await needed(embedder, asked, [stamps, LISBON, husband, TEA], bar=bar)

    assert wanted == [stamps, husband]
    assert [each.item.content for each in needs.statements[:2]] == [husband, stamps]
    scores = [each.score for each in needs.statements]
    assert scores == sorted(scores, reverse=True)
    assert needs.statements[1].parts == (("shares_name", 1.0),)
    for contents, how in (
        (["collects stamps", husband, TEA], bar),
        ([stamps, husband, TEA], replace(bar, serves=1.0)),  # the best is hardly needed
        ([stamps, husband, TEA], NeedThresholds(statement=0.4)),  # stamps are surely not
    ):
        assert (await needed(embedder, asked, contents, bar=how))[1] == [husband]


@table(
    ("asked", "everything"),
    [
        ("Summarize this document for me.", False),
        ("Tóm tắt tài liệu này giúp tôi.", False),
        ("Dime todo lo que pone.", False),
        ("Bạn biết gì về tôi?", True),
    ],
)
async def test_the_whole_of_a_document_is_not_all_that_is_known_of_a_person(
    embedder: RealE5, asked: str, *, everything: bool
) -> None:
    needs, _ = await needed(embedder, asked, has_document=True)

    assert needs.everything is everything


@table(
    ("asked", "has_document", "lists", "likely", "floor"),
    [
        ("What is the notice period?", False, -1.0, 0.5, 0.01),
        ("What is the notice period?", True, 0.0, 0.5, 0.12),
        ("May my son eat this?", False, 0.0, 0.2, 0.01),
        ("May my son eat this?", True, 0.0, 0.0, 0.03),
        ("May my son eat this?", True, 0.0, 0.5, 0.35),
        ("Which books do I own?", False, 2.0, 0.5, 0.001),
        ("Which books do I own?", False, 4.0, 0.5, 0.001),
        ("Where and with whom do I live?", False, 1.0, 0.5, 0.00316),
        ("Which of these books do I own?", True, 2.0, 0.0, 0.03),
    ],
)
def test_the_floor_of_a_question_is_by_its_best_statement_its_document_and_what_it_asks_for(
    asked: str, lists: float, likely: float, floor: float, *, has_document: bool
) -> None:
    query = read_query(turn(asked, has_document=has_document))

    found = NeedThresholds().floor(query, np.array([0.0, likely]), lists)

    assert found == pytest.approx(floor, rel=0.01)


async def test_a_question_for_several_things_gets_more_statements_and_less_likely_ones(
    embedder: RealE5,
) -> None:
    bar = NeedThresholds(statement=1.0, statement_of_several=0.0)
    contents = ["Has a sister called Runa", "Has a brother called Leif", NURSE]

    several, of_several = await needed(embedder, "Zähl alle meine Geschwister auf", contents, bar=bar)
    one, of_one = await needed(embedder, "What does Runa call me?", contents, bar=bar)

    assert (several.at_most, one.at_most) == (bar.most_of_several, None)
    assert (of_several, of_one) == (contents, [])


async def test_an_overview_begins_with_what_its_words_ask_for(embedder: RealE5) -> None:
    bar = NeedThresholds(overview=-math.inf, about_one=2.0)

    needs, wanted = await needed(embedder, "Where do I live?", [LISBON, FIPS, NURSE, TEA], bar=bar)
    general, _ = await needed(
        embedder, "Where do I live?", [LISBON, FIPS, NURSE, TEA], bar=replace(bar, serves=2.0)
    )

    assert needs.everything
    assert wanted == [LISBON, FIPS, NURSE, TEA]
    assert needs.statements[0].item.content == LISBON
    assert general.statements[0].item.content != LISBON


@table(
    ("bar", "has_document", "wanted", "served"),
    [
        (NeedThresholds(), False, [LISBON], True),
        (NeedThresholds(serves=1.1), False, [LISBON], False),
        (NeedThresholds(need=math.inf), False, [], True),
        (NeedThresholds(need_with_document=math.inf), False, [LISBON], True),
        (NeedThresholds(need=math.inf), True, [LISBON], True),
        (NeedThresholds(need_with_document=math.inf), True, [], True),
    ],
)
async def test_a_threshold_decides_alone(
    embedder: RealE5, bar: NeedThresholds, wanted: list[str], *, has_document: bool, served: bool
) -> None:
    needs, contents = await needed(embedder, "Where do I live?", [LISBON], has_document=has_document, bar=bar)

    assert (contents, needs.served) == (wanted, served)


@pytest.mark.parametrize(
    "asked",
    [
        "What is the integral of 1/x?",
        "Write a Python function that reverses a string",
        "Übersetze ins Englische: Der Zug hat Verspätung.",
        "thanks!",
    ],
)
async def test_what_asks_for_nothing_remembered_needs_nothing(embedder: RealE5, asked: str) -> None:
    needs, wanted = await needed(embedder, asked)

    assert wanted == []
    assert needs.served, "nor is the log to stand in"


async def test_how_likely_each_for_every_chat_is_needed_is_told_whatever_is_asked(embedder: RealE5) -> None:
    wish = memory("Wants no preamble", hints=Hints(Use.ALWAYS), provenance=Provenance(extractor="m"))

    needs, wanted = await needed(embedder, "What is the integral of 1/x?", [*FOUR, wish])

    assert (wanted, set(needs.of_every_chat)) == ([], {wish.id})


async def test_where_a_passage_holds_much_more_of_the_question_the_log_is_asked_too(embedder: RealE5) -> None:
    asked = "Do I live in Lisbon by the botanical garden or in Alfama?"

    more, _ = await needed(
        embedder, asked, [LISBON, TEA], held="I live in Lisbon by the botanical garden, not in Alfama"
    )
    less, _ = await needed(embedder, asked, [LISBON, TEA], held="a garden")

    assert more.wanted
    assert not more.served
    assert less.served


async def test_the_best_of_the_others_are_listed_behind_what_is_needed(embedder: RealE5) -> None:
    needs, wanted = await needed(embedder, "Where do I live?")

    assert [each.item.content for each in needs.statements][: len(wanted)] == [LISBON]
    assert len(needs.statements) == len(wanted) + 2
    scores = [each.score for each in needs.statements]
    assert scores == sorted(scores, reverse=True)
    assert 2 >= scores[0] > scores[-1] >= 0


async def test_where_nothing_is_known_the_log_may_stand_in(embedder: RealE5) -> None:
    needs, wanted = await needed(embedder, "Where do I live?", [])

    assert (wanted, needs.served) == ([], False)


@pytest.mark.parametrize("asked", ["What was the error ERR_CONN_4711 about?", "fix PROJ-1234"])
async def test_what_is_found_by_its_identifier_opens_the_log(embedder: RealE5, asked: str) -> None:
    named, _ = await needed(embedder, asked, [LISBON, TEA], is_named=True)
    unheard, _ = await needed(embedder, asked, [LISBON, TEA])

    assert not named.served
    assert unheard.served


async def test_where_no_model_has_read_the_log_it_stays_open(embedder: RealE5) -> None:
    unneeded, wanted = await needed(embedder, "What is the integral of 1/x?", [LISBON, TEA], extractor=None)
    assert (wanted, unneeded.served) == ([], False)

    needs, wanted = await needed(embedder, "Where do I live?", [LISBON, TEA], extractor=None)
    assert LISBON in wanted
    assert not needs.served
