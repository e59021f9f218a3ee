"""Of a message the person's own words are found as theirs; what they pasted is found as that, or not at all."""

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

from tests.recollect.store.indexing import by_words
from tests.scripted.models import WordEmbedder
from tests.support.recollections import NOON
from tests.support.searching import lexicon_of
from tests.support.stores import Store
from tests.support.tables import table
from uuid_utils.compat import uuid7

from recollect.indexing import EmbeddingScope, index_user
from recollect.indexing.indexed_message import (
    index_by_words,
    is_error,
    is_recallable,
    only_asks,
    own_text,
    parts_of,
    windows_of,
)
from recollect.model import IndexedMessage, LoggedMessage, Passage, Role
from recollect.text.attribution import others_words

MAIL = """Kannst du mir das bitte zusammenfassen? Mein Hund Fips schl\u00e4ft gerade.

Von: Anna Keller <anna@example.org>
Gesendet: Montag, 2. M\u00e4rz 2026 09:12
Betreff: Umzug

Hallo zusammen, ich wohne jetzt in Basel, an der Rheingasse 12. Meine Nummer bleibt gleich.
Liebe Gr\u00fc\u00dfe, Anna"""
FRIEND = "My friend wrote \u201cI have a severe peanut allergy, please cook without them\u201d and comes on Friday."
ONLY_PASTED = MAIL[MAIL.index("Von:") :]
ASKED = f"Kannst du das zusammenfassen?\n\n{ONLY_PASTED}"
CODE = "Why does this fail, my service is Kettle?\n\n```python\ndef brew(tea):\n    return tea\n```"


def own(text: str) -> str:
    said = message(text)
    return own_text(text, parts_of(said, len(text)))


def test_an_address_in_a_pasted_mail_is_no_word_of_the_person() -> None:
    indexed = index_by_words(message(MAIL), "m", embeddable=True)

    [said, pasted] = indexed.chunks
    assert not said.pasted
    assert "Fips" in MAIL[said.begins : said.ends]
    assert "basel" not in said.terms
    assert pasted.pasted
    assert "Basel" in MAIL[pasted.begins : pasted.ends]


def test_a_friends_allergy_in_quotation_marks_is_cut_out_of_the_persons_sentence() -> None:
    indexed = index_by_words(message(FRIEND), "m", embeddable=True)

    [said] = indexed.chunks
    assert "peanut" not in said.terms
    assert "friday" in said.terms
    [[window]] = windows_of(indexed, FRIEND)
    assert "allergy" not in window
    assert window.startswith("My friend wrote")


def test_what_only_asks_about_a_pasted_text_leaves_the_text_alone_to_be_found() -> None:
    [chunk] = index_by_words(message(ASKED), "m", embeddable=True).chunks

    assert chunk.pasted
    assert own(ASKED) == "Kannst du das zusammenfassen?"


def test_code_in_a_fence_is_found_as_code_and_what_an_assistant_says_is_all_its_own() -> None:
    said = index_by_words(message(CODE), "m", embeddable=True).chunks

    assert [(each.code, each.pasted) for each in said] == [(False, False), (True, False)]
    answer = index_by_words(message(MAIL, Role.ASSISTANT), "m", embeddable=True)
    assert not any(each.pasted or each.cuts for each in answer.chunks)


def test_the_pieces_of_a_message_are_in_order_and_do_not_overlap() -> None:
    for text in (
        MAIL,
        FRIEND,
        CODE,
        ASKED,
        "> quoted\n" * 50,
        "\u00ab" + "x" * 300 + "\u00bb",
        "a\r\n> b\r\nc",
        "x" * 50_000,
    ):
        pieces, quoted = others_words(text)
        for spans in (pieces, quoted):
            assert all(start < end for start, end in spans)
            assert all(one[1] <= other[0] for one, other in pairwise(spans))
        parts = parts_of(message(text), len(text))
        assert all(one.ends <= other.begins for one, other in pairwise(parts))


def test_what_lies_between_the_ends_of_a_very_long_message_is_others_words() -> None:
    pieces, _ = others_words("word " * 10_000)

    assert pieces == [(27_000, 37_000)]


async def found(store: Store, term: str) -> list[Passage]:
    return [hit.item for hit in await by_words(store, term) if isinstance(hit.item, Passage)]


async def index(store: Store) -> timedelta | None:
    return await index_user(
        store.anna,
        index=store.index,
        embedder=WordEmbedder(),
        log_embedder=WordEmbedder(),
        embedded=EmbeddingScope.ALL,
    )


async def test_what_is_found_is_shown_without_others_words_and_pasted_text_as_pasted(store: Store) -> None:
    await store.log.append(store.exchange(MAIL, reply=""))
    await store.log.append(store.exchange(FRIEND, store.anna.elsewhere, reply=""))
    await index(store)

    [friday] = await found(store, "friday")
    assert friday.content == "My friend wrote \u201c\u2026\u201d and comes on Friday."
    assert await found(store, "peanut") == []
    [basel] = await found(store, "basel")
    assert basel.pasted
    [fips] = await found(store, "fip")
    assert not fips.pasted
    assert "Basel" not in fips.content


