"""LangChain's ChatOpenAI, the LiteLLM SDK and Anthropic's through the proxy: we serve that dialect too."""

import json

import pytest
from tests.e2e.clients.comparing import (
    Comparison,
    assert_same_but_for_the_memory,
    from_instructions,
    from_messages,
    from_system,
)
from tests.e2e.clients.programs import QUESTION, python_client
from tests.scripted.dialects import message, message_stream, response, response_stream
from tests.scripted.upstream import completion, completion_stream, whole
from tests.servers.running_proxy import User

SAID, PIECES = "Lapsang Souchong.", ("Lapsang", " Souchong.")
CHAT = {"whole": completion(SAID), "stream": completion_stream(*PIECES)}
RESPONSES = {"responses": response(SAID), "responses, stream": response_stream(*PIECES)}
MESSAGES = {"whole": message(SAID), "stream": message_stream(*PIECES)}
WAYS = [
    *(("langchain", way, answer, from_messages) for way, answer in CHAT.items()),
    *(("langchain", way, answer, from_instructions) for way, answer in RESPONSES.items()),
    *(("litellm", way, answer, from_messages) for way, answer in CHAT.items()),
    *(("anthropic", way, answer, from_system) for way, answer in MESSAGES.items()),
]
COUNT = {"litellm": "llm_provider-x-recollect-memories"}
"""The header that counts memories, as LiteLLM hands it on."""
OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "No."}}


@pytest.mark.parametrize(("sdk", "way"), [each[:2] for each in WAYS])
@pytest.mark.parametrize("known", [True, False], ids=["with memory", "without"])
async def test_an_sdk_gets_what_it_gets_past_the_proxy(
    comparison: Comparison, someone: User, other_user: User, sdk: str, way: str, *, known: bool
) -> None:
    [(answer, taken_out)] = [each[2:] for each in WAYS if each[:2] == (sdk, way)]
    user = someone if known else other_user

    past, through = await comparison.ask(python_client(f"speak_{sdk}", way=way), user, answer)

    assert past.got["said"] == through.got["said"] == ([*PIECES] if "stream" in way else SAID)
    assert through.got.get("final", SAID) == SAID
    if "headers" in through.got:
        assert through.got["headers"][COUNT.get(sdk, "x-recollect-memories")] == ("1" if known else "0")
    assert_same_but_for_the_memory(past, through, taken_out=taken_out, known=known)
    assert (await comparison.proxy.logged(user))[-2:] == [("user", QUESTION), ("assistant", SAID)]


async def test_an_error_of_anthropics_keeps_its_class(comparison: Comparison, someone: User) -> None:
    answer = whole(json.dumps(OVERLOADED).encode(), status=529)

    past, through = await comparison.ask(python_client("speak_anthropic", way="error"), someone, answer)

    assert past.got == through.got
    assert (through.got["status"], through.got["body"]) == (529, OVERLOADED)
