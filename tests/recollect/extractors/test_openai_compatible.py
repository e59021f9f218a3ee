"""The extractor against a chat completions server on a real socket."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx
import pytest
from aiohttp import web
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.errors import (
    ConfigurationError,
    ExtractorError,
    ExtractorUnusableError,
    InvalidExtractionError,
)
from recollect.extractors import OpenAIExtractor
from recollect.extractors.openai_compatible import ANSWER_BYTES
from recollect.model import Candidate, Exchange, Kind, Scope, Turn

ITEM = {
    "evidence": "I moved to Leipzig",
    "content": "Lives in Leipzig",
    "kind": "fact",
    "importance": 0.7,
    "confidence": 1.0,
    "relation": "new",
    "about": None,
    "event_date": "2026-11-20",
}
ANSWER = json.dumps({"memories": [ITEM]})
TURN = Turn(
    scope=Scope("anna", "chat-1"),
    text="I moved to Leipzig yesterday",
    key="m1",
    at=datetime(2026, 11, 21, 9, 30, tzinfo=UTC),
    model="chat-model",
)
EXCHANGE = Exchange(UUID(int=1), TURN, "Welcome!", UUID(int=2), UUID(int=3))
SIGNED = replace(EXCHANGE, authorized=True, credential="Bearer secret-of-anna")

Body = dict[str, Any]
Reply = Callable[[Body], web.StreamResponse | Awaitable[web.StreamResponse]]


def says(content: object) -> Reply:
    """Answer with a chat completion."""
    return lambda _: web.json_response({"choices": [{"message": {"role": "assistant", "content": content}}]})


def refuses(status: int, message: str = "no", param: str | None = None) -> Reply:
    """Answer with an error as OpenAI words it."""
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": None}
    return lambda _: web.json_response({"error": error}, status=status)


def raw(content: bytes, status: int = 200) -> Reply:
    """Answer with these bytes."""
    return lambda _: web.Response(body=content, status=status, content_type="application/json")


@dataclass
class Server:
    """What was asked of the server, and what it answers: the replies in turn, the last for good."""

    base_url: str = ""
    replies: list[Reply] = field(default_factory=lambda: [says(ANSWER)])
    bodies: list[Body] = field(default_factory=list)
    requests: list[web.Request] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request)
        self.bodies.append(await request.json())
        reply = self.replies[min(len(self.bodies), len(self.replies)) - 1](self.bodies[-1])
        return reply if isinstance(reply, web.StreamResponse) else await reply

    @property
    def forms(self) -> list[str]:
        return [body.get("response_format", {"type": "asked"})["type"] for body in self.bodies]


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    scripted = Server()
    application = web.Application()
    application.router.add_post("/v1/chat/completions", scripted.answer)
    runner = web.AppRunner(application, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    scripted.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    yield scripted
    await runner.cleanup()


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient() as opened:
        yield opened


@pytest.fixture
def extractor(server: Server, client: httpx.AsyncClient) -> OpenAIExtractor:
    return OpenAIExtractor(client, base_url=server.base_url)


async def test_one_call_finds_the_statements(server: Server, extractor: OpenAIExtractor) -> None:
    found = await extractor.extract(EXCHANGE, [])

    assert found == [
        Candidate(
            "Lives in Leipzig",
            Kind.FACT,
            0.7,
            "I moved to Leipzig",
            event_at=datetime(2026, 11, 20, tzinfo=UTC),
        )
    ]
    [body] = server.bodies
    assert body["stream"] is False
    assert body["temperature"] == 0
    assert body["response_format"]["json_schema"]["strict"] is True
    assert body["messages"][0]["role"] == "system"
    assert "I moved to Leipzig yesterday" in body["messages"][1]["content"]


class TestWhichModelAndCredential:
    async def test_the_chats_own_where_none_is_configured(
        self, server: Server, extractor: OpenAIExtractor
    ) -> None:
        await extractor.extract(SIGNED, [])

        assert server.bodies[0]["model"] == "chat-model"
        assert server.requests[0].headers["authorization"] == "Bearer secret-of-anna"

    async def test_the_configured_ones_before_the_chats(
        self, server: Server, client: httpx.AsyncClient
    ) -> None:
        extractor = OpenAIExtractor(client, base_url=server.base_url, model="small", api_key="ours")

        await extractor.extract(SIGNED, [])

        assert server.bodies[0]["model"] == "small"
        assert server.requests[0].headers["authorization"] == "Bearer ours"

    async def test_a_chat_without_credential_is_extracted_without(
        self, server: Server, extractor: OpenAIExtractor
    ) -> None:
        await extractor.extract(EXCHANGE, [])

        assert "authorization" not in server.requests[0].headers

    async def test_a_credential_that_is_gone_makes_it_unusable(
        self, server: Server, extractor: OpenAIExtractor
    ) -> None:
        with pytest.raises(ExtractorUnusableError):
            await extractor.extract(replace(SIGNED, credential=None), [])

        assert server.bodies == []

    async def test_a_credential_that_fits_no_header_makes_it_unusable(
        self, server: Server, extractor: OpenAIExtractor
    ) -> None:
        with pytest.raises(ExtractorUnusableError):
            await extractor.extract(replace(SIGNED, credential="Bearer \u20ac"), [])

        assert server.bodies == []

    async def test_without_a_models_name_it_is_unusable(self, extractor: OpenAIExtractor) -> None:
        with pytest.raises(ExtractorUnusableError):
            await extractor.extract(replace(EXCHANGE, turn=replace(TURN, model="")), [])

    async def test_another_server_than_the_chats_gets_neither(
        self, server: Server, client: httpx.AsyncClient
    ) -> None:
        own = OpenAIExtractor(client, base_url=server.base_url, model="local", is_upstream=False)
        nameless = OpenAIExtractor(client, base_url=server.base_url, is_upstream=False)

        await own.extract(SIGNED, [])
        with pytest.raises(ExtractorUnusableError):
            await nameless.extract(SIGNED, [])

        [request] = server.requests
        assert "authorization" not in request.headers
        assert server.bodies[0]["model"] == "local"

    async def test_no_cookie_of_one_user_reaches_another(
        self, server: Server, extractor: OpenAIExtractor
    ) -> None:
        def with_cookie(_: Body) -> web.Response:
            response = web.json_response({"choices": [{"message": {"content": ANSWER}}]})
            response.set_cookie("session", "anna")
            return response

        server.replies = [with_cookie]

        await extractor.extract(EXCHANGE, [])
        await extractor.extract(EXCHANGE, [])

        assert "cookie" not in server.requests[1].headers

    async def test_a_redirect_is_not_followed(self, server: Server, extractor: OpenAIExtractor) -> None:
        def elsewhere(_: Body) -> web.Response:
            return web.Response(status=307, headers={"location": f"{server.base_url}/elsewhere"})

        server.replies = [elsewhere]

        with pytest.raises(ExtractorUnusableError):
            await extractor.extract(SIGNED, [])

        assert {request.path for request in server.requests} == {"/v1/chat/completions"}


class TestWhatTheServerTakes:
    @pytest.mark.parametrize("status", [400, 404, 422, 500, 501])
    async def test_a_server_without_json_schema_is_asked_for_an_object(
        self, server: Server, extractor: OpenAIExtractor, status: int
    ) -> None:
        def reply(body: Body) -> web.StreamResponse | Awaitable[web.StreamResponse]:
            asked = body["response_format"]["type"]
            refused = refuses(status, "response_format json_schema is not supported")
            return refused(body) if asked == "json_schema" else says(ANSWER)(body)

        server.replies = [reply]

        assert await extractor.extract(EXCHANGE, [])
        assert await extractor.extract(EXCHANGE, [])
        assert server.forms == ["json_schema", "json_object", "json_object"]

    async def test_a_server_without_any_is_asked_in_plain_text_and_without_system_role(
        self, server: Server, extractor: OpenAIExtractor
    ) -> None:
        server.replies = [refuses(400), refuses(400), says(f"Here you are:\n```json\n{ANSWER}\n```")]

        assert await extractor.extract(EXCHANGE, [])
        assert server.forms == ["json_schema", "json_object", "asked"]
        assert [message["role"] for message in server.bodies[2]["messages"]] == ["user"]

    async def test_what_works_is_remembered_for_each_model(
        self, server: Server, extractor: OpenAIExtractor
    ) -> None:
        server.replies = [refuses(400), says(ANSWER)]

        await extractor.extract(EXCHANGE, [])
        await extractor.extract(replace(EXCHANGE, turn=replace(TURN, model="another")), [])
        await extractor.extract(EXCHANGE, [])
        await extractor.aclose()
        await extractor.extract(EXCHANGE, [])

        assert server.forms == ["json_schema", "json_object", "json_schema", "json_object", "json_schema"]

    @pytest.mark.parametrize(
        "complaint",
        [
            refuses(400, "Unsupported value: 0 is not supported with this model", "temperature"),
            refuses(400, "'temperature' is deprecated for this model"),
            raw(b'{"detail": [{"loc": ["body", "temperature"], "msg": "Extra inputs"}]}', 422),
        ],
    )
    async def test_a_refused_parameter_is_left_out_for_good(
        self, server: Server, extractor: OpenAIExtractor, complaint: Reply
    ) -> None:
        server.replies = [complaint, says(ANSWER)]

        await extractor.extract(EXCHANGE, [])
        await extractor.extract(EXCHANGE, [])

        assert ["temperature" in body for body in server.bodies] == [True, False, False]
        assert ["max_tokens" in body for body in server.bodies] == [True, True, True]
        assert server.forms == ["json_schema"] * 3

    async def test_options_are_sent_and_none_leaves_one_out(
        self, server: Server, client: httpx.AsyncClient
    ) -> None:
        options = {"max_tokens": None, "reasoning_effort": "low", "temperature": 1}
        extractor = OpenAIExtractor(client, base_url=server.base_url, options=options)

        await extractor.extract(EXCHANGE, [])

        [body] = server.bodies
        assert (body["reasoning_effort"], body["temperature"], "max_tokens" in body) == ("low", 1, False)

    async def test_a_server_that_refuses_everything_is_unusable(
        self, server: Server, extractor: OpenAIExtractor
    ) -> None:
        server.replies = [refuses(404, "model chat-model not found")]

        with pytest.raises(ExtractorUnusableError):
            await extractor.extract(EXCHANGE, [])

    async def test_the_query_of_the_base_url_is_kept(self, server: Server, client: httpx.AsyncClient) -> None:
        extractor = OpenAIExtractor(client, base_url=f"{server.base_url}/?api-version=2026-01")

        await extractor.extract(EXCHANGE, [])

        assert server.requests[0].path_qs == "/v1/chat/completions?api-version=2026-01"

    @pytest.mark.parametrize("base_url", ["", "ftp://host/v1", "api.example", "http://", "http://[::1"])
    async def test_a_base_url_that_is_none_is_a_configuration_error(
        self, client: httpx.AsyncClient, base_url: str
    ) -> None:
        with pytest.raises(ConfigurationError):
            OpenAIExtractor(client, base_url=base_url)


class TestFailures:
    @pytest.mark.parametrize("status", [402, 408, 409, 425, 429, 500, 502, 503, 504])
    async def test_what_may_pass_is_worth_another_try_later(
        self, server: Server, extractor: OpenAIExtractor, status: int
    ) -> None:
        server.replies = [refuses(status)]

        with pytest.raises(ExtractorError) as caught:
            await extractor.extract(EXCHANGE, [])

        assert type(caught.value) is ExtractorError
        assert len(server.bodies) == 1

    @pytest.mark.parametrize("status", [401, 403])
    async def test_a_users_own_credential_that_is_refused_makes_it_unusable(
        self, server: Server, client: httpx.AsyncClient, status: int
    ) -> None:
        server.replies = [refuses(status)]

        with pytest.raises(ExtractorUnusableError):
            await OpenAIExtractor(client, base_url=server.base_url).extract(SIGNED, [])
        with pytest.raises(ExtractorError) as configured:
            await OpenAIExtractor(client, base_url=server.base_url, api_key="x").extract(SIGNED, [])

        assert type(configured.value) is ExtractorError

    async def test_a_server_that_is_not_there(self, client: httpx.AsyncClient, unused_tcp_port: int) -> None:
        extractor = OpenAIExtractor(client, base_url=f"http://127.0.0.1:{unused_tcp_port}/v1")

        with pytest.raises(ExtractorError, match="ConnectError"):
            await extractor.extract(EXCHANGE, [])

    async def test_a_server_that_hangs(self, server: Server, client: httpx.AsyncClient) -> None:
        async def hang(_: Body) -> web.StreamResponse:
            await asyncio.sleep(60)
            raise AssertionError

        server.replies = [hang]
        hurried = OpenAIExtractor(client, base_url=server.base_url, timeout=timedelta(milliseconds=200))

        with pytest.raises(ExtractorError, match="Timeout"):
            await hurried.extract(EXCHANGE, [])

    async def test_a_server_that_drips(self, server: Server, client: httpx.AsyncClient) -> None:
        async def drip(request: web.Request) -> web.StreamResponse:
            response = web.StreamResponse()
            await response.prepare(request)
            while True:
                await response.write(b" ")
                await asyncio.sleep(0.01)

        server.replies = [lambda _: drip(server.requests[-1])]
        hurried = OpenAIExtractor(client, base_url=server.base_url, timeout=timedelta(milliseconds=200))

        with pytest.raises(ExtractorError, match=r"in time|Timeout"):
            await hurried.extract(EXCHANGE, [])

    async def test_a_server_that_breaks_off(self, server: Server, extractor: OpenAIExtractor) -> None:
        async def break_off(request: web.Request) -> web.StreamResponse:
            response = web.StreamResponse(headers={"content-length": "1000"})
            await response.prepare(request)
            await response.write(b"{")
            assert request.transport is not None
            request.transport.abort()
            return response

        server.replies = [lambda _: break_off(server.requests[-1])]

        with pytest.raises(ExtractorError):
            await extractor.extract(EXCHANGE, [])

    @pytest.mark.parametrize(
        "content", [b"<html>log in</html>", b'{"error": {"code": 429}}', b'{"choices": []}', b"[" * 5000]
    )
    async def test_an_answer_that_is_no_completion_is_worth_another_try(
        self, server: Server, extractor: OpenAIExtractor, content: bytes
    ) -> None:
        server.replies = [raw(content)]

        with pytest.raises(ExtractorError) as caught:
            await extractor.extract(EXCHANGE, [])

        assert type(caught.value) is ExtractorError

    @pytest.mark.parametrize("status", [200, 503])
    async def test_an_endless_answer_is_not_read_to_its_end(
        self, server: Server, extractor: OpenAIExtractor, status: int
    ) -> None:
        server.replies = [raw(b"x" * (ANSWER_BYTES + 1), status)]

        with pytest.raises(ExtractorError) as caught:
            await extractor.extract(EXCHANGE, [])

        assert isinstance(caught.value, InvalidExtractionError) is (status == 200)

    async def test_neither_words_nor_keys_stand_in_errors_or_logs(
        self, server: Server, client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.INFO)
        failures = []
        replies = [refuses(401, "bad key secret-of-anna"), refuses(500, "Leipzig"), says("Leipzig, Leipzig")]
        for server.replies in ([reply] for reply in replies):
            extractor = OpenAIExtractor(client, base_url=server.base_url)
            with pytest.raises(ExtractorError) as caught:
                await extractor.extract(SIGNED, [])
            failures.append(caught.value)
        with pytest.raises(ExtractorError) as caught:
            await extractor.extract(replace(SIGNED, credential="Bearer secret-of-anna\n"), [])
        failures.append(caught.value)

        said = "\n".join([*map(str, failures), caplog.text])
        assert "Leipzig" not in said
        assert "secret-of-anna" not in said
        assert all(failure.__suppress_context__ or failure.__context__ is None for failure in failures)


class TestUnreadableAnswers:
    async def test_the_model_is_shown_its_answer_once_to_repair_it(
        self, server: Server, extractor: OpenAIExtractor
    ) -> None:
        server.replies = [says("They live in Leipzig now."), says(ANSWER)]

        [candidate] = await extractor.extract(EXCHANGE, [])

        assert candidate.content == "Lives in Leipzig"
        repair = server.bodies[1]["messages"]
        assert [message["role"] for message in repair] == ["system", "user", "assistant", "user"]
        assert repair[2]["content"] == "They live in Leipzig now."
        assert "no JSON object" in repair[3]["content"]

    @pytest.mark.parametrize("content", ["They live in Leipzig now.", None, 7, [{"type": "image"}]])
    async def test_unreadable_again_is_invalid(
        self, server: Server, extractor: OpenAIExtractor, content: object
    ) -> None:
        server.replies = [says(content)]

        with pytest.raises(InvalidExtractionError):
            await extractor.extract(EXCHANGE, [])

        assert len(server.bodies) == 2

    async def test_text_in_parts_is_read(self, server: Server, extractor: OpenAIExtractor) -> None:
        parts = [{"type": "thinking", "text": "hm"}, {"type": "text", "text": ANSWER}, "?"]
        server.replies = [says(parts)]

        assert len(await extractor.extract(EXCHANGE, [])) == 1


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.one_of(
        st.binary(max_size=2000),
        st.text().map(lambda text: json.dumps({"choices": [{"message": {"content": text}}]}).encode()),
        st.recursive(
            st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=10),
            lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from([*ITEM, "memories"]), inner),
        ).map(lambda value: json.dumps({"choices": [{"message": {"content": json.dumps(value)}}]}).encode()),
    ),
    status=st.sampled_from([200, 200, 200, 400, 404, 503]),
)
def test_whatever_is_answered_it_returns_candidates_or_says_it_failed(content: bytes, status: int) -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(status, content=content)

    async def extract() -> None:
        async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
            found = await OpenAIExtractor(client, base_url="http://model.test/v1").extract(EXCHANGE, [])
        assert all(isinstance(candidate, Candidate) for candidate in found)

    try:
        asyncio.run(extract())
    except ExtractorError:
        return
