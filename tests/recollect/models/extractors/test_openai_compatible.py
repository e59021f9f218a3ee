"""The model against a chat completions server on a real socket."""

import asyncio
import json
import logging
from collections.abc import Awaitable
from dataclasses import replace
from datetime import timedelta

import httpx
import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st
from tests.recollect.models.extractors.completions_server import Body, Reply, Server, raw, refuses, says
from tests.support.tables import table

from recollect.errors import (
    ConfigurationError,
    CredentialGoneError,
    ExtractorError,
    ExtractorTimeoutError,
    ExtractorUnusableError,
    InvalidExtractionError,
)
from recollect.models.background_limits import counting_tokens
from recollect.models.extractors import ModelAnswer
from recollect.models.extractors import OpenAICompatibleModel as Model
from recollect.models.extractors.openai_compatible import ANSWER_BYTES
from recollect.models.extractors.schema import CHOICE, EXTRACTION
from recollect.models.extractors.server_answers import (
    TOKENS_BELIEVED,
    credential_for,
    read_completion,
    read_error_response,
    refusal,
)
from recollect.ports import Asker
from recollect.text.tokens import estimate_tokens

ANSWER = '{"numbers": [2]}'
MESSAGES = [
    {"role": "system", "content": "Choose. Answer in JSON."},
    {"role": "user", "content": "Forget that I live in Leipzig"},
]
ASKER = Asker("anna", "chat-model")
SIGNED = replace(ASKER, authorized=True, credential="Bearer secret-of-anna")


@pytest.fixture(autouse=True)
def _answering(server: Server) -> None:
    server.replies = [says(ANSWER)]


async def test_one_call_asks_in_the_strictest_form(server: Server, model: Model) -> None:
    server.replies = [says(ANSWER, total_tokens=321)]

    assert await model.ask(MESSAGES, CHOICE, ASKER) == ModelAnswer(ANSWER, 321, "chat-model")

    [body] = server.bodies
    assert body["stream"] is True
    assert body["temperature"] == 0
    assert body["messages"] == MESSAGES
    named = body["response_format"]["json_schema"]
    assert named == {"name": "choice", "strict": True, "schema": CHOICE.json_schema}


def test_an_answer_never_shows_its_words() -> None:
    assert "tea" not in repr(ModelAnswer("prefers tea", 3, "a-model"))


ASKED_TOKENS = sum(estimate_tokens(m["content"]) for m in MESSAGES)


def token(words: str) -> object:
    return {"choices": [{"delta": {"content": words}}], "usage": None, "error": None}


class TestAStream:
    async def test_is_read_as_one_answer(self, server: Server, model: Model) -> None:
        counted = {"choices": [], "usage": {"total_tokens": 77}}
        server.streams(token('{"num'), token('bers": [2]}'), counted)

        assert await model.ask(MESSAGES, CHOICE, ASKER) == ModelAnswer(ANSWER, 77, "chat-model")

    async def test_a_server_that_takes_none_is_asked_without(self, server: Server, model: Model) -> None:
        server.replies = [refuses(400, "no streams here", "stream"), says(ANSWER)]

        assert (await model.ask(MESSAGES, CHOICE, ASKER)).text == ANSWER
        assert (await model.ask(MESSAGES, CHOICE, ASKER)).text == ANSWER

        assert [body["stream"] for body in server.bodies] == [True, False, False]
        assert ["stream_options" in body for body in server.bodies] == [True, False, False]

    async def test_an_error_within_it_is_one(self, server: Server, model: Model) -> None:
        server.streams(token("{"), {"error": {"message": "out of memory"}})

        with pytest.raises(ExtractorError, match="broke off"):
            await model.ask(MESSAGES, CHOICE, ASKER)


