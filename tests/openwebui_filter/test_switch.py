"""A switch in the chat turns memory off for what is said while it is on."""

from typing import Any

from tests.openwebui_filter.openwebui import OFF, Chat, load
from tests.openwebui_filter.telling import LISBON, WHERE, formed, settled, told
from tests.support.people import Person

from recollect.engine import Engine


def test_it_is_a_chip_with_an_icon_that_runs_before_the_filter() -> None:
    switch = load(OFF, function_id="recollect_off")

    assert switch.toggle is True
    assert switch.icon.startswith("data:image/svg+xml;base64,")
    assert switch.valves.priority < load().valves.priority


async def test_while_it_is_on_nothing_is_recalled_or_remembered_and_a_line_says_so(
    memory: Any, engine: Engine, alice: Person
) -> None:
    await engine.add(alice, LISBON)
    chat = Chat(memory, alice, switch=load(OFF, function_id="recollect_off"))

    assert await chat.says(WHERE) == ""
    await settled(memory)
    await told()
    await formed(memory, alice, 0)
    [line] = chat.statuses
    assert line.startswith("No memory here")

    chat.switch = None
    await chat.says(WHERE)
    assert LISBON in str(chat.sent["messages"])


async def test_it_hands_back_what_it_is_handed() -> None:
    body: dict[str, Any] = {"messages": []}

    assert await load(OFF, function_id="recollect_off").inlet(body=body) is body


async def test_with_the_proxy_it_puts_an_option_into_the_request() -> None:
    switch = load(OFF, function_id="recollect_off")
    switch.valves = switch.Valves(proxy=True)

    body = await switch.inlet(body={"messages": []})

    assert body["recollect"] == {"recall": False, "remember": False}
