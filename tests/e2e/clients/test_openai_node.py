"""The OpenAI Node SDK through the proxy: chat, streams, responses, errors, retries."""

import pytest
from tests.e2e.clients.comparing import (
    Comparison,
    assert_same_but_for_the_memory,
    from_instructions,
    from_messages,
)
from tests.e2e.clients.programs import QUESTION, node_client
from tests.scripted.dialects import response, response_stream
from tests.scripted.upstream import (
    End,
    Fields,
    completion,
    completion_stream,
    failure,
)
from tests.servers.running_proxy import User

PIECES = ["Lapsang", " Souchong."]
SAID = "Lapsang Souchong."
WAYS = {
    "chat": (completion(SAID), SAID, from_messages),
    "stream": (completion_stream(*PIECES), PIECES, from_messages),
    "helper": (completion_stream(*PIECES), PIECES, from_messages),
    "response": (response(SAID), SAID, from_instructions),
    "streamed-response": (response_stream(*PIECES), PIECES, from_instructions),
}
SOON: Fields = [(b"retry-after-ms", b"1")]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("known", [True, False], ids=["with memory", "without"])
async def test_the_node_sdk(
    comparison: Comparison, someone: User, other_user: User, way: str, *, known: bool
) -> None:
    answer, said, taken_out = WAYS[way]
    user = someone if known else other_user

    past, through = await comparison.ask(node_client(way), user, answer)

    assert past.got["said"] == through.got["said"] == said
    assert through.got.get("final", SAID) == SAID
    if "memories" in through.got:
        assert (past.got["memories"], through.got["memories"]) == (None, "1" if known else "0")
    assert_same_but_for_the_memory(past, through, taken_out=taken_out, known=known)
    assert through.requests[0].values(b"user-agent")[0].startswith(b"OpenAI/JS ")
    logged = await comparison.proxy.logged(user)
    assert logged[-2:] == [("user", QUESTION), ("assistant", SAID)]


async def test_the_node_sdk_tries_again_and_that_is_one_exchange(
    comparison: Comparison, someone: User
) -> None:
    answers = failure(429, headers=SOON), failure(500, headers=SOON), completion("At last.")

    past, through = await comparison.ask(node_client("retries"), someone, *answers)

    assert past.got["said"] == through.got["said"] == "At last."
    counts = [request.values(b"x-stainless-retry-count") for request in through.requests]
    assert counts == [[b"0"], [b"1"], [b"2"]]
    assert_same_but_for_the_memory(past, through, taken_out=from_messages, known=True)
    logged = await comparison.proxy.logged(someone)
    assert logged[-2:] == [("user", QUESTION), ("assistant", "At last.")]
    assert logged.count(("user", QUESTION)) == 1


@pytest.mark.parametrize(
    ("status", "name"),
    [
        (400, "BadRequestError"),
        (401, "AuthenticationError"),
        (404, "NotFoundError"),
        (429, "RateLimitError"),
        (500, "InternalServerError"),
    ],
)
async def test_an_error_keeps_its_class_in_node(
    comparison: Comparison, someone: User, status: int, name: str
) -> None:
    past, through = await comparison.ask(node_client("error"), someone, failure(status))

    expected = {"name": name, "isOfTheSdk": True, "status": status, "code": f"scripted_{status}"}
    assert past.got == expected | {"memories": None, "failed": None}
    assert through.got == expected | {"memories": "1", "failed": None}


async def test_an_error_of_our_own_says_who_failed_in_node_too(comparison: Comparison, someone: User) -> None:
    _, through = await comparison.ask(node_client("error"), someone, (End.CLOSE,), (End.CLOSE,))

    assert (through.got["name"], through.got["status"]) == ("InternalServerError", 502)
    assert (through.got["code"], through.got["failed"]) == ("upstream_disconnected", "upstream")
