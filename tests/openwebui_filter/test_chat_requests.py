"""What a chat asks of the memory as a whole is done in the filter, too: it has the same engine."""

from typing import Any

from tests.openwebui_filter.openwebui import Chat
from tests.openwebui_filter.telling import DOG, LISBON, formed, settled
from tests.support.people import Person

from recollect.engine import Engine

CHAT = "7d9c1f52-2f1b-4c6e-9a53-0a8a3c1b7a12"


async def test_a_chat_is_left_out(memory: Any, engine: Engine, alice: Person) -> None:
    await Chat(memory, alice).says(DOG)
    await formed(memory, alice, 1)

    chat = Chat(memory, alice, chat_id=CHAT)
    await chat.says("Keep this chat out of your memory.")
    told = chat.sent["messages"][-1]["content"]
    await chat.says(LISBON)
    await settled(memory)

    assert "- [DONE] Nothing of this chat is remembered" in told
    assert CHAT not in await engine.sessions(alice)
