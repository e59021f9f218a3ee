"""Whether the LLM's server is where it is said to be is looked at once, and told in plain words."""

import asyncio
import json
import socket
from pathlib import Path

import pytest
from tests.recollect_proxy.commands.command_line import recollect
from tests.recollect_proxy.openwebui.requests_of_openwebui import body, headers
from tests.scripted.upstream import Answer, Received, ScriptedUpstream, whole
from tests.servers.served_process import environment, served_process
from tests.support.tables import table
from tests.support.waiting import until

from recollect_proxy.upstream import check as upstream_check
from recollect_proxy.upstream.check import complaint_about
from recollect_proxy.upstream.upstream import Upstream


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
    monkeypatch.setattr(upstream_check, "_SECONDS", 0.3)
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
