"""An edited message replaces the earlier one, through the filter's hooks."""

from typing import Any

from tests.openwebui_filter.openwebui import Chat
from tests.openwebui_filter.telling import formed, nothing_waits
from tests.support.people import Person

from recollect.engine import Engine

PALMER = "My dentist is Doctor Palmer in Mill Lane."
QUILL = "My dentist is Doctor Quill in Castle Street."
WHICH_DENTIST = "Who is my dentist, and in which street?"


async def contents(engine: Engine, user_id: str) -> str:
    return "\n".join(memory.content for memory in (await engine.page(user_id, limit=100)).memories)


async def test_an_edited_first_message_is_recalled_no_more(
    memory: Any, engine: Engine, alice: Person
) -> None:
    chat = Chat(memory, alice)
    await chat.says(PALMER)
    await formed(memory, alice, 1)
    await chat.edits(QUILL)
    await nothing_waits(memory, alice)

    told = await Chat(memory, alice).says(WHICH_DENTIST)

    assert "Quill" in told
    assert "Palmer" not in told
    assert "Palmer" not in await contents(engine, alice)
