"""The command line: what it prints, and how it ends, when it can't start."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.recollect_proxy.commands.command_line import recollect
from tests.recollect_proxy.settings import proxy_settings
from tests.scripted.embeddings import embedded
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import CHAT, User, chat_body
from tests.servers.served_process import RECOLLECT, environment, processes_in, served_process, temporary_files
from tests.support.raw_client import fetch
from tests.support.waiting import until

from recollect import __version__
from recollect.errors import ConfigurationError, RecollectError, StoreError
from recollect.model import project_scope
from recollect.settings import is_setting
from recollect_proxy.access import Principal, Role
from recollect_proxy.access.access_keys import AccessKeys
from recollect_proxy.commands.serve import why_not_free
from recollect_proxy.identity.api_key import add_key, hash_of, read_key_file
from recollect_proxy.recollect_command import run_command
from recollect_proxy.settings.admin_token import admin_token
from recollect_proxy.settings.command_settings import NO_UPSTREAM, read_settings
from recollect_proxy.settings.proxy_settings import ProxySettings

UPSTREAM = ("--upstream", "http://127.0.0.1:9/v1")
CAT = "I have a cat called Minka."


@pytest.mark.process
async def test_in_memory_it_serves_and_remembers_and_leaves_nothing_behind(
    upstream: ScriptedUpstream, user: User
) -> None:
    async with ScriptedUpstream(embedded) as embedder:
        environ = environment(
            upstream=upstream.base_url,
            embedder="openai:e",
            embedder_base_url=embedder.base_url,
            second_embedder="off",
            formation="qa_turn",
            formation_quiet_seconds=0,
            recall_gate_threshold=0,
        )
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

    assert told.status == 200
    assert CAT in upstream.last.body.decode()
    assert began
    assert status == 0
    assert left == []
    assert processes_in(folder) == []


def test_without_an_upstream_it_says_what_is_missing_in_one_line_and_ends_with_2() -> None:
    done = recollect("serve")

    assert (done.exit_code, done.stderr, done.stdout) == (2, NO_UPSTREAM + "\n", "")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--upstream", "127.0.0.1:11434"], "RECOLLECT_UPSTREAM: not an http(s) URL"),
        (
            [*UPSTREAM, "--port", "70000"],
            "RECOLLECT_PORT: has to be 65535 or less (it is 70000, from the option)",
        ),
        ([*UPSTREAM, "--log-level", "loud"], "loud"),
    ],
)
def test_a_setting_that_makes_no_sense_is_named_and_ends_it_with_2(
    arguments: list[str], complaint: str
) -> None:
    done = recollect("serve", *arguments)

    assert done.exit_code == 2
    assert complaint in done.output


def test_each_mistake_has_its_line() -> None:
    done = recollect(
        *("serve", "--upstream", "ftp://x", "--port", "-1"),
        RECOLLECT_MEMORY_TOKENS="many",
        RECOLLECT_ADMIN_TOKEN="sk-secret",
    )

    assert [line.split(":")[0] for line in done.stderr.splitlines()] == [
        "RECOLLECT_MEMORY_TOKENS",
        "RECOLLECT_UPSTREAM",
        "RECOLLECT_PORT",
    ]
    assert "sk-secret" not in done.output


def test_an_option_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_UPSTREAM", "http://environment/v1")
    monkeypatch.setenv("RECOLLECT_PORT", "1234")

    settings = read_settings(upstream="http://option/v1", port=None)

    assert settings.upstream == "http://option/v1"
    assert settings.port == 1234


def test_the_help_names_every_setting() -> None:
    said = " ".join(recollect("serve", "--help").output.split())

    for name, field in ProxySettings.model_fields.items():
        assert (f"RECOLLECT_{name.upper()}:" in said) is is_setting(field)
    assert "Undefined" not in said, "of a setting that must be given there is no default"


def test_the_help_shows_what_one_would_write_and_nothing_of_python() -> None:
    said = " ".join(recollect("serve", "--help").output.split())

    assert "RECOLLECT_IDENTITY: How a request proves" in said
    assert "(default: header)" in said
    assert "(default: o1-mini*=none,o1-preview*=none)" in said
    for name in (
        "IdentityMode",
        "SystemStyle",
        "PosixPath",
        "SecretStr",
        "<str>",
        "(default: ())",
        "(default: True)",
    ):
        assert name not in said


def test_without_a_command_it_shows_what_there_is() -> None:
    said = recollect().output

    for command in ("serve", "worker", "key", "import", "doctor"):
        assert re.search(rf"\b{command}\b", said)


def test_a_data_folder_that_can_not_be_written_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    done = recollect("serve", *UPSTREAM, "--port", "0", "--data-dir", str(tmp_path / "file"))

    assert done.exit_code == 2
    assert "RECOLLECT_DATA_DIR" in done.stderr


def test_an_engine_that_can_not_be_opened_ends_it_with_3_and_says_why(tmp_path: Path, own_dsn: str) -> None:
    options = ("--port", "0", "--data-dir", str(tmp_path), "--database-url", own_dsn)

    done = recollect("serve", *UPSTREAM, *options, "--embedder", "local:no-such-model")

    assert done.exit_code == 3
    assert "no-such-model" in done.stderr
    assert all(json.loads(line)["level"] == "error" for line in done.stderr.splitlines())
    assert done.stdout == ""


def test_a_port_that_is_taken_is_told_of_and_the_next_start_shows_the_token(
    tmp_path: Path, own_dsn: str
) -> None:
    options = ("--data-dir", str(tmp_path), "--database-url", own_dsn, "--embedder", "openai:e")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = recollect(
            *("serve", *UPSTREAM, *options, "--port", str(port)),
            RECOLLECT_EMBEDDER_BASE_URL="http://127.0.0.1:9/v1",
        )

    assert done.exit_code == 3
    assert "address already in use" in done.stderr
    assert str(port) in done.stderr
    assert admin_token(proxy_settings(data_dir=tmp_path)).is_new


def test_a_port_that_is_taken_is_told_of_in_one_line_before_a_database_is_started(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = recollect("serve", *UPSTREAM, "--data-dir", str(tmp_path / "data"), "--port", str(port))

    [line] = done.stderr.splitlines()
    assert done.exit_code == 3
    assert line.startswith(f"Port {port} on 127.0.0.1 is taken (address already in use)")
    assert "--port" in line
    assert done.stdout == ""
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("192.0.2.1", "Nothing can be served on 192.0.2.1"),  # RFC 5737: of no machine
        ("nowhere.invalid", "RECOLLECT_HOST: nowhere.invalid"),  # RFC 6761
    ],
)
def test_an_address_of_no_machine_is_told_of_in_one_line(host: str, said: str) -> None:
    told = why_not_free(host, 8787)

    assert told is not None
    assert told.startswith(said)
    assert "\n" not in told


def test_an_address_that_is_free_is_not_told_of_also_right_after_somebody_left_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as leaving:
        port = leaving.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):
            leaving.accept()[0].close()  # closes first, so the system keeps the address for a minute

    assert why_not_free("127.0.0.1", port) is None
    assert why_not_free("localhost", port) is None
    assert why_not_free("nowhere.invalid", 0) is None


@pytest.mark.process
async def test_ctrl_c_within_a_start_says_that_it_stopped_and_shows_no_traceback() -> None:
    with temporary_files() as folder:
        process = await asyncio.create_subprocess_exec(
            *(RECOLLECT, "serve", *UPSTREAM, "--port", "0", "--data-dir", ":memory:"),
            env=environment() | {"TMPDIR": str(folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
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
    environ = environment(
        upstream=UPSTREAM[1],
        database_url=own_dsn,
        data_dir=tmp_path,
        embedder="openai:e",
        embedder_base_url=UPSTREAM[1],
        second_embedder="off",
        formation="qa_turn",
        worker="elsewhere",
    )
    async with served_process(environ=environ) as served:
        served.signal(signal.SIGINT)
        status = await served.ended()

    assert status == 0
    assert served.output[-1] == "Stopped.\n"
    assert "Traceback" not in "".join(served.logged)


def test_the_version_is_told() -> None:
    done = recollect("--version")

    assert (done.exit_code, done.stdout) == (0, f"recollect {__version__}\n")


def test_the_command_line_loads_no_server_no_model_and_no_database() -> None:
    code = "import sys, recollect_proxy.commands.cli; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True, env=environment()
    )

    heavy = {
        "litestar",
        "uvicorn",
        "onnxruntime",
        "mistralai",
        "httpx",
        "asyncpg",
        "pgqueuer",
        "jwt",
    }
    assert heavy & set(done.stdout.split()) == set()


def test_a_start_of_the_server_loads_no_other_command() -> None:
    code = (
        "import sys; from recollect_proxy.recollect_command import main\n"
        "try: main()\nexcept SystemExit: print(*(name for name in sys.modules if '.commands.' in name or name.endswith('_commands')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "serve", "--port", "none"],
        capture_output=True,
        check=True,
        text=True,
        env=environment(),
    )

    ours = {name for name in done.stdout.split() if name.startswith("recollect")}
    assert ours == {"recollect_proxy.commands.serve"}
    assert "Invalid value for '--port'" in done.stderr


def test_a_server_of_plain_identities_loads_no_signatures_and_no_certificates_to_start() -> None:
    code = (
        "import sys, recollect_proxy.app, recollect_proxy.serving.server, recollect.assembly.lifecycle\n"
        "print(*{name.partition('.')[0] for name in sys.modules} & {'jwt', 'cryptography', 'httpcore', 'litestar', 'mcp'})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True, env=environment()
    )

    assert done.stdout.split() == []


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


def test_a_key_is_printed_once_and_kept_as_a_hash(tmp_path: Path) -> None:
    file = tmp_path / "keys"

    first, second = (
        recollect("key", user, "--file", str(file)).stdout.strip() for user in ("anna", "Bj\u00f6rn B.")
    )

    assert first not in file.read_text("utf-8")
    assert file.stat().st_mode & 0o777 == 0o600
    assert read_key_file(file) == {hash_of(first.encode()): "anna", hash_of(second.encode()): "Bj\u00f6rn B."}


def test_keys_are_kept_in_the_data_folder_where_a_start_looks_for_them(tmp_path: Path) -> None:
    made = recollect("key", "anna", RECOLLECT_DATA_DIR=str(tmp_path / "data"))
    nowhere = recollect("key", "anna", RECOLLECT_DATA_DIR=":memory:")

    kept = read_key_file(proxy_settings(data_dir=tmp_path / "data").api_key_file)
    assert kept == {hash_of(made.stdout.strip().encode()): "anna"}
    assert nowhere.exit_code == 2


def test_a_key_of_an_integration_is_kept_with_what_it_may(tmp_path: Path) -> None:
    made = recollect(
        "key", "--acting", "openwebui", "--network", "10.0.0.0/8", RECOLLECT_DATA_DIR=str(tmp_path)
    )
    read_only = recollect("key", "--reader", "support", RECOLLECT_DATA_DIR=str(tmp_path))

    keys = AccessKeys(proxy_settings(data_dir=tmp_path).access_key_file)
    acting = keys.principal_of(made.stdout.strip().encode(), "10.1.2.3")
    assert acting == Principal(Role.ACTING, "openwebui")
    assert keys.principal_of(made.stdout.strip().encode(), "192.0.2.1") is None
    assert keys.principal_of(made.stdout.strip().encode(), None) is None
    assert keys.principal_of(read_only.stdout.strip().encode(), None) == Principal(Role.READER, "support")


def test_a_key_may_be_for_one_project_alone(tmp_path: Path) -> None:
    project, data = "agent:caf\u00e9 1", {"RECOLLECT_DATA_DIR": str(tmp_path)}
    own = recollect("key", "anna", "--project", project, **data).stdout.strip()
    acting = recollect("key", "--acting", "bot", "--project", project, **data).stdout.strip()

    settings = proxy_settings(data_dir=tmp_path)
    kept = read_key_file(settings.api_key_file)
    assert kept == {hash_of(own.encode()): project_scope("anna", project)}
    principal = AccessKeys(settings.access_key_file).principal_of(acting.encode(), None)
    assert principal == Principal(Role.ACTING, "bot", project=project)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["anna", "--acting", "x"],
        ["anna", "--project", "a\nb"],
        ["--reader", "a", "--admin", "b"],
        ["anna", "--users", "x"],
        ["anna", "--network", "10.0.0.0/8"],
    ],
)
def test_a_key_is_for_one_alone(arguments: list[str], tmp_path: Path) -> None:
    assert recollect("key", *arguments, RECOLLECT_DATA_DIR=str(tmp_path)).exit_code == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("user", ["", "*", "a\nb", " a", "a" * 257])
def test_nobody_gets_no_key(user: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="user's id"):
        add_key(tmp_path / "keys", user)


def test_a_file_of_keys_that_can_not_be_written_is_told_of(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="can't be written"):
        add_key(tmp_path, "anna")
