"""From a question to what is ranked for it, over a real store, with stand-ins for the embedders."""

import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.recollect.engines import PATIENT, engine_over
from tests.recollect.store.keeping import apply
from tests.scripted.models import BrokenEmbedder, SlowEmbedder, WordEmbedder
from tests.support.people import person
from tests.support.stores import Store, store_over
from tests.support.watched_stores import broken

from recollect.engine import Backends
from recollect.engine.turns.recall import Retriever
from recollect.errors import EmbedderError, StoreError
from recollect.index import SnapshotCache
from recollect.model import Add, Message, Role, Scope, Stage, Vector
from recollect.ports import Embedder
from recollect.recall import EXPLAINED, Ranking, Reach
from recollect.recall import ranking as ranking_module
from recollect.recall.candidates import match_of
from recollect.store import Postgres

REACH = replace(PATIENT.reach, limit=EXPLAINED + 5)


@pytest.fixture
async def store(store: Store) -> Store:
    """Anna wrote one statement down and said something; so did Ben."""
    engine = engine_over(store, PATIENT)
    await engine.add(store.anna, "I drink Darjeeling")
    await engine.remember(
        store.turn("My bicycle is red"), "A fine colour, I should say: it is seen from afar."
    )
    await engine.add(store.ben, "I drink Darjeeling with Anna")
    await engine.drain(store.anna)
    return store


async def rank(
    store: Store,
    asked: str,
    reach: Reach = REACH,
    embedder: Embedder | None = None,
    *,
    log_embedder: Embedder | None = None,
    scope: Scope | None = None,
    history: tuple[Message, ...] = (),
) -> Ranking:
    embedder = embedder or WordEmbedder()
    backends = Backends(store, embedder=embedder, log_embedder=log_embedder or embedder)
    turn = store.turn(asked, scope, history=history)
    retriever = Retriever(backends, PATIENT, lambda: turn.at)
    ranking, _ = await retriever.rank_without_deadline(turn, lifetimes=PATIENT.lifetimes, reach=reach)
    return ranking