class TestWhatWasTaken:
    async def test_what_came_in_time_is_counted(self, server: Server, client: httpx.AsyncClient) -> None:
        server.streams(*[token("so on and so on ")] * 50, then=asyncio.Event().wait)
        hurried = Model(client, base_url=server.base_url, timeout=timedelta(seconds=0.5))

        with counting_tokens() as spent, pytest.raises(ExtractorTimeoutError):
            await hurried.ask(MESSAGES, CHOICE, ASKER)

        assert spent.tokens == ASKED_TOKENS + 50

    async def test_what_came_of_one_given_up_is_too(self, server: Server, model: Model) -> None:
        came, left = asyncio.Event(), asyncio.Event()

        async def wait() -> None:
            came.set()
            try:
                await asyncio.Event().wait()
            finally:
                left.set()

        server.streams(*[token("so on ")] * 7, then=wait)

        with counting_tokens() as spent:
            asking = asyncio.create_task(model.ask(MESSAGES, CHOICE, ASKER))
            await came.wait()
            await asyncio.sleep(0.1)  # the written bytes have come
            asking.cancel()
            async with asyncio.timeout(1):
                await asyncio.wait({asking})
                await left.wait()

        assert asking.cancelled()
        assert spent.tokens == ASKED_TOKENS + 7

    @pytest.mark.parametrize(("status", "counts"), [(500, True), (502, True), (429, False), (503, False)])
    async def test_what_a_server_did_not_begin_costs_nothing(
        self, server: Server, model: Model, status: int, *, counts: bool
    ) -> None:
        server.replies = [refuses(status)]

        with counting_tokens() as spent, pytest.raises(ExtractorError):
            await model.ask(MESSAGES, CHOICE, ASKER)

        assert (spent.tokens >= ASKED_TOKENS) is counts


async def test_half_may_be_answered_where_half_is_asked_for(server: Server, model: Model) -> None:
    await model.ask(MESSAGES, CHOICE, ASKER)
    await model.ask(MESSAGES, CHOICE, replace(ASKER, share=0.5))

    whole, half = (body["max_tokens"] for body in server.bodies)
    assert half == whole // 2


class TestWhichModelAndCredential:
    async def test_configured_ones_before_the_chats(self, server: Server, client: httpx.AsyncClient) -> None:
        model = Model(client, base_url=server.base_url, model="small", api_key="ours")

        await model.ask(MESSAGES, CHOICE, SIGNED)

        assert server.bodies[0]["model"] == "small"
        assert server.requests[0].headers["authorization"] == "Bearer ours"

    @pytest.mark.parametrize("asker", [replace(SIGNED, credential="Bearer \u20ac"), replace(ASKER, model="")])
    async def test_a_credential_that_fits_no_header_stays_and_a_model_has_a_name(
        self, server: Server, model: Model, asker: Asker
    ) -> None:
        with pytest.raises(ExtractorUnusableError):
            await model.ask(MESSAGES, CHOICE, asker)

        assert server.bodies == []

    async def test_another_server_gets_neither(self, server: Server, client: httpx.AsyncClient) -> None:
        own = Model(client, base_url=server.base_url, model="local", is_upstream=False)
        nameless = Model(client, base_url=server.base_url, is_upstream=False)

        await own.ask(MESSAGES, CHOICE, SIGNED)
        with pytest.raises(ExtractorUnusableError):
            await nameless.ask(MESSAGES, CHOICE, SIGNED)

        [request] = server.requests
        assert "authorization" not in request.headers
        assert server.bodies[0]["model"] == "local"

    async def test_no_cookie_of_one_user_reaches_another(self, server: Server, model: Model) -> None:
        def with_cookie(_: Body) -> web.Response:
            response = web.json_response({"choices": [{"message": {"content": ANSWER}}]})
            response.set_cookie("session", "anna")
            return response

        server.replies = [with_cookie]

        await model.ask(MESSAGES, CHOICE, ASKER)
        await model.ask(MESSAGES, CHOICE, ASKER)

        assert "cookie" not in server.requests[1].headers

    async def test_a_redirect_is_not_followed(self, server: Server, model: Model) -> None:
        def elsewhere(_: Body) -> web.Response:
            return web.Response(status=307, headers={"location": f"{server.base_url}/elsewhere"})

        server.replies = [elsewhere]

        with pytest.raises(ExtractorUnusableError):
            await model.ask(MESSAGES, CHOICE, SIGNED)

        assert {request.path for request in server.requests} == {"/v1/chat/completions"}


