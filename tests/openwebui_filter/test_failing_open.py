"""Whatever goes wrong, the chat goes on, and nobody's words are logged."""

import asyncio
import logging
import socket
from collections.abc import Callable
from typing import Any

import pytest
from tests.openwebui_filter.openwebui import Chat
from tests.openwebui_filter.telling import LISBON, WHERE, formed
from tests.support.people import Person
from tests.support.waiting import until

from recollect_openwebui import conversation


@pytest.mark.parametrize("hook", ["request", "outlet"])
async def test_a_hook_that_is_handed_nothing_but_the_body_hands_it_back(hook: str, memory: Any) -> None:
    bodies: list[dict[str, Any]] = [{}, {"messages": None}, {"messages": [{}]}, {"messages": ["text"]}]
    for body in bodies:
        assert await getattr(memory, hook)(body=body) is body


async def test_what_can_not_be_encoded_goes_on_as_it_is_and_none_of_it_is_logged(
    memory: Any, caplog: pytest.LogCaptureFixture, alice: Person
) -> None:
    words = f"{LISBON} \ud800"
    chat = Chat(memory, alice)

    with caplog.at_level(logging.INFO):
        assert await chat.says(words) == ""

    assert chat.history[0]["content"] == words
    assert [record.getMessage() for record in caplog.records if "ecollect" in record.name] == [
        "Recollect: a chat had no memory: UnicodeEncodeError in detect_turn"
    ] * 2


async def test_while_the_database_is_away_chats_go_on_and_nothing_is_said_of_its_password(
    new_filter: Callable[..., Any],
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    alice: Person,
) -> None:
    monkeypatch.setattr(conversation, "_OPENING_SECONDS", 0.05)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and never listens: nobody answers there
        dsn = f"postgresql://recollect:hunter2@127.0.0.1:{taken.getsockname()[1]}/recollect"
        away = new_filter(database_url=dsn)
        chat = Chat(away, alice)
        with caplog.at_level(logging.INFO):
            assert await chat.says(LISBON) == ""
            live = await away._engine()
            await until(lambda: live.failure is not None)
            assert await chat.says(WHERE) == ""

    written = "".join(capsys.readouterr()) + caplog.text
    assert "store_open_failed" in written
    assert "hunter2" not in written
    assert "Lisbon" not in written


async def test_what_is_told_before_the_engine_is_open_is_not_lost(
    new_filter: Callable[..., Any], alice: Person
) -> None:
    opening = new_filter()
    chat = Chat(opening, alice)
    await asyncio.gather(*(chat.says(f"{LISBON} Fact {n}.") for n in range(3)))

    assert await (await opening._engine()).ready(60)
    await formed(opening, alice, 3)


async def test_an_embedder_that_does_not_exist_costs_no_chat(
    new_filter: Callable[..., Any], alice: Person
) -> None:
    assert await Chat(new_filter(embedder="local:no-such-model"), alice).says(LISBON) == ""
