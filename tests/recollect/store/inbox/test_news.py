"""What was learned is told once, to its person, in any of their chats; and what could not be told is told again."""

import asyncio
import json
from datetime import UTC, datetime, timedelta

from tests.recollect.store.indexing import said
from tests.recollect.store.keeping import formed, undo
from tests.support.stores import LATER, NOON, Store

from recollect.model import ROOT, Add, Exchange, News, Reason, Scope

ANSWERING = "the turn that is answered"
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


async def taught(store: Store, content: str, scope: Scope | None = None) -> Exchange:
    """Have an exchange of a chat formed, which teaches this."""
    spoken = await said(store, f"I say: {content}", scope)
    await formed(store, spoken, Add(store.memory(content, scope)))
    return spoken


def words(news: News) -> list[str | None]:
    return [each.after for each in news.updates]


async def tell(store: Store, scope: Scope | None = None, key: str = ANSWERING) -> list[str | None]:
    return words(await store.inbox.tell(scope or store.anna.scope, key, since=LONG_AGO))


async def test_what_was_formed_is_told_once_the_newest_first(store: Store) -> None:
    assert await tell(store) == []
    await taught(store, "Drinks tea")
    await taught(store, "Has a dog")

    assert await tell(store) == ["Has a dog", "Drinks tea"]
    assert await tell(store) == []
    await taught(store, "Lives in Oslo")
    assert await tell(store) == ["Lives in Oslo"]


async def test_what_waits_to_be_formed_is_told_when_it_is(store: Store) -> None:
    spoken = await said(store, "I drink tea")
    assert await tell(store) == []

    await formed(store, spoken, Add(store.memory("Drinks tea")))

    assert await tell(store) == ["Drinks tea"]


async def test_it_is_told_in_any_chat_of_its_person_and_to_nobody_else(store: Store) -> None:
    await taught(store, "Drinks tea")
    await taught(store, "Has a dog")

    assert await tell(store, store.ben.scope) == []
    assert await tell(store, Scope(store.ben, store.anna.scope.session_id)) == []
    assert await tell(store, store.anna.elsewhere) == ["Has a dog", "Drinks tea"]
    assert await tell(store) == []


async def test_of_another_chat_it_is_told_for_a_while_and_of_the_same_chat_whenever(store: Store) -> None:
    await taught(store, "Drinks tea")
    later = datetime.now(UTC) + timedelta(minutes=1)

    assert words(await store.inbox.tell(store.anna.elsewhere, ANSWERING, since=later)) == []
    assert words(await store.inbox.tell(store.anna.scope, ANSWERING, since=later)) == ["Drinks tea"]


async def test_however_many_ask_at_a_time_one_of_them_tells_it(store: Store) -> None:
    for content in ("Drinks tea", "Has a dog", "Lives in Oslo"):
        await taught(store, content)

    told = await asyncio.gather(*(tell(store, key=f"answer {number}") for number in range(6)))

    assert sorted(each or "" for one in told for each in one) == ["Drinks tea", "Has a dog", "Lives in Oslo"]


async def test_what_was_not_shown_after_all_is_told_again(store: Store) -> None:
    await taught(store, "Drinks tea")
    news = await store.inbox.tell(store.anna.scope, ANSWERING, since=LONG_AGO)

    await store.inbox.requeue_news(news)

    assert await tell(store) == ["Drinks tea"]


async def test_of_one_turn_alone_it_is_told_what_that_taught(store: Store) -> None:
    await taught(store, "Drinks tea")
    own = await taught(store, "Has a dog")

    assert words(await store.inbox.tell(store.anna.scope, own.turn.key)) == ["Has a dog"]
    assert await tell(store) == ["Drinks tea"]


async def test_what_was_undone_or_abandoned_before_it_was_told_is_no_news(store: Store) -> None:
    first = await said(store, "I live in Rome", parent=ROOT)
    await formed(store, first, Add(store.memory("Lives in Rome")))
    edited = await said(store, "I live in Oslo", parent=ROOT, at=NOON + timedelta(minutes=1))
    await formed(store, edited, Add(store.memory("Lives in Oslo")), Add(store.memory("Has a boat")))
    outcome = await store.inbox.outcome(edited.turn.scope, edited.turn.key)
    assert outcome is not None
    await undo(store, outcome.updates[0])

    assert await tell(store) == ["Lives in Oslo"]


async def test_what_is_imported_is_no_news(store: Store) -> None:
    imported = store.exchange("I drink tea")
    await store.log.append(imported, revives=True)
    await formed(store, imported, Add(store.memory("Drinks tea")))

    assert await tell(store) == []


async def test_it_is_known_with_which_answer_a_turn_was_told(store: Store) -> None:
    first, second = await taught(store, "Drinks tea"), await taught(store, "Has a dog")
    own = await taught(store, "Lives in Oslo")
    await tell(store, key=own.turn.key)
    scope = store.anna.scope

    before = [(scope, second.turn.key), (scope, first.turn.key)]
    assert await store.inbox.told_with(scope, own.turn.key) == before
    assert await store.inbox.told_with(scope, first.turn.key) == []
    assert await store.inbox.told_with(store.anna.elsewhere, own.turn.key) == []
    assert await store.inbox.told_with(store.ben.scope, own.turn.key) == []


async def test_of_which_nothing_could_be_shown_it_was_shown_with_no_answer(store: Store) -> None:
    shown = await taught(store, "Drinks tea")
    taught_nothing, undone = await said(store, "Hello"), await taught(store, "Has a dog")
    verbatim, again = await said(store, "I have a cat"), await said(store, "I drink tea")
    await formed(store, taught_nothing)
    await formed(store, verbatim, Add(store.memory("I have a cat"), Reason.KEPT_VERBATIM))
    await formed(store, again, Add(store.memory("Drinks tea")))
    outcome = await store.inbox.outcome(undone.turn.scope, undone.turn.key)
    assert outcome is not None
    await undo(store, outcome.updates[0])
    own = await taught(store, "Lives in Oslo")

    await tell(store, key=own.turn.key)

    assert await store.inbox.told_with(store.anna.scope, own.turn.key) == [(store.anna.scope, shown.turn.key)]
    assert await tell(store) == []


async def test_no_turn_names_an_erased_chat_with_whose_answer_it_was_told(store: Store) -> None:
    own, other = await taught(store, "Drinks tea"), await taught(store, "Has a dog", store.anna.elsewhere)
    await tell(store, key=own.turn.key)

    await store.memories.erase_session(store.anna.scope, at=LATER)

    exported = [
        json.loads(row)
        async for section, row in store.portability.export(store.anna)
        if section == "exchanges"
    ]
    assert [(row["key"], row["told_with"]) for row in exported] == [(other.turn.key, "")]
    assert await tell(store) == []
