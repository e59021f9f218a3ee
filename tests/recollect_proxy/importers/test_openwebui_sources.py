"""OpenWebUI's file, its Postgres and its exports are read alike, and none of them is changed."""

import json
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import closing
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import pytest
from tests.recollect_proxy.importers.imports import (
    OLD_SCHEMA,
    SCHEMA,
    chat_row,
    memory_row,
    talk,
    write_database,
    write_export,
)
from tests.servers.databases import administrator, running_server
from tests.support.tables import table

from recollect.store.sql import read_queries
from recollect_proxy import importers
from recollect_proxy.importers.common_format import Source, SourceError
from recollect_proxy.importers.openwebui_database import open_openwebui

MEMORIES = [memory_row("I keep bees."), memory_row("I collect stamps.", user="ben")]
CHATS = [chat_row(talk(("I keep bees.", "Oh.")))]
CHATS.append(chat_row(talk(("I collect stamps.", "Oh.")), id_="chat-2", user="ben", created_at=1))


async def opened(name: object) -> Source:
    async with open_openwebui(str(name)) as source:
        return source


async def contents_of(name: object) -> list[str]:
    return [each.content for each in (await opened(name)).memories]


async def everything(name: object) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """Return the texts of the memories, and those of each chat."""
    async with open_openwebui(str(name)) as source:
        chats = [await each.read() for each in source.chats]
    return (
        [each.content for each in source.memories],
        [(chat.id, [each.text for each in chat.messages]) for chat in chats if chat is not None],
    )


EVERYTHING = (
    ["I keep bees.", "I collect stamps."],
    [("chat-2", ["I collect stamps.", "Oh."]), ("chat-1", ["I keep bees.", "Oh."])],
)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


async def test_the_file_of_openwebui_is_read_and_not_changed(tmp_path: Path) -> None:
    path = write_database(tmp_path / "webui.db", memories=MEMORIES, chats=CHATS)
    before = contents(tmp_path)

    assert await everything(path) == EVERYTHING
    assert (await opened(path)).users == frozenset({"anna", "ben"})
    assert contents(tmp_path) == before, "a new file in the folder might belong to another account"


@table("mode", ["WAL", "DELETE"])
async def test_a_database_in_use_is_read_and_can_be_written_meanwhile(tmp_path: Path, mode: str) -> None:
    path = write_database(tmp_path / f"{mode}.db", memories=MEMORIES[:1])
    running = sqlite3.connect(path)
    running.execute(f"PRAGMA journal_mode = {mode}")
    running.execute("INSERT INTO memory (id, user_id, content) VALUES ('m', 'anna', 'I moved to Ghent.')")
    running.commit()

    async with open_openwebui(str(path)) as source:
        running.execute("DELETE FROM memory WHERE id <> 'm'")
        running.commit()
    running.close()
    assert [each.content for each in source.memories] == ["I moved to Ghent.", "I keep bees."]
    assert await contents_of(path) == ["I moved to Ghent."]


async def test_a_chat_that_is_deleted_meanwhile_is_gone(tmp_path: Path) -> None:
    path = write_database(tmp_path / "webui.db", chats=CHATS)

    async with open_openwebui(str(path)) as source:
        with closing(sqlite3.connect(path)) as running, running:
            running.execute("DELETE FROM chat WHERE id = 'chat-2'")
        assert [await each.read() is None for each in source.chats] == [True, False]


async def test_a_file_of_an_older_release_is_read(tmp_path: Path) -> None:
    path = write_database(tmp_path / "webui.db", memories=MEMORIES, chats=CHATS, schema=OLD_SCHEMA)

    assert await everything(path) == EVERYTHING


async def test_bytes_that_are_no_text_are_replaced(tmp_path: Path) -> None:
    path = write_database(tmp_path / "webui.db")
    values = "('m', 'anna', CAST(x'ff41' AS TEXT))"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"INSERT INTO memory (id, user_id, content) VALUES {values}")

    assert await contents_of(path) == ["\ufffdA"]


async def test_the_database_of_another_program_and_a_torn_one_are_refused(tmp_path: Path) -> None:
    schema = ('CREATE TABLE "user" (id TEXT)', "CREATE TABLE x (y)")
    other, torn = write_database(tmp_path / "other.db", users=(), schema=schema), tmp_path / "torn.db"
    torn.write_bytes(b"SQLite format 3\0" + b"x" * 5000)

    for path, why in ((other, "no database of OpenWebUI"), (torn, "can't be read")):
        with pytest.raises(SourceError, match=why):
            await opened(path)