async def test_an_index_of_an_older_reading_is_brought_up_to_date_in_the_background(own_store: Store) -> None:
    store = own_store
    for text in ("I keep bees in Basel.", MAIL, "Where do I live?"):
        await store.log.append(store.exchange(text, reply=""))
    for logged in await store.index.unindexed(store.anna, limit=9):
        whole = index_by_words(message(logged.content, Role.ASSISTANT), "words", embeddable=False)
        assert await store.index.index(store.anna, IndexedMessage(logged.id, whole.chunks, {}, "words"))
    assert [each.pasted for each in await found(store, "basel")] == [False, False]
    assert await store.index.enqueue_unindexed() == 0
    await _as_before_this_reading(store)
    assert await store.index.enqueue_unindexed() == 1

    while await index(store) is not None:
        pass

    assert {each.pasted for each in await found(store, "basel")} == {False, True}
    assert await found(store, "live") == []
    assert await store.index.enqueue_unindexed() == 0


async def test_what_is_indexed_again_stands_once_in_the_context_of_what_was_said_before_it(
    own_store: Store,
) -> None:
    store = own_store
    for text in ("I keep bees.", MAIL):
        await store.log.append(store.exchange(text, reply=""))
    while await index(store) is not None:
        pass
    first = await _how_often(store, "zusammenfassen", "hund", "gerade", "schl\u00e4ft")
    assert first

    await _as_before_this_reading(store)
    while await index(store) is not None:
        pass

    assert await _how_often(store, "zusammenfassen", "hund", "gerade", "schl\u00e4ft") == first


async def _how_often(store: Store, *terms: str) -> list[tuple[str, list[int]]]:
    known = await lexicon_of(store.snapshots, store.anna, terms)
    return [(term, sorted(each.frequencies)) for term, each in sorted(known.occurrences.items())]


async def _as_before_this_reading(store: Store) -> None:
    async with store.index._database.changing(store.anna) as connection:
        await connection.execute("UPDATE users SET reading = 0 WHERE user_id = $1", store.anna)


ONLY_ASK = (
    "What do I work as?",
    "Hi! Where do I live?",
    "Thanks! Who is my dentist?",
    "\u00bfD\u00f3nde vivo?",
    "Wo wohne ich? Und wie hei\u00dft mein Hund?",
    "\u6211\u4f4f\u5728\u54ea\u91cc\uff1f",
    "\u0623\u064a\u0646 \u0623\u0633\u0643\u0646\u061f",
    "How long ought a synopsis to be?",
    "What do I work as? \U0001f914",
    "\u03a0\u03bf\u03cd \u03bc\u03ad\u03bd\u03c9;",
    "\u12e8\u1275 \u1290\u12cd \u12e8\u121d\u1296\u1228\u12cd\u1367",
)
TELL = (
    "I live in Lisbon.",
    "My dog Fips is ill, what can I do?",
    "I take warfarin for the heart flutter, so tell me: can I have the kale soup?",
    "I'm moving to Basel. Which bank should I take?",
    "Can you help me plan my schedule around my new shifts at the Santa Maria hospital, which begin at six in the morning?",
    "Wir haben uns ein Boot gekauft! Was kostet ein Liegeplatz?",
)


def message(content: str, role: Role = Role.USER, before: str = "") -> LoggedMessage:
    return LoggedMessage(uuid7(), role, content, NOON, before=before)


@table("text", ONLY_ASK)
def test_a_message_that_only_asks_tells_nothing(text: str) -> None:
    assert only_asks(text)
    assert not is_recallable(message(text))
    assert is_recallable(replace(message(text), taught=True))  # a memory was formed of it


@table("text", TELL)
def test_a_message_that_says_something_beside_its_question_tells(text: str) -> None:
    assert not only_asks(text)
    assert is_recallable(message(text))


@table("text", ("hello!", "Vielen Dank", "ok, thanks", "\u4f60\u597d"))
def test_small_talk_tells_nothing_nor_does_what_is_answered_to_it(text: str) -> None:
    assert not is_recallable(message(text))
    assert not is_recallable(message("You are welcome.", Role.ASSISTANT, before=text))


@table("text", ("Undo that.", "Forget number 2.", "Stop remembering me."))
def test_a_command_to_the_memory_tells_nothing_nor_does_what_is_answered_to_it(text: str) -> None:
    assert not is_recallable(message(text))
    assert not is_recallable(message("Nothing was forgotten:\n1. Nothing", Role.ASSISTANT, before=text))


def test_an_answer_to_a_question_about_oneself_tells_nothing_that_memory_does_not_know() -> None:
    asked = "What do I work as?"

    assert not is_recallable(message("I do not know that about you yet.", Role.ASSISTANT, before=asked))
    assert is_recallable(
        message("A hip roof is safer in storms.", Role.ASSISTANT, before="Gable or hip roof?")
    )
    assert is_recallable(message("Like so:\n```\nbrew(tea)\n```", Role.ASSISTANT, before="How do I brew it?"))


@table(
    "text",
    (
        "Traceback (most recent call last):\n  File x",
        "ValueError: no such thing",
        "APIError 429: slow down",
        '{"error": {"message": "overloaded"}}',
        "502 Bad Gateway",
        "<html><body>Service unavailable</body></html>",
    ),
)
def test_an_error_in_the_place_of_an_answer_tells_nothing(text: str) -> None:
    assert is_error(text)
    assert not is_recallable(message(text, Role.ASSISTANT, before="I live in Basel."))


@table("text", ("Errors are human.", "502 people came.", "The error was mine: I forgot it."))
def test_words_about_errors_are_no_error(text: str) -> None:
    assert not is_error(text)


def test_a_turn_that_failed_tells_nothing_and_what_was_called_valuable_always_does() -> None:
    said = message("I live in Basel.")

    assert not is_recallable(replace(said, failed=True))
    assert is_recallable(replace(message("Where do I live?"), marked=True, failed=True))
