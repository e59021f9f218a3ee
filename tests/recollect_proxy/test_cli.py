"""The command line: what it prints, and how it ends, when it can't start."""

import json
import logging
import os
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from tests.served_process import RECOLLECT, environment
from typer.testing import CliRunner, Result

from recollect.errors import ConfigurationError
from recollect.settings import default_data_dir
from recollect_proxy import cli
from recollect_proxy.identity.api_key import add_key, hash_of, read_key_file
from recollect_proxy.options import NO_UPSTREAM, read_settings
from recollect_proxy.settings import ProxySettings

UPSTREAM = ("--upstream", "http://127.0.0.1:9/v1")


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Take our settings out of the environment, and put the logging back afterwards."""
    for name in set(os.environ) - set(environment()):
        monkeypatch.delenv(name)
    root = logging.getLogger()
    configuration, handlers, level = structlog.get_config(), root.handlers, root.level
    yield
    structlog.configure(**configuration)
    root.handlers = handlers
    root.setLevel(level)


def recollect(*arguments: str) -> Result:
    """Run the command line within this process."""
    return CliRunner(env={"COLUMNS": "300", "NO_COLOR": "1"}).invoke(cli.app, arguments)


def test_without_an_upstream_it_says_what_is_missing_in_one_line_and_ends_with_2() -> None:
    done = subprocess.run(  # a person's first start
        [RECOLLECT, "serve"], env=environment(), capture_output=True, text=True, check=False, timeout=120
    )

    assert done.returncode == 2
    assert done.stderr == NO_UPSTREAM + "\n"
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--upstream", "127.0.0.1:11434"], "RECOLLECT_UPSTREAM: Value error, not an http(s) URL"),
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
    assert "Traceback" not in done.output


def test_each_mistake_has_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_RECALL_LIMIT", "many")
    monkeypatch.setenv("RECOLLECT_ADMIN_TOKEN", "sk-secret")

    done = recollect("serve", "--upstream", "ftp://x", "--port", "-1")

    assert [line.split(":")[0] for line in done.stderr.splitlines()] == [
        "RECOLLECT_RECALL_LIMIT",
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


def test_the_help_names_every_setting_and_its_default() -> None:
    said = " ".join(recollect("serve", "--help").output.split())

    for name, field in ProxySettings.model_fields.items():
        assert f"RECOLLECT_{name.upper()}:" in said
        assert field.description
        assert field.description.split()[0] in said
    assert "serve on. (default: 8787)" in said
    assert "int8 or fp32. (default: int8)" in said
    assert f"the caches. (default: {default_data_dir()})" in said
    assert "Undefined" not in said


def test_without_a_command_it_shows_what_there_is() -> None:
    said = recollect().output

    for command in ("serve", "key", "demo", "bench"):
        assert re.search(rf"\b{command}\b", said)


def test_a_data_folder_that_can_not_be_written_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    done = recollect("serve", *UPSTREAM, "--data-dir", str(tmp_path / "file"))

    assert done.exit_code == 2
    assert "RECOLLECT_DATA_DIR" in done.stderr
    assert done.exception is None or isinstance(done.exception, SystemExit)


def test_an_engine_that_can_not_be_opened_ends_it_with_3_and_says_why(tmp_path: Path, store_dsn: str) -> None:
    options = ("--data-dir", str(tmp_path), "--database-url", store_dsn, "--embedder", "local:no-such-model")

    done = recollect("serve", *UPSTREAM, *options)

    assert done.exit_code == 3
    assert "no-such-model" in done.stderr
    assert "Traceback" not in done.stderr
    assert all(json.loads(line)["level"] == "error" for line in done.stderr.splitlines())
    assert done.stdout == ""


def test_a_port_that_is_taken_is_told_of(
    tmp_path: Path, store_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER_BASE_URL", "http://127.0.0.1:9/v1")
    options = ("--data-dir", str(tmp_path), "--database-url", store_dsn, "--embedder", "openai:e")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = recollect("serve", *UPSTREAM, *options, "--port", str(port))

    assert done.exit_code == 3
    assert "address already in use" in done.stderr
    assert str(port) in done.stderr
    assert "Traceback" not in done.stderr


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


@pytest.mark.parametrize("user", ["", "*", "a\nb", " a", "a" * 257])
def test_nobody_gets_no_key(user: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="user's id"):
        add_key(tmp_path / "keys", user)


def test_a_file_of_keys_that_can_not_be_written_is_told_of(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="can't be written"):
        add_key(tmp_path, "anna")
