"""Embedders over HTTP: OpenAI's protocol against scripted answers, Mistral's SDK against a server on a real socket."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import numpy as np
import pytest
import respx
from aiohttp import web
from hypothesis import example, given
from hypothesis import strategies as st
from tests.recollect.models.embedders.mistral_threshold import find_threshold, labelled, texts
from tests.scripted import mistral
from tests.scripted.mistral import Body, MistralStandIn, raw, refuses, running_mistral
from tests.support.tables import table

from recollect.assembly.models_from_settings import parse_embedder_name
from recollect.errors import ConfigurationError, EmbedderError
from recollect.models.embedders.served import OpenAIEmbedder
from recollect.models.mistral import EMBEDDING_BYTES, MistralEmbedder
from recollect.ports import Embedder

KEY = "sk-very-secret"
URL = "https://models.example/v1/embeddings"


class Pauses(list[float]):
    """Notes how long each pause was to last, and does not wait."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


@pytest.fixture
def endpoint() -> Iterator[respx.Route]:
    with respx.mock:
        yield respx.post(URL)


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


@pytest.fixture
def embedder(client: httpx.AsyncClient, pauses: Pauses) -> OpenAIEmbedder:
    return OpenAIEmbedder(
        "some-model", client=client, base_url="https://models.example/v1/", api_key=KEY, sleep=pauses
    )


def lengths(request: httpx.Request) -> httpx.Response:
    """Answer each text with a vector that tells its length, the last text first."""
    texts = json.loads(request.content)["input"]
    data = [
        {"index": n, "embedding": [len(text), 1, 0], "object": "embedding"} for n, text in enumerate(texts)
    ]
    return httpx.Response(200, json={"data": data[::-1], "model": "some-model", "usage": {}})


def answer(*embeddings: object) -> httpx.Response:
    data = [{"index": index, "embedding": embedding} for index, embedding in enumerate(embeddings)]
    return httpx.Response(200, json={"data": data})


def body(call: Any) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(call.request.content)
    return read


async def test_vectors_are_in_the_order_of_the_texts(endpoint: respx.Route, embedder: OpenAIEmbedder) -> None:
    endpoint.mock(side_effect=lengths)
    port: Embedder = embedder

    vectors = await port.embed(["four", "a", "seven.."])

    assert [vector.dtype.name for vector in vectors] == ["float32"] * 3
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(3))
    assert [vector[0] / vector[1] for vector in vectors] == pytest.approx([4, 1, 7])
    assert body(endpoint.calls.last) == {
        "model": "some-model",
        "input": ["four", "a", "seven.."],
        "encoding_format": "float",
    }
    assert endpoint.calls.last.request.headers["Authorization"] == f"Bearer {KEY}"
    assert endpoint.calls.last.request.headers["Content-Type"] == "application/json"
    np.testing.assert_array_equal(await port.embed_question("four"), vectors[0])


async def test_many_texts_take_several_calls(endpoint: respx.Route, embedder: OpenAIEmbedder) -> None:
    endpoint.mock(side_effect=lengths)

    vectors = await embedder.embed(["x" * length for length in range(1, 71)])

    assert [len(body(call)["input"]) for call in endpoint.calls] == [32, 32, 6]
    assert [round(vector[0] / vector[1]) for vector in vectors] == list(range(1, 71))
    assert await embedder.embed([]) == []


async def test_no_text_is_too_odd_to_send(endpoint: respx.Route, embedder: OpenAIEmbedder) -> None:
    endpoint.mock(side_effect=lengths)

    await embedder.embed(["", "  \n", "half \ud83d", "x" * 100_000])

    assert body(endpoint.calls.last)["input"] == [" ", " ", "half ?", "x" * 8_000]


async def test_without_a_key_none_is_sent(endpoint: respx.Route, client: httpx.AsyncClient) -> None:
    endpoint.mock(side_effect=lengths)
    await OpenAIEmbedder("m", client=client, base_url="https://models.example/v1").embed(["a"])

    assert "Authorization" not in endpoint.calls.last.request.headers


async def test_the_address_may_carry_a_query(client: httpx.AsyncClient, pauses: Pauses) -> None:
    with respx.mock:
        route = respx.post(f"{URL}?api-version=1").mock(side_effect=lengths)
        base_url = "https://models.example/v1?api-version=1"
        await OpenAIEmbedder("m", client=client, base_url=base_url, sleep=pauses).embed(["a"])

    assert route.called


