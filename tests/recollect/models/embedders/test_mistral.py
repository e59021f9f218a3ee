"""The embedder over Mistral's SDK, against a server on a real socket that speaks its protocol."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import numpy as np
import pytest
from aiohttp import web
from hypothesis import example, given
from hypothesis import strategies as st
from tests.recollect.models.embedders.mistral_threshold import find_threshold, labelled, texts
from tests.scripted.mistral import (
    TOKENS_A_CALL,
    Body,
    MistralStandIn,
    count_tokens,
    embedding,
    raw,
    refuses,
    running_mistral,
)

from recollect.errors import EmbedderError
from recollect.models.embedders.mistral import ANSWER_BYTES, MistralEmbedder
from recollect.ports import Embedder

KEY = "very-secret"
HOSTILE = ["", "  \n", "half \ud83d", "nul \0", "x" * 1_000_000, "蜂" * 20_000, "\u202eشاي", "🐝" * 9_000]


class Pauses(list[float]):
    """Notes how long each pause was to last, and does not wait."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


def lengths(body: Body) -> web.Response:
    """Answer each text with a vector that tells its length."""
    return web.json_response(embedding(body["model"], [[len(text), 1, 0] for text in body["input"]]))


def answers(*vectors: object) -> Any:
    return lambda body: web.json_response(embedding(body["model"], vectors))


@pytest.fixture(scope="module")
async def running() -> AsyncIterator[MistralStandIn]:
    async with running_mistral(key=KEY) as running:
        yield running


@pytest.fixture
def server(running: MistralStandIn) -> MistralStandIn:
    """The server, that was asked nothing yet."""
    running.replies, running.bodies, running.requests = [lengths], [], []
    return running


@pytest.fixture(scope="module")
def all_pauses() -> Pauses:
    return Pauses()


@pytest.fixture
def pauses(all_pauses: Pauses) -> Pauses:
    """The pauses, of which there was none yet."""
    all_pauses.clear()
    return all_pauses


@pytest.fixture(scope="module")
async def embedder(running: MistralStandIn, all_pauses: Pauses) -> AsyncIterator[MistralEmbedder]:
    opened = MistralEmbedder("other-embed", api_key=KEY, base_url=f"{running.base_url}/v1/", sleep=all_pauses)
    yield opened
    await opened.aclose()


async def test_vectors_come_in_the_order_of_the_texts_and_at_unit_length(
    server: MistralStandIn, embedder: MistralEmbedder
) -> None:
    port: Embedder = embedder

    vectors = await port.embed(["four", "a", "seven.."])

    assert [vector.dtype.name for vector in vectors] == ["float32"] * 3
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(3))
    assert [vector[0] / vector[1] for vector in vectors] == pytest.approx([4, 1, 7])
    assert server.bodies == [{"model": "other-embed", "input": ["four", "a", "seven.."]}]
    assert server.requests[0].path == "/v1/embeddings"


async def test_long_texts_share_a_call_only_as_far_as_mistral_takes_them(
    server: MistralStandIn, embedder: MistralEmbedder
) -> None:
    long = "Beyond the river the hives were humming in the heat. " * 100

    vectors = await embedder.embed([f"{number} {long}" for number in range(20)])

    assert len(vectors) == 20
    assert 1 < len(server.bodies) < 20
    assert [text.split()[0] for body in server.bodies for text in body["input"]] == [
        str(number) for number in range(20)
    ]


@example([*HOSTILE, "tea"])
@given(st.lists(st.text() | st.text(max_size=3).map(lambda text: text * 5_000), max_size=40))
def test_no_call_is_too_large_and_no_text_is_lost(texts: list[str]) -> None:
    embedder = MistralEmbedder()
    prepared = [embedder._sendable(text) for text in texts]

    split = list(embedder._batches(prepared))

    assert [text for batch in split for text in batch] == prepared
    assert all(0 < len(batch) <= 32 for batch in split)
    assert all(sum(map(count_tokens, batch)) < TOKENS_A_CALL for batch in split)
    assert all(text.encode() for text in prepared)


async def test_without_a_key_none_is_sent_even_if_the_environment_has_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "of-the-environment")
    async with running_mistral(replies=[lengths]) as server:
        embedder = MistralEmbedder("m", base_url=server.base_url)
        await embedder.embed(["a"])
        await embedder.aclose()

    assert "authorization" not in server.requests[0].headers


