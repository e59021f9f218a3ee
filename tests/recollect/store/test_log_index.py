from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

import pytest
from tests.recollect.store.indexing import by_words, chunk, index_all, indexed, near, said, texts, whole
from tests.recollect.store.keeping import apply, kept
from tests.support.people import person
from tests.support.searching import lexicon_of
from tests.support.stores import EAST, LATER, MODEL, NORTH, Store, vector

from recollect.model import COMMONS, Add, IndexedMessage, LoggedMessage, Memory, Reason, Retire, Role, Scope
from recollect.store.log_index import _READING
from recollect.store.row_mapping import TERMS_BY
from recollect.text.lexical import document_terms


async def drained(store: Store, user_id: str | None = None) -> Sequence[str]:
    return [message.content for message in await store.index.unindexed(user_id or store.anna, limit=99)]


async def test_messages_are_to_be_indexed_with_what_was_said_before_them(store: Store) -> None:
    first = await said(store, "Tea?", reply="Gladly.", speaker="Anna K.", at=LATER)
    second = await said(store, "And rain?", reply="")
    await said(store, "Elsewhere", store.anna.elsewhere, reply="")
    await said(store, "Ben's", store.ben.scope)

    assert await store.index.unindexed(store.anna, limit=3) == [
        LoggedMessage(first.message_id, Role.USER, "Tea?", LATER, "Anna K."),
        LoggedMessage(
            first.reply_id, Role.ASSISTANT, "Gladly.", LATER, None, "Tea?", before_id=first.message_id
        ),
        LoggedMessage(
            second.message_id,
            Role.USER,
            "And rain?",
            second.turn.at,
            None,
            "Gladly.",
            before_id=first.reply_id,
        ),
    ]
    assert [message.before for message in await store.index.unindexed(store.anna, limit=9)][3] == ""


async def test_a_late_reply_is_indexed_and_an_alternate_is_not(store: Store) -> None:
    first = await indexed(store, "Tea?", reply="")
    late, other = (store.exchange("Tea?", key=first.turn.key, reply=each) for each in ("Gladly.", "Never."))
    for each in (late, other):
        await store.log.append(each)

    assert await drained(store) == ["Gladly."]
    await index_all(store)
    assert texts(await near(store, vector(*NORTH))) == {"Tea?", "Gladly."}
    assert await store.index.index(store.anna, IndexedMessage(other.reply_id, (), {}, MODEL)) is False


async def test_a_message_is_indexed_once_by_its_user_and_never_once_it_is_gone(store: Store) -> None:
    await said(store, "Tea?", reply="")
    [message] = await store.index.unindexed(store.anna, limit=9)

    assert await store.index.index(store.ben, whole(message)) is False
    assert await store.index.index(store.anna, whole(message)) is True
    assert await store.index.index(store.anna, whole(message)) is False

    assert await drained(store) == []
    assert (await lexicon_of(store.snapshots, store.anna, ["tea"])).documents == 1
    assert len(await by_words(store, "tea")) == 1

    await said(store, "Coffee?", store.anna.elsewhere, reply="")
    [message] = await store.index.unindexed(store.anna, limit=9)
    await store.memories.erase(store.anna, at=LATER)
    assert await store.index.index(store.anna, whole(message)) is False
    assert await by_words(store, "coffe") == []


async def test_a_message_without_words_is_indexed_and_has_no_chunks(own_store: Store) -> None:
    await said(own_store, "🎉", reply="")
    [message] = await own_store.index.unindexed(own_store.anna, limit=9)

    assert await own_store.index.index(own_store.anna, IndexedMessage(message.id, (), {}, MODEL)) is True

    assert await drained(own_store) == []
    assert await near(own_store, vector(*NORTH)) == []
    assert await own_store.index.enqueue_unindexed() == 0


async def test_a_message_is_found_by_its_context(store: Store) -> None:
    await said(store, "She sails", reply="")
    [message] = await store.index.unindexed(store.anna, limit=9)
    part = chunk("She sails", context={"dora": 1})
    await store.index.index(store.anna, IndexedMessage(message.id, (part,), {}, MODEL))

    assert texts(await by_words(store, "dora")) == {"She sails"}


