"""The commands of docs/how-to/back-up-and-restore.md back a database up and restore it: of the embedded server and of external ones."""

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.recollect.store.indexing import near
from tests.servers.databases import run_sql
from tests.servers.external_servers import external_server, programs_of
from tests.servers.folders import database_folder
from tests.support.searching import lexicon_of
from tests.support.stores import NOON, NORTH, Store, store_over, vector

from recollect.model import Actor, Add, Reason
from recollect.store import check_postgres, open_postgres, start_embedded

REPOSITORY = Path(__file__).parents[3]
DOCUMENT = (REPOSITORY / "docs" / "how-to" / "back-up-and-restore.md").read_text("utf-8")

pytestmark = pytest.mark.process


def commands(heading: str) -> list[str]:
    section = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^##)", DOCUMENT, re.MULTILINE | re.DOTALL)
    assert section is not None, heading
    blocks = re.findall(r"```sh\n(.*?)```", section[1], re.DOTALL)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    return [" ".join(line.split()) for line in lines if line.strip()]


def run(command: str, version: str, folder: Path, **words: str) -> None:
    """Run a command with its capital words filled in."""
    for word, value in words.items():
        command = command.replace(word, value)
    environ = {"PATH": f"{programs_of(version)}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        shlex.split(command), cwd=folder, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}: {done.stderr}"


async def talk(store: Store) -> None:
    memory = store.memory("Anna is allergic to peanuts.")
    await store.memories.apply(store.anna.scope, [Add(memory, Reason.NEW)], actor=Actor.ADMIN, at=NOON)
    await store.log.append(store.exchange("I am allergic to peanuts", store.anna.scope))


async def told(dsn: str, known: Store) -> tuple[list[str], list[str], int, list[str]]:
    """Return Anna's memories, chats, number of near items and terms in a database."""
    opened = await open_postgres(dsn)
    store = store_over(opened)
    page = await store.memories.page(known.anna, limit=9)
    found = await near(store, vector(*NORTH), known.anna.scope)
    words = await lexicon_of(store.snapshots, known.anna, ["peanut"])
    chats = await store.memories.sessions(known.anna)
    await opened.aclose()
    return [each.content for each in page.memories], chats, len(found), sorted(words.occurrences)


async def talk_on(dsn: str, known: Store) -> None:
    """Have a database take what Anna says next."""
    opened = await open_postgres(dsn)
    store = store_over(opened)
    await store.log.append(store.exchange("I moved to Lisbon", known.anna.scope))
    await opened.aclose()


@contextmanager
def server(version: str) -> Iterator[str]:
    if version == "embedded":
        with database_folder() as folder:
            started = start_embedded(folder)
            yield started.dsn
            started.stop()
    else:
        with external_server(version) as dsn:
            yield dsn


@pytest.mark.parametrize(
    ("source", "target"),
    [("embedded", "embedded"), ("16", "16"), ("18", "18"), ("16", "18"), ("18", "embedded")],
)
async def test_what_was_dumped_is_restored(source: str, target: str, tmp_path: Path) -> None:
    """As the docs have it, it belongs to a role that is no superuser afterwards, and that one can use it."""
    [dump] = commands("Back up")
    create, extend, restore = commands("Restore")
    program = "18" if "18" in (source, target) or "embedded" in (source, target) else "16"
    with server(source) as before:
        opened = await open_postgres(before)
        known = store_over(opened)
        await talk(known)
        await opened.aclose()
        run(dump, program, tmp_path, URL=before)
        kept = await told(before, known)
    with server(target) as after:
        await run_sql(after, "CREATE ROLE recollect LOGIN")
        new = urlsplit(after)._replace(path="/restored").geturl()
        run(create, program, tmp_path, MAINTENANCE_URL=after, NAME="restored")
        run(extend, program, tmp_path, SUPERUSER_URL=new)
        run(restore, program, tmp_path, SUPERUSER_URL=new)
        owned = new.replace("postgres@", "recollect@", 1)
        report = await check_postgres(owned, seconds=20)
        restored = await told(owned, known)
        await talk_on(owned, known)

    assert (report.mistakes, report.remarks) == ([], [])
    assert restored == kept
    assert kept == (["Anna is allergic to peanuts."], kept[1], 1, ["peanut"])
    assert kept[1]


async def test_a_copy_of_a_stopped_data_folder_is_a_backup(tmp_path: Path) -> None:
    copy, *_of_docker = commands("Copy the data folder")
    with database_folder() as within:
        folder = within / "kept"
        started = start_embedded(folder)
        opened = await open_postgres(started.dsn)
        known = store_over(opened)
        await talk(known)
        await opened.aclose()
        kept = await told(started.dsn, known)
        started.stop()
        target = within / "kept.before"
        run(copy, "18", tmp_path, DATA_FOLDER=str(folder))
        await _change(folder, known)
        again = start_embedded(target)
        restored = await told(again.dsn, known)
        again.stop()

    assert restored == kept


async def _change(folder: Path, known: Store) -> None:
    """Lose everything of hers in the original."""
    started = start_embedded(folder)
    opened = await open_postgres(started.dsn)
    await store_over(opened).memories.erase(known.anna, at=NOON)
    await opened.aclose()
    started.stop()
