import json
from collections.abc import Iterator
from typing import Any

import httpx
import numpy as np
import pytest
import respx
from tests.support.tables import table

from recollect.errors import ConfigurationError, EmbedderError
from recollect.models.embedders import parse_embedder_name
from recollect.models.embedders.served import OpenAIEmbedder
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


async def test_vectors_come_in_the_order_of_the_texts_and_at_unit_length(
    endpoint: respx.Route, embedder: OpenAIEmbedder
) -> None:
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


async def test_a_server_that_stays_busy_is_an_error(
    endpoint: respx.Route, embedder: OpenAIEmbedder, pauses: Pauses
) -> None:
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


async def test_closing_leaves_the_client_to_whoever_made_it(
    endpoint: respx.Route, embedder: OpenAIEmbedder
) -> None:
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
def test_a_key_that_no_header_can_carry_is_refused_without_being_shown(
    client: httpx.AsyncClient, key: str
) -> None:
    with pytest.raises(ConfigurationError, match="no header can carry") as failure:
        OpenAIEmbedder("m", client=client, base_url="http://localhost/v1", api_key=key)

    assert key not in str(failure.value)


@pytest.mark.parametrize(
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


@pytest.mark.parametrize("text", ["", "multilingual-e5-small", "cohere:embed-v3", ":model", "OpenAI:x"])
def test_an_unknown_scheme_is_refused_with_those_that_are_known(text: str) -> None:
    with pytest.raises(ConfigurationError, match="local:MODEL or openai:MODEL or mistral:MODEL"):
        parse_embedder_name(text)


@pytest.mark.parametrize("text", ["local:", "openai", "openai:  ", "mistral:"])
def test_a_scheme_without_a_model_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="names no model"):
        parse_embedder_name(text)
