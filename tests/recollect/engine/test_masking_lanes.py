"""Lanes of masking: short texts wait for no long ones."""

import asyncio
import threading

import pytest
from tests.support.stores import NOON

from recollect.engine.recording import masking_lanes
from recollect.engine.recording.exchanges import begun, ended, new_exchange
from recollect.engine.recording.masking_lanes import SHORT, entry_without_secrets, masked_turn_of
from recollect.model import LogEntry, Scope, Turn
from recollect.text.secrets.masking import KEPT, LEFT_OUT, MaskedText, MaskedTurn, mask_ends

LONG = "word " * SHORT


def said(text: str, person: str = "anna") -> LogEntry:
    return begun(new_exchange(Turn(Scope(person, "chat"), text, "key", NOON, "model"), credential=None))


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Return an event that long texts wait for."""
    go_on = threading.Event()

    def waiting(text: str, most: int) -> MaskedText:
        go_on.wait(30)
        return mask_ends(text, most)

    monkeypatch.setattr(masking_lanes, "mask_ends", waiting)
    return go_on


async def test_a_short_text_waits_for_no_long_one_not_even_of_the_same_person(held: threading.Event) -> None:
    long = [asyncio.create_task(entry_without_secrets(said(LONG, f"mallory {n}"))) for n in range(3)]
    await asyncio.sleep(0)

    for person in ("anna", "mallory 1"):
        kept = await entry_without_secrets(said("my password is Tulip77zebra", person))
        assert kept.exchange.turn.text == "my password is [secret: password]"

    assert not any(each.done() for each in long)
    held.set()
    assert all(each.exchange.turn.text.startswith("word word") for each in await asyncio.gather(*long))


async def test_of_many_long_texts_less_is_kept_and_none_of_them_is_read_among_the_short(
    held: threading.Event,
) -> None:
    whole = masking_lanes.WAITING_OF_ONE // KEPT
    waiting = [asyncio.create_task(entry_without_secrets(said(LONG))) for _ in range(whole + 2)]
    await asyncio.sleep(0)
    assert (await entry_without_secrets(said("I live in Lisbon"))).exchange.turn.text == "I live in Lisbon"
    assert not any(each.done() for each in waiting)

    held.set()
    kept = [len(each.exchange.turn.text) for each in await asyncio.gather(*waiting)]
    assert kept == [len(LONG)] * whole + [SHORT + len(LEFT_OUT)] * 2
    assert not masking_lanes._waiting


async def test_more_than_can_wait_is_kept_without_its_words(held: threading.Event) -> None:
    masking_lanes._waiting["everybody else"] = 2 * masking_lanes.WAITING_OF_ALL
    refused = await entry_without_secrets(said(LONG))
    del masking_lanes._waiting["everybody else"]
    held.set()
    assert refused.exchange.turn.text == "[secret: unread]"


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


@pytest.mark.parametrize(("text", "name"), [("my pin is 4711", "masked_turn"), (LONG, "_masked_long")])
async def test_a_text_that_can_not_be_read_is_not_kept(
    monkeypatch: pytest.MonkeyPatch, text: str, name: str
) -> None:
    def fails(*_: object) -> MaskedTurn:
        raise RecursionError

    monkeypatch.setattr(masking_lanes, name, fails)
    kept = await entry_without_secrets(said(text))
    assert kept.exchange.turn.text == "[secret: unread]"
