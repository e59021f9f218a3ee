"""LangChain's ChatOpenAI through the proxy."""

import pytest
from tests.e2e.clients.comparing import (
    Comparison,
    assert_same_but_for_the_memory,
    from_instructions,
    from_messages,
)
from tests.e2e.clients.programs import python_client
from tests.scripted.dialects import response, response_stream
from tests.scripted.upstream import completion, completion_stream
from tests.servers.running_proxy import User

WAYS = {
    "chat": (completion("Lapsang Souchong."), "Lapsang Souchong.", from_messages),
    "chat, streamed": (completion_stream("Lapsang", " Souchong."), ["Lapsang", " Souchong."], from_messages),
    "responses": (response("Lapsang Souchong."), "Lapsang Souchong.", from_instructions),
    "responses, streamed": (
        response_stream("Lapsang", " Souchong."),
        ["Lapsang", " Souchong."],
        from_instructions,
    ),
}


@pytest.mark.parametrize("way", WAYS)
async def test_langchain_with_a_memory(comparison: Comparison, someone: User, way: str) -> None:
    answer, said, taken_out = WAYS[way]

    past, through = await comparison.ask(python_client("speak_langchain", way=way), someone, answer)

    assert past.got["said"] == through.got["said"] == said
    if "headers" in through.got:
        assert through.got["headers"]["x-recollect-memories"] == "1"
    assert_same_but_for_the_memory(past, through, taken_out=taken_out, known=True)


@pytest.mark.parametrize("way", WAYS)
async def test_langchain_without(comparison: Comparison, user: User, way: str) -> None:
    answer, said, taken_out = WAYS[way]

    past, through = await comparison.ask(python_client("speak_langchain", way=way), user, answer)

    assert past.got["said"] == through.got["said"] == said
    assert_same_but_for_the_memory(past, through, taken_out=taken_out, known=False)
