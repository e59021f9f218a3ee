import math
from dataclasses import replace

import numpy as np
import pytest
from tests.contracts.indexing import by_words, chunk, index_all, indexed, near, said, texts, whole
from tests.contracts.keeping import apply, kept
from tests.people import person
from tests.stores import EAST, LATER, MODEL, NOON, NORTH, SOUTH, Store, vector

from recollect.errors import StoreError
from recollect.model import (
    COMMONS,
    Actor,
    Add,
    Hit,
    IndexedMessage,
    Kind,
    Lexicon,
    Memory,
    Passage,
    Reason,
    Replace,
    Retire,
    Role,
    Scope,
    Source,
    Vector,
)
from recollect.text.lexical import correction_prefixes, corrections

NORTH_EAST = (1.0, 1.0, 0.0, 0.0)

# -- lexicon and vocabulary ------------------------------------------------------------------------


async def test_who_has_nothing_has_an_empty_lexicon(store: Store) -> None:
    assert await store.memories.lexicon(store.anna, ["tea"]) == Lexicon()
    assert await store.memories.vocabulary(store.anna, ["t"], lengths=range(1, 9)) == []


async def test_a_lexicon_tells_where_a_term_stands_and_how_often(store: Store) -> None:
    await kept(store, "Tea, tea and more tea for Dora")
    await kept(store, "Dora sails")

    lexicon = await store.memories.lexicon(store.anna, ["tea", "dora", "zebra"])

    assert set(lexicon.occurrences) == {"tea", "dora"}
    assert lexicon.documents == 2
    tea, dora = lexicon.occurrences["tea"], lexicon.occurrences["dora"]
    assert (tea.frequencies.tolist(), tea.own.tolist()) == ([3], [3])
    assert set(tea.documents.tolist()) < set(dora.documents.tolist())
    assert dora.lengths.sum() == pytest.approx(lexicon.mean_length * 2)
    assert dora.own_lengths.tolist() == dora.lengths.tolist()


async def test_documents_come_in_order(store: Store) -> None:
    for number in range(5):
        await kept(store, f"Tea number {number}")

    documents = (await store.memories.lexicon(store.anna, ["tea"])).occurrences["tea"].documents

    assert documents.tolist() == sorted(documents.tolist())
    assert len(documents) == 5


async def test_the_words_of_the_context_are_no_words_of_the_text(store: Store) -> None:
    await said(store, "She sails", reply="")
    [message] = await store.index.unindexed(store.anna, limit=9)
    part = chunk("She sails", context={"dora": 2, "sail": 1})
    await store.index.index(store.anna, IndexedMessage(message.id, (part,), {}, MODEL))

    lexicon = await store.memories.lexicon(store.anna, ["dora", "sail"])

    dora, sail = lexicon.occurrences["dora"], lexicon.occurrences["sail"]
    assert (dora.frequencies.tolist(), dora.own.tolist()) == ([2], [0])
    assert (sail.frequencies.tolist(), sail.own.tolist()) == ([2], [1])
    assert sail.lengths.tolist() == [sail.own_lengths[0] + 3]


async def test_frequencies_and_lengths_have_an_end(store: Store) -> None:
    await said(store, "tea", reply="")
    [message] = await store.index.unindexed(store.anna, limit=9)
    part = chunk("tea", context={"tea": 500, "rain": 40_000})
    await store.index.index(store.anna, IndexedMessage(message.id, (part,), {}, MODEL))

    tea = (await store.memories.lexicon(store.anna, ["tea"])).occurrences["tea"]

    assert (tea.frequencies.tolist(), tea.own.tolist()) == ([63], [1])
    assert (tea.lengths.tolist(), tea.own_lengths.tolist()) == ([32_767], [1])


