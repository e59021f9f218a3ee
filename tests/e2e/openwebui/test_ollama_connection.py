"""Open WebUI's Ollama connection, pointed at Recollect, has memory: its people are known, and its tasks are no chats."""

from pathlib import Path

from tests.e2e.openwebui.hosts import with_ollama_connection
from tests.e2e.openwebui.language_model import prompt
from tests.e2e.openwebui.people import Conversation

SAID = "I live in Lisbon and my dog is called Fips."
ASKED = "Where do I live?"


async def test_the_ollama_connection_has_memory(tmp_path: Path) -> None:
    async with with_ollama_connection(tmp_path) as host:
        alice, bob = await host.administrator.add("Alice"), await host.administrator.add("Bob")
        chat = Conversation(alice)
        await chat.says(SAID)
        await host.learned(alice, SAID)

        await Conversation(alice).says(ASKED)
        await Conversation(bob).says(ASKED)

        asked_by_alice, asked_by_bob = map(prompt, host.model.chats(ASKED))
        assert "Fips" in asked_by_alice
        assert "Fips" not in asked_by_bob
        assert await host.logged(alice) == [SAID, ASKED]