class TestWhatTheServerTakes:
    @pytest.mark.parametrize("status", [400, 404, 422, 500, 501])
    async def test_an_object_is_asked_without_schema(self, server: Server, model: Model, status: int) -> None:
        def reply(body: Body) -> web.StreamResponse | Awaitable[web.StreamResponse]:
            asked = body["response_format"]["type"]
            refused = refuses(status, "response_format json_schema is not supported")
            return refused(body) if asked == "json_schema" else says(ANSWER)(body)

        server.replies = [reply]

        assert await model.ask(MESSAGES, CHOICE, ASKER)
        assert await model.ask(MESSAGES, CHOICE, ASKER)
        assert server.forms == ["json_schema", "json_object", "json_object"]

    async def test_one_without_either_is_asked_in_plain_text(self, server: Server, model: Model) -> None:
        server.replies = [refuses(400), refuses(400), says(f"Here you are:\n```json\n{ANSWER}\n```")]

        assert await model.ask(MESSAGES, CHOICE, ASKER)
        assert server.forms == ["json_schema", "json_object", "asked"]
        assert [message["role"] for message in server.bodies[2]["messages"]] == ["user"]

    async def test_one_without_limits_is_asked_without(self, server: Server, model: Model) -> None:
        server.replies = [refuses(400, "'maxLength' is not permitted", "response_format"), says(ANSWER)]

        await model.ask(MESSAGES, EXTRACTION, ASKER)
        await model.ask(MESSAGES, EXTRACTION, ASKER)

        schemas = [body["response_format"]["json_schema"]["schema"] for body in server.bodies]
        assert schemas == [EXTRACTION.limited_json_schema, EXTRACTION.json_schema, EXTRACTION.json_schema]

    async def test_an_answer_has_two_limits(self, server: Server, model: Model) -> None:
        await model.ask(MESSAGES, CHOICE, ASKER, 500)
        await model.ask(MESSAGES, CHOICE, ASKER, 50_000)
        await model.ask(MESSAGES, CHOICE, ASKER)

        assert [body["max_tokens"] for body in server.bodies] == [500, 4096, 4096]

    async def test_what_works_is_remembered_for_each_model(self, server: Server, model: Model) -> None:
        server.replies = [refuses(400), says(ANSWER)]

        await model.ask(MESSAGES, CHOICE, ASKER)
        await model.ask(MESSAGES, CHOICE, replace(ASKER, model="another"))
        await model.ask(MESSAGES, CHOICE, ASKER)
        await model.aclose()
        await model.ask(MESSAGES, CHOICE, ASKER)

        assert server.forms == ["json_schema", "json_object", "json_schema", "json_object", "json_schema"]

    @pytest.mark.parametrize(
        "complaint",
        [
            refuses(400, "Unsupported value: 0 is not supported with this model", "temperature"),
            refuses(400, "'temperature' is deprecated for this model"),
            raw(b'{"detail": [{"loc": ["body", "temperature"], "msg": "Extra inputs"}]}', 422),
        ],
    )
    async def test_refused_ones_are_left_out(self, server: Server, model: Model, complaint: Reply) -> None:
        server.replies = [complaint, says(ANSWER)]

        await model.ask(MESSAGES, CHOICE, ASKER)
        await model.ask(MESSAGES, CHOICE, ASKER)

        assert ["temperature" in body for body in server.bodies] == [True, False, False]
        assert ["max_tokens" in body for body in server.bodies] == [True, True, True]
        assert server.forms == ["json_schema"] * 3

    async def test_the_query_of_the_base_url_is_kept(self, server: Server, client: httpx.AsyncClient) -> None:
        model = Model(client, base_url=f"{server.base_url}/?api-version=2026-01")

        await model.ask(MESSAGES, CHOICE, ASKER)

        assert server.requests[0].path_qs == "/v1/chat/completions?api-version=2026-01"

    @pytest.mark.parametrize("base_url", ["", "ftp://host/v1", "api.example", "http://", "http://[::1"])
    async def test_a_base_url_that_is_none_is_refused(self, client: httpx.AsyncClient, base_url: str) -> None:
        with pytest.raises(ConfigurationError):
            Model(client, base_url=base_url)


