"""What is found for a turn: near by meaning, and holding its words, each within its time."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
from tests.people import person
from tests.recollect.engines import PATIENT, engine_over
from tests.scripted_models import BrokenEmbedder, SlowEmbedder, WordEmbedder
from tests.stores import NOON, Store
from tests.watched_stores import Outage, Through, breakable, broken

from recollect.errors import EmbedderError, StoreError, StoreUnavailableError
from recollect.model import Actor, Add, Lexicon, Memory, Message, Passage, Role, Scope, Stage, Vector
from recollect.ports import Embedder
from recollect.retrieval import SearchReach, SearchResults, find_candidates, read_query

REACH = PATIENT.reach


@pytest.fixture
async def store(store: Store) -> Store:
    """What Anna wrote down, and what she said; and what Ben did."""
    engine = engine_over(store, PATIENT)
    await engine.add(store.anna, "I drink Darjeeling")
    await engine.remember(store.turn("My bicycle is red"), "A fine colour.")
    await engine.add(store.ben, "I drink Darjeeling with Anna")
    await engine.drain(store.anna)
    return store


async def find(
    store: Store,
    asked: str,
    reach: SearchReach = REACH,
    embedder: Embedder | None = None,
    scope: Scope | None = None,
    *,
    second: Embedder | None = None,
    history: tuple[Message, ...] = (),
) -> SearchResults:
    return await find_candidates(
        scope or store.anna.scope,
        read_query(store.turn(asked, history=history)),
        embedder=embedder or WordEmbedder(),
        second_embedder=second,
        store=store.memories,
        reach=reach,
    )


def contents(found: SearchResults) -> set[str]:
    return {hit.item.content for hit in found.hits}


async def test_memories_and_what_was_said_are_found_together(store: Store) -> None:
    found = await find(store, "Is my bicycle red?")

    assert contents(found) == {"I drink Darjeeling", "My bicycle is red", "A fine colour."}
    assert {type(hit.item) for hit in found.hits} == {Memory, Passage}
    assert found.has_vector
    assert found.degraded == ()
    assert set(found.stages) == {Stage.EMBEDDING, Stage.LEXICAL, Stage.SEARCH}


async def test_without_the_log_memories_alone_are_found(store: Store) -> None:
    found = await find(store, "Is my bicycle red?", replace(REACH, log=False))

    assert {type(hit.item) for hit in found.hits} == {Memory}


async def test_without_words_the_meaning_alone_is_searched_by(store: Store) -> None:
    found = await find(store, "Darjeeling", replace(REACH, lexical=False))

    assert found.terms.best(10) == []
    assert "I drink Darjeeling" in contents(found)


async def test_a_mistyped_word_finds_what_it_means(store: Store) -> None:
    found = await find(store, "Darjjeeling", embedder=BrokenEmbedder())

    assert contents(found) == {"I drink Darjeeling"}


async def test_of_a_user_who_said_nothing_nothing_is_found(store: Store) -> None:
    found = await find(store, "Darjeeling", scope=person("clara").scope)

    assert found.hits == []
    assert found.terms.best(10) == []


async def test_no_more_than_the_reach_allows_come_from_each_channel(store: Store) -> None:
    found = await find(store, "Is my bicycle red?", replace(REACH, limit=1, log=False))

    assert len(found.hits) <= 2


@pytest.mark.parametrize("embedder", [BrokenEmbedder(), SlowEmbedder(WordEmbedder(), seconds=3600)])
async def test_without_an_embedding_the_words_alone_are_searched_by(store: Store, embedder: Embedder) -> None:
    found = await find(store, "Darjeeling?", replace(REACH, embedding_seconds=0.01), embedder)

    assert contents(found) == {"I drink Darjeeling"}
    assert (found.has_vector, found.degraded) == (False, (Stage.EMBEDDING,))


async def test_with_neither_embedding_nor_words_it_fails(store: Store) -> None:
    with pytest.raises(EmbedderError):
        await find(store, "Darjeeling?", replace(REACH, lexical=False), BrokenEmbedder())


async def test_without_the_words_lookup_the_meaning_alone_is_searched_by(store: Store) -> None:
    clara = person("clara")
    await engine_over(store, PATIENT).add(clara, "I drink Darjeeling")
    without_words = breakable(store, Outage(StoreUnavailableError(), ("lexicon",)))

    found = await find(without_words, "Darjeeling?", scope=clara.scope)

    assert contents(found) == {"I drink Darjeeling"}
    assert found.degraded == (Stage.LEXICAL,)


async def test_words_are_searched_by_though_corrections_of_the_others_are_late(store: Store) -> None:
    clara = person("clara")
    await engine_over(store, PATIENT).add(clara, "I drink Darjeeling")
    without_corrections = breakable(store, Outage(StoreUnavailableError(), ("vocabulary",)))

    found = await find(without_corrections, "Darjeeling or Assamm?", scope=clara.scope)
    mistyped = await find(store, "Darjeling?", scope=clara.scope)

    assert contents(found) == {"I drink Darjeeling"}
    assert (found.has_terms, found.corrected, found.degraded) == (True, False, (Stage.CORRECTION,))
    assert (mistyped.corrected, mistyped.degraded) == (True, ())
    assert Stage.CORRECTION in mistyped.stages


class SlowWords(Through):
    """A store that takes a while to look up words; and then hangs, or fails the second time."""

    def __init__(self, port: Any, *, seconds: float, hangs: bool) -> None:
        super().__init__(port)
        self._seconds, self._hangs, self._looked_up = seconds, hangs, 0

    async def lexicon(self, user_id: str, terms: Sequence[str]) -> Lexicon:
        self._looked_up += 1
        if self._looked_up > 1:
            raise StoreUnavailableError
        await asyncio.sleep(self._seconds)
        return cast("Lexicon", await self._port.lexicon(user_id, terms))

    async def vocabulary(self, user_id: str, prefixes: Sequence[str], *, lengths: range) -> list[str]:
        if self._hangs:
            await asyncio.Event().wait()
        return cast("list[str]", await self._port.vocabulary(user_id, prefixes, lengths=lengths))


@pytest.mark.parametrize(("seconds", "hangs"), [(4, True), (0, False)])
async def test_words_that_were_found_serve_however_late_corrections_begin_or_fail(
    store: Store, seconds: float, *, hangs: bool
) -> None:
    clara = person("clara")
    await engine_over(store, PATIENT).add(clara, "I drink Darjeeling with Assam")
    slow: Any = SlowWords(store.memories, seconds=seconds, hangs=hangs)

    found = await find(
        replace(store, memories=slow),
        "Darjeeling or Assamm?",
        replace(REACH, lexical_seconds=7),
        scope=clara.scope,
    )

    assert (found.has_terms, found.corrected, found.degraded) == (True, False, (Stage.CORRECTION,))


async def test_a_store_that_is_away_fails(store: Store) -> None:
    with pytest.raises(StoreError):
        await find(broken(store), "Darjeeling?")


# -- by the second embedder ------------------------------------------------------------------------


class Second(WordEmbedder):
    """Embeds questions as another does texts: those of "Teesorte" as "Darjeeling"."""

    name = "second"

    async def embed_question(self, text: str) -> Vector:
        return await super().embed_question(text.replace("Teesorte", "Darjeeling"))


@pytest.fixture
async def tea(store: Store) -> Memory:
    """A statement that the second embedder alone has embedded."""
    [vector] = await Second().embed(["Darjeeling"])
    new = store.memory(
        "Best in the morning",
        embedding=None,
        embedding_model=None,
        second_embedding=vector,
        second_model="second",
    )
    await store.memories.apply(store.anna.scope, [Add(new)], actor=Actor.FORMATION, at=NOON)
    return new


async def test_a_statement_that_only_the_second_embedder_reads_is_found(store: Store, tea: Memory) -> None:
    without = await find(store, "Teesorte")
    found = await find(store, "Teesorte", second=Second())

    assert tea.content not in contents(without)
    [hit] = [each for each in found.hits if each.item.content == tea.content]
    assert hit.cosine is None
    assert hit.second_cosine == pytest.approx(1, abs=1e-3)
    assert found.second_question is not None
    assert without.second_question is None
    assert found.degraded == ()
    assert set(found.stages) - {Stage.CORRECTION} == {
        Stage.EMBEDDING,
        Stage.SECOND_EMBEDDING,
        Stage.LEXICAL,
        Stage.SEARCH,
    }


@pytest.mark.parametrize("second", [BrokenEmbedder(), SlowEmbedder(Second(), seconds=3600)])
async def test_without_the_second_embedding_the_first_finds_what_it_does(
    store: Store, tea: Memory, second: Embedder
) -> None:
    reach = replace(REACH, embedding_seconds=0.5)

    found = await find(store, "I drink Darjeeling", reach, second=second)

    assert "I drink Darjeeling" in contents(found)
    assert tea.content not in contents(found)
    assert (found.second_question, Stage.SECOND_EMBEDDING in found.degraded) == (None, True)


async def test_a_question_that_goes_on_is_drawn_towards_what_was_said_before(
    store: Store, tea: Memory
) -> None:
    before = (Message(Role.USER, "Teesorte"), Message(Role.ASSISTANT, "Which one?"))

    alone = await find(store, "Bicycle", second=Second())
    found = await find(store, "Bicycle", second=Second(), history=before)

    cosines = [
        hit.second_cosine for each in (alone, found) for hit in each.hits if hit.item.content == tea.content
    ]
    assert cosines == [pytest.approx(0, abs=0.2), pytest.approx(0.447, abs=0.2)]
    assert cosines[1] is not None
    np.testing.assert_array_equal(alone.second_question, found.second_question)
