"""The replay's LLM says what was said then, and nothing where nothing was said."""

from collections.abc import AsyncIterator

import pytest
from tests.raw_client import Response, fetch
from tests.running_proxy import chat_body

from bench.recall.upstream import ReplayUpstream
from recollect.wire import Reply, ReplyReader
from recollect_proxy.serving.ephemeral_server import serve_upstream


@pytest.fixture(scope="module")
def served() -> ReplayUpstream:
    return ReplayUpstream()


@pytest.fixture(scope="module")
async def port(served: ReplayUpstream) -> AsyncIterator[int]:
    async with serve_upstream(served) as origin:
        yield int(origin.rpartition(":")[2])


@pytest.fixture
def upstream(served: ReplayUpstream) -> ReplayUpstream:
    """The LLM, that was told nothing and asked nothing yet."""
    new = ReplayUpstream()
    served.reply, served.received = new.reply, new.received
    return served


async def answered(port: int) -> Response:
    return await fetch(port, b"POST", b"/v1/chat/completions", body=chat_body("Hello?", stream=True))


def heard(response: Response) -> Reply:
    reader = ReplyReader((response.header(b"content-type") or b"").decode())
    reader.feed(response.body)
    return reader.finish()


async def test_it_streams_the_reply_that_was_set(upstream: ReplayUpstream, port: int) -> None:
    upstream.reply = 'Grüße, "Anna"!\nData: [DONE]\n\nstill speaking'

    response = await answered(port)

    assert response.complete
    assert response.body.endswith(b"data: [DONE]\n\n")
    reply = heard(response)
    assert reply.text == upstream.reply
    assert (reply.complete, reply.failed, reply.finish_reason) == (True, False, "stop")


async def test_where_nobody_replied_it_ends_before_the_first_word_without_a_claim_to_be_done(
    upstream: ReplayUpstream, port: int
) -> None:
    assert upstream.reply == ""

    response = await answered(port)

    assert (response.status, response.complete) == (200, True)
    reply = heard(response)
    assert (reply.text, reply.complete, reply.failed) == ("", False, False)


async def test_it_keeps_the_last_request_as_it_came(upstream: ReplayUpstream, port: int) -> None:
    await answered(port)

    assert upstream.received == chat_body("Hello?", stream=True)