async def test_a_file_in_a_locked_folder_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_database(tmp_path / "webui.db", memories=MEMORIES)
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA journal_mode = DELETE")
    connect: Callable[..., sqlite3.Connection] = sqlite3.connect

    def connect_to_immutable(where: str, **options: Any) -> sqlite3.Connection:
        # As in such a folder, in which root can write; coverage opens databases of its own.
        if path.name in str(where) and "immutable" not in where:
            raise sqlite3.OperationalError("unable to open database file")
        return connect(where, **options)

    monkeypatch.setattr(sqlite3, "connect", connect_to_immutable)
    assert len(await contents_of(path)) == 2

    (tmp_path / "webui.db-wal").write_bytes(b"the last changes")
    with pytest.raises(SourceError, match=r"webui\.db-wal lies beside it"):
        await opened(path)


@table(
    ("text", "found"),
    [
        (json.dumps([*MEMORIES, *CHATS]), EVERYTHING),
        ("\n".join(map(json.dumps, [*MEMORIES, *CHATS])) + "\n", EVERYTHING),
        (json.dumps({"memories": MEMORIES, "chats": CHATS}), EVERYTHING),
        (json.dumps({"exported_at": 1, "user": {}, "chats": CHATS, "memories": MEMORIES}), EVERYTHING),
        (json.dumps({"chats": CHATS, "memories": None}), ([], EVERYTHING[1])),
        (json.dumps(CHATS[0]), ([], EVERYTHING[1][1:])),
        ('{"chats": []}', ([], [])),
        ("[]", ([], [])),
        ('\ufeff[{"content": "tea"}]', (["tea"], [])),
        (r'[{"content": "\ud800"}]', (["\ufffd"], [])),
        ('[{"content": "tea", "updated_at": NaN}]', (["tea"], [])),
        # a separator of lines within a text
        ('{"content": "1\u20282\x853"}\n{"content": "4"}', (["1\u20282\x853", "4"], [])),
    ],
)
async def test_an_export_is_read(tmp_path: Path, text: str, found: Any) -> None:
    path = tmp_path / "export.json"
    path.write_text(text, "utf-8")

    assert await everything(path) == found
    assert (await opened(path)).users is None


async def test_a_broken_row_of_an_export_is_named_by_its_place(tmp_path: Path) -> None:
    path = tmp_path / "export.jsonl"
    path.write_text("\n".join([json.dumps(MEMORIES[0]), "{broken", "[" * 100_000, json.dumps(MEMORIES[1])]))

    source = await opened(path)
    assert len(source.memories) == 2
    assert [each.partition(":")[0] for each in source.broken] == ["row number 2", "row number 3"]


@table(
    "content",
    [
        *(b"", b"my diary", b"[1, 2]", b'{"a": "diary"}', b'[{"diary": 1}]', b'"diary"', b"\xff\xfe\x00"),
        *(b'{"chats": {"diary": 1}}', b'{"chats": ["diary"]}', b"[" * 200_000),
    ],
)
async def test_a_file_of_something_else_is_refused_and_not_quoted(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)

    with pytest.raises(SourceError, match="no export") as raised:
        await opened(path)
    assert 'or an object with such lists as "memories" and "chats"' in str(raised.value)
    assert "diary" not in str(raised.value)


@table(
    ("name", "why"),
    [
        ("/no/such/file.db", "can't be read: No such file"),
        (Path(__file__).parent, "can't be read"),
        ("https://chat.example", "postgresql://"),
        ("mysql://a:secret@b/c", "postgresql://"),
        *((f"postgresql://anna:secret@127.0.0.1:{port}/none", "can't be reached") for port in (9, "port")),
    ],
)
async def test_a_missing_source_is_named_without_its_password(name: object, why: str) -> None:
    with pytest.raises(SourceError, match=why) as raised:
        await opened(name)
    assert "secret" not in str(raised.value)


async def test_a_chat_with_an_impossible_time_comes_first(tmp_path: Path) -> None:
    never = {"messages": [], "timestamp": 10**400}
    rows = [chat_row([], id_="late"), chat_row([], id_="odd", created_at=10**400, chat=never)]

    source = await opened(write_export(tmp_path / "export.json", rows))
    assert [each.name for each in source.chats] == ["odd", "late"]


