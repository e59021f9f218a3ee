"""The LiteLLM SDK through the proxy."""

import pytest
from tests.e2e.clients.comparing import Comparison, assert_same_but_for_the_memory, from_messages
from tests.e2e.clients.programs import python_client
from tests.scripted.upstream import completion, completion_stream
from tests.servers.running_proxy import User

WAYS = {
    "whole": (completion("Lapsang Souchong."), "Lapsang Souchong."),
    "stream": (completion_stream("Lapsang", " Souchong."), ["Lapsang", " Souchong."]),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("known", [True, False], ids=["with memory", "without"])
async def test_litellm(
    comparison: Comparison, someone: User, other_user: User, way: str, *, known: bool
) -> None:
    answer, said = WAYS[way]
    user = someone if known else other_user

    past, through = await comparison.ask(python_client("speak_litellm", way=way), user, answer)

    assert past.got["said"] == through.got["said"] == said
    if way == "whole":
        assert through.got["headers"]["llm_provider-x-recollect-memories"] == ("1" if known else "0")
    assert_same_but_for_the_memory(past, through, taken_out=from_messages, known=known)
