"""The page of recalls: what chats were given of one's memory, when and why, or why nothing."""

from collections.abc import Iterator

import pytest
from tests.recollect_proxy.memory_api.serving import recalled, unhurried
from tests.recollect_proxy.pages.served_pages import Pages, Visitor, says, text_of
from tests.support.stores import Store

from recollect.engine import system_clock
from recollect.model import Actor, Flags, ProfileField
from recollect.store import Postgres
from recollect_proxy.pages.recalls import signals_of

TEA = "My favourite tea is Lapsang Souchong."
WHICH = "Which tea is my favourite?"


@pytest.fixture
def pages(pages: Pages, postgres: Postgres) -> Iterator[Pages]:
    """Pages over an engine whose recall is never late."""
    with pages.over(unhurried(postgres)):
        yield pages


async def test_a_recall_tells_what_was_given_when_and_why_with_a_link(pages: Pages, store: Store) -> None:
    memory = await pages.engine.add(pages.anna, TEA)
    await store.log.append(exchange := store.exchange(WHICH, at=system_clock()))
    await recalled(pages.engine, exchange.turn)

    html = await (await pages.person()).html("/recalls")

    assert f'href="/memory/ui/memory?id={memory.id}"' in html
    told = text_of(html)
    says(told, TEA, f"Asked: {WHICH}")
    assert "by its meaning" in told or "by its words" in told
    assert store.anna.scope.session_id not in told
    assert exchange.turn.at.strftime("%d %b %Y, %H:%M") in told
    assert "tokens" not in told  # numbers are an administrator's


async def test_no_link_leads_to_a_statement_of_the_profile(pages: Pages, store: Store) -> None:
    await pages.engine.change_flags(Flags(profile=True), ("profile",), pages.anna)
    entry = await pages.engine.add_to_profile(pages.anna, ProfileField.NAME, "Is called Anna")
    await recalled(pages.engine, store.turn("Good morning to you", at=system_clock()))

    html = await (await pages.person()).html("/recalls")

    assert "Is called Anna" in text_of(html)
    assert str(entry.id) not in html


async def test_where_nothing_was_given_it_says_why(pages: Pages, visitor: Visitor, store: Store) -> None:
    empty = await visitor.text("/recalls")
    await recalled(pages.engine, store.turn("Good morning", at=system_clock()))
    nothing = await visitor.text("/recalls")
    await pages.engine.change_flags(Flags(recall=False), ("recall",), pages.anna)
    await recalled(pages.engine, store.turn("And now?", at=system_clock()))
    switched_off = await visitor.text("/recalls")

    assert "There were no requests yet." in empty
    assert "Nothing was recalled: nothing that is remembered seemed to be needed." in nothing
    assert "Nothing was recalled: recall is switched off, or the message spoke to the memory" in switched_off


async def test_what_is_gone_is_shown_no_more(pages: Pages, store: Store) -> None:
    memory = await pages.engine.add(pages.anna, TEA)
    await recalled(pages.engine, store.turn(WHICH, at=system_clock()))
    await pages.engine.forget(pages.anna, memory.id, actor=Actor.USER)

    told = text_of(await (await pages.person()).html("/recalls"))

    says(told, "that is gone", lacks=("Lapsang",))


async def test_the_page_goes_on_and_shows_ones_own_alone(pages: Pages, store: Store) -> None:
    for _ in range(22):
        await recalled(pages.engine, store.turn(WHICH, at=system_clock()))
    visitor, other = await pages.person(), await pages.person(pages.ben)

    first = await visitor.html("/recalls")
    second = await visitor.html(first.split('rel="next" href="/memory/ui')[1].split('"')[0])

    assert [page.count("<time") for page in (first, second)] == [20, 2]
    assert "There were no requests yet." in await other.html("/recalls")


def test_what_spoke_for_a_candidate_is_told_in_groups_the_strongest_first() -> None:
    of_a_statement = {"near": 0.4, "near_gap": 0.3, "letters": 0.8, "kind_fact": -1.0, "importance": 0.01}
    of_the_question = {"near_best": 3.0, "asks_oneself": 2.0}
    of_the_log = {"dense": 0.2, "lexical": 0.3, "session": 0.1, "date": 0.05, "times": 1.4, "role": 0.0}

    assert signals_of(of_a_statement | of_the_question) == ("words", "meaning")
    assert signals_of(of_the_log) == ("words", "meaning", "session")
    assert signals_of({"earlier_chat": 1.0}) == ("chat",)
    assert signals_of({"shares_name": 1.0}) == ("name",)
    assert signals_of({}) == ()


async def test_not_helpful_is_said_and_taken_back(pages: Pages, visitor: Visitor, store: Store) -> None:
    memory = await pages.engine.add(pages.anna, TEA)
    await store.log.append(exchange := store.exchange(WHICH, at=system_clock()))
    request_id = await recalled(pages.engine, exchange.turn)
    form = {"id": str(memory.id), "request": str(request_id)}
    assert "Not helpful here" in await visitor.text("/recalls")

    await recalled(pages.engine, store.turn(WHICH, at=system_clock()))
    later = await recalled(pages.engine, store.turn(WHICH, at=system_clock()))
    said = await visitor.sent("/not-helpful", {**form, "after": str(later)})

    assert said.count('<li class="whole">') == 2
    own_row = said.split('<details class="row"')[2]
    assert own_row.startswith(" open")
    says(text_of(own_row), "Not helpful for this question", "Undo")
    of_memory = await visitor.text(f"/memory?id={memory.id}")
    assert f"Not recalled for {WHICH}" in of_memory
    await visitor.post("/not-helpful", {**form, "back": "yes", "from": "memory"})
    assert "Not recalled for" not in await visitor.text(f"/memory?id={memory.id}")