@pytest.mark.parametrize(
    ("told", "response"),
    [
        ("can't be read", httpx.Response(200, content=b"<html>")),
        ("can't be read", httpx.Response(200, content=b"\xff")),
        ("can't be read", httpx.Response(200, json=[])),
        ("can't be read", httpx.Response(200, json={"error": "no"})),
        ("can't be read", httpx.Response(200, json={"data": [{"embedding": [1.0]}, {"embedding": [1.0]}]})),
        ("can't be read", httpx.Response(200, content=b'{"data": [{"index": 0, "embedding": [NaN]}]}')),
        ("can't be read", answer(None, None)),
        ("can't be read", answer(["1", "2"], ["1", "2"])),
        ("can't be read", answer("AACAPwAAAEA=", "AACAPwAAAEA=")),
        ("vectors for 2 texts", answer()),
        ("vectors for 2 texts", answer([1.0, 2.0])),
        ("vectors for 2 texts", answer([1.0], [1.0], [1.0])),
        ("vectors for 2 texts", httpx.Response(200, json={"data": [{"index": 0, "embedding": [1.0]}] * 2})),
        (
            "vectors for 2 texts",
            httpx.Response(200, json={"data": [{"index": n, "embedding": [1.0]} for n in (1, 2)]}),
        ),
        ("differ in length", answer([1.0, 2.0], [1.0])),
        ("can't be normalized", answer([1.0, 1.0], [0.0, 0.0])),
        ("can't be normalized", answer([], [])),
        ("can't be normalized", answer([1.0, 1.0], [1e300, 1e300])),
        ("can't be normalized", answer([1.0, 1.0], [1e-200, 0])),
    ],
)
async def test_an_answer_that_is_no_vector_for_each_text_is_an_error(
    endpoint: respx.Route, embedder: OpenAIEmbedder, pauses: Pauses, told: str, response: httpx.Response
) -> None:
    endpoint.mock(return_value=response)

    with pytest.raises(EmbedderError, match=told) as failure:
        await embedder.embed(["my secret", "another"])

    assert "secret" not in str(failure.value)
    assert pauses == []


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 413, 422])
async def test_a_refusal_is_an_error_at_once(
    endpoint: respx.Route, embedder: OpenAIEmbedder, pauses: Pauses, status: int
) -> None:
    endpoint.respond(status, json={"error": {"message": "my secret is too long"}})

    with pytest.raises(EmbedderError, match=f"status {status}") as failure:
        await embedder.embed(["my secret"])

    assert "secret" not in str(failure.value)
    assert (endpoint.call_count, pauses) == (1, [])


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
async def test_a_busy_server_is_asked_again_after_growing_pauses(
    endpoint: respx.Route, embedder: OpenAIEmbedder, pauses: Pauses, status: int
) -> None:
    endpoint.mock(side_effect=[httpx.Response(status), httpx.Response(status), answer([3.0, 4.0])])

    (vector,) = await embedder.embed(["a"])

    assert vector.tolist() == pytest.approx([0.6, 0.8])
    assert 0.125 <= pauses[0] <= 0.375
    assert 0.25 <= pauses[1] <= 0.75


async def test_who_stays_busy_fails(endpoint: respx.Route, embedder: OpenAIEmbedder, pauses: Pauses) -> None:
    endpoint.respond(503)

    with pytest.raises(EmbedderError, match="status 503"):
        await embedder.embed(["a"])
    assert (endpoint.call_count, len(pauses)) == (3, 2)


@pytest.mark.parametrize(
    ("retry_after", "pause"),
    [("2", 2), ("0", 0), ("3600", 5), ("Wed, 21 Oct 2015 07:28:00 GMT", 5), ("-1", 5), ("9" * 400, 5)],
)
async def test_the_pause_a_server_asks_for_is_kept_within_bounds(
    endpoint: respx.Route, embedder: OpenAIEmbedder, pauses: Pauses, retry_after: str, pause: float
) -> None:
    refused = httpx.Response(429, headers={"Retry-After": retry_after})
    endpoint.mock(side_effect=[refused, answer([1.0])])

    await embedder.embed(["a"])

    assert pauses == [pause]


@pytest.mark.parametrize(
    "failure", [httpx.ConnectError, httpx.ConnectTimeout, httpx.ReadError, httpx.RemoteProtocolError]
)
async def test_a_broken_connection_is_tried_again(
    endpoint: respx.Route, embedder: OpenAIEmbedder, pauses: Pauses, failure: type[httpx.TransportError]
) -> None:
    endpoint.mock(side_effect=[failure("gone"), answer([1.0])])

    assert len(await embedder.embed(["a"])) == 1
    assert len(pauses) == 1

    endpoint.mock(side_effect=failure("gone"))
    with pytest.raises(EmbedderError, match=f"can't be reached: {failure.__name__}"):
        await embedder.embed(["a"])