async def test_a_message_is_found_by_the_beginning_of_what_follows(store: Store) -> None:
    await said(store, "She sails. Really.", reply="Dora does?")
    question, answer = await store.index.unindexed(store.anna, limit=9)
    parts = (chunk("She sails."), chunk("Really.", begins=11))
    await store.index.index(store.anna, IndexedMessage(question.id, parts, {}, MODEL))
    before = (await lexicon_of(store.snapshots, store.anna, ["realli", "really"])).mean_length
    await store.index.index(store.anna, IndexedMessage(answer.id, (), {"dora": 1, "sail": 2}, MODEL))

    assert texts(await by_words(store, "dora")) == {"Really."}
    lexicon = await lexicon_of(store.snapshots, store.anna, ["sail", "dora"])
    assert lexicon.occurrences["sail"].own == [1, 0]
    assert lexicon.occurrences["sail"].frequencies == [1, 2]
    assert lexicon.occurrences["dora"].own == [0]
    assert (lexicon.documents, lexicon.mean_length) == (2, before)


async def test_only_the_message_right_before_is_found_by_what_follows(store: Store) -> None:
    await said(store, "First", reply="")
    await said(store, "Second", reply="")
    await said(store, "Third", reply="")
    first, second, third = await store.index.unindexed(store.anna, limit=9)
    await store.index.index(store.anna, whole(first))
    await store.index.index(store.anna, IndexedMessage(third.id, (), {"dora": 1}, MODEL))
    assert await by_words(store, "dora") == []

    await store.index.index(store.anna, IndexedMessage(second.id, (), {"emil": 1}, MODEL))
    assert texts(await by_words(store, "emil")) == {"First"}


# -- embedding -------------------------------------------------------------------------------------


async def test_what_has_no_embeddings_of_a_model_is_to_be_embedded_newest_first(store: Store) -> None:
    await said(store, "Tea? Yes.", reply="")
    [message] = await store.index.unindexed(store.anna, limit=9)
    bare = (chunk("Tea?"), chunk("Yes.", begins=5))
    await store.index.index(store.anna, IndexedMessage(message.id, bare, {}, MODEL))
    await indexed(store, "Rain", reply="")

    missing = await store.index.unembedded(store.anna, MODEL, limit=9)
    assert [each.content for each in missing] == ["Yes.", "Tea?"]
    assert [each.content for each in await store.index.unembedded(store.anna, MODEL, limit=1)] == ["Yes."]
    other = await store.index.unembedded(store.anna, "words/other", limit=9)
    assert [each.content for each in other] == ["Rain", "Yes.", "Tea?"]
    assert await store.index.unembedded(store.ben, MODEL, limit=9) == []

    await store.index.replace_embeddings(
        store.anna, missing[0].document, [vector(*EAST), vector(*NORTH)], MODEL
    )

    assert [each.content for each in await store.index.unembedded(store.anna, MODEL, limit=9)] == ["Tea?"]
    assert texts([hit for hit in await near(store, vector(*EAST)) if hit.cosine]) == {"Yes."}


async def test_new_embeddings_take_the_place_of_those_before(store: Store) -> None:
    await said(store, "Tea", reply="")
    await index_all(store, store.anna, vector(*NORTH), vector(*NORTH))
    [chunk_] = await store.index.unembedded(store.anna, "words/other", limit=9)

    await store.index.replace_embeddings(store.anna, chunk_.document, [vector(*EAST)], "words/other")

    assert await near(store, vector(*NORTH)) == []
    [hit] = await near(store, vector(*NORTH), model="words/other")
    assert hit.cosine == pytest.approx(0, abs=1e-3)
    assert await store.index.unembedded(store.anna, "words/other", limit=9) == []


