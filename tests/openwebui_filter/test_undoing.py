"""The button under an answer takes back what its message taught, and says so."""

import logging
from typing import Any

import pytest
from tests.openwebui_filter.openwebui import UNDO, Chat, load
from tests.openwebui_filter.telling import DOG, OSLO, ROME, contents, nothing_waits, told
from tests.support.people import Person

from recollect.assembly import host_engine
from recollect.engine import Engine
from recollect.errors import StoreUnavailableError
from recollect_openwebui import recall_and_remember


@pytest.fixture
def undo() -> Any:
    return load(UNDO, function_id="recollect_undo")


def notified(events: list[dict[str, Any]]) -> str:
    """Return the one message that goes by."""
    [content] = [each["data"]["content"] for each in events if each["type"] == "notification"]
    assert isinstance(content, str)
    return content


async def test_all_that_a_message_taught_is_undone_the_newest_first(
    taught: Any, learning: Engine, undo: Any, alice: Person
) -> None:
    await Chat(taught, alice).says(ROME)
    await told()
    chat = Chat(taught, alice)
    await chat.says(f"{DOG} {OSLO}")
    await told()
    assert sorted(await contents(learning, alice)) == [DOG, OSLO]

    shown = await chat.acts(undo)

    assert sorted(await contents(learning, alice)) == [ROME]
    line = f"Undone. Replaced: {OSLO[:-1]} \u2192 {ROME[:-1]}; Forgot: {DOG[:-1]}"
    assert shown == [
        {"type": "status", "data": {"description": line, "done": True}},
        {"type": "notification", "data": {"type": "success", "content": line}},
    ]
    assert {each.actor for each in (await learning.history(alice))[:2]} == {"user"}


async def test_what_was_told_with_a_later_answer_is_undone_under_either(
    taught: Any, learning: Engine, undo: Any, alice: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    chats = [Chat(taught, alice), Chat(taught, alice)]
    for chat, said in zip(chats, (DOG, ROME), strict=True):
        with monkeypatch.context() as hurried:
            hurried.setattr(recall_and_remember, "_OUTCOME_SECONDS", 0.0)
            await chat.says(said)
            await nothing_waits(taught, alice)
            await told()
        await chat.says("Good morning!")
        await told()
        assert chat.statuses[-1] == f"Meanwhile remembered: {said}"
    assert sorted(await contents(learning, alice)) == [DOG, ROME]

    assert notified(await chats[0].acts(undo)) == f"Undone. Forgot: {DOG}"
    assert sorted(await contents(learning, alice)) == [ROME]
    del chats[1].history[-2:]  # under the answer to the message that taught it
    assert notified(await chats[1].acts(undo)) == f"Undone. Forgot: {ROME}"
    assert sorted(await contents(learning, alice)) == []


async def test_nobody_undoes_what_another_said(
    taught: Any, learning: Engine, undo: Any, alice: Person, bob: Person
) -> None:
    chat = Chat(taught, alice)
    await chat.says(DOG)
    await told()

    for user_id in (bob, "", None):
        assert notified(await chat.acts(undo, id=user_id)).startswith("No memory came from")
    assert sorted(await contents(learning, alice)) == [DOG]
    body = {"chat_id": chat.chat_id, "id": chat.history[-1]["id"], "messages": chat.history}
    await undo.action(body=body, __user__={"id": alice})  # with nobody to tell
    assert sorted(await contents(learning, alice)) == []


async def test_before_any_chat_of_this_process_nothing_is_at_hand(undo: Any, alice: Person) -> None:
    assert host_engine._shared == []

    [event] = await Chat(None, alice, history=[{"id": "a", "role": "user", "content": DOG}]).acts(undo)

    assert event["data"]["type"] == "error"
    assert "can’t be reached" in event["data"]["content"]


async def test_a_button_under_no_persons_message_undoes_nothing(
    memory: Any, undo: Any, alice: Person
) -> None:
    for body in ({}, {"chat_id": "c", "id": "a", "messages": [{"id": "a"}]}):
        chat = Chat(memory, alice)
        await undo.action(body=body, __user__={"id": alice}, __event_emitter__=chat._show)

        assert notified(chat.shown).startswith("No memory came from")


async def test_a_store_that_is_away_is_told_without_anybodys_words(
    taught: Any,
    learning: Engine,
    undo: Any,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    alice: Person,
) -> None:
    chat = Chat(taught, alice)
    await chat.says(DOG)
    await told()

    async def away(*_: Any, **__: Any) -> None:
        raise StoreUnavailableError(DOG)

    monkeypatch.setattr(learning, "take_back", away)
    with caplog.at_level(logging.INFO):
        assert notified(await chat.acts(undo)) == "This could not be undone just now. Try again in a minute."

    assert "StoreUnavailableError" in caplog.text
    assert "Pipa" not in caplog.text
