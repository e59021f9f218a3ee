"""An Open WebUI that two people used before there was Recollect, and how it is connected with that later."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.e2e.openwebui.language_model import LanguageModel
from tests.e2e.openwebui.people import (
    LISBON,
    LOCKER,
    PALMER,
    QUILL,
    Conversation,
    Person,
    signed_in,
    temporary,
)
from tests.e2e.openwebui.server import Server

SECRET = "a secret that Open WebUI and Recollect share"
SIGNED = {"ENABLE_FORWARD_USER_INFO_HEADERS": "true", "FORWARD_USER_INFO_HEADER_JWT_SECRET": SECRET}
HEADERS = {
    "X-Recollect-Task": "{{TASK}}",
    "X-Recollect-Message": "{{USER_MESSAGE_ID}}",
    "X-Recollect-Parent": "{{USER_MESSAGE_PARENT_ID}}",
}
"""What our README has on a connection."""

ALLERGY = "I am allergic to peanuts."
SISTER = "Her name is Marta, and she is a nurse."
PASSWORD = "My password is Tr0ub4dor&3x."
OSLO = "I live in Oslo with my cat Nils."
CHOIR = "I sing alto in the choir of the harbour."
KAYAK = "I learned to paddle a kayak in Bergen."
TROMBONE = "I play the trombone on Tuesdays."
WHISPER = "I have a secret stamp collection."
NOTICE = "I keep the key of the boathouse."


@dataclass(frozen=True)
class LivedIn:
    """An Open WebUI with a past.

    Attributes:
        server: It.
        administrator: Who may change its connections.
        model: The LLM that it spoke with.
        source: Its data folder, in `recollect import openwebui`.
        alice: Somebody with memories and chats: one with an answer made anew, one with an edited message, one that is
            archived; and one that was temporary, and a message in a channel.
        bob: Somebody else with a memory and a chat.
        regenerated: The chat in which an answer was made anew, the last of it.
    """

    server: Server
    administrator: Person
    model: LanguageModel
    source: str
    alice: Person
    bob: Person
    regenerated: Conversation


async def lived_in(server: Server, model: LanguageModel, source: str) -> LivedIn:
    """Have two people use an Open WebUI."""
    administrator = await signed_in(server)
    alice, bob = await administrator.add("Alice"), await administrator.add("Bob")
    await _remember(alice, LISBON)
    await _remember(alice, ALLERGY, type="user")
    await _remember(alice, SISTER, path="family/sister")
    await _remember(alice, PASSWORD)
    await _remember(bob, OSLO)
    regenerated, edited, archived = Conversation(alice), Conversation(alice), Conversation(alice)
    await regenerated.says(LOCKER)
    await regenerated.says(CHOIR)
    await regenerated.regenerates()
    await edited.says(PALMER)
    await edited.edits(QUILL)
    await archived.says(TROMBONE)
    assert (await alice.call("POST", f"/api/v1/chats/{archived.id}/archive"))["archived"]
    await temporary(alice).says(WHISPER)
    await alice.asks_in_channel(await alice.open_channel(bob), NOTICE)
    await Conversation(bob).says(KAYAK)
    return LivedIn(server, administrator, model, source, alice, bob, regenerated)


async def connect(
    administrator: Person, base_url: str, *, headers: Mapping[str, str], key: str = "sk-none"
) -> None:
    """Give Open WebUI one connection, and have it look which models there are."""
    connection = {"enable": True, "headers": dict(headers)}
    given = {
        "ENABLE_OPENAI_API": True,
        "OPENAI_API_BASE_URLS": [base_url],
        "OPENAI_API_KEYS": [key],
        "OPENAI_API_CONFIGS": {"0": connection},
    }
    await administrator.call("POST", "/openai/config/update", json=given)
    offered = await administrator.call("GET", "/api/models", params={"refresh": "true"})
    assert offered["data"], "nothing is offered there"


async def _remember(person: Person, content: str, **more: Any) -> None:
    assert await person.call("POST", "/api/v1/memories/add", json={"content": content, **more})