@pytest.mark.parametrize("failure", [httpx.ReadTimeout, httpx.PoolTimeout, httpx.LocalProtocolError])
async def test_a_timeout_is_not_tried_again(
    endpoint: respx.Route, embedder: OpenAIEmbedder, pauses: Pauses, failure: type[httpx.TransportError]
) -> None:
    endpoint.mock(side_effect=failure(KEY))

    with pytest.raises(EmbedderError, match=failure.__name__) as error:
        await embedder.embed(["my secret"])

    assert "secret" not in str(error.value)
    assert error.value.__cause__ is None
    assert error.value.__suppress_context__
    assert (endpoint.call_count, pauses) == (1, [])


async def test_closing_leaves_the_client_open(endpoint: respx.Route, embedder: OpenAIEmbedder) -> None:
    endpoint.mock(side_effect=lengths)
    await embedder.aclose()

    assert len(await embedder.embed(["a"])) == 1


async def test_its_name_is_the_model_and_its_repr_no_more(embedder: OpenAIEmbedder) -> None:
    assert embedder.name == "openai:some-model"
    assert repr(embedder) == "OpenAIEmbedder('some-model')"


@table(
    ("model", "expected"),
    [("mistral-embed", 0.8), ("mistralai/mistral-embed", 0.8), ("text-embedding-3-small", 0.30)],
)
def test_the_gate_belongs_to_the_model(client: httpx.AsyncClient, model: str, expected: float) -> None:
    embedder = OpenAIEmbedder(model, client=client, base_url="http://localhost/v1")

    assert embedder.gate == expected


@table(
    "base_url",
    ["", "models.example/v1", "ftp://models.example", "https://", "https://models.example:port", "\x00"],
)
def test_an_address_that_is_none_is_refused(client: httpx.AsyncClient, base_url: str) -> None:
    with pytest.raises(ConfigurationError, match="must be a URL"):
        OpenAIEmbedder("m", client=client, base_url=base_url)


@table("key", ["two\nlines", "schlüssel"])
def test_a_key_that_fits_no_header_is_refused_unshown(client: httpx.AsyncClient, key: str) -> None:
    with pytest.raises(ConfigurationError, match="no header can carry") as failure:
        OpenAIEmbedder("m", client=client, base_url="http://localhost/v1", api_key=key)

    assert key not in str(failure.value)


@table(
    ("text", "name"),
    [
        ("local:multilingual-e5-small", ("local", "multilingual-e5-small")),
        ("openai:qwen3-embedding:0.6b", ("openai", "qwen3-embedding:0.6b")),
        (" openai : mistral-embed ", ("openai", "mistral-embed")),
        ("mistral:mistral-embed", ("mistral", "mistral-embed")),
    ],
)
def test_a_name_is_split_at_its_first_colon(text: str, name: tuple[str, str]) -> None:
    assert parse_embedder_name(text) == name


@table("text", ["", "multilingual-e5-small", "cohere:embed-v3", ":model", "OpenAI:x"])
def test_an_unknown_scheme_is_refused_with_those_that_are_known(text: str) -> None:
    with pytest.raises(ConfigurationError, match="local:MODEL or openai:MODEL or mistral:MODEL"):
        parse_embedder_name(text)


@table("text", ["local:", "openai", "openai:  ", "mistral:"])
def test_a_scheme_without_a_model_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="names no model"):
        parse_embedder_name(text)


# -- Mistral's SDK ---------------------------------------------------------------------------------

HOSTILE = ["", "  \n", "half \ud83d", "nul \0", "x" * 1_000_000, "蜂" * 20_000, "\u202eشاي", "🐝" * 9_000]


def measures(body: Body) -> web.Response:
    """Answer each text with a vector that tells its length."""
    return web.json_response(mistral.embedding(body["model"], [[len(text), 1, 0] for text in body["input"]]))


def answers(*vectors: object) -> Any:
    return lambda body: web.json_response(mistral.embedding(body["model"], vectors))


@pytest.fixture(scope="module")
async def running() -> AsyncIterator[MistralStandIn]:
    async with running_mistral(key=KEY) as running:
        yield running


@pytest.fixture
def server(running: MistralStandIn) -> MistralStandIn:
    """The server, that was asked nothing yet."""
    running.replies, running.bodies, running.requests = [measures], [], []
    return running


@pytest.fixture
async def over_sdk(server: MistralStandIn, pauses: Pauses) -> AsyncIterator[MistralEmbedder]:
    opened = MistralEmbedder("other-embed", api_key=KEY, base_url=f"{server.base_url}/v1/", sleep=pauses)
    yield opened
    await opened.aclose()


async def test_mistrals_vectors_have_the_order_too(server: MistralStandIn, over_sdk: MistralEmbedder) -> None:
    vectors = await over_sdk.embed(["four", "a", "seven.."])

    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(3))
    assert [vector[0] / vector[1] for vector in vectors] == pytest.approx([4, 1, 7])
    assert server.bodies == [{"model": "other-embed", "input": ["four", "a", "seven.."]}]
    assert server.requests[0].path == "/v1/embeddings"