async def fill(dsn: str, schema: Sequence[str] = SCHEMA) -> None:
    connection = await asyncpg.connect(dsn)
    for statement in schema:
        await connection.execute(statement)
    for table_name, rows, names in (
        ("memory", MEMORIES, ("id", "user_id", "content", "created_at", "type", "meta")),
        ("chat", CHATS, ("id", "user_id", "created_at", "chat")),
    ):
        places = ", ".join(f"${place}" for place in range(1, len(names) + 1))
        insert = f"INSERT INTO {table_name} ({', '.join(names)}) VALUES ({places})"
        for row in rows:
            values = (row[name] for name in names)
            await connection.execute(insert, *(json.dumps(v) if isinstance(v, dict) else v for v in values))
    await connection.execute("INSERT INTO \"user\" (id) VALUES ('anna'), ('ben')")
    await connection.close()


async def test_the_postgres_of_openwebui_is_read(empty_dsn: str) -> None:
    await fill(empty_dsn)

    for scheme in ("postgresql", "postgres", "postgresql+psycopg"):
        url = f"{scheme}://{empty_dsn.partition('://')[2]}"
        memories, chats = await everything(url)
        assert (sorted(memories), chats) == (sorted(EVERYTHING[0]), EVERYTHING[1])
        assert (await opened(url)).users == frozenset({"anna", "ben"})


async def test_a_postgres_without_its_tables_or_with_an_error_is_refused(empty_dsn: str) -> None:
    with pytest.raises(SourceError, match=r"no database of OpenWebUI.*\?search_path=SCHEMA"):
        await opened(empty_dsn)

    connection = await asyncpg.connect(empty_dsn)
    await connection.execute("CREATE VIEW memory AS SELECT 1 / 0 AS id, 1 AS created_at")
    await connection.close()
    with pytest.raises(SourceError, match=r"DivisionByZeroError\.$"):
        await opened(empty_dsn)


async def test_tables_in_a_schema_of_their_own_are_found_by_its_name(empty_dsn: str) -> None:
    in_schema = f"{empty_dsn}{'&' if '?' in empty_dsn else '?'}search_path=webui"
    connection = await asyncpg.connect(empty_dsn)
    await connection.execute("CREATE SCHEMA webui")
    await connection.close()
    await fill(in_schema)

    assert (await everything(in_schema))[1] == EVERYTHING[1]


def test_the_queries_only_read() -> None:
    queries = list(read_queries((resources.files(importers) / "openwebui.sql").read_text("utf-8")))

    assert len(queries) == 4
    assert all(query.text.startswith("SELECT ") for query in queries)


PASSWORD = "correct-horse"


@pytest.fixture
async def guarded() -> AsyncIterator[str]:
    """The URL, without a password, of an OpenWebUI's Postgres that asks everyone but its superuser for one."""
    with running_server() as dsn:
        await fill(dsn)
        async with administrator(dsn) as connection:
            role = f"webui LOGIN PASSWORD '{PASSWORD}' IN ROLE pg_read_all_data"
            await connection.execute(f"CREATE ROLE {role}")
            _ask_for_password(Path(await connection.fetchval("SHOW hba_file")))
            await connection.execute("SELECT pg_reload_conf()")
        yield urlsplit(dsn)._replace(netloc="webui@").geturl()


def _ask_for_password(rules: Path) -> None:
    rules.write_text(f"local all webui scram-sha-256\n{rules.read_text()}")


@pytest.mark.process
async def test_a_password_is_taken_from_the_environment_or_from_a_file(
    guarded: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passwords, elsewhere = tmp_path / ".pgpass", tmp_path / "elsewhere"
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("PGPASSWORD", "PGPASSFILE"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SourceError, match=r"can't be reached: InvalidPasswordError\."):
        await opened(guarded)

    with monkeypatch.context() as patch:
        patch.setenv("PGPASSWORD", PASSWORD)
        assert len(await contents_of(guarded)) == 2

    passwords.write_text(f"*:*:*:webui:{PASSWORD}\n")
    passwords.chmod(0o600)
    assert len(await contents_of(guarded)) == 2

    passwords.rename(elsewhere)
    monkeypatch.setenv("PGPASSFILE", str(elsewhere))
    assert len(await contents_of(guarded)) == 2