async def test_what_is_gone_or_anothers_is_not_embedded(store: Store) -> None:
    await said(store, "Tea", reply="")
    [message] = await store.index.unindexed(store.anna, limit=9)
    await store.index.index(store.anna, IndexedMessage(message.id, (chunk("Tea"),), {}, MODEL))
    [bare] = await store.index.unembedded(store.anna, MODEL, limit=9)

    await store.index.replace_embeddings(store.ben, bare.document, [vector(*NORTH)], MODEL)
    await store.index.replace_embeddings(store.anna, bare.document + 1, [vector(*NORTH)], MODEL)

    assert await near(store, vector(*NORTH)) == []
    assert await near(store, vector(*NORTH), store.ben.scope) == []
    await store.memories.erase(store.anna, at=LATER)
    await store.index.replace_embeddings(store.anna, bare.document, [vector(*NORTH)], MODEL)
    assert await near(store, vector(*NORTH)) == []


# -- what there was before there was an index ------------------------------------------------------


async def test_who_said_something_and_has_no_index_is_enqueued(own_store: Store) -> None:
    await said(own_store, "Tea")
    await said(own_store, "Rain")
    await said(own_store, "Ben's", own_store.ben.scope)
    await kept(own_store, "Carla only remembers", person("carla").scope)
    assert await own_store.index.enqueue_unindexed() == 2

    await index_all(own_store)
    assert await own_store.index.enqueue_unindexed() == 1
    await index_all(own_store, own_store.ben)
    assert await own_store.index.enqueue_unindexed() == 0


# -- memories that have no embedding ---------------------------------------------------------------


async def unembedded(
    store: Store, user_id: str | None = None, model: str = MODEL, *, limit: int = 9
) -> list[str]:
    found = await store.index.unembedded_memories(user_id or store.anna, model, limit=limit)
    return [each.content for each in found]


async def test_memories_that_have_no_embedding_of_a_model_are_found_the_newest_first(store: Store) -> None:
    first = await kept(store, "Likes tea", embedding=None, embedding_model=None)
    await kept(store, "Likes rain")
    await kept(store, "Likes snow", embedding_model="another")
    await kept(store, "Ben's", store.ben.scope, embedding=None, embedding_model=None)

    assert await unembedded(store) == ["Likes snow", "Likes tea"]
    assert await unembedded(store, limit=1) == ["Likes snow"]
    assert await unembedded(store, model="another") == ["Likes rain", "Likes tea"]
    assert (await store.index.unembedded_memories(store.anna, MODEL, limit=9))[1] == first


def embedded(memory: Memory) -> Memory:
    return replace(memory, embedding=vector(*NORTH), embedding_model=MODEL)


async def test_what_is_gone_is_not_embedded_and_what_was_given_is(store: Store) -> None:
    tea = await kept(store, "Likes tea", embedding=None, embedding_model=None)
    shared = await kept(store, "Rain at five", owner=COMMONS, embedding=None, embedding_model=None)
    await apply(store, Retire(tea.id, Reason.CONTRADICTS))

    assert await unembedded(store) == ["Rain at five"]
    for each in (tea, shared):
        await store.index.embed_memory(store.anna, embedded(each))

    assert [hit.item.content for hit in await near(store, vector(*NORTH))] == ["Rain at five"]


async def test_a_memory_is_near_once_it_is_embedded(store: Store) -> None:
    tea = await kept(store, "Likes tea", embedding=None, embedding_model=None)
    rain = await kept(store, "Likes rain", embedding=vector(*EAST), embedding_model="another")
    before = await near(store, vector(*NORTH))

    for each in (tea, rain):
        await store.index.embed_memory(store.anna, embedded(each))

    assert before == []
    assert {hit.item.content: hit.cosine for hit in await near(store, vector(*NORTH))} == {
        "Likes tea": pytest.approx(1, abs=1e-3),
        "Likes rain": pytest.approx(1, abs=1e-3),
    }
    assert await unembedded(store) == []
    assert await near(store, vector(*EAST), model="another") == []


