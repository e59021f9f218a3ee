"""`recollect doctor --openwebui` waits for a message of a person or reads one, and prints its findings."""

import asyncio
import json
import socket
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.recollect_proxy.commands.command_line import recollect
from tests.recollect_proxy.doctor.requests_of_openwebui import SECRET, body, captured, headers, token
from tests.recollect_proxy.settings import proxy_settings
from tests.servers.served_process import RECOLLECT, environment
from tests.support.raw_client import fetch
from tests.support.tables import table
from typer.testing import Result

from recollect_proxy.doctor import captured_request, doctor_command
from recollect_proxy.doctor.captured_request import CapturedRequest, NothingCameError, await_request
from recollect_proxy.doctor.diagnosis import is_from_a_person

SETTINGS = proxy_settings(identity="openwebui-jwt", openwebui_jwt_secret=SECRET)


def doctor(*arguments: str) -> Result:
    """Run `recollect doctor` within this process, for a proxy that accepts signed identities."""
    return recollect(
        "doctor", *arguments, RECOLLECT_IDENTITY="openwebui-jwt", RECOLLECT_OPENWEBUI_JWT_SECRET=SECRET
    )


def request_file(folder: Path, given: dict[str, str], content: bytes | None = None) -> str:
    path = folder / "request.json"
    path.write_text(json.dumps({"headers": given, "body": json.loads(content or body())}))
    return str(path)


def test_a_captured_request_with_all_set_ends_with_0(tmp_path: Path) -> None:
    done = doctor(
        "--openwebui", "--request", request_file(tmp_path, headers(x_openwebui_user_jwt=token(age=9_000)))
    )

    assert done.exit_code == 0, done.output
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["ok"] * 7


def test_what_is_missing_is_told_with_what_to_set_and_ends_with_1(tmp_path: Path) -> None:
    command = ("--openwebui", "--request", request_file(tmp_path, headers("x-recollect-task")))
    done, as_json = doctor(*command), json.loads(doctor(*command, "--json").stdout)

    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("MISSING"))
    assert lines[at].startswith("MISSING  task: x-recollect-task is absent")
    assert lines[at + 1].strip() == '-> add to the headers of the connection: "x-recollect-task": "{{TASK}}"'
    assert as_json["ok"] is False
    assert {each["check"] for each in as_json["findings"] if each["status"] == "missing"} == {"task"}


@table(
    ("arguments", "complaint"),
    [
        ([], "recollect doctor --openwebui"),
        (["--openwebui", "--request", "/no/such/file"], "No such file"),
        (["--openwebui", "--port", "70000"], "RECOLLECT_PORT"),
    ],
)
def test_where_there_is_nothing_to_look_at_it_ends_with_2(arguments: list[str], complaint: str) -> None:
    done = doctor(*arguments)

    assert done.exit_code == 2
    assert complaint in done.stderr
    assert "Traceback" not in done.output


async def test_a_wait_in_vain_ends_with_advice_and_says_meanwhile_how_long_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(captured_request, "_REMIND_SECONDS", 0.0625)
    left: list[float] = []

    with pytest.raises(NothingCameError, match=r"base URL.*administrator"):
        await wait(seconds=0.25, remind=left.append)

    assert left == [0.1875, 0.125, 0.0625]


def test_a_time_is_said_in_minutes_if_it_is_whole_minutes() -> None:
    spelled = {each: doctor_command._spelled(each) for each in (600.0, 60.0, 90.0, 0.5)}
    assert [*spelled.values()] == ["10 minutes", "1 minute", "90 seconds", "0.5 seconds"]


def port_of(origin: str) -> int:
    return int(origin.rpartition(":")[2])


def wait(**how: Any) -> Coroutine[Any, Any, CapturedRequest]:
    usual: dict[str, Any] = {"host": "127.0.0.1", "port": 0, "seconds": 30, "limit": 2**20}
    deaf = {"is_wanted": lambda _: True, "ready": lambda _: None}
    return await_request(**usual | deaf | how)


