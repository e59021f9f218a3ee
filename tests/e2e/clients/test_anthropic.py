"""The Anthropic SDK through the proxy: we serve that dialect too."""

import json

import pytest
from tests.e2e.clients.comparing import Comparison, assert_same_but_for_the_memory, from_system
from tests.e2e.clients.programs import QUESTION, python_client
from tests.scripted.dialects import message, message_stream
from tests.scripted.upstream import whole
from tests.servers.running_proxy import User

WAYS = {
    "whole": (message("Lapsang Souchong."), "Lapsang Souchong."),
    "stream": (message_stream("Lapsang", " Souchong."), ["Lapsang", " Souchong."]),
}
OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "No."}}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("known", [True, False], ids=["with memory", "without"])
async def test_anthropics_sdk(
    comparison: Comparison, someone: User, other_user: User, way: str, *, known: bool
) -> None:
    answer, said = WAYS[way]
    user = someone if known else other_user

    past, through = await comparison.ask(python_client("speak_anthropic", way=way), user, answer)

    assert past.got["said"] == through.got["said"] == said
    if way == "whole":
        assert through.got["headers"]["x-recollect-memories"] == ("1" if known else "0")
    else:
        assert through.got["final"] == "Lapsang Souchong."
    assert [request.target for request in through.requests] == [b"/v1/messages"]
    assert_same_but_for_the_memory(past, through, taken_out=from_system, known=known)
    logged = await comparison.proxy.logged(user)
    assert logged[-2:] == [("user", QUESTION), ("assistant", "Lapsang Souchong.")]


async def test_an_error_of_anthropics_keeps_its_class(comparison: Comparison, someone: User) -> None:
    answer = whole(json.dumps(OVERLOADED).encode(), status=529)

    past, through = await comparison.ask(python_client("speak_anthropic", way="error"), someone, answer)

    assert past.got == through.got
    assert through.got["status"] == 529
    assert through.got["body"] == OVERLOADED


async def test_anthropics_sdk_tries_again(comparison: Comparison, someone: User) -> None:
    busy = whole(json.dumps(OVERLOADED).encode(), status=529, headers=[(b"retry-after-ms", b"1")])

    past, through = await comparison.ask(
        python_client("speak_anthropic", way="retry"), someone, busy, busy, message("At last.")
    )

    assert past.got["said"] == through.got["said"] == "At last."
    counts = [request.values(b"x-stainless-retry-count") for request in through.requests]
    assert counts == [[b"0"], [b"1"], [b"2"]]
    assert_same_but_for_the_memory(past, through, taken_out=from_system, known=True)
