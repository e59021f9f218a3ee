"""An upstream that fails, or we do: the client learns it, never gets a forged end, and nothing false is remembered."""

import asyncio

import pytest
from structlog.testing import capture_logs
from tests.recollect_proxy.given import CAT
from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.wire.routes import WITH_MEMORY, Route, on_every_route, said_by
from tests.scripted.upstream import (
    DONE,
    EVENT_STREAM,
    JSON,
    Answer,
    End,
    Fields,
    ScriptedUpstream,
    completion_body,
    events,
    head,
    streamed,
)
from tests.servers.running_proxy import RunningProxy, User
from tests.support.waiting import until

from recollect.engine.turns.prompt_content import Prepared
from recollect.model import Turn
from recollect_proxy.chat.reply_recorder import ReplyRecorder

ANSWER = completion_body("Nice.")
SAID = b"".join(list(events("one ", "two ", "three"))[:4])


def broken_answers(content_type: Fields, said: bytes) -> dict[str, Answer]:
    """Return answers that say this much and then break off, each in another way."""
    chunked: Fields = [*content_type, (b"Transfer-Encoding", b"chunked")]
    promised: Fields = [*content_type, (b"Content-Length", b"4000")]
    return {
        "FIN between chunks": streamed(said, End.CLOSE, headers=content_type),
        "RST between chunks": streamed(said, 0.03, End.RESET, headers=content_type),
        "FIN within a chunk": (head(200, chunked), b"fff\r\n" + said, End.CLOSE),
        "FIN before the last chunk ends": (*streamed(said, headers=content_type)[:-1], b"0\r\n", End.CLOSE),
        "a short body": (head(200, promised) + said, End.CLOSE),
        "RST within the body": (head(200, promised) + said, 0.03, End.RESET),
    }


BROKEN = {
    f"{name}, {kind}": answer
    for kind, content_type, said in (("whole", JSON, ANSWER[:40]), ("streamed", EVENT_STREAM, SAID))
    for name, answer in broken_answers(content_type, said).items()
}


@in_turn("broken", BROKEN)
@on_every_route
async def test_an_answer_that_breaks_off_is_delivered_so_far_and_never_ends_clean(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, broken: str, route: Route
) -> None:
    upstream.answers.append(BROKEN[broken])

    with capture_logs() as logs:
        answer = await route.ask(proxy, user)

    [told] = [line for line in logs if line["event"] == "upstream_disconnected"]
    assert told["server"] == upstream.base_url.removesuffix("/v1")
    assert answer.status == 200
    assert not answer.complete
    assert answer.body == (SAID if broken.endswith("streamed") else ANSWER[:40])
    assert DONE not in answer.body
    await proxy.settle()
    await nothing_is_held(proxy)


@in_turn("end", [End.CLOSE, End.RESET])
async def test_an_upstream_that_hangs_up_without_an_answer_is_a_502(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, end: End
) -> None:
    upstream.otherwise = lambda _request: (end,)

    with capture_logs() as logs:
        for answer in (await proxy.say(user, CAT), await proxy.fetch(b"POST", b"/v1/embeddings", (), b"{}")):
            assert answer.status == 502
            assert said_by(answer) == "upstream_disconnected"
    failed = [line["server"] for line in logs if line["event"] == "upstream_failed"]
    assert failed == [upstream.base_url.removesuffix("/v1")] * 2
    assert await proxy.logged(user) == [("user", CAT)]


async def test_an_answer_to_be_rewritten_that_breaks_off_is_a_502(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    upstream.answers.append((head(200, [*JSON, (b"Content-Length", b"4000")]) + ANSWER[:40], End.CLOSE))

    answer = await proxy.say(user, CAT, extra=[(b"X-Recollect-Include", b"memories")])

    assert answer.status == 502
    assert said_by(answer) == "upstream_disconnected"


@pytest.mark.parametrize("route", WITH_MEMORY.values(), ids=WITH_MEMORY)
async def test_a_failure_of_our_own_is_a_500_that_says_so(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, route: Route, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(turn: Turn, *_arguments: object, **_options: object) -> Prepared:
        raise RuntimeError(turn.text)

    monkeypatch.setattr(proxy.app.engine, "prepare", fail)
    with capture_logs() as logs:
        answer = await route.ask(proxy, user)
        await proxy.settle()

    assert answer.status == 500
    assert answer.header(b"x-recollect-error") == b"proxy"
    assert answer.header(b"content-type") == b"application/json"
    assert answer.json["error"] == {
        "message": "Recollect failed. Its log says where.",
        "type": "proxy_error",
        "param": None,
        "code": "internal_error",
    }
    [line] = [line for line in logs if line["event"] == "request_failed"]
    assert (line["error"], line["answer_begun"]) == ("RuntimeError", False)
    assert line["raised_at"].startswith("test_failures.py:")
    assert "morning" not in repr(logs) + repr(answer)
    assert upstream.begun == []


async def test_a_failure_of_our_own_within_an_answer_cuts_it(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_self: ReplyRecorder, chunk: bytes) -> None:
        raise RuntimeError(chunk)

    monkeypatch.setattr(ReplyRecorder, "feed", fail)
    upstream.answers.append(streamed(SAID, End.SILENCE))
    with capture_logs() as logs:
        answer = await proxy.say(user, CAT, stream=True)
        async with asyncio.timeout(20):
            await upstream.last.client_left.wait()

    assert (answer.status, answer.body, answer.complete) == (200, b"", False)
    [line] = [line for line in logs if line["event"] == "request_failed"]
    assert line["answer_begun"]
    assert "one " not in repr(logs)
    await nothing_is_held(proxy)


async def nothing_is_held(proxy: RunningProxy) -> None:
    """Wait until no request holds a connection to the upstream."""
    await until(lambda: not proxy.app.upstream.connections.lent, seconds=20)


@on_every_route
async def test_a_refusal_is_a_502_on_every_route(lonely: RunningProxy, user: User, route: Route) -> None:
    answer = await route.ask(lonely, user)

    assert answer.status == 502
    assert said_by(answer) == "upstream_unreachable"


async def test_an_upstream_that_says_nothing_is_a_504(
    impatient: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    upstream.otherwise = lambda _request: (End.SILENCE,)

    for answer in (await impatient.say(user, CAT), await impatient.fetch(b"GET", b"/v1/models")):
        assert answer.status == 504
        assert said_by(answer) == "upstream_timeout"
    async with asyncio.timeout(20):
        await upstream.last.client_left.wait()
    assert await impatient.logged(user) == [("user", CAT)]
