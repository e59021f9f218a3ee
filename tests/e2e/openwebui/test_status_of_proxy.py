"""Open WebUI keeps the proxy's lines about memory with the answer, like its own."""

from typing import Any

import pytest
from tests.e2e.openwebui.hosts import Host
from tests.e2e.openwebui.language_model import REPLY, prompt
from tests.e2e.openwebui.people import LISBON, LOCKER, WHERE, Conversation, Person

LOCKER_AND_WHERE = f"My locker at the pool has the number 417. {WHERE}"
THANKS, AGAIN = "Is that so?", "And why is that?"


@pytest.fixture
def host(host: Host) -> Host:
    """Open WebUI before the proxy."""
    if host.name != "proxy":
        pytest.skip("the filter shows what it does by itself")
    return host


async def shown(chat: Conversation) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the lines of status of a chat's last answer, and its sources."""
    answer = (await chat.messages())[chat.answered[0]]
    return [each["description"] for each in answer.get("statusHistory", [])], answer.get("sources", [])


async def test_what_is_remembered_is_shown_with_the_next_answer_in_any_chat_and_once(
    host: Host, alice: Person
) -> None:
    chat, other = Conversation(alice), Conversation(alice)

    assert await chat.says(LISBON) == REPLY
    assert await shown(chat) == ([], [])
    await host.learned(alice, LISBON)
    assert await other.says(THANKS) == REPLY
    assert await shown(other) == ([f"Meanwhile remembered: {LISBON}"], [])
    assert await chat.says(AGAIN) == REPLY
    assert await shown(chat) == ([], [])


async def test_what_is_recalled_is_shown_and_cited(host: Host, alice: Person, bob: Person) -> None:
    await Conversation(alice).says(LISBON)
    await host.learned(alice, LISBON)
    chat, other = Conversation(alice, tasks=True), Conversation(bob)

    assert await chat.says(WHERE) == REPLY
    assert await other.says(WHERE) == REPLY

    lines, [source] = await shown(chat)
    assert lines == ["Recalled 1 memory", f"Meanwhile remembered: {LISBON}"]
    assert source["document"] == [LISBON]
    assert source["source"]["name"].startswith(f"{LISBON} (fact, 20")
    assert source["metadata"][0]["source"].startswith("recollect:")
    assert await shown(other) == ([], [])


async def test_a_turn_with_a_tool_shows_each_thing_once(host: Host, alice: Person) -> None:
    await Conversation(alice).says(LISBON)
    await host.learned(alice, LISBON)
    host.model.looks_up.add(LOCKER_AND_WHERE)
    chat = Conversation(alice)

    assert await chat.says(LOCKER_AND_WHERE) == REPLY

    lines, sources = await shown(chat)
    assert lines == ["Recalled 1 memory", f"Meanwhile remembered: {LISBON}"]
    assert [each["document"] for each in sources] == [[LISBON]]
    await host.learned(alice, LISBON, LOCKER)
    host.model.looks_up.add(AGAIN)
    assert await chat.says(AGAIN) == REPLY
    assert await shown(chat) == ([f"Meanwhile remembered: {LOCKER}"], [])


async def test_a_chat_whose_memory_is_switched_off_recalls_and_forms_nothing_and_says_so(
    host: Host, alice: Person
) -> None:
    await Conversation(alice).says(LISBON)
    await host.learned(alice, LISBON)
    chat = Conversation(alice, switches=["recollect_off"])

    assert await chat.says(f"{WHERE} {LOCKER}") == REPLY

    asked = host.model.of_chat(chat.id)[-1]
    assert "Lisbon" not in prompt(asked)
    assert "recollect" not in asked.json
    [line], sources = await shown(chat)
    assert line.startswith("No memory here")
    assert sources == []
    assert await host.logged(alice) == [LISBON]
