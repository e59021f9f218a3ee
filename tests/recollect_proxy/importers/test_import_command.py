"""`recollect import openwebui` as a person runs it: its output and its exit code."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from tests.recollect_proxy.commands.command_line import recollect
from tests.recollect_proxy.importers.imports import chat_row, memory_row, talk, write_database, write_export
from tests.recollect_proxy.settings import proxy_settings
from tests.servers.databases import run_sql, sql_rows
from tests.servers.served_process import RECOLLECT, environment

from recollect.model import Reason
from recollect.store import TemporaryFolder, start_embedded
from recollect_proxy.importers.import_counts import Tally, hints
from recollect_proxy.importers.importer import OutdatedDatabaseError, open_destination
from recollect_proxy.settings.shown_urls import without_credentials

DIARY = "I keep bees on the roof of the library."
SETTINGS = {"formation": "qa_turn"}


def run(*arguments: object, **settings: object) -> tuple[int, list[str], list[str]]:
    """Run the import within this process; return its status, and the lines of stdout and stderr."""
    told = {f"RECOLLECT_{name.upper()}": str(value) for name, value in (SETTINGS | settings).items()}
    done = recollect("import", "openwebui", *map(str, arguments), **told)
    return done.exit_code, done.stdout.splitlines(), done.stderr.splitlines()


def run_process(*arguments: object, **settings: object) -> tuple[int, list[str], list[str]]:
    """Run it as a process of its own, as a person does."""
    command: list[Any] = [RECOLLECT, "import", "openwebui", *map(str, arguments)]
    env = environment(**SETTINGS | settings)
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, done.stdout.splitlines(), done.stderr.splitlines()


@pytest.mark.process
def test_a_person_is_told_what_came_and_none_of_it(own_dsn: str, data_dir: Path, tmp_path: Path) -> None:
    memories = [memory_row(DIARY), memory_row(None, id="m-broken"), memory_row(DIARY, user="gone")]
    chats = [chat_row(talk((DIARY, "Oh.")))]
    source = write_database(tmp_path / "webui.db", memories=memories, chats=chats)
    settings = {"database_url": own_dsn, "data_dir": data_dir}

    status, out, errors = run_process(source, "--chats", **settings)

    assert (status, errors) == (0, ["skipped: memory m-broken: it has no text"])
    store = f"store:     {without_credentials(own_dsn)}"
    assert out[:7] == [
        store,
        "users:     1",
        "memories:  1 new, 0 there already",
        "chats:     1 new or longer, 0 there already",
        "exchanges: 1 new, 0 there already",
        "left out:  1 row of users who no longer have an account",
        "skipped:   1 row that can't be read (named above)",
    ]
    assert any("RECOLLECT_MEMORIES_PER_HOUR" in line for line in out)
    assert "bees" not in f"{out}{errors}"

    status, out, _ = run(source, "--chats", "--dry-run", **settings)

    dry = [store, "Dry run: nothing was written. This would come:", "users:     1"]
    assert (status, out[:4]) == (0, [*dry, "memories:  0 new, 1 there already"])
    assert not any("RECOLLECT_" in line for line in out), "nothing is to be formed"


def test_without_limits_and_with_a_model_there_is_less_to_know() -> None:
    tally = Tally()
    tally.exchanges["new"] = 1
    tally.spoken_with["anna"] = None
    limits = {"memories_per_hour": 0, "user_cap": 0, "formation": "extract"}

    [only] = hints(proxy_settings(extraction_model="small", **limits), tally)
    _, limit, _ = hints(proxy_settings(formation="extract", memories_per_hour=0, user_cap=9), tally)
    told = [*hints(proxy_settings(formation="extract"), tally)]

    assert only.startswith("Memories are formed of the chats while")
    assert limit == (
        "Of these a user gets at most 9 in all (RECOLLECT_USER_CAP), unless its settings differ. Every chat is searched."
    )
    assert (told[0], len(told), told[-1][:8]) == (only, 3, "NO MODEL")


def test_a_project_is_of_one_user(data_dir: Path, tmp_path: Path) -> None:
    source = write_export(tmp_path / "chats.json", [chat_row(talk((DIARY, "Oh.")))])

    for users in ((), ("--user", "anna", "--user", "ben")):
        options = ("--chats", "--dry-run", "--project", "boat", *users)
        status, _, errors = run(source, *options, data_dir=data_dir)
        assert (status, errors[0][:48]) == (2, "A project is of one user: name them by --user. A")


def test_that_there_is_no_model_is_said_first(own_dsn: str, data_dir: Path, tmp_path: Path) -> None:
    source = write_export(tmp_path / "chats.json", [chat_row(talk((DIARY, "Oh.")))])
    own = {"data_dir": data_dir, "formation": "extract"}
    stores = (own | {"database_url": own_dsn}, own | {"data_dir": tmp_path / "none yet"})

    dry, without_store = (run(source, "--chats", "--dry-run", **store)[1][-1] for store in stores)
    _, came, _ = run(source, "--chats", **stores[0])

    assert came[-1].startswith("NO MODEL")
    assert dry == without_store == came[-1]


def test_the_store_is_named_first_and_without_a_password(tmp_path: Path) -> None:
    for given, store in (
        ({"data_dir": tmp_path}, f"embedded in {tmp_path}"),
        ({"database_url": "postgresql://me:hush@db.example/ours"}, "postgresql://db.example/ours"),
    ):
        assert run(tmp_path / "none.db", **given)[1] == [f"store:     {store}"]


def test_what_cannot_be_read_is_said_in_a_line() -> None:
    status, _, errors = run("/no/such/file")

    assert (status, len(errors), "No such file" in errors[0]) == (1, 1, True)
    assert run()[0] == 2


def test_the_summary_counts_each_reason() -> None:
    tally = Tally(users={"a"}, off={"a"})
    tally.memories.update(new=3, held=2, left=6)
    tally.refused.update({Reason.CONFIDENTIAL: 1, Reason.TOO_LONG: 4})
    tally.left_out.update({"of a sub-agent": 5})

    lines = list(tally.lines(dry_run=False))

    assert lines[1] == (
        "memories:  3 new, 2 held back until their user approves them, 0 there already, "
        "6 changed here since, left as it is, 1 refused (nothing but a secret), 4 refused (too long)"
    )
    assert lines[2].endswith("5 left out (of a sub-agent)")
    assert lines[-1] == "recording is off for 1 user: nothing of their chats is kept"


def test_of_many_broken_rows_the_first_are_told() -> None:
    tally = Tally(broken=[f"memory {number}: broken" for number in range(50)])

    assert len(list(tally.problems())) == 21
    assert list(tally.problems())[-1] == "... and 30 more"
    assert len(list(Tally(broken=["memory 1: broken"]).problems())) == 1


OBJECTS = "SELECT oid FROM pg_class UNION ALL SELECT oid FROM pg_namespace ORDER BY 1"


async def rows(dsn: str, query: str) -> list[asyncpg.Record]:
    return await sql_rows(dsn, query)


@pytest.fixture
def empty_embedded() -> Iterator[tuple[Path, str]]:
    """A data folder whose database has nothing in it, and how to reach that."""
    folder = TemporaryFolder()
    try:
        server = start_embedded(folder.path, durable=False)
        yield folder.path, server.dsn
        server.stop()
    finally:
        folder.remove()


async def opened(*, writes: bool = False, **settings: Any) -> bool:
    """Return whether there was a store."""
    async with open_destination(proxy_settings(**settings), writes=writes) as backends:
        return backends is not None and await backends.store.memories.quarantined("anna") == []


async def test_an_empty_database_stays_empty(empty_dsn: str, data_dir: Path) -> None:
    before = await rows(empty_dsn, OBJECTS)

    assert not await opened(database_url=empty_dsn, data_dir=data_dir)

    assert await rows(empty_dsn, OBJECTS) == before


@pytest.mark.process
async def test_an_empty_embedded_database_stays_empty(empty_embedded: tuple[Path, str]) -> None:
    folder, dsn = empty_embedded
    before = await rows(dsn, OBJECTS)

    assert not await opened(data_dir=folder)

    assert await rows(dsn, OBJECTS) == before


async def test_one_that_is_up_to_date_is_looked_into_and_stays_as_it_is(own_dsn: str, data_dir: Path) -> None:
    before = await rows(own_dsn, OBJECTS)

    assert await opened(database_url=own_dsn, data_dir=data_dir)

    assert await rows(own_dsn, OBJECTS) == before


async def test_one_of_an_older_version_is_left_alone_and_that_is_said(new_dsn: str, data_dir: Path) -> None:
    before = await rows(new_dsn, OBJECTS)

    for since in (1, 0):
        await run_sql(new_dsn, "DELETE FROM recollect.schema_migrations WHERE version > $1", since)

        with pytest.raises(OutdatedDatabaseError, match="recollect serve"):
            await opened(database_url=new_dsn, data_dir=data_dir)

        assert await rows(new_dsn, OBJECTS) == before