async def awaited(
    requests: Sequence[tuple[bytes, bytes, dict[str, str], bytes]], *, limit: int = 2**20
) -> tuple[CapturedRequest, list[int], list[bytes]]:
    """Send requests one after the other; return the one that was waited for, and all answers."""
    origin: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    waiting = asyncio.create_task(wait(limit=limit, is_wanted=is_from_a_person, ready=origin.set_result))
    statuses, bodies = [], []
    for method, target, given, content in requests:
        encoded = [(name.encode(), value.encode()) for name, value in given.items()]
        answer = await fetch(port_of(await origin), method, target, encoded, content or None)
        statuses.append(answer.status)
        bodies.append(answer.body)
    return await waiting, statuses, bodies


async def test_the_first_message_of_a_person_is_waited_for() -> None:
    chats = b"/v1/chat/completions"
    task = headers(x_recollect_task="title_generation")

    request, statuses, bodies = await awaited(
        [
            (b"GET", b"/v1/models", {}, b""),
            (b"POST", b"/v1/embeddings", {}, b"{}"),
            (b"POST", chats, task, body(stream=False)),
            (b"POST", chats, headers(), body()),
        ]
    )

    assert statuses == [200, 404, 200, 200]
    assert json.loads(bodies[0])["data"][0]["id"] == "recollect-doctor"
    assert json.loads(bodies[2])["choices"][0]["message"]["role"] == "assistant"
    assert bodies[3].startswith(b"data: {")
    assert bodies[3].endswith(b"data: [DONE]\n\n")
    assert (request.path, request.peer) == ("/v1/chat/completions", "127.0.0.1")
    assert dict(request.headers)[b"x-recollect-task"] == b""
    assert request.body == body()


@table(
    ("target", "said", "complaint"),
    [(b"/v1/responses", "", "Responses API"), (b"/v1/chat/completions", "x" * 2_000, "chats only")],
)
async def test_the_responses_api_and_a_body_that_is_too_large_are_refused(
    target: bytes, said: str, complaint: str
) -> None:
    wanted = (b"POST", b"/v1/chat/completions", headers(), body())

    request, statuses, bodies = await awaited(
        [(b"POST", target, headers(), body(said=said)), wanted], limit=1_000
    )

    assert (statuses, request.body) == ([404, 200], body())
    assert complaint in json.loads(bodies[0])["error"]["message"]


async def test_a_client_that_leaves_is_no_message() -> None:
    origin: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    waiting = asyncio.create_task(wait(ready=origin.set_result))
    _, writer = await asyncio.open_connection("127.0.0.1", port_of(await origin))
    writer.write(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{")
    await writer.drain()
    writer.close()
    await writer.wait_closed()

    await fetch(port_of(await origin), b"POST", b"/v1/chat/completions", [], body())
    assert (await waiting).body == body()


def test_an_address_in_use_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = doctor("--openwebui", "--port", str(taken.getsockname()[1]))
    assert (done.exit_code, "RECOLLECT_PORT or --port names another" in done.stderr) == (2, True)


@pytest.mark.process
async def test_a_person_learns_where_to_send_and_then_the_findings() -> None:
    process = await asyncio.create_subprocess_exec(
        *(RECOLLECT, "doctor", "--openwebui", "--port", "0"),
        env=environment(identity="openwebui-jwt", openwebui_jwt_secret=SECRET),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    assert process.stdout is not None
    async with asyncio.timeout(120):
        lines = [(await process.stderr.readline()).decode() for _ in range(3)]
        port = int(lines[1].split("127.0.0.1:")[1].split("/")[0])
        sent = captured(headers())
        answer = await fetch(port, b"POST", b"/v1/chat/completions", sent.headers, sent.body)
        out = (await process.stdout.read()).decode()
        status = await process.wait()

    assert lines[0] == "The doctor is starting, which takes a few seconds.\n"
    assert lines[1].startswith("Waiting 10 minutes on http://127.0.0.1:")
    assert "may be restarted meanwhile" in lines[1]
    assert lines[2].startswith("As an administrator of OpenWebUI (others do not see the model)")
    assert (answer.status, status, len(out.splitlines())) == (200, 0, 7), out