@pytest.mark.parametrize(
    "content",
    [
        b"<html>",
        b"\xff",
        b"",
        b"[]",
        b'{"error": "my secret"}',
        b'{"data": [{"index": 0, "embedding": [1.0]}]}',
        b'{"id": "", "object": "list", "model": "", "usage": {}, "data": [{"index": 0, "embedding": [NaN]}]}x',
    ],
)
async def test_an_unreadable_answer_is_an_error(
    server: MistralStandIn, embedder: MistralEmbedder, pauses: Pauses, content: bytes
) -> None:
    server.replies = [raw(content)]

    with pytest.raises(EmbedderError, match="can't be read") as failure:
        await embedder.embed(["my secret", "another"])

    assert "secret" not in str(failure.value)
    assert pauses == []


async def test_mistral_embed_has_1024_dimensions_or_it_is_another_model(server: MistralStandIn) -> None:
    server.replies = [answers([1.0] * 1024), answers([1.0] * 1023)]
    embedder = MistralEmbedder(api_key=KEY, base_url=server.base_url)

    [vector] = await embedder.embed(["a"])
    assert vector.shape == (1024,)
    with pytest.raises(EmbedderError, match="dimensions"):
        await embedder.embed(["a"])
    await embedder.aclose()


@pytest.mark.parametrize("status", [301, 422])
async def test_a_refusal_is_an_error_at_once(
    server: MistralStandIn, embedder: MistralEmbedder, pauses: Pauses, status: int
) -> None:
    server.replies = [refuses(status, "my secret is too long")]

    with pytest.raises(EmbedderError, match=f"status {status}") as failure:
        await embedder.embed(["my secret"])

    assert "secret" not in str(failure.value)
    assert (len(server.bodies), pauses) == (1, [])


@pytest.mark.parametrize("status", [429, 500])
async def test_a_busy_server_is_asked_again_behind_the_pause_that_it_asks_for(
    server: MistralStandIn, embedder: MistralEmbedder, pauses: Pauses, status: int
) -> None:
    server.replies = [refuses(status), refuses(status, **{"Retry-After": "2"}), answers([3.0, 4.0])]

    (vector,) = await embedder.embed(["a"])

    assert vector.tolist() == pytest.approx([0.6, 0.8])
    assert 0.125 <= pauses[0] <= 0.375
    assert pauses[1] == 2


async def test_a_connection_that_breaks_is_tried_again(
    server: MistralStandIn, embedder: MistralEmbedder, pauses: Pauses
) -> None:
    def break_off(_: Body) -> web.Response:
        transport = server.requests[-1].transport
        assert transport is not None
        transport.close()
        return web.Response()

    server.replies = [break_off, answers([1.0]), break_off]

    assert len(await embedder.embed(["a"])) == 1
    assert len(pauses) == 1
    with pytest.raises(EmbedderError, match="can't be reached: RemoteProtocolError"):
        await embedder.embed(["a"])


async def test_a_server_that_is_too_slow_is_not_asked_again(server: MistralStandIn, pauses: Pauses) -> None:
    async def never(_: Body) -> web.Response:
        await asyncio.sleep(60)
        raise AssertionError

    server.replies = [never]
    embedder = MistralEmbedder("m", api_key=KEY, base_url=server.base_url, seconds=0.2, sleep=pauses)

    with pytest.raises(EmbedderError, match=r"can't be reached: \w*Timeout"):
        await embedder.embed(["my secret"])
    await embedder.aclose()
    assert (len(server.bodies), pauses) == (1, [])


async def test_an_answer_that_is_too_large_is_an_error(
    server: MistralStandIn, embedder: MistralEmbedder
) -> None:
    server.replies = [raw(b" " * (ANSWER_BYTES + 1))]

    with pytest.raises(EmbedderError, match="too large"):
        await embedder.embed(["a"])


def test_a_threshold_lies_in_the_widest_of_the_gaps_that_part_the_pairs_best() -> None:
    related = np.array([0.9, 0.8, 0.3], dtype=np.float32)
    unrelated = np.array([0.5, 0.2, 0.1, 0.1], dtype=np.float32)

    found = find_threshold(related, unrelated)

    assert found.cosine == pytest.approx(0.25)
    assert (found.related_above, found.unrelated_below) == (1, 0.75)
    assert find_threshold(related[:2], unrelated).cosine == pytest.approx(0.65)


def test_a_statement_is_related_to_its_paraphrase_and_to_its_question_alone() -> None:
    vectors = [np.eye(20, dtype=np.float32)[number // 3] for number in range(len(texts()))]

    related, unrelated = labelled(vectors)

    assert (len(related), related.min()) == (2 * 20, 1)
    assert (len(unrelated), unrelated.max()) == (9 * 20 * 19 // 2, 0)
