"""The command line: what it prints, and how it ends, when it can't start."""

import json
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.raw_client import fetch
from tests.recollect_proxy.command_line import recollect
from tests.recollect_proxy.settings import proxy_settings
from tests.running_proxy import CHAT, User, chat_body
from tests.scripted_embeddings import embedded
from tests.scripted_upstream import ScriptedUpstream
from tests.served_process import environment, processes_in, served_process, temporary_files
from tests.waiting import until

from recollect.errors import ConfigurationError
from recollect.settings import is_setting
from recollect_proxy import cli
from recollect_proxy.admin_token import admin_token
from recollect_proxy.command_settings import NO_UPSTREAM, read_settings
from recollect_proxy.identity.api_key import add_key, hash_of, read_key_file
from recollect_proxy.settings import ProxySettings

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
        ([*UPSTREAM, "--port", "70000"], "RECOLLECT_PORT: Input should be less than or equal to 65535"),
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


def test_without_a_command_it_shows_what_there_is() -> None:
    said = recollect().output

    for command in ("serve", "worker", "key", "calibrate", "import", "doctor"):
        assert re.search(rf"\b{command}\b", said)


def test_a_data_folder_that_can_not_be_written_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    done = recollect("serve", *UPSTREAM, "--data-dir", str(tmp_path / "file"))

    assert done.exit_code == 2
    assert "RECOLLECT_DATA_DIR" in done.stderr


def test_an_engine_that_can_not_be_opened_ends_it_with_3_and_says_why(tmp_path: Path, own_dsn: str) -> None:
    options = ("--data-dir", str(tmp_path), "--database-url", own_dsn, "--embedder", "local:no-such-model")

    done = recollect("serve", *UPSTREAM, *options)

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


def test_the_command_line_loads_no_server_no_model_and_no_database() -> None:
    code = "import sys, recollect_proxy.cli; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True, env=environment()
    )

    heavy = {
        "litestar",
        "uvicorn",
        "onnxruntime",
        "tokenizers",
        "mistralai",
        "httpx",
        "asyncpg",
        "pgqueuer",
        "jwt",
    }
    assert heavy & set(done.stdout.split()) == set()


def test_what_recollect_can_not_do_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ConfigurationError("No such thing.")

    monkeypatch.setattr(cli, "app", fail)

    with pytest.raises(SystemExit, match=r"^No such thing\.$"):
        cli.main()


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


@pytest.mark.parametrize("user", ["", "*", "a\nb", " a", "a" * 257])
def test_nobody_gets_no_key(user: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="user's id"):
        add_key(tmp_path / "keys", user)


def test_a_file_of_keys_that_can_not_be_written_is_told_of(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="can't be written"):
        add_key(tmp_path, "anna")
