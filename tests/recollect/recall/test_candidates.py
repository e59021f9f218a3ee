"""Which rows of a person's memory may serve a question."""

from typing import Any
from uuid import UUID

import numpy as np
import pytest
from tests.support.recollections import memory, passage, turn
from tests.support.tables import table
from tests.support.terms import document_of
from uuid_utils.compat import uuid7

from recollect.index import Embedded, Loaded, Snapshot, StoredMemory, StoredPassage
from recollect.model import Hints, Memory, Passage, Role, Source, Use, Versions
from recollect.recall.candidates import (
    Candidates,
    find_candidates,
    match_of,
    near_question,
    near_statements,
    nearness,
    serving_passages,
)
from recollect.recall.question import Named, StatementVectors, read_query

NORTH, NORTH_EAST, EAST = (1.0, 0.0), (0.8, 0.6), (0.0, 1.0)
ASKED = Named("m", np.array(NORTH, np.float32), 0.2)


def embedded(*vectors: tuple[float, float], model: str = "m") -> Embedded | None:
    return Embedded.of(model, np.array(vectors, np.float32)) if vectors else None


def kept(content: str, *vectors: tuple[float, float], **changed: Any) -> StoredMemory:
    return StoredMemory(memory(content, **changed), document_of(content), embedded(*vectors))


def said(content: str, *vectors: tuple[float, float], number: int = 0, **changed: Any) -> StoredPassage:
    number = number or next(NUMBERS)
    return StoredPassage(number, passage(content, **changed), document_of(content), embedded(*vectors))


NUMBERS = iter(range(1, 10_000))


def snapshot_of(*stored: StoredMemory | StoredPassage) -> Snapshot:
    memories = [each for each in stored if isinstance(each, StoredMemory)]
    passages = [each for each in stored if isinstance(each, StoredPassage)]
    return Snapshot.from_loaded("anna", Loaded(Versions(UUID(int=1), 1, 0, 1, 0, 0, 0), memories, passages))


def find(
    snapshot: Snapshot, asked: str = "?", *question: Named, limit: int = 9, verbatim: bool = False
) -> tuple[Candidates, list[str]]:
    """Return what is found, and its contents in their order."""
    query = read_query(turn(asked))
    assert snapshot.passages is not None
    serving = serving_passages(snapshot.passages, query)
    found = find_candidates(
        snapshot,
        match_of(snapshot, query.terms, serving),
        serving,
        near_statements(snapshot.memories, next(iter(question), None)),
        nearness(snapshot.passages.vectors, question, ASKED.gate),
        limit=limit,
        verbatim=verbatim,
    )
    items: list[Memory | Passage] = [snapshot.memories.items[row] for row in found.memories]
    items += [snapshot.passages.items[row] for row in found.passages]
    return found, [each.content for each in items]


REMARK = said("Fine.", role=Role.ASSISTANT)
OUTDATED = said("I live in Rome.", changed_at=memory("").observed_at)
PASTED = said("Anna lives in Basel.", pasted=True)
OWN = said("I live in Lisbon.")


@table(
    ("asked", "serving"),
    [
        ("Where do I live?", [OWN]),
        ("What is Anna's new address?", [PASTED, OWN]),
        ("Where did I call load_rows()?", [PASTED, OWN]),
    ],
)
def test_remarks_and_what_is_over_serve_no_question_and_pasted_text_serves_those_about_others_and_code(
    asked: str, serving: list[StoredPassage]
) -> None:
    passages = snapshot_of(REMARK, OUTDATED, PASTED, OWN).passages
    assert passages is not None

    rows = np.flatnonzero(serving_passages(passages, read_query(turn(asked))))

    assert [passages.items[row] for row in rows] == [each.passage for each in serving]