class TestFailures:
    @pytest.mark.parametrize(
        "reply",
        [
            *(refuses(429), refuses(503), raw(b"<html>log in</html>"), raw(b'{"error": {"code": 429}}')),
            *(raw(b'{"choices": []}'), raw(b"[" * 5000)),
        ],
    )
    async def test_what_may_pass_is_tried_later(self, server: Server, model: Model, reply: Reply) -> None:
        server.replies = [reply]

        with pytest.raises(ExtractorError) as caught:
            await model.ask(MESSAGES, CHOICE, ASKER)

        assert type(caught.value) is ExtractorError
        assert len(server.bodies) == 1

    async def test_no_server_costs_no_token(self, client: httpx.AsyncClient, unused_tcp_port: int) -> None:
        model = Model(client, base_url=f"http://127.0.0.1:{unused_tcp_port}/v1")

        with counting_tokens() as spent, pytest.raises(ExtractorError, match="ConnectError"):
            await model.ask(MESSAGES, CHOICE, ASKER)

        assert spent.tokens == 0

    async def test_a_server_that_drips(self, server: Server, client: httpx.AsyncClient) -> None:
        async def drip(request: web.Request) -> web.StreamResponse:
            response = web.StreamResponse()
            await response.prepare(request)
            while True:
                await response.write(b" ")
                await asyncio.sleep(0.01)

        server.replies = [lambda _: drip(server.requests[-1])]
        hurried = Model(client, base_url=server.base_url, timeout=timedelta(milliseconds=200))

        with pytest.raises(ExtractorError, match=r"in time|Timeout"):
            await hurried.ask(MESSAGES, CHOICE, ASKER)

    async def test_a_server_that_breaks_off(self, server: Server, model: Model) -> None:
        async def break_off(request: web.Request) -> web.StreamResponse:
            response = web.StreamResponse(headers={"content-length": "1000"})
            await response.prepare(request)
            await response.write(b"{")
            assert request.transport is not None
            request.transport.abort()
            return response

        server.replies = [lambda _: break_off(server.requests[-1])]

        with pytest.raises(ExtractorError):
            await model.ask(MESSAGES, CHOICE, ASKER)

    @pytest.mark.parametrize("status", [200, 503])
    async def test_no_endless_answer_is_read_whole(self, server: Server, model: Model, status: int) -> None:
        server.replies = [raw(b"x" * (ANSWER_BYTES + 1), status)]

        with pytest.raises(ExtractorError) as caught:
            await model.ask(MESSAGES, CHOICE, ASKER)

        assert isinstance(caught.value, InvalidExtractionError) is (status == 200)
        assert (caught.value.tokens > ANSWER_BYTES // 4) is (status == 200)

    async def test_neither_words_nor_keys_stand_in_errors_or_logs(
        self, server: Server, client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.INFO)
        failures = []
        replies = [refuses(401, "bad key secret-of-anna"), refuses(500, "Leipzig"), raw(b"Leipzig, Leipzig")]
        for server.replies in ([reply] for reply in replies):
            model = Model(client, base_url=server.base_url)
            with pytest.raises(ExtractorError) as caught:
                await model.ask(MESSAGES, CHOICE, SIGNED)
            failures.append(caught.value)
        with pytest.raises(ExtractorError) as caught:
            await model.ask(MESSAGES, CHOICE, replace(SIGNED, credential="Bearer secret-of-anna\n"))
        failures.append(caught.value)

        said = "\n".join([*map(str, failures), caplog.text])
        assert "Leipzig" not in said
        assert "secret-of-anna" not in said
        assert all(failure.__suppress_context__ or failure.__context__ is None for failure in failures)


@given(
    content=st.one_of(
        st.binary(max_size=2000),
        st.text().map(lambda text: json.dumps({"choices": [{"message": {"content": text}}]}).encode()),
        st.recursive(
            st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=10),
            lambda inner: (
                st.lists(inner)
                | st.dictionaries(st.sampled_from(["choices", "message", "content", "usage", "error"]), inner)
            ),
        ).map(lambda value: json.dumps(value).encode()),
    ),
    status=st.sampled_from([200, 200, 200, 400, 404, 503]),
)
def test_whatever_is_answered_it_returns_text_or_says_it_failed(content: bytes, status: int) -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(status, content=content)

    async def ask() -> None:
        async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
            model = Model(client, base_url="http://model.test/v1")
            found = await model.ask(MESSAGES, CHOICE, ASKER)
        assert isinstance(found.text, str)
        assert found.tokens > 0

    try:
        asyncio.run(ask())
    except ExtractorError:
        return


# -- what all chat models share --------------------------------------------------------------------


OF_ANNA = Asker("anna", "chat-model", authorized=True, credential="Bearer anna's")


def complaint_names(body: object, *words: str) -> bool:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return read_error_response(content).names(*words)


@table(
    "body",
    [
        {"error": {"message": "Unsupported value", "param": "temperature"}},
        {"error": {"message": "`temperature` is deprecated", "param": None}},
        {"error": {"message": "bad", "param": "temperature.value"}},
        {"error": "temperature must be 1"},
        {"object": "error", "message": "temperature not supported", "code": 400},
        {"detail": "temperature not supported"},
        {"detail": [{"loc": ["body", "temperature"], "msg": "Extra inputs are not permitted"}, "?"]},
        {"detail": [{"msg": "temperature: extra"}]},
        [{"error": {"code": 400, "message": "Invalid value at 'temperature'"}}],
        b"temperature is no parameter of ours",
    ],
)
def test_it_names_the_parameter(body: object) -> None:
    assert complaint_names(body, "max_tokens", "temperature")


