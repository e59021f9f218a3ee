"""Mistral's SDK against a server on a real socket that speaks its protocol."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from aiohttp import web
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.scripted.extraction import statement
from tests.scripted.mistral import Body, completion, raw, refuses, running_mistral, says
from tests.scripted.mistral import MistralStandIn as Server
from tests.support.tables import table

from recollect.errors import (
    ConfigurationError,
    ExtractorError,
    ExtractorTimeoutError,
    ExtractorUnusableError,
    InvalidExtractionError,
)
from recollect.models.background_limits import counting_tokens
from recollect.models.extractors import AnswerSchema, ChatModel, ModelAnswer
from recollect.models.extractors.schema import CHOICE, EXTRACTION, SUMMARY
from recollect.models.mistral import ANSWER_BYTES, MistralServer
from recollect.models.mistral import MistralModel as Model
from recollect.ports import Asker

ITEM = statement("I keep bees behind the shed", "Keeps bees")
EXTRACTED = {"words": "own", "wishes": [], "memories": [ITEM]}
MESSAGES = [{"role": "system", "content": "Extract."}, {"role": "user", "content": "my private words"}]
ASKER = Asker("anna", "chat-model")
SIGNED = Asker("anna", "chat-model", authorized=True, credential="Bearer secret-of-anna")


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with running_mistral() as running:
        yield running


@pytest.fixture
async def model(server: Server) -> AsyncIterator[Model]:
    opened = Model(base_url=server.base_url, api_key="ours", timeout=timedelta(seconds=20))
    yield opened
    await opened.aclose()


@pytest.fixture
async def upstream(server: Server) -> AsyncIterator[Model]:
    opened = Model(base_url=server.base_url, is_upstream=True)
    yield opened
    await opened.aclose()


async def test_the_answer_is_parsed_into_the_form_asked_for(server: Server, model: Model) -> None:
    server.replies = [says(json.dumps(EXTRACTED, indent=4))]
    port: ChatModel = model

    with counting_tokens() as spent:
        answer = await port.ask(MESSAGES, EXTRACTION, ASKER)

    assert spent.tokens == 321
    assert answer == ModelAnswer(
        EXTRACTION.form.model_validate(EXTRACTED).model_dump_json(), tokens=321, model="mistral-small-latest"
    )
    [body] = server.bodies
    assert body["model"] == "mistral-small-latest"
    assert (body["temperature"], body["max_tokens"], body["stream"]) == (0, 4096, False)
    assert [{key: each[key] for key in ("role", "content")} for each in body["messages"]] == MESSAGES
    assert body["response_format"]["type"] == "json_schema"
    assert server.requests[0].headers["authorization"] == "Bearer ours"


SUMMARIZED = {"summary": "Bees.", "facts": ["Keeps bees"], "preferences": [], "decisions": [], "entities": []}
ANSWERS: list[tuple[AnswerSchema, Body]] = [
    (EXTRACTION, EXTRACTED),
    (CHOICE, {"numbers": [2, 5]}),
    (SUMMARY, SUMMARIZED | {"todos": ["Buy jars"]}),
]


@pytest.mark.parametrize(("schema", "said"), ANSWERS, ids=[schema.name for schema, _ in ANSWERS])
async def test_every_form_is_asked_for_strictly_and_parsed(
    server: Server, model: Model, schema: AnswerSchema, said: Body
) -> None:
    server.replies = [says(json.dumps(said))]

    answer = await model.ask(MESSAGES, schema, ASKER)

    assert json.loads(answer.text) == said
    wanted = server.bodies[0]["response_format"]["json_schema"]
    assert wanted["strict"] is True
    assert set(wanted["schema"]["required"]) == set(said)
    assert wanted["schema"]["additionalProperties"] is False


@pytest.mark.parametrize(
    "said",
    [
        "I found nothing of the kind.",
        '{"memories": [{"content": "Keeps bees"}]}',
        '```json\n{"memories": []}\n```',
        "[" * 100_000,
        "12",
        "NaN",
        "null",
        '{"memories": [',
        '{"memories": [], "more": 1}',
        "",
        None,
        [],
    ],
)
async def test_what_the_sdk_cannot_parse_is_handed_on(server: Server, model: Model, said: object) -> None:
    server.replies = [says(said)]

    answer = await model.ask(MESSAGES, EXTRACTION, ASKER)

    assert answer == ModelAnswer(said if isinstance(said, str) else "", 321, "mistral-small-latest")


async def test_half_a_surrogate_pair_in_the_answer_is_survived(server: Server, model: Model) -> None:
    whole = json.dumps(completion("m", "half \ud83d of it"))
    server.replies = [raw(whole.encode())]

    assert (await model.ask(MESSAGES, EXTRACTION, ASKER)).text == "half \ud83d of it"


async def test_thoughts_before_the_answer_are_no_part_of_it(server: Server, model: Model) -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": '{"numbers": [1]}'},
    ]
    server.replies = [says(parts), says([*parts[:1], {"type": "text", "text": "none, I think"}])]

    assert (await model.ask(MESSAGES, CHOICE, ASKER)).text == '{"numbers":[1]}'
    assert (await model.ask(MESSAGES, CHOICE, ASKER)).text == "none, I think"


async def test_fields_that_the_sdk_misses_cost_nothing(server: Server, model: Model) -> None:
    server.replies = [
        raw(b'{"choices": [{"message": {"content": "{\\"numbers\\": []}"}}]}', kind="text/plain")
    ]

    answer = await model.ask(MESSAGES, CHOICE, ASKER)

    assert json.loads(answer.text) == {"numbers": []}
    assert answer.tokens > 0


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>",
        b"\xff\xfe",
        b"[]",
        b"12",
        b'{"choices": []}',
        b'{"choices": [{"message": null}]}',
        b"[" * 200_000,
        json.dumps(completion("m", None) | {"choices": []}).encode(),
    ],
)
async def test_no_chat_completion_at_all_is_an_error(server: Server, model: Model, content: bytes) -> None:
    server.replies = [raw(content)]

    with pytest.raises(ExtractorError, match="no chat completion") as failure:
        await model.ask(MESSAGES, EXTRACTION, ASKER)

    assert type(failure.value) is ExtractorError


class TestWhichCredential:
    async def test_the_chats_own_where_its_server_is_asked(self, server: Server, upstream: Model) -> None:
        await upstream.ask(MESSAGES, EXTRACTION, SIGNED)
        await upstream.ask(MESSAGES, EXTRACTION, replace(SIGNED, credential="Bearer of-ben \xe4"))
        await upstream.ask(MESSAGES, EXTRACTION, ASKER)

        sent = [request.headers.get("authorization") for request in server.requests[::2]]
        assert sent == ["Bearer secret-of-anna", None]
        name, value = next(
            pair for pair in server.requests[1].raw_headers if pair[0].lower() == b"authorization"
        )
        assert (name.lower(), value) == (b"authorization", "Bearer of-ben \xe4".encode("latin-1"))

    async def test_another_server_than_the_chats_never_gets_it(self, server: Server) -> None:
        model = Model(base_url=server.base_url)

        await model.ask(MESSAGES, EXTRACTION, SIGNED)
        await model.aclose()

        assert "authorization" not in server.requests[0].headers

    @pytest.mark.parametrize(
        ("credential", "kind"),
        [("Bearer \u20ac", ExtractorUnusableError), ("Bearer x\r\nX-Admin: 1", ExtractorError)],
    )
    async def test_one_that_fits_no_header_is_not_sent(
        self, server: Server, upstream: Model, credential: str, kind: type[ExtractorError]
    ) -> None:
        with pytest.raises(kind) as failure:
            await upstream.ask(MESSAGES, EXTRACTION, replace(SIGNED, credential=credential))

        assert server.bodies == []
        assert "X-Admin" not in str(failure.value)

    @pytest.mark.parametrize("key", ["two\nlines", "schlüssel"])
    def test_a_key_that_fits_no_header_is_refused_without_being_shown(self, key: str) -> None:
        with pytest.raises(ConfigurationError, match="no header") as failure:
            Model(api_key=key)

        assert key not in str(failure.value)


class TestTheEnvironment:
    @pytest.fixture(autouse=True)
    def environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("MISTRAL_API_KEY", "key-of-the-environment")
        monkeypatch.setenv("MISTRAL_SA_TOKEN_PATH", "/nowhere/at/all")
        monkeypatch.setenv("MISTRAL_DEBUG", "1")
        monkeypatch.setenv("MISTRAL_SDK_TELEMETRY", "dedicated")

    async def test_no_key_of_it_is_sent(self, server: Server, upstream: Model) -> None:
        await upstream.ask(MESSAGES, EXTRACTION, ASKER)

        assert "authorization" not in server.requests[0].headers

    async def test_nothing_is_logged_or_traced(
        self, server: Server, upstream: Model, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG)
        root = logging.getLogger().handlers[:]

        await upstream.ask(MESSAGES, EXTRACTION, SIGNED)

        assert "private" not in caplog.text
        assert "secret-of-anna" not in caplog.text
        assert logging.getLogger().handlers == root
        assert "traceparent" not in server.requests[0].headers


async def test_a_model_that_is_to_be_withdrawn_is_asked_like_any(
    server: Server, model: Model, caplog: pytest.LogCaptureFixture
) -> None:
    def with_notice(_: Body) -> web.Response:
        response = web.json_response({"choices": [{"message": {"content": "my private words"}}]})
        response.headers["x-model-deprecation-timestamp"] = "2027-01-01"
        return response

    server.replies = [with_notice]

    assert (await model.ask(MESSAGES, EXTRACTION, ASKER)).text == "my private words"
    assert "private" not in caplog.text


async def test_no_cookie_of_one_user_reaches_another(server: Server, upstream: Model) -> None:
    def with_cookie(body: Body) -> web.Response:
        response = web.json_response(completion(body["model"], "{}"))
        response.set_cookie("session", "anna")
        return response

    server.replies = [with_cookie]

    await upstream.ask(MESSAGES, EXTRACTION, SIGNED)
    await upstream.ask(MESSAGES, EXTRACTION, ASKER)

    assert "cookie" not in server.requests[1].headers


class TestFailures:
    @pytest.mark.parametrize(
        ("status", "kind"),
        [
            (429, ExtractorError),
            (500, ExtractorError),
            (301, ExtractorUnusableError),
            (404, ExtractorUnusableError),
        ],
    )
    async def test_what_a_status_means_is_told_after_one_try(
        self, server: Server, model: Model, status: int, kind: type[ExtractorError]
    ) -> None:
        elsewhere = {"Retry-After": "1", "Location": "/v1/embeddings"}
        server.replies = [refuses(status, "my private words and ours", **elsewhere)]

        with counting_tokens() as spent, pytest.raises(ExtractorError, match=f"status {status}") as failure:
            await model.ask(MESSAGES, EXTRACTION, ASKER)

        assert (spent.tokens > 0) is (status == 500)  # of which a server may have begun to answer
        assert type(failure.value) is kind
        assert "private" not in str(failure.value)
        assert len(server.bodies) == 1

    async def test_an_answer_that_is_too_large_is_invalid(self, server: Server, model: Model) -> None:
        server.replies = [raw(b"x" * (ANSWER_BYTES + 1))]

        with pytest.raises(InvalidExtractionError, match="too large"):
            await model.ask(MESSAGES, EXTRACTION, ASKER)

    async def test_a_server_that_is_not_there_is_an_error(self) -> None:
        async with running_mistral() as gone:
            address = gone.base_url
        model = Model(base_url=address, api_key="ours")

        with counting_tokens() as spent, pytest.raises(ExtractorError, match="reached: ConnectError"):
            await model.ask(MESSAGES, EXTRACTION, ASKER)
        assert spent.tokens == 0
        await model.aclose()

    async def test_a_connection_that_breaks_is_an_error(self, server: Server, model: Model) -> None:
        async def break_off(_: Body) -> web.StreamResponse:
            response = web.StreamResponse(headers={"Content-Length": "100"})
            await response.prepare(server.requests[-1])
            await response.write(b'{"choices"')
            transport = server.requests[-1].transport
            assert transport is not None
            transport.close()
            return response

        server.replies = [break_off]

        with pytest.raises(ExtractorError, match="can't be reached: RemoteProtocolError"):
            await model.ask(MESSAGES, EXTRACTION, ASKER)

    @pytest.mark.parametrize("trickles", [False, True])
    async def test_a_server_that_is_too_slow_is_an_error(self, server: Server, *, trickles: bool) -> None:
        async def never(_: Body) -> web.StreamResponse:
            response = web.StreamResponse()
            if trickles:
                await response.prepare(server.requests[-1])
            while True:
                await asyncio.sleep(0.02)
                if trickles:
                    await response.write(b" ")

        server.replies = [never]
        model = Model(base_url=server.base_url, api_key="ours", timeout=timedelta(seconds=0.5))

        with counting_tokens() as spent, pytest.raises(ExtractorTimeoutError, match="in time"):
            await model.ask(MESSAGES, EXTRACTION, ASKER)
        assert spent.tokens > 0
        await model.aclose()

    async def test_what_the_sdk_cannot_send_is_not_quoted(self, server: Server, model: Model) -> None:
        with pytest.raises(ExtractorError, match="The Mistral SDK failed") as failure:
            await model.ask([{"role": "nobody", "content": "my private words"}], EXTRACTION, ASKER)

        assert "private" not in str(failure.value)
        assert failure.value.__suppress_context__
        assert server.bodies == []

    async def test_who_asked_may_give_up(self, server: Server, model: Model) -> None:
        asked = asyncio.Event()

        async def never(_: Body) -> web.StreamResponse:
            asked.set()
            await asyncio.sleep(60)
            raise AssertionError

        server.replies = [never, says("{}")]
        asking = asyncio.create_task(model.ask(MESSAGES, EXTRACTION, ASKER))
        await asked.wait()
        asking.cancel()

        with pytest.raises(asyncio.CancelledError):
            await asking
        assert (await model.ask(MESSAGES, EXTRACTION, ASKER)).text == "{}"


@table(
    ("base_url", "asked"),
    [
        ("https://api.mistral.ai", "https://api.mistral.ai"),
        ("https://api.mistral.ai/", "https://api.mistral.ai"),
        ("https://api.mistral.ai/v1", "https://api.mistral.ai"),
        ("https://api.mistral.ai/v1/", "https://api.mistral.ai"),
        ("https://models.example/mistral/v1", "https://models.example/mistral"),
    ],
)
async def test_an_address_may_have_its_version_or_not_and_keeps_its_path(base_url: str, asked: str) -> None:
    server = MistralServer(base_url, seconds=1, answer_bytes=1)

    assert server.base_url == asked
    await server.aclose()
    await server.aclose()


@table(
    "base_url", ["", "api.mistral.ai", "ftp://api.mistral.ai", "https://", "http://a:b", "http://a?b=c", "\0"]
)
def test_an_address_that_is_none_is_refused(base_url: str) -> None:
    with pytest.raises(ConfigurationError, match="must be an address"):
        Model(base_url=base_url)


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=12,
)
BODIES = (
    st.binary(max_size=60)
    | JSON.map(lambda value: json.dumps(value).encode())
    | JSON.map(lambda value: json.dumps(completion("m", value)).encode())
    | JSON.map(lambda value: json.dumps(completion("m", json.dumps(value))).encode())
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=BODIES)
async def test_any_answer_ends_in_words_or_our_errors(server: Server, model: Model, content: bytes) -> None:
    server.replies = [raw(content)]

    try:
        answer = await model.ask(MESSAGES, EXTRACTION, ASKER)
    except ExtractorError:
        return
    assert isinstance(answer.text, str)
    assert answer.tokens > 0
