"""One's memory as a whole: the timeline, chats, switches, taking along and erasing."""

import re
from datetime import UTC, datetime

from tests.recollect_proxy.pages.served_pages import Pages, Visitor, says, text_of
from tests.support.stores import Store

from recollect.model import Awaits, KeptCounts, Wait


async def test_the_timeline_tells_what_was_learned_when_and_goes_on(pages: Pages, visitor: Visitor) -> None:
    for number in range(60):
        await pages.engine.add(pages.anna, f"Owns book number {number:03}")

    first = await visitor.html("/changes")
    link = first.split('rel="next" href="/memory/ui')[1].split('"')[0]
    second = await visitor.html(link)

    assert datetime.now(UTC).strftime("%d %b %Y") in first
    shown = [[n for n in range(60) if f"number {n:03}" in text_of(page)] for page in (first, second)]
    assert shown == [list(range(10, 60)), list(range(10))]


async def test_what_no_model_has_read_is_counted(pages: Pages, visitor: Visitor, store: Store) -> None:
    said = [store.exchange("I live in Lisbon."), store.exchange("I play the oboe.")]
    for exchange in said:
        await store.log.append(exchange)
    before = await visitor.html("")

    await store.inbox.wait(said, Wait(Awaits.MODEL, "No extraction model is named.", None))
    mine, data = await visitor.html(""), await visitor.text("/data")

    assert "wait for a language model" not in before
    assert re.search(r"Messages that wait for a language model[^:]*: 2\.", text_of(mine))
    assert re.search(r"Messages that wait for a model\s*2\b", data)
    assert "wait for a language model" not in await (await pages.person(pages.ben)).html("")


async def test_a_chat_is_listed_and_erased(pages: Pages, visitor: Visitor, store: Store) -> None:
    await store.log.append(store.exchange("I live in Lisbon."))
    listed = await visitor.text("/chats")
    assert "I live in Lisbon. Messages: 2" in listed
    assert store.anna.scope.session_id not in listed

    unsure = await visitor.post("/chats", {"chat": store.anna.scope.session_id})
    page = await visitor.sent("/chats", {"chat": store.anna.scope.session_id, "sure": "yes"})

    assert unsure.status == 400
    says(page, "The chat is erased.", "No chat is remembered.")
    assert await pages.engine.sessions(pages.anna) == []


async def test_what_was_said_is_searched_by_chat(pages: Pages, visitor: Visitor, store: Store) -> None:
    for chat, text in (("house", "The attic leaks <b>badly</b>"), ("bike", "The chain jumps")):
        await pages.engine.remember(store.turn(text, store.anna.chat(chat)), "I see.")
    await pages.engine.drain(store.anna)

    page = await visitor.html("/chats?words=attic")

    text = text_of(page)
    found, near = text.split("Close in meaning")
    assert found.count("The attic leaks <b>badly</b>") == 2  # the chat's first words, and what was found
    assert ("The chain jumps" in found, "The chain jumps" in near) == (False, True)
    assert "<b>" not in page
    assert (await visitor.get("/chats?words=attic&after=1")).status == 400
    other = text_of(await (await pages.person(pages.ben)).html("/chats?words=attic"))
    assert "No message matches." in other


async def test_switches_show_and_change_what_is_ones_own(pages: Pages, visitor: Visitor) -> None:
    before = await visitor.html("/settings")

    await visitor.sent("/settings", {"recall": "on", "summaries": "on"})
    after = await visitor.html("/settings")

    assert 'name="record" checked' in before
    says(after, 'name="recall" checked', lacks=('name="record" checked',))
    own = await pages.engine.flags(pages.anna)
    assert (own.record, own.recall, own.standing, own.summaries) == (False, None, False, True)
    assert (await pages.engine.flags(pages.ben)).record is None


async def test_everything_is_erased_once_the_word_is_typed(pages: Pages) -> None:
    await pages.engine.add(pages.anna, "Drinks green tea")
    await pages.engine.add(pages.ben, "Drinks coffee")
    visitor = await pages.person(language="de")

    wrong = await visitor.sent("/erase", {"typed": "erase"})
    kept = await pages.engine.count_kept(pages.anna)
    page = (await visitor.post("/erase", {"typed": " Löschen "})).body.decode()

    assert "Nichts wurde gelöscht" in wrong
    assert kept.memories == 1
    says(page, "Alles ist gelöscht", "users_vectors")
    assert await pages.engine.count_kept(pages.anna) == KeptCounts()
    assert (await pages.engine.count_kept(pages.ben)).memories == 1
    assert "recollect_page" not in visitor.cookies