async def test_many_documents_are_all_in_the_lexicon(store: Store) -> None:
    words = " ".join(f"word{number}" for number in range(9))
    await said(store, words, reply="")
    [message] = await store.index.unindexed(store.anna, limit=9)
    parts = tuple(chunk("word1") for _ in range(2_500))
    await store.index.index(store.anna, IndexedMessage(message.id, parts, {}, MODEL))
    rain = await kept(store, "Likes word1")

    found = (await store.memories.lexicon(store.anna, ["word1"])).occurrences["word1"]
    [hit] = [each for each in await by_words(store, "word1") if each.item.id == rain.id]

    assert len(set(found.documents.tolist())) == 2_501
    assert found.documents.tolist() == sorted(found.documents.tolist())
    assert hit.document == found.documents[-1]


async def test_a_vocabulary_is_of_terms_that_begin_so_and_are_about_as_long(store: Store) -> None:
    await kept(store, "Teapot teal harbour")
    await indexed(store, "Tea in Tenerife", reply="🎉 teatime")
    await kept(store, "Teacup", store.ben.scope)

    async def vocabulary(*prefixes: str, lengths: range) -> set[str]:
        found = await store.memories.vocabulary(store.anna, prefixes, lengths=lengths)
        assert len(found) == len(set(found))
        return set(found)

    assert await vocabulary("te", lengths=range(3, 5)) == {"tea", "teal"}
    assert await vocabulary("te", "tea", "h", lengths=range(6, 8)) >= {"teapot", "harbour"}
    assert await vocabulary("x", lengths=range(1, 99)) == set()
    assert await vocabulary(lengths=range(1, 99)) == set()
    assert await vocabulary("te", lengths=range(0)) == set()


async def test_of_many_terms_those_that_begin_alike_come_before_all_others(store: Store) -> None:
    letters = "abcdefghijklmnopqrst"
    many = [f"s{a}{b}{c}tione" for a in letters[:14] for b in letters for c in letters]
    for first in range(0, len(many), 1_900):  # of a text, its first 2,000 terms are found
        await kept(store, " ".join(many[first : first + 1_900]))
    await kept(store, "Likes spaghetti")

    for typed in ("spaghtti", "sphagetti"):
        found = await store.memories.vocabulary(store.anna, correction_prefixes(typed), lengths=range(6, 12))
        assert corrections(typed, found) == ["spaghetti"]


