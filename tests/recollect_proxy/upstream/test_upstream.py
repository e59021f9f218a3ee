"""The client as the relay uses it, end to end and on either loop; how failures are told apart."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.recollect_proxy.commands.command_line import recollect
from tests.recollect_proxy.doctor.requests_of_openwebui import body, headers
from tests.recollect_proxy.upstream.loops import on_both_loops
from tests.scripted.upstream import Answer, End, Received, ScriptedUpstream, streamed, whole
from tests.servers.served_process import environment, served_process
from tests.support.tables import table
from tests.support.waiting import until

from recollect_proxy.upstream import upstream as upstreams
from recollect_proxy.upstream.upstream import TruncatedError, Upstream, UpstreamError, complaint_about
from recollect_proxy.web.error_answers import BAD_REQUEST, UPSTREAM_BROKE_OFF, UPSTREAM_BUSY, UPSTREAM_SILENT


async def failure_of(upstream: Upstream, target: bytes = b"/x", *headers: tuple[bytes, bytes]) -> object:
    with pytest.raises(UpstreamError) as caught:
        async with upstream.forward("GET", target, headers, None):
            pass
    return caught.value.failure


async def test_what_can_not_be_sent_is_the_requests_own_fault() -> None:
    async with ScriptedUpstream() as server:
        upstream = Upstream(server.base_url, connect_timeout=5, read_timeout=5)

        assert await failure_of(upstream, b"/x", (b"x-a", b"1\r\nx-b: 2")) is BAD_REQUEST
        await upstream.aclose()


def upstream_at(url: str, *, connections: int = 10, connect_timeout: float = 20) -> Upstream:
    return Upstream(url, connect_timeout=connect_timeout, read_timeout=20, connections=connections)


@on_both_loops
async def test_a_stream_and_an_upload_pass_on_one_connection() -> None:
    async def upload() -> AsyncIterator[bytes]:
        for _ in range(3):
            await asyncio.sleep(0)
            yield b"abc"

    async with ScriptedUpstream() as server:
        server.answers.append(streamed(b"one", 0.01, b"two"))
        upstream = upstream_at(server.base_url)
        async with upstream.forward("POST", b"/chat", [], b"{}") as answer:
            assert (answer.status, await answer.read_body()) == (200, b"onetwo")
        async with upstream.forward("POST", b"/files", [], upload()) as answer:
            await answer.read_body()

        assert server.last.body == b"abcabcabc"
        assert (server.connections, upstream.connections.idle) == (1, 1)
        await upstream.aclose()


@on_both_loops
async def test_failures_are_told_apart_and_take_no_place() -> None:
    async with ScriptedUpstream() as server:
        impatient = Upstream(server.base_url, connect_timeout=20, read_timeout=20, first_byte_timeout=0.2)
        server.answers.append((End.SILENCE,))
        assert await failure_of(impatient) is UPSTREAM_SILENT
        assert impatient.connections.lent == 0

        upstream = upstream_at(server.base_url, connections=1, connect_timeout=1)
        server.answers.append((b"HTTP/1.1 999 What\r\nContent-Length: 0\r\n\r\n",))
        assert await failure_of(upstream) is UPSTREAM_BROKE_OFF
        server.answers.append((b"nonsense\r\n\r\n",))
        assert await failure_of(upstream) is UPSTREAM_BROKE_OFF

        server.answers.append(streamed(b"x", End.SILENCE))
        async with upstream.forward("GET", b"/x", [], None):
            assert await failure_of(upstream) is UPSTREAM_BUSY
        assert (upstream.connections.lent, upstream.connections.waiting) == (0, 0)
        async with upstream.forward("GET", b"/x", [], None) as answer:
            assert answer.status == 200
        await upstream.aclose()


@on_both_loops
async def test_an_answer_that_falls_silent_is_cut_off() -> None:
    async with ScriptedUpstream() as server:
        server.answers.append(streamed(b"x", End.SILENCE))
        impatient = Upstream(server.base_url, connect_timeout=20, read_timeout=0.2, first_byte_timeout=60)
        async with impatient.forward("GET", b"/x", [], None) as answer, asyncio.timeout(20):
            assert await answer.chunk() == b"x"
            with pytest.raises(TruncatedError):
                await answer.chunk()
        assert impatient.connections.lent == 0


@on_both_loops
async def test_closing_ends_what_is_under_way() -> None:
    async with ScriptedUpstream() as server:
        server.answers.append(streamed(b"x", End.SILENCE))
        upstream = upstream_at(server.base_url)
        async with upstream.forward("GET", b"/x", [], None) as answer:
            assert await answer.chunk() == b"x"
            reading = asyncio.create_task(answer.chunk())
            await asyncio.sleep(0)
            await upstream.aclose()
            with pytest.raises(TruncatedError):
                await reading
        async with asyncio.timeout(20):
            await server.last.client_left.wait()
        await until(lambda: upstream.connections.lent == 0)


def serving(statuses: dict[str, int]) -> ScriptedUpstream:
    """Return a server that answers who looks at a path with a status, and 404 at others."""

    def answer(request: Received) -> Answer:
        return whole(b"{}", status=statuses.get(request.target.decode(), 404))

    server = ScriptedUpstream()
    server.looked_at = answer
    return server


async def looked_at(base_url: str, below: str = "") -> str | None:
    upstream = Upstream(base_url, connect_timeout=5, read_timeout=5)
    try:
        return await complaint_about(upstream, base_url, below)
    finally:
        await upstream.aclose()


VERSION = "Set RECOLLECT_UPSTREAM={url}/v1"
NO_PATH = """Set RECOLLECT_UPSTREAMS='[{{"path": "/v1"}}]'"""


@table(
    ("statuses", "path", "below", "told"),
    [
        ({"/v1/models": 200}, "/v1", "", None),
        ({"/v1/models": 401}, "/v1", "", None),  # it wants a key, which clients bring
        ({}, "/v1", "", None),  # it has no list of models
        ({"/v1/models": 500}, "/v1", "", None),
        ({}, "/openai", "", None),
        *(({"/v1/models": status}, "", "", VERSION) for status in (200, 401)),
        ({"/v1/models": 200, "/models": 200}, "", "/v1", None),
        ({}, "", "/v1", None),
        *(({"/models": status}, "", "/v1", NO_PATH) for status in (200, 401)),
    ],
)
async def test_a_url_is_wrong_only_if_its_models_are_elsewhere_and_what_to_set_is_told(
    statuses: dict[str, int], path: str, below: str, told: str | None
) -> None:
    async with serving(statuses) as server:
        url = f"http://127.0.0.1:{server.port}{path}"
        complaint = await looked_at(url, below)

    assert (complaint is None) == (told is None)
    assert (complaint or "").endswith((told or "").format(url=url))


async def test_a_server_that_is_not_there_or_says_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upstreams, "CHECK_SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        said_nothing = await looked_at(url)
    gone = await looked_at(url)

    assert said_nothing == gone is not None
    assert f"{url} does not answer" in gone


@pytest.mark.process
async def test_a_start_does_not_wait_for_it_and_tells_it_once_in_the_log(
    own_dsn: str, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        environ = environment(
            upstream=url,
            database_url=own_dsn,
            data_dir=tmp_path,
            embedder="openai:e",
            embedder_base_url=url,
            formation="qa_turn",
            worker="elsewhere",
        )
        async with served_process(environ=environ) as served:
            ready = list(served.logged)
            silent.close()  # who is connected is told so at once
            await until(lambda: any("upstream_check_failed" in line for line in served.logged))
            await asyncio.sleep(0.2)
    told = [json.loads(line) for line in served.logged if "upstream_check_failed" in line]

    assert not any("upstream_check_failed" in line for line in ready)
    assert [(line["level"], url in line["remedy"]) for line in told] == [("warning", True)]


def test_the_doctor_looks_at_it_too(tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    path.write_text(json.dumps({"headers": headers(), "body": json.loads(body())}))
    with socket.create_server(("127.0.0.1", 0)) as gone:
        url = f"http://127.0.0.1:{gone.getsockname()[1]}/v1"

    done = recollect("doctor", "--openwebui", "--json", "--request", path, RECOLLECT_UPSTREAM=url)

    [found] = [each for each in json.loads(done.stdout)["findings"] if each["check"] == "upstream"]
    assert done.exit_code == 1
    assert found["status"] == "missing"
    assert "does not answer" in found["remedy"]