async def test_an_embedding_that_was_made_meanwhile_stays(store: Store) -> None:
    tea = await kept(store, "Likes tea")

    await store.index.embed_memory(store.anna, replace(tea, embedding=vector(*EAST)))

    [hit] = await near(store, vector(*NORTH))
    assert hit.cosine == pytest.approx(1, abs=1e-3)


async def test_a_turn_that_is_called_valuable_is_found_once_when_it_is_indexed_anew(store: Store) -> None:
    tea = await said(store, "Tea?", reply="")
    await said(store, "Rain?", reply="")
    await index_all(store)
    before = await lexicon_of(store.snapshots, store.anna, ["tea"])

    assert await store.index.mark(store.anna.scope, tea.message_id, marked=True)
    assert await by_words(store, "tea") == []
    assert await drained(store) == ["Tea?"]
    await index_all(store)

    after = await lexicon_of(store.snapshots, store.anna, ["tea"])
    assert replace(after, occurrences={}) == replace(before, occurrences={})
    assert len(after.occurrences["tea"].documents) == 1
    assert len(await by_words(store, "tea")) == 1
    assert not await store.index.mark(store.anna.elsewhere, tea.message_id, marked=False)
    assert not await store.index.mark(store.ben.scope, tea.message_id, marked=False)


async def test_an_index_is_built_anew_from_what_is_kept(store: Store) -> None:
    tea = await kept(store, "Likes jasmine tea")
    for text in ("My bicycle has a flat tyre", "Lisbon is where I grew up"):
        await indexed(store, text)
    before = await lexicon_of(store.snapshots, store.anna, ["bicycl", "lisbon", "jasmin"])

    assert await store.index.rebuild(store.anna)
    assert not await store.index.rebuild(store.ben)
    rounds = 0
    while await store.index.read_again(store.anna, limit=2):
        known = await lexicon_of(store.snapshots, store.anna, ["jasmin"])
        assert len(known.occurrences["jasmin"].documents) == 1, tea.content
        await index_all(store)
        rounds += 1
    await index_all(store)
    after = await lexicon_of(store.snapshots, store.anna, ["bicycl", "lisbon", "jasmin"])

    assert rounds >= 2
    assert (after.documents, after.mean_length) == (before.documents, before.mean_length)
    assert {term: len(each.documents) for term, each in after.occurrences.items()} == {
        term: len(each.documents) for term, each in before.occurrences.items()
    }
    assert before.occurrences.keys() == {"bicycl", "lisbon", "jasmin"}
    assert not await store.index.read_again(store.anna, limit=2)


async def test_who_has_most_documents_comes_first(own_store: Store) -> None:
    store = own_store
    assert await store.index.largest_users(9) == []
    await said(store, "Tea?", reply="Gladly.")
    await index_all(store)
    await apply(store, Add(store.memory("Ben rows.", store.ben.scope)), scope=store.ben.scope)
    await said(store, "Rain?", Scope("carla", "chat-1"), reply="No.")

    assert await store.index.largest_users(9) == [store.anna, store.ben], (
        "of whom nothing is indexed is not there"
    )
    assert await store.index.largest_users(1) == [store.anna]


SAMPLES = (
    "On 2026-03-01T09:30 Anna's mail to ben@example.com said max_value() = 1,000.5, C++ and A-1234, see https://a.example/b?c=d.",
    "Die Müllers haben's nicht geglaubt. Où habitait l'ami d'Éloïse? Los niños jugaban; minha irmã mora em São Paulo.",
    "Она переехала в Москву. Πού μένω; أين تسكن أختي؟ 我的狗叫什么名字 東京へ行きました 어머니가 서울에 사세요 บ้านของฉัน",
)


def test_terms_that_are_read_in_another_way_have_another_version() -> None:
    terms = [sorted(document_terms(each).items()) for each in SAMPLES]
    digest = sha256(repr(terms).encode()).hexdigest()[:8]

    # Terms in stores are read again only if both versions rise with them.
    assert (TERMS_BY, _READING, digest) == (2, 2, "088422aa")
