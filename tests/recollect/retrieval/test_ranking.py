"""From a turn to what may be recalled for it, with a stand-in for the embedder; the numbers are not asked for here."""

from dataclasses import replace
from pathlib import Path

from tests.contracts.keeping import kept
from tests.recollect.engines import PATIENT, engine_over
from tests.scripted_models import WordEmbedder
from tests.stores import Store

from recollect.model import Provenance
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder
from recollect.ports import Embedder
from recollect.retrieval import EXPLAINED, Ranking, rank


async def ranked(
    store: Store, asked: str, *, log: bool = True, second_embedder: Embedder | None = None
) -> Ranking:
    return await rank(
        store.turn(asked),
        embedder=WordEmbedder(),
        second_embedder=second_embedder,
        store=store.memories,
        reach=replace(PATIENT.reach, log=log, limit=EXPLAINED + 5),
        weights=PATIENT.weights,
        gate=PATIENT.gate,
        bar=PATIENT.bar,
    )


async def test_the_best_match_comes_first(store: Store) -> None:
    for content in ("My bicycle is red", "I drink green tea at noon", "Two cats live here"):
        await engine_over(store).add(store.anna, content)

    ranking = await ranked(store, "When do I drink green tea?")

    assert ranking.ranked[0].item.content == "I drink green tea at noon"
    assert len(ranking.ranked) == 3
    scores = [each.score for each in ranking.ranked]
    assert scores == sorted(scores, reverse=True)
    assert all(each.parts and each.dropped is None for each in ranking.ranked)
    assert ranking.gate_score is not None
    assert 0 <= ranking.gate_score <= 1


async def test_what_fits_opens_the_gate_further_than_what_does_not(store: Store) -> None:
    await engine_over(store).add(store.anna, "I drink green tea at noon")

    fits, does_not = await ranked(store, "When do I drink green tea?"), await ranked(store, "bicycle")

    assert fits.gate_score is not None
    assert does_not.gate_score is not None
    assert fits.gate_score > does_not.gate_score


async def test_only_the_users_own_is_ranked(store: Store) -> None:
    await engine_over(store).add(store.ben, "I drink green tea at noon")

    ranking = await ranked(store, "When do I drink green tea?")

    assert (ranking.ranked, ranking.gate_score) == ((), None)


async def test_the_order_is_the_same_each_time(store: Store) -> None:
    for number in range(20):
        await engine_over(store).add(store.anna, f"tea {number}")

    orders = {tuple(each.item.id for each in (await ranked(store, "tea")).ranked) for _ in range(3)}

    assert len(orders) == 1


async def test_what_was_said_is_ranked_beside_what_was_kept(store: Store) -> None:
    engine = engine_over(store, PATIENT)
    await engine.remember(store.turn("My boat is called Albatros"), "A fine name.")
    await engine.drain(store.anna)

    both = await ranked(store, "What is my boat called?")
    memories = await ranked(store, "What is my boat called?", log=False)

    assert "My boat is called Albatros" in [each.item.content for each in both.ranked]
    assert [each.item.content for each in memories.ranked] == [
        "Q: My boat is called Albatros\nA: A fine name."
    ]


async def test_a_statements_score_tells_how_likely_it_is_needed_and_its_parts_what_made_it_so(
    store: Store,
) -> None:
    for content in ("I drink green tea at noon", "My bicycle is red"):
        await engine_over(store).add(store.anna, content)

    ranking = await ranked(store, "When do I drink green tea?")

    assert [each.score for each in ranking.ranked] == [
        ranking.needs.scores[each.item.id] for each in ranking.ranked
    ]
    assert all(0 <= each.score <= 2 for each in ranking.ranked)
    sums = [sum(given for _, given in each.parts) for each in ranking.ranked]
    assert sums == sorted(sums, reverse=True)


async def test_only_what_is_looked_at_has_its_parts_told(store: Store) -> None:
    for number in range(EXPLAINED + 5):
        await engine_over(store).add(store.anna, f"tea {number}")

    explained = [bool(each.parts) for each in (await ranked(store, "tea")).ranked]

    assert explained == [True] * EXPLAINED + [False] * 5


async def test_an_identifier_that_was_heard_of_is_asked_for_though_anybody_might_ask_so(
    store: Store, data_dir: Path
) -> None:
    second = MultilingualE5Embedder(cache_dir=data_dir / "models")
    for content in ("Lives in Lisbon", "The error ERR_CONN_4711 was a loose cable"):
        [vector], again = await WordEmbedder().embed([content]), await second.embed([content])
        await kept(
            store,
            content,
            embedding=vector,
            second_embedding=again[0],
            second_model=second.name,
            provenance=Provenance(extractor="some-model"),
        )

    heard = await ranked(store, "What was the error ERR_CONN_4711 about?", second_embedder=second)
    unheard = await ranked(store, "What was the error ERR_CONN_9999 about?", second_embedder=second)
    await second.aclose()

    assert heard.needs.wanted or not heard.needs.served
    assert unheard.needs.served
    assert not unheard.needs.wanted