@table(
    "body",
    [
        {"error": {"message": "temperature and top_p", "param": "top_p"}},
        {"error": {"message": "temperatures rise"}},
        {"detail": [{"loc": ["body", "user"], "msg": "Extra", "input": {"temperature": 0}}]},
        {"error": {}},
        [],
        7,
        b"",
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_it_names_something_else(body: object) -> None:
    assert not complaint_names(body, "temperature")


def test_it_never_shows_what_the_server_said() -> None:
    assert "secret" not in repr(read_error_response(b'{"error": {"message": "bad key: secret"}}'))


@table(
    ("status", "kind", "without_key"),
    [
        (301, ExtractorUnusableError, ExtractorUnusableError),
        (400, ExtractorUnusableError, ExtractorUnusableError),
        (401, ExtractorError, CredentialGoneError),
        (402, ExtractorError, ExtractorError),
        (403, ExtractorError, CredentialGoneError),
        (404, ExtractorUnusableError, ExtractorUnusableError),
        (408, ExtractorTimeoutError, ExtractorTimeoutError),
        (409, ExtractorError, ExtractorError),
        (425, ExtractorError, ExtractorError),
        (429, ExtractorError, ExtractorError),
        (500, ExtractorError, ExtractorError),
        (501, ExtractorUnusableError, ExtractorUnusableError),
        (503, ExtractorError, ExtractorError),
        (504, ExtractorTimeoutError, ExtractorTimeoutError),
        (524, ExtractorTimeoutError, ExtractorTimeoutError),
    ],
)
def test_a_status_says_whether_another_attempt_may_help(
    status: int, kind: type[ExtractorError], without_key: type[ExtractorError]
) -> None:
    errors = [refusal(status, has_key=True), refusal(status, has_key=False)]

    assert [type(each) for each in errors] == [kind, without_key]
    assert [each.is_of_one for each in errors] == [False, status in {402, 429}]
    assert all(f"status {status}" in str(each) for each in errors)


@table(
    ("api_key", "is_upstream", "credential"),
    [
        ("ours", True, b"Bearer ours"),
        ("ours", False, b"Bearer ours"),
        (None, True, b"Bearer anna's"),
        (None, False, None),
    ],
)
def test_a_chats_credential_goes_to_its_own_server_alone(
    api_key: str | None, credential: bytes | None, *, is_upstream: bool
) -> None:
    assert credential_for(OF_ANNA, api_key=api_key, is_upstream=is_upstream) == credential


def test_a_credential_that_is_gone_is_missed_by_its_own_server_alone() -> None:
    gone = replace(OF_ANNA, credential=None)

    with pytest.raises(CredentialGoneError):
        credential_for(gone, api_key=None, is_upstream=True)
    assert credential_for(gone, api_key=None, is_upstream=False) is None
    assert credential_for(replace(gone, authorized=False), api_key=None, is_upstream=True) is None


FORGET = [{"role": "user", "content": "Forget that I live in Leipzig"}]


def answered(content: object, *, reason: object = "stop", **further: object) -> ModelAnswer:
    choice = {"message": {"content": content}, "finish_reason": reason}
    return read_completion(json.dumps({"choices": [choice], **further}).encode(), FORGET, "m")


@table("counted", [None, 0, -3, True, "many", 1.5, TOKENS_BELIEVED + 1, 10**40, {"total": 7}])
def test_tokens_are_estimated_where_the_server_does_not_count_them(counted: object) -> None:
    assert answered("tea", usage={"total_tokens": 7}).tokens == 7
    estimated = sum(map(estimate_tokens, (FORGET[0]["content"], "tea")))
    for usage in (counted, {"total_tokens": counted}):
        assert answered("tea", usage=usage).tokens == estimated


@table(
    ("content", "text"),
    [
        *((content, "") for content in (None, 7, [{"type": "image"}], [{"type": "text"}], [])),
        ([{"type": "thinking", "text": "hm"}, {"type": "text", "text": "tea"}, "?"], "tea"),
    ],
)
def test_of_an_answer_in_parts_the_words_are_read(content: object, text: str) -> None:
    assert answered(content).text == text


def test_an_answer_tells_whether_it_was_cut_off() -> None:
    cut = [answered("tea", reason=reason).is_cut for reason in ("length", "stop", None)]
    assert cut == [True, False, False]
