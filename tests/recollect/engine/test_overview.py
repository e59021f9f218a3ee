"""A person who asks for their memories gets the most important ones, and the number of the others. The second embedder is the real one."""

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.recollect.engines import PATIENT, engine_over
from tests.recollect.store.keeping import kept
from tests.support.notes import note_placed
from tests.support.stores import NOON, Store

from recollect.engine import Engine, Prepared
from recollect.model import LISTED, Message, Role
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder
from recollect.recall import NeedThresholds

ALL = 30
POLICY = replace(PATIENT, stands=True, reach=replace(PATIENT.reach, limit=5), bar=NeedThresholds(all=10))


@pytest.fixture
async def second(data_dir: Path) -> AsyncIterator[MultilingualE5Embedder]:
    made = MultilingualE5Embedder(cache_dir=data_dir / "models")
    yield made
    await made.aclose()


async def asked(store: Store, subject: Engine, text: str) -> Prepared:
    return await subject.prepare(store.turn(text, store.anna.chat("chat-9")))


async def somebody(store: Store, second: MultilingualE5Embedder) -> Engine:
    """Return an engine with many different memories of Anna."""
    subject = engine_over(store, POLICY, second_embedder=second)
    for number in range(ALL):
        await subject.add(store.anna, f"Collects {chr(97 + number % 26) * 5}{number} from town {number * 7}")
    return subject


@pytest.mark.parametrize("text", ["What do you know about me?", "关于我你都知道什么？"])
async def test_the_most_important_is_told_and_how_much_more_there_is(
    store: Store, second: MultilingualE5Embedder, text: str
) -> None:
    prepared = await asked(store, await somebody(store, second), text)

    block = prepared.placed.system
    [more] = re.findall(r"\((\d+) more are remembered but not listed\.\)\n</", block)
    assert block.count("\u2022 Collects") + int(more) == ALL
    assert block.count("\u2022 Collects") > POLICY.reach.limit


async def test_who_asks_for_one_thing_is_not_told_how_much_more_there_is(
    store: Store, second: MultilingualE5Embedder
) -> None:
    prepared = await asked(store, await somebody(store, second), "What did I collect in town 49?")

    assert prepared.placed.system
    assert "remembered but not listed" not in prepared.placed.system
    assert "(number " not in prepared.placed.system


async def test_what_the_chat_was_told_already_is_in_the_list_and_is_no_more(
    store: Store, second: MultilingualE5Embedder
) -> None:
    subject = engine_over(store, POLICY, second_embedder=second)
    for content in ("Lives in Lisbon", "Dog called Fips", "Works as a nurse"):
        await subject.add(store.anna, content)
    first = store.turn("integral arctangent", store.anna.chat("chat-9"))
    prepared = await subject.prepare(first)
    await note_placed(subject, first, prepared.placed)
    assert prepared.placed.system.count("\u2022") == 3

    again = store.turn(
        "What do you know about me?",
        store.anna.chat("chat-9"),
        history=(Message(Role.USER, first.text), Message(Role.ASSISTANT, ".")),
        anchors=((0, first.anchor), (2, "a:1")),
        key="k1",
    )

    later = await subject.prepare(again)

    assert later.recall.ranked
    assert later.placed.beside[2].count("(number ") == 3
    assert "remembered but not listed" not in "".join([later.placed.system, *later.placed.beside.values()])


async def test_what_is_over_is_no_more(store: Store, second: MultilingualE5Embedder) -> None:
    subject = engine_over(store, POLICY, second_embedder=second)
    await subject.add(store.anna, "Lives in Lisbon")
    await kept(store, "Stayed in Rome", holds_until=NOON - timedelta(days=9))

    prepared = await asked(store, subject, "What do you know about me?")

    assert "Lisbon" in prepared.placed.system
    assert "remembered but not listed" not in prepared.placed.system


@pytest.mark.parametrize("text", ["What do you know about me?", "Benim hakkımda neler biliyorsun?"])
async def test_the_list_is_numbered_and_its_numbers_are_kept(
    store: Store, second: MultilingualE5Embedder, text: str
) -> None:
    subject = engine_over(store, POLICY, second_embedder=second)
    for content in ("Lives in Lisbon", "Dog called Fips", "Works as a nurse"):
        await subject.add(store.anna, content)
    turn = store.turn(text, store.anna.chat("chat-9"))

    prepared = await subject.prepare(turn)
    await note_placed(subject, turn, prepared.placed)

    numbered = re.findall(r"^\u2022 (.+) \(number (\d)\)$", prepared.placed.system, re.MULTILINE)
    assert [number for _, number in numbered] == ["1", "2", "3"]
    [listed] = (await store.asked.pointed_at(store.turn("Hello", turn.scope))).requests
    assert (listed.anchor, listed.asking) == (turn.anchor, LISTED)
    assert [(await subject.get(store.anna, each)).content for each in listed.items] == [
        content for content, _ in numbered
    ]