async def test_long_texts_share_few_calls(server: MistralStandIn, over_sdk: MistralEmbedder) -> None:
    long = "Beyond the river the hives were humming in the heat. " * 100
    assert len(await over_sdk.embed([f"{number} {long}" for number in range(20)])) == 20

    assert 1 < len(server.bodies) < 20
    sent = [text.split()[0] for body in server.bodies for text in body["input"]]
    assert sent == [str(number) for number in range(20)]


@example([*HOSTILE, "tea"])
@given(st.lists(st.text() | st.text(max_size=3).map(lambda text: text * 5_000), max_size=40))
def test_no_call_is_too_large_and_no_text_is_lost(texts: list[str]) -> None:
    embedder = MistralEmbedder()

    prepared = [embedder._sendable(text) for text in texts]
    split = list(embedder._batches(prepared))

    assert [text for batch in split for text in batch] == prepared
    assert all(0 < len(batch) <= 32 for batch in split)
    assert all(sum(map(mistral.count_tokens, batch)) < mistral.TOKENS_A_CALL for batch in split)
    assert all(text.encode() for text in prepared)


async def test_no_key_of_the_environment_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "of-the-environment")
    async with running_mistral(replies=[measures]) as server:
        embedder = MistralEmbedder("m", base_url=server.base_url)
        await embedder.embed(["a"])
        await embedder.aclose()

    assert "authorization" not in server.requests[0].headers


@table(
    ("reply", "told"),
    [
        *((raw(content), "can't be read") for content in (b"<html>", b"\xff", b"", b"[]")),
        (raw(b'{"error": "my secret"}'), "can't be read"),
        (raw(b'{"data": [{"index": 0, "embedding": [1.0]}]}'), "can't be read"),
        (
            raw(
                b'{"id": "", "object": "list", "model": "", "usage": {}, "data": [{"index": 0, "embedding": [NaN]}]}x'
            ),
            "can't be read",
        ),
        (raw(b" " * (EMBEDDING_BYTES + 1)), "too large"),
        (refuses(301, "my secret is too long"), "status 301"),
        (refuses(422, "my secret is too long"), "status 422"),
    ],
)
async def test_what_no_repetition_mends_is_an_error_at_once(
    server: MistralStandIn, over_sdk: MistralEmbedder, pauses: Pauses, reply: mistral.Reply, told: str
) -> None:
    server.replies, server.bodies = [reply], []

    with pytest.raises(EmbedderError, match=told) as failure:
        await over_sdk.embed(["my secret", "another"])

    assert "secret" not in str(failure.value)
    assert (len(server.bodies), pauses) == (1, [])


async def test_mistral_embed_has_1024_dimensions_or_it_is_another_model(server: MistralStandIn) -> None:
    server.replies = [answers([1.0] * 1024), answers([1.0] * 1023)]
    embedder = MistralEmbedder(api_key=KEY, base_url=server.base_url)
    [vector] = await embedder.embed(["a"])

    assert vector.shape == (1024,)
    with pytest.raises(EmbedderError, match="dimensions"):
        await embedder.embed(["a"])
    await embedder.aclose()


@pytest.mark.parametrize("status", [429, 500])
async def test_mistral_is_asked_again_behind_the_pause_that_it_asks_for(
    server: MistralStandIn, over_sdk: MistralEmbedder, pauses: Pauses, status: int
) -> None:
    server.replies = [refuses(status), refuses(status, **{"Retry-After": "2"}), answers([3.0, 4.0])]

    assert (await over_sdk.embed(["a"]))[0].tolist() == pytest.approx([0.6, 0.8])
    assert 0.125 <= pauses[0] <= 0.375
    assert pauses[1] == 2


async def test_mistral_is_asked_again_where_it_breaks_off(
    server: MistralStandIn, over_sdk: MistralEmbedder, pauses: Pauses
) -> None:
    def break_off(_: Body) -> web.Response:
        transport = server.requests[-1].transport
        assert transport is not None
        transport.close()
        return web.Response()

    server.replies = [break_off, answers([1.0]), break_off]

    assert len(await over_sdk.embed(["a"])) == len(pauses) == 1
    with pytest.raises(EmbedderError, match="can't be reached: RemoteProtocolError"):
        await over_sdk.embed(["a"])


async def test_mistral_is_not_asked_again_where_it_is_slow(server: MistralStandIn, pauses: Pauses) -> None:
    async def never(_: Body) -> web.Response:
        await asyncio.sleep(60)
        raise AssertionError

    server.replies = [never]
    embedder = MistralEmbedder("m", api_key=KEY, base_url=server.base_url, seconds=0.2, sleep=pauses)

    with pytest.raises(EmbedderError, match=r"can't be reached: \w*Timeout"):
        await embedder.embed(["my secret"])

    await embedder.aclose()
    assert (len(server.bodies), pauses) == (1, [])


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
