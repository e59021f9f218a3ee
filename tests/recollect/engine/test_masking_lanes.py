"""Whose text waits for whose while secrets are masked."""

import asyncio
import threading
from collections.abc import Callable

import pytest
from tests.stores import NOON
from tests.waiting import until

from recollect.engine import masking_lanes
from recollect.engine.exchanges import begun, ended, new_exchange
from recollect.engine.masking_lanes import SHORT, entry_without_secrets, masked_turn_of
from recollect.model import LogEntry, Scope, Turn
from recollect.text.secrets.masking import LEFT_OUT, MaskedTurn, masked_turn

LONG = "word " * SHORT


def said(text: str, person: str = "anna") -> LogEntry:
    return begun(new_exchange(Turn(Scope(person, "chat"), text, "key", NOON, "model"), credential=None))


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Return an event that long texts wait for."""
    go_on = threading.Event()
    monkeypatch.setattr(masking_lanes, "masked_turn", _held_by(go_on, masked_turn))
    return go_on


def _held_by(
    go_on: threading.Event, work: Callable[[Turn, int], MaskedTurn]
) -> Callable[[Turn, int], MaskedTurn]:
    def waiting(turn: Turn, most: int) -> MaskedTurn:
        if len(turn.text) > SHORT and most > SHORT:
            go_on.wait(30)
        return work(turn, most)

    return waiting


async def test_a_short_text_waits_for_no_long_one_not_even_of_the_same_person(held: threading.Event) -> None:
    long = [asyncio.create_task(entry_without_secrets(said(LONG, f"mallory {n}"))) for n in range(20)]
    await asyncio.sleep(0)

    for person in ("anna", "mallory 1"):
        kept = await entry_without_secrets(said("my password is Tulip77zebra", person))
        assert kept.exchange.turn.text == "my password is [secret: password]"

    assert not any(each.done() for each in long)
    held.set()
    assert all(each.exchange.turn.text.startswith("word word") for each in await asyncio.gather(*long))


async def test_who_has_many_long_texts_waiting_has_the_next_cut_until_it_is_short(
    held: threading.Event,
) -> None:
    waiting = [asyncio.create_task(entry_without_secrets(said(LONG))) for _ in range(30)]
    wait = masking_lanes.WAITING_OF_ONE // len(LONG)
    await until(lambda: sum(each.done() for each in waiting) == len(waiting) - wait)

    done = [each.result() for each in waiting if each.done()]
    assert {len(each.exchange.turn.text) for each in done} == {SHORT + len(LEFT_OUT)}
    held.set()
    await asyncio.gather(*waiting)
    assert not masking_lanes._waiting


async def test_the_turn_is_masked_once_and_its_secrets_in_the_answer_too() -> None:
    entry = said("my password is Tulip77zebra")
    masked = await masked_turn_of(entry.exchange)
    answer = ended(
        entry.exchange, "Tulip77zebra is weak, and your api key sk-proj-9fK2LmQ8ZrT4vXc7BnY1 too", ()
    )
    blank = MaskedTurn(masked.turn, masked.secrets)

    kept = (await entry_without_secrets(answer, blank)).exchange

    assert kept.turn.text == "my password is [secret: password]"
    assert kept.reply.startswith("[secret: password] is weak, and your api key [secret: ")


async def test_a_secret_that_only_the_answer_shows_is_masked_in_the_turn() -> None:
    entry = said("I took Tulip77zebra, is that good?")
    masked = await masked_turn_of(entry.exchange)
    answer = ended(entry.exchange, "Your password is Tulip77zebra", ())
    kept = (await entry_without_secrets(answer, masked)).exchange
    assert "Tulip77zebra" not in f"{kept.turn.text} {kept.reply}"


async def test_a_text_that_can_not_be_read_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_turn: Turn, _most: int) -> MaskedTurn:
        raise RecursionError

    monkeypatch.setattr(masking_lanes, "masked_turn", fails)
    kept = await entry_without_secrets(said("my password is Tulip77zebra"))
    assert kept.exchange.turn.text == "[secret: unread]"
