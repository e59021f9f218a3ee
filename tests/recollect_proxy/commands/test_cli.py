"""The command line: what it prints, and how it ends, when it can't start."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.recollect_proxy.commands.command_line import recollect
from tests.recollect_proxy.settings import proxy_settings
from tests.scripted.embeddings import embedded
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.folders import database_folder
from tests.servers.running_proxy import CHAT, User, chat_body
from tests.servers.served_process import RECOLLECT, environment, processes_in, served_process, temporary_files
from tests.support.raw_client import fetch
from tests.support.tables import table
from tests.support.waiting import until

from recollect import __version__
from recollect.errors import ConfigurationError, RecollectError, StoreError
from recollect.model import project_scope
from recollect.settings.variables_and_file import is_setting
from recollect_proxy.access.access_keys import AccessKeys
from recollect_proxy.access.principal import Principal, TokenKind
from recollect_proxy.commands import cli
from recollect_proxy.entry_point import run_command
from recollect_proxy.identity.api_key import add_key, hash_of, read_key_file
from recollect_proxy.serving.server import why_not_free
from recollect_proxy.settings.command_settings import NO_UPSTREAM
from recollect_proxy.settings.proxy_settings import ProxySettings

UPSTREAM = ("--upstream", "http://127.0.0.1:9/v1")
CAT = "I have a cat called Minka."
SERVER = "recollect_proxy.app, recollect_proxy.serving.server, recollect.assembly.lifecycle"


@pytest.mark.process
async def test_in_memory_it_serves_and_leaves_nothing_behind(upstream: ScriptedUpstream, user: User) -> None:
    async with ScriptedUpstream(embedded) as embedder:
        models = {"embedder": "openai:e", "embedder_base_url": embedder.base_url, "formation": "qa_turn"}
        zero = dict.fromkeys(("formation_quiet_seconds", "recall_gate_threshold"), 0)
        environ = environment(upstream=upstream.base_url, **models, **zero)
        with temporary_files() as folder:
            own = {"TMPDIR": str(folder), "ORT_DISABLE_TELEMETRY": "1"}
            async with served_process("--data-dir", ":memory:", environ=environ | own) as served:
                await until(lambda: "  token " in served.output[-1])
                headers = [(b"Authorization", f"Bearer {served.output[-1].split()[1]}".encode())]
                told = await fetch(served.port, b"POST", CHAT, user.headers(chat="1"), chat_body(CAT))

                async def is_formed() -> bool:
                    health = await fetch(served.port, b"GET", b"/memory/health", headers)
                    return bool(health.json["formation"]["formed"] == 1)

                await until(is_formed)
                asked = chat_body("What is my cat called?")
                await fetch(served.port, b"POST", CHAT, user.headers(chat="2"), asked)
                began = processes_in(folder)
                served.signal(signal.SIGTERM)
                status = await served.ended()
            left = list(folder.iterdir())

    assert CAT in upstream.last.body.decode()
    assert began
    assert (told.status, status, left, processes_in(folder)) == (200, 0, [], [])


def test_without_an_upstream_it_says_what_is_missing_in_one_line_and_ends_with_2() -> None:
    done = recollect("serve")

    assert (done.exit_code, done.stderr, done.stdout) == (2, NO_UPSTREAM + "\n", "")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--upstream", "127.0.0.1:11434"), "RECOLLECT_UPSTREAM: not an http(s) URL"),
        (("--port", "70000"), "RECOLLECT_PORT: has to be 65535 or less (it is 70000, from the option)"),
        (("--log-level", "loud"), "loud"),
    ],
)
def test_a_setting_that_makes_no_sense_is_named(arguments: tuple[str, ...], complaint: str) -> None:
    done = recollect("serve", *UPSTREAM, *arguments)

    assert (done.exit_code, complaint in done.output) == (2, True)


def test_a_data_folder_that_can_not_be_written_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    done = recollect("serve", *UPSTREAM, "--port", "0", "--data-dir", str(tmp_path / "file"))

    assert done.exit_code == 2
    assert "RECOLLECT_DATA_DIR" in done.stderr


def test_an_engine_that_can_not_be_opened_ends_it_with_3_and_says_why(tmp_path: Path, own_dsn: str) -> None:
    options = ("--port", "0", "--data-dir", str(tmp_path), "--database-url", own_dsn)

    done = recollect("serve", *UPSTREAM, *options, "--embedder", "local:no-such-model")

    assert (done.exit_code, done.stdout) == (3, "")
    assert "no-such-model" in done.stderr
    assert all(json.loads(line)["level"] == "error" for line in done.stderr.splitlines())


def test_a_port_that_is_taken_is_told_of_in_one_line_before_a_database_is_started(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = recollect("serve", *UPSTREAM, "--data-dir", str(tmp_path / "data"), "--port", str(port))

    [line] = done.stderr.splitlines()
    assert (done.exit_code, done.stdout, (tmp_path / "data").exists()) == (3, "", False)
    assert line.startswith(f"Port {port} on 127.0.0.1 is taken (address already in use)")
    assert "--port" in line


@pytest.mark.process
async def test_ctrl_c_within_a_start_says_that_it_stopped_and_shows_no_traceback() -> None:
    with temporary_files() as folder:
        command = (RECOLLECT, "serve", *UPSTREAM, "--port", "0", "--data-dir", ":memory:")
        how: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "start_new_session": True}
        env = environment() | {"TMPDIR": str(folder)}
        process = await asyncio.create_subprocess_exec(*command, env=env, **how)
        await until(lambda: any(folder.iterdir()))  # the database's folder, which is made as the first thing
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the whole group
        stdout, stderr = (part.decode() for part in await process.communicate())

    assert process.returncode == 0
    assert stdout == "Stopped.\n", "and neither a banner nor a token that nobody can use"
    assert "Traceback" not in stderr
    assert "error" not in [json.loads(line)["level"] for line in stderr.splitlines() if line[0] == "{"]
    assert processes_in(folder) == []


@pytest.mark.process
async def test_ctrl_c_stops_what_serves_with_a_word_and_no_traceback(own_dsn: str, tmp_path: Path) -> None:
    addresses = dict.fromkeys(("upstream", "embedder_base_url"), UPSTREAM[1])
    quick = {"embedder": "openai:e", "formation": "qa_turn", "worker": "elsewhere"}
    environ = environment(database_url=own_dsn, data_dir=tmp_path, **addresses, **quick)
    async with served_process(environ=environ) as served:
        served.signal(signal.SIGINT)
        status = await served.ended()

    assert (status, served.output[-1]) == (0, "Stopped.\n")
    assert "Traceback" not in "".join(served.logged)


def run_python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    how: Any = {"capture_output": True, "text": True, "env": environment()}
    return subprocess.run([sys.executable, "-c", code, *arguments], check=True, **how)


def test_a_start_of_the_server_loads_no_other_command() -> None:
    code = (
        "import sys; from recollect_proxy.entry_point import main\n"
        "try: main()\nexcept SystemExit: print(*(name for name in sys.modules if '.commands.' in name or name.endswith('_commands')))"
    )
    done = run_python(code, "serve", "--port", "none")

    ours = {name for name in done.stdout.split() if name.startswith("recollect")}
    assert ours == {"recollect_proxy.commands.serve"}
    assert "Invalid value for '--port'" in done.stderr


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [(StoreError("No such thing."), 1, ""), (ConfigurationError("No such mode."), 2, "No such mode.\n")],
)
def test_what_recollect_can_not_do_is_one_line(
    error: RecollectError, status: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(SystemExit) as ended:
        run_command(fail)

    assert (ended.value.code, capsys.readouterr().err) == ("No such thing." if status == 1 else 2, told)


@table(
    "arguments",
    [
        *("", "anna --acting x", "anna --project a\x1fb", "--reader a --admin b", "anna --users x"),
        "anna --network 10.0.0.0/8",
    ],
)
def test_a_key_is_for_one_alone(arguments: str, tmp_path: Path) -> None:
    done = recollect("key", *arguments.split(" " if arguments else None), RECOLLECT_DATA_DIR=str(tmp_path))
    assert done.exit_code == 2
    assert list(tmp_path.iterdir()) == []


def test_nobody_gets_no_key_nor_anybody_where_none_can_be_kept(tmp_path: Path) -> None:
    for user in ("", "*", "a\nb", " a", "a" * 257):
        with pytest.raises(ConfigurationError, match="user's id"):
            add_key(tmp_path / "keys", user)
    with pytest.raises(ConfigurationError, match="can't be written"):
        add_key(tmp_path, "anna")


def test_the_terminals_width_alone_breaks_the_lines_of_a_help() -> None:
    assert "are not written any more. A tombstone" in recollect("erase", "--help").output


def test_the_help_names_every_setting_as_one_would_write_it_and_nothing_of_python() -> None:
    said = " ".join(recollect("serve", "--help").output.split())

    for name, field in ProxySettings.model_fields.items():
        assert (f"RECOLLECT_{name.upper()}:" in said) is is_setting(field)
    assert "RECOLLECT_IDENTITY: How a request proves" in said
    assert "(default: header)" in said
    assert "(default: o1-mini*=none,o1-preview*=none)" in said
    ours = ("IdentityMode", "SystemStyle", "PosixPath", "SecretStr", "<str>", "default: ()", "default: True")
    assert [name for name in ours if name in said] == []
    assert "Undefined" not in said, "of a setting that must be given there is no default"


def test_without_a_command_it_shows_what_there_is_and_its_version_on_demand() -> None:
    said = recollect().output

    assert [each for each in ("serve", "worker", "key", "import", "doctor") if each not in said.split()] == []
    assert recollect("--version").stdout == f"recollect {__version__}\n"


@pytest.mark.parametrize(
    ("modules", "not_loaded"),
    [
        ("recollect_proxy.commands.cli", "litestar uvicorn onnxruntime mistralai httpx asyncpg pgqueuer jwt"),
        (SERVER, "jwt cryptography httpcore litestar mcp opentelemetry"),
    ],
    ids=["command line", "server of plain identities"],
)
def test_what_is_not_needed_is_not_loaded(modules: str, not_loaded: str) -> None:
    code = f"import sys, {modules}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    done = run_python(code)

    assert {*not_loaded.split()} & {*done.stdout.split()} == set()


def test_an_address_that_is_free_is_not_told_of_and_one_of_no_machine_is_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as leaving:
        port = leaving.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):
            leaving.accept()[0].close()  # closes first, so the system keeps the address for a minute

    assert [why_not_free(host, port) for host in ("127.0.0.1", "localhost")] == [None, None]
    assert why_not_free("nowhere.invalid", 0) is None
    for host, said in (
        ("192.0.2.1", "Nothing can be served on 192.0.2.1"),  # RFC 5737: of no machine
        ("nowhere.invalid", "RECOLLECT_HOST: nowhere.invalid"),  # RFC 6761
    ):
        told = why_not_free(host, 8787) or ""
        assert (told[: len(said)], "\n" in told) == (said, False)


def test_no_address_of_a_name_hides_another_that_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        hosts = ("192.0.2.1", "127.0.0.1")
        found = [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (host, port)) for host in hosts]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)

        assert f"Port {port} on a.test is taken" in (why_not_free("a.test", port) or "")


def test_a_persons_key_is_printed_once_and_kept_as_a_hash_where_a_start_looks_for_it(tmp_path: Path) -> None:
    data, project = {"RECOLLECT_DATA_DIR": str(tmp_path / "data")}, "agent:caf\u00e9 1"
    first = recollect("key", "Bj\u00f6rn B.", **data).stdout.strip()
    second = recollect("key", "anna", "--project", project, **data).stdout.strip()
    elsewhere = recollect("key", "anna", "--file", str(tmp_path / "keys")).stdout.strip()

    file = proxy_settings(data_dir=tmp_path / "data").api_key_file
    assert first not in file.read_text("utf-8")
    assert file.stat().st_mode & 0o777 == 0o600
    assert read_key_file(file) == {
        hash_of(first.encode()): "Bj\u00f6rn B.",
        hash_of(second.encode()): project_scope("anna", project),
    }
    assert read_key_file(tmp_path / "keys") == {hash_of(elsewhere.encode()): "anna"}
    assert recollect("key", "anna", RECOLLECT_DATA_DIR=":memory:").exit_code == 2


def test_a_key_of_an_integration_is_kept_with_what_it_may(tmp_path: Path) -> None:
    def made(*options: str) -> bytes:
        return recollect("key", *options, RECOLLECT_DATA_DIR=str(tmp_path)).stdout.strip().encode()

    acting = made("--acting", "openwebui", "--network", "10.0.0.0/8")
    of_project, reader = made("--acting", "bot", "--project", "boat"), made("--reader", "support")

    keys = AccessKeys(proxy_settings(data_dir=tmp_path).access_key_file)
    assert keys.principal_of(acting, "10.1.2.3") == Principal(TokenKind.ACTING, "openwebui")
    assert [keys.principal_of(acting, address) for address in ("192.0.2.1", None)] == [None, None]
    assert keys.principal_of(of_project, None) == Principal(TokenKind.ACTING, "bot", project="boat")
    assert keys.principal_of(reader, None) == Principal(TokenKind.READER, "support")


_READS_AS_AN_ERROR = ("error", "fatal", "traceback", "failed", "warning", "exception", "panic")


async def _started(folder: Path, upstream: ScriptedUpstream) -> tuple[list[str], list[str]]:
    """Start, wait until the worker is there, end, and return the lines of the log, and those for the person."""
    environ = environment(upstream=upstream.base_url, data_dir=folder)
    async with served_process(environ=environ) as served:
        await until(lambda: "worker_started" in "".join(served.logged))
    return served.logged, served.output


@pytest.mark.process
@pytest.mark.database
async def test_a_first_start_and_a_warm_one_log_what_they_did_and_nothing_that_reads_as_an_error() -> None:
    with database_folder() as parent:
        folder = parent / "data"
        async with ScriptedUpstream() as upstream:
            first, shown = await _started(folder, upstream)
            warm, shown_again = await _started(folder, upstream)

    assert shown[0] == f"First start: makes the data folder {folder} (--data-dir names another).\n"
    assert not any("First start" in line for line in shown_again)

    for line in [*first, *warm]:
        assert json.loads(line)["level"] == "info", line
        assert not [word for word in _READS_AS_AN_ERROR if word in line.lower()], line
    for start in (first, warm):
        assert [json.loads(line)["event"] for line in start] == ["worker_started"]


PAGE = Path(__file__).parents[3] / "docs/reference/commands.md"
_ITEM = re.compile(
    r"^- `recollect ([a-z0-9 -]+?)(?: [\[A-Z].*?)?`: .*?Options:(.*?)(?=^$|^- )", re.MULTILINE | re.DOTALL
)


def commands(command: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each command by its name."""
    if hasattr(command, "commands"):
        for name, below in command.commands.items():
            yield from commands(below, f"{path} {name}".strip())
    else:
        yield path, command


def test_the_page_names_each_command_and_each_of_its_options() -> None:
    there = {
        name: {each.opts[0] for each in command.params if each.param_type_name == "option"} - {"--help"}
        for name, command in commands(typer.main.get_command(cli.app))
    }
    told = _ITEM.findall(PAGE.read_text("utf-8"))

    assert {name: set(re.findall(r"`(--[a-z-]+)`", options)) for name, options in told} == there
