"""`recollect config check` asks the configured database, unless it is offline."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.recollect_proxy.commands.command_line import recollect

SECRET = "hush-7"


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    return {"RECOLLECT_UPSTREAM": "http://llm/v1", "RECOLLECT_DATA_DIR": str(tmp_path)}


@pytest.fixture
def away() -> Iterator[str]:
    """The address of a database that is not running."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"postgresql://anna:{SECRET}@127.0.0.1:{taken.getsockname()[1]}/memories"


def test_a_database_that_a_start_takes_is_told_with_its_versions(
    own_dsn: str, settings: dict[str, str]
) -> None:
    done = recollect("config", "check", RECOLLECT_DATABASE_URL=own_dsn, **settings)

    assert done.exit_code == 0, done.output
    *_, versions, verdict = done.stdout.splitlines()
    assert versions.startswith("Database postgresql://")
    assert "pgvector 0." in versions
    assert verdict.startswith("A start has all it needs.")


def test_a_database_that_is_merely_away_is_a_remark(away: str, settings: dict[str, str]) -> None:
    done = recollect("config", "check", RECOLLECT_DATABASE_URL=away, **settings)

    assert done.exit_code == 0
    assert "nothing listens at its address" in done.stdout.splitlines()[0]
    assert SECRET not in done.output


def test_one_that_a_start_would_not_take_ends_with_2(empty_dsn: str, settings: dict[str, str]) -> None:
    none = empty_dsn.replace("recollect_test_", "no_such_database_")

    done = recollect("config", "check", "--json", RECOLLECT_DATABASE_URL=none, **settings)

    told = json.loads(done.stdout)
    assert done.exit_code == 2
    assert [line.partition(":")[0] for line in told["mistakes"]] == ["RECOLLECT_DATABASE_URL"]
    assert told["database"] is None


def test_an_address_that_no_waiting_would_mend_ends_with_2(settings: dict[str, str]) -> None:
    url = f"postgresql://anna:123#{SECRET}@127.0.0.1:9/d"

    done = recollect("config", "check", RECOLLECT_DATABASE_URL=url, **settings)

    assert done.exit_code == 2
    assert "cuts its address short" in done.stdout.splitlines()[0]
    assert SECRET not in done.output
    assert "123" not in done.output


def test_offline_it_is_left_alone(away: str, settings: dict[str, str]) -> None:
    done = recollect("config", "check", "--offline", "--json", RECOLLECT_DATABASE_URL=away, **settings)

    assert json.loads(done.stdout)["remarks"] == []


@pytest.mark.parametrize("url", ["", "memory:"])
def test_an_embedded_database_is_brought_along_by_a_start(url: str, settings: dict[str, str]) -> None:
    done = recollect("config", "check", "--json", RECOLLECT_DATABASE_URL=url, **settings)

    told = json.loads(done.stdout)
    assert (told["mistakes"], told["database"]) == ([], None)
    assert [line for line in told["remarks"] if "DATABASE" in line] == []