def test_what_is_near_or_holds_a_word_is_found_and_no_more_of_each_than_the_limit() -> None:
    stored = (
        kept("Drinks tea", EAST),
        kept("Has a cat", NORTH),
        kept("Lives in Oslo"),
        said("My tea is green"),
        said("I have a dog", NORTH),
        said("A far thing", EAST),
    )
    near, held = ["Has a cat", "I have a dog"], ["Drinks tea", "My tea is green"]

    _, both = find(snapshot_of(*stored), "Which tea?", ASKED, limit=9)
    _, words = find(snapshot_of(*stored), "Which tea?", limit=9)
    _, one = find(snapshot_of(*stored), "Which tea?", ASKED, limit=1)

    assert set(both) == {*near, *held, "A far thing"}
    assert set(words) == set(held)
    assert {*near} < set(one)
    assert len(set(one) & set(held)) == 1


def test_of_a_messages_parts_the_best_is_found_with_the_best_of_their_numbers() -> None:
    message = uuid7()
    parts = (
        said("An opening", EAST, message_id=message, part=0),
        said("Tea again and tea", NORTH_EAST, message_id=message, part=1),
        said("No word of it", NORTH, message_id=message, part=2),
    )
    [bare] = [said("Tea, of another message", NORTH_EAST, part=3)]

    found, contents = find(snapshot_of(*parts, bare), "Which tea?", ASKED)

    assert contents == ["No word of it", "Tea, of another message"]
    np.testing.assert_allclose(found.cosine, [1.0, 0.8], atol=1e-3)
    np.testing.assert_allclose(found.first_cosine, [0.0, np.nan], atol=1e-6)
    assert found.own_matched[0] == found.own_matched[1] > 0
    assert found.bm25[0] > found.bm25[1] > 0


def test_a_verbatim_exchange_is_found_only_without_the_log() -> None:
    snapshot = snapshot_of(kept("Q: tea? A: green", NORTH, source=Source.QA_TURN))

    assert find(snapshot, "tea", ASKED)[1] == []
    assert find(snapshot, "tea", ASKED, verbatim=True)[1] == ["Q: tea? A: green"]


def test_a_replaced_passage_is_never_found() -> None:
    before = snapshot_of(said("Tea is what I drink", NORTH, number=10_001))
    changed = said("I drink something", EAST, number=10_001)
    after = before.after(
        Loaded(before.versions, (), [changed], has_all_memories=False, has_all_passages=False)
    )

    assert find(after, "tea", ASKED)[1] == ["I drink something"]
    assert find(before, "tea", ASKED)[1] == ["Tea is what I drink"]


def test_vectors_of_an_earlier_embedder_count_on_the_scale_of_todays() -> None:
    old = StoredMemory(memory("earlier"), document_of(""), embedded(NORTH_EAST, model="old"))
    snapshot = snapshot_of(kept("today's", NORTH_EAST), old)
    earlier = Named("old", ASKED.vector, 0.6)

    for question, expected in (((ASKED, earlier), 0.8), ((earlier,), np.nan)):  # today's does not answer
        near = nearness(snapshot.memories.vectors, question, ASKED.gate).best

        # 0.2 below 1 of a range of 0.4 is as 0.4 below 1 of a range of 0.8.
        by_content = dict(zip([each.content for each in snapshot.memories.items], near.tolist(), strict=True))
        assert by_content == pytest.approx({"today's": expected, "earlier": 0.6}, abs=5e-4, nan_ok=True)


def test_in_an_empty_memory_nothing_is_found() -> None:
    assert find(snapshot_of(), "Which tea?", ASKED)[0].size == 0


def test_a_pasted_text_brings_what_its_topics_need_and_nothing_that_is_only_asked_for() -> None:
    def hinted(content: str, use: Use) -> StoredMemory:
        return kept(content, EAST, hints=Hints(use, ("dinners",), ()))

    memories = snapshot_of(
        hinted("Eats no nuts", Use.TOPIC), hinted("Has passport 7", Use.ASKED), kept("Has a cat", EAST)
    ).memories
    pasted = np.array(EAST, np.float32)

    near = near_question(memories, StatementVectors(ASKED.vector, ASKED, "m", pasted))

    of = dict(zip([each.content for each in memories.items], near.best.tolist(), strict=True))
    assert of == pytest.approx({"Eats no nuts": 1.0, "Has passport 7": 0.0, "Has a cat": 0.0})