async def test_much_is_compared_in_a_thread(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []

    def match(*given: Any) -> Any:
        threads.append(threading.current_thread())
        return match_of(*given)

    monkeypatch.setattr(ranking_module, "match_of", match)
    at_once = await rank(store, "bicycle")
    monkeypatch.setattr(ranking_module, "_COMPARED_IN_THREAD", 1)
    assert contents(await rank(store, "bicycle")) == contents(at_once)

    assert [each is threading.main_thread() for each in threads] == [True, False]


def contents(ranking: Ranking) -> list[str]:
    return [each.item.content for each in ranking.ranked]


async def test_statements_and_messages_are_ranked_together_and_the_first_ones_explained(store: Store) -> None:
    for number in range(EXPLAINED + 3):
        await engine_over(store).add(store.anna, f"bicycle {number}")

    ranking = await rank(store, "Is my bicycle red?", replace(REACH, listed=EXPLAINED + 5))

    scores = [each.score for each in ranking.ranked]
    assert scores == sorted(scores, reverse=True)
    assert len(set(contents(ranking))) == len(ranking.ranked) == EXPLAINED + 5
    assert {"I drink Darjeeling", "My bicycle is red", "bicycle 1"} < set(contents(ranking))
    assert ranking.gate_score is not None
    assert contents(ranking) == contents(await rank(store, "Is my bicycle red?", replace(REACH, listed=15)))
    assert ranking.degraded == ()
    assert set(ranking.stages) == {Stage.EMBEDDING, Stage.SEARCH}


async def test_without_the_log_memories_alone_are_ranked_verbatim_exchanges_too(store: Store) -> None:
    found = contents(await rank(store, "Is my bicycle red?", replace(REACH, log=False)))

    assert len(found) == 2
    assert any(each.startswith("Q: My bicycle is red\nA: ") for each in found)


async def test_a_question_that_fits_opens_the_gate_further(store: Store) -> None:
    fits, does_not = [(await rank(store, each)).gate_score for each in ("Is my bicycle red?", "volcano")]

    assert fits is not None
    assert does_not is not None
    assert fits > does_not


async def test_of_a_person_who_said_nothing_nothing_is_ranked(store: Store) -> None:
    ranking = await rank(store, "Darjeeling", scope=person("clara").scope)

    assert (ranking.ranked, ranking.gate_score, ranking.found.candidates) == ((), None, 0)


@pytest.mark.parametrize("embedder", [BrokenEmbedder(), SlowEmbedder(WordEmbedder(), seconds=3600)])
async def test_without_an_embedding_words_alone_are_compared(store: Store, embedder: Embedder) -> None:
    reach = replace(REACH, embedding_seconds=0.01, log_embedding_seconds=0.01)

    ranking = await rank(store, "My bicycle is red", reach, embedder)

    assert "My bicycle is red" in contents(ranking)
    assert (ranking.found.has_vector, ranking.degraded) == (False, (Stage.EMBEDDING,))
    with pytest.raises(EmbedderError):
        await rank(store, "My bicycle", replace(reach, lexical=False), embedder)


async def test_a_store_that_is_away_fails(store: Store) -> None:
    with pytest.raises(StoreError):
        await rank(broken(store), "Darjeeling?")


# -- a log that takes too many bytes -----------------------------------------------------------------


async def test_above_its_bytes_the_log_is_asked_in_the_store_and_says_so(own_postgres: Postgres) -> None:
    store = store_over(own_postgres)
    engine = engine_over(store, PATIENT)
    for text in ("My bicycle is red", "My boat is called Albatros", "I was in Peru in May"):
        await engine.remember(store.turn(text), "")
        await engine.remember(store.turn(f"{text}, said Ben", store.ben.scope), "")
    await engine.add(store.anna, "I drink Darjeeling")
    for each in (store.anna, store.ben):
        await engine.drain(each)
    reader = store.snapshots._store
    small = replace(store, snapshots=SnapshotCache(reader, most_bytes=4 * 2 * 5_000))

    whole, above = await rank(store, "My boat is called?"), await rank(small, "My boat is called?")

    assert (await small.snapshots.get(store.anna)).passages is None
    assert Stage.SEARCH in above.degraded
    assert Stage.SEARCH not in whole.degraded
    assert set(contents(above)) == set(contents(whole))
    assert "My boat is called Albatros" in contents(above)
    assert not any("Ben" in each for each in contents(above))
    assert "I drink Darjeeling" in contents(await rank(small, "Darjeeling"))


# -- statements and log ------------------------------------------------------------------------------


class Translating(WordEmbedder):
    """Embeds questions as another does texts: those of "Teesorte" as "Darjeeling"."""

    name = "translating"

    async def embed_question(self, text: str) -> Vector:
        return await super().embed_question(text.replace("Teesorte", "Darjeeling"))


async def test_a_statement_is_judged_by_its_embedding_that_the_message_before_draws(store: Store) -> None:
    [near] = await WordEmbedder().embed(["Darjeeling"])
    morning = store.memory("Best in the morning", embedding=near, embedding_model=Translating.name)
    await apply(store, Add(morning))

    async def score(asked: str, embedder: Embedder, *before: Message) -> tuple[float, Ranking]:
        reach = replace(REACH, embedding_seconds=0.5)
        ranking = await rank(store, asked, reach, embedder, history=before)
        return next(each.score for each in ranking.ranked if each.item.id == morning.id), ranking

    found, _ = await score("Teesorte", Translating())
    alone, late = await score("Teesorte", SlowEmbedder(Translating(), seconds=3600))

    assert found > alone
    assert late.question is None
    assert late.degraded == (Stage.EMBEDDING,)
    assert "I drink Darjeeling" in contents(late)

    said = (Message(Role.USER, "Teesorte"), Message(Role.ASSISTANT, "Which one?"))
    unrelated, at_first = await score("Bicycle", Translating())
    drawn, goes_on = await score("Bicycle", Translating(), *said)
    assert drawn > unrelated, "what was said before draws the question towards itself"
    assert at_first.question is not None
    assert goes_on.question is not None
    np.testing.assert_array_equal(at_first.question, goes_on.question)


async def test_the_logs_own_embedder_is_not_asked_of_a_person_with_statements_alone(store: Store) -> None:
    statements, both = store.turn("", store.ben.scope).scope, store.anna.scope
    asked = "What did I say about Darjeeling?"

    for scope, is_asked in ((statements, False), (both, True)):
        of_log = WordEmbedder()
        ranking = await rank(store, asked, embedder=Translating(), log_embedder=of_log, scope=scope)
        assert bool(of_log.embedded) is is_asked
        assert (ranking.gate_score is not None) is is_asked
        assert any("Darjeeling" in each for each in contents(ranking))


async def test_one_embedder_for_statements_and_log_embeds_and_fails_once(store: Store) -> None:
    shared = WordEmbedder()
    ranking = await rank(store, "Is my bicycle red?", embedder=shared)
    assert shared.embedded == ["Is my bicycle red?"]
    assert "My bicycle is red" in contents(ranking)

    broken = BrokenEmbedder()
    words_alone = await rank(store, "Is my bicycle red?", embedder=broken)
    assert (len(broken.embedded), words_alone.degraded) == (1, (Stage.EMBEDDING,))
    assert "My bicycle is red" in contents(words_alone)


async def test_where_the_logs_own_embedder_fails_statements_are_found_by_meaning_still(store: Store) -> None:
    asked = "What did I say about Darjeeling, and about my bicycle?"

    ranking = await rank(store, asked, embedder=Translating(), log_embedder=BrokenEmbedder())

    assert (ranking.degraded, ranking.question is None) == ((Stage.EMBEDDING,), False)
    assert ranking.found.has_vector
    assert {"I drink Darjeeling", "My bicycle is red"} <= {*contents(ranking)}


async def test_a_question_that_can_not_stand_alone_is_embedded_with_what_it_refers_to(store: Store) -> None:
    shared = WordEmbedder()
    said = (Message(Role.USER, "My bicycle is red"), Message(Role.ASSISTANT, "A fine colour."))
    await rank(store, "And the second one?", embedder=shared, history=said)
    assert any("bicycle" in text and "second one" in text for text in shared.embedded)