async def test_an_edit_takes_the_old_words_from_the_lexicon(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    await kept(store, "Likes rain")

    await store.memories.edit(store.anna, tea.id, content="Likes coffee", actor=Actor.USER, at=NOON)

    assert await by_words(store, "tea") == []
    [hit] = await by_words(store, "coffe", "coffee")
    assert (hit.item.id, hit.item.content) == (tea.id, "Likes coffee")
    assert (await store.memories.lexicon(store.anna, [])).documents == 2


async def test_an_edit_beside_the_content_leaves_the_lexicon(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    before = await by_words(store, "tea")

    await store.memories.edit(store.anna, tea.id, kind=Kind.PREFERENCE, actor=Actor.USER, at=NOON)

    assert [hit.document for hit in await by_words(store, "tea")] == [hit.document for hit in before]


async def test_what_is_replaced_or_retired_is_not_found(store: Store) -> None:
    tea, rain = await kept(store, "Likes tea"), await kept(store, "Likes rain")

    await apply(
        store,
        Replace(tea.id, store.memory("Likes coffee"), Reason.CONTRADICTS),
        Retire(rain.id, Reason.CONTRADICTS),
    )

    assert await by_words(store, "tea", "rain") == []
    assert texts(await near(store, vector(*NORTH))) == {"Likes coffee"}
    lexicon = await store.memories.lexicon(store.anna, ["tea", "rain"])
    assert (lexicon.documents, lexicon.occurrences) == (1, {})
    assert lexicon.mean_length == (await store.memories.lexicon(store.anna, ["like"])).mean_length


async def test_the_lexicon_of_one_user_has_nothing_of_another(store: Store) -> None:
    await kept(store, "Likes tea")
    await indexed(store, "More tea")

    assert await store.memories.lexicon(store.ben, ["tea"]) == Lexicon()
    await kept(store, "Likes rain", store.ben.scope)
    assert (await store.memories.lexicon(store.ben, ["tea"])).occurrences == {}
    assert await by_words(store, "tea", user_id=store.ben) == []
    numbers = list(range(9))
    hits = await store.memories.search(
        store.ben.scope, vector(*NORTH), MODEL, documents=numbers, limit=9, log=True
    )
    assert texts(hits) == {"Likes rain"}


# -- dense -----------------------------------------------------------------------------------------


async def test_the_nearest_come_with_their_cosines(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    await kept(store, "Likes rain", embedding=vector(*EAST))
    await said(store, "I said so", reply="")
    await index_all(store, store.anna, vector(*NORTH_EAST))

    hits = await near(store, vector(*NORTH))

    assert [hit.item.content for hit in hits] == ["Likes tea", "I said so", "Likes rain"]
    assert [hit.cosine for hit in hits] == pytest.approx([1, math.sqrt(0.5), 0], abs=1e-3)
    assert [hit.first_cosine for hit in hits] == [None, pytest.approx(math.sqrt(0.5), abs=1e-3), None]
    assert hits[0].item == tea
    assert len({hit.document for hit in hits}) == 3
    assert None not in {hit.document for hit in hits}


async def test_a_passage_is_what_stands_in_the_log(store: Store) -> None:
    scope = store.anna.elsewhere
    text = "Ünd 🎉 then: print(1) and more"
    await said(store, "first", scope, reply="")
    new = await said(store, text, scope, reply="I see.", speaker="Anna K.", at=LATER)
    for message in await store.index.unindexed(store.anna, limit=9):
        code = chunk("print(1)", begins=text.index("print"), vectors=[vector(*EAST)])
        code = replace(code, code=True, language="python")
        parts = (chunk("first"),) if message.content != text else (chunk("Ünd 🎉 then:"), code)
        await store.index.index(store.anna, IndexedMessage(message.id, parts, {}, MODEL))

    [hit] = [each for each in await near(store, vector(*EAST)) if each.cosine]

    assert hit.item == Passage(
        message_id=new.message_id,
        exchange_id=new.id,
        session_id="chat-2",
        turn_index=2,
        part=1,
        role=Role.USER,
        content="print(1)",
        said_at=LATER,
        speaker="Anna K.",
        code=True,
        language="python",
    )


async def test_only_the_limit_is_near(store: Store) -> None:
    for number in range(6):
        await kept(store, f"Tea {number}", embedding=vector(1, number, 0, 0))
        await said(store, f"Rain {number}", reply="")
        await index_all(store, store.anna, vector(1, number, 0, 0))

    hits = await near(store, vector(*NORTH), limit=2)

    assert texts(hits) == {"Tea 0", "Tea 1", "Rain 0", "Rain 1", "Rain 2", "Rain 3"}


async def test_of_several_pieces_of_a_chunk_the_best_counts(store: Store) -> None:
    await said(store, "A long story", reply="")
    await index_all(store, store.anna, vector(*EAST), vector(*NORTH_EAST), vector(*NORTH))

    [hit] = await near(store, vector(*NORTH))

    assert [hit.cosine, hit.first_cosine] == pytest.approx([1, 0], abs=1e-3)


async def test_a_chunk_whose_beginning_is_not_near_has_its_first_cosine_all_the_same(store: Store) -> None:
    await said(store, "A long story", reply="")
    await index_all(store, store.anna, vector(*SOUTH), vector(*NORTH))

    [hit] = await near(store, vector(*NORTH), limit=1)

    assert hit.first_cosine == pytest.approx(-1, abs=1e-3)


async def test_embeddings_of_another_model_or_size_are_not_near(store: Store) -> None:
    await kept(store, "Another model", embedding_model="words/other")
    await kept(store, "Another size", embedding=vector(1, 0, 0))
    await kept(store, "No embedding", embedding=None, embedding_model=None)
    await said(store, "Another model's message", reply="")
    [message] = await store.index.unindexed(store.anna, limit=1)
    await store.index.index(store.anna, whole(message, vector(*NORTH), model="words/other"))
    await said(store, "A message of another size", reply="")
    await index_all(store, store.anna, vector(1, 0, 0))

    assert await near(store, vector(*NORTH)) == []
    found = await by_words(store, "anoth", "another", "embed", "embedding", "size")
    assert len(found) == 5
    assert {hit.cosine for hit in found} == {None}


async def test_what_is_named_comes_with_its_cosine_too(store: Store) -> None:
    await kept(store, "Likes tea", embedding=vector(*EAST))
    await kept(store, "Likes rain")
    [tea] = await by_words(store, "tea")
    assert tea.document is not None

    hits = await store.memories.search(
        store.anna.scope, vector(*NORTH), MODEL, documents=[tea.document, 10_000], limit=1, log=True
    )

    assert {hit.item.content: round(hit.cosine or 0, 3) for hit in hits} == {"Likes tea": 0, "Likes rain": 1}


async def test_what_is_near_and_named_comes_once(store: Store) -> None:
    await kept(store, "Likes tea")
    await indexed(store, "Tea please", reply="")
    documents = [hit.document for hit in await by_words(store, "tea") if hit.document is not None]

    hits = await store.memories.search(
        store.anna.scope, vector(*NORTH), MODEL, documents=documents, limit=9, log=True
    )

    assert len(documents) == len(hits) == 2


async def test_without_a_vector_only_what_is_named_is_found(store: Store) -> None:
    await kept(store, "Likes tea")
    await indexed(store, "More tea", reply="And rain")

    assert await store.memories.search(store.anna.scope, None, MODEL, documents=[], limit=9, log=True) == []
    hits = await by_words(store, "tea")
    assert texts(hits) == {"Likes tea", "More tea"}
    assert {(hit.cosine, hit.first_cosine) for hit in hits} == {(None, None)}


async def test_a_search_without_the_log_has_no_passages(store: Store) -> None:
    await kept(store, "Likes tea")
    await indexed(store, "More tea")

    assert texts(await near(store, vector(*NORTH), log=False)) == {"Likes tea"}
    assert texts(await by_words(store, "tea", log=False)) == {"Likes tea"}


async def test_what_was_kept_verbatim_is_left_out_where_the_log_is_searched(store: Store) -> None:
    verbatim = store.memory("Q: tea? A: yes.", kind=Kind.QA_TURN, source=Source.QA_TURN)
    await apply(store, Add(verbatim))

    assert await near(store, vector(*NORTH)) == await by_words(store, "tea") == []
    assert texts(await near(store, vector(*NORTH), log=False)) == {verbatim.content}
    assert texts(await by_words(store, "tea", log=False)) == {verbatim.content}


async def test_what_was_kept_verbatim_is_searched_beside_the_log_where_that_is_asked_for(
    store: Store,
) -> None:
    verbatim = await kept(store, "Q: tea? A: yes.", kind=Kind.QA_TURN, source=Source.QA_TURN)
    await kept(store, "Likes tea", embedding=vector(*NORTH_EAST))
    await indexed(store, "More tea", reply="")
    await kept(store, "Q: tea too? A: yes.", store.ben.scope, source=Source.QA_TURN)
    documents = [
        int(number)
        for number in (await store.memories.lexicon(store.anna, ["tea"])).occurrences["tea"].documents
    ]

    async def found(to: Vector | None, named: list[int], *, log: bool = True, limit: int = 9) -> list[Hit]:
        return await store.memories.search(
            store.anna.scope, to, MODEL, documents=named, limit=limit, log=log, verbatim=True
        )

    everything = {verbatim.content, "Likes tea", "More tea"}
    assert texts(await found(vector(*NORTH), [])) == everything
    assert texts(await found(None, documents)) == everything
    assert texts(await found(vector(*NORTH), documents)) == everything
    assert texts(await found(vector(*NORTH), [], limit=1)) == {verbatim.content, "More tea"}
    assert texts(await found(vector(*NORTH), documents, log=False)) == everything - {"More tea"}


async def test_what_was_retired_takes_no_place_of_others(store: Store) -> None:
    for number in range(3):
        retired = await kept(store, f"Retired {number}", embedding=vector(*NORTH))
        await apply(store, Retire(retired.id, Reason.CONTRADICTS))
    await kept(store, "Likes tea", embedding=vector(*NORTH_EAST))

    assert texts(await near(store, vector(*NORTH), limit=1)) == {"Likes tea"}
    [nearest] = await store.memories.nearest(store.anna.scope, vector(*NORTH), MODEL, limit=1)
    assert nearest.memory.content == "Likes tea"


async def test_what_was_kept_verbatim_takes_no_place_of_others(store: Store) -> None:
    for number in range(3):
        await kept(store, f"Verbatim {number}", source=Source.QA_TURN)
    await kept(store, "Likes tea", embedding=vector(*NORTH_EAST))

    assert texts(await near(store, vector(*NORTH), limit=1)) == {"Likes tea"}


async def test_what_users_share_is_found_by_those_who_are_given_it(store: Store) -> None:
    shared = store.memory("The office closes at six", owner=COMMONS)
    await apply(store, Add(shared))
    await apply(store, Add(shared), scope=store.ben.scope)
    carla = person("carla")
    await kept(store, "Carla's own", carla.scope)

    for user_id, expected in ((store.anna, {shared.id}), (store.ben, {shared.id}), (carla, set[object]())):
        scope = Scope(user_id, "chat-1")
        dense = [hit for hit in await near(store, vector(*NORTH), scope) if hit.item.id == shared.id]
        lexical = await by_words(store, "office", "offic", user_id=user_id)
        assert {hit.item.id for hit in dense} == {hit.item.id for hit in lexical} == expected
        assert all(isinstance(hit.item, Memory) and hit.item.owner == COMMONS for hit in dense)

    await apply(store, Retire(shared.id, Reason.DELETED))
    assert await near(store, vector(*NORTH)) == await by_words(store, "office", "offic") == []
    assert len(await by_words(store, "office", "offic", user_id=store.ben)) == 1


async def test_the_counters_of_a_memory_come_with_it(store: Store) -> None:
    tea = await kept(store, "Likes tea", importance=0.3)
    await store.memories.touch(store.anna, [tea.id], at=LATER)

    [hit] = await near(store, vector(*NORTH))

    assert hit.item == await store.memories.get(store.anna, tea.id)
    assert isinstance(hit.item, Memory)
    assert (hit.item.recall_count, hit.item.importance) == (1, 0.3)


async def test_an_impossible_user_searches_nothing(store: Store) -> None:
    with pytest.raises(StoreError):
        await store.memories.lexicon("*", ["tea"])
    with pytest.raises(StoreError):
        await store.memories.search(Scope("", "c"), None, MODEL, documents=[], limit=1, log=True)
    with pytest.raises(StoreError):
        await store.memories.vocabulary("a\x00", ["t"], lengths=range(1, 9))


async def test_large_vectors_are_searched_as_well(store: Store) -> None:
    numbers = np.random.default_rng(3)
    embedding = vector(*numbers.normal(size=1024))
    await kept(store, "Likes tea", embedding=embedding)
    await said(store, "A message", reply="")
    await index_all(store, store.anna, embedding)

    assert [hit.cosine for hit in await near(store, embedding)] == pytest.approx([1, 1], abs=1e-3)
