"""OpenWebUI's file, its Postgres and its exports give the same, and none of them is changed."""

import json
import sqlite3
from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from tests.recollect_proxy.importers.kept import (
    OLD_SCHEMA,
    SCHEMA,
    chat_row,
    memory_row,
    talk,
    write_database,
    write_export,
)
from tests.tables import table

from recollect.store.sql import read_queries
from recollect_proxy import importers
from recollect_proxy.importers.lines import Source, SourceError
from recollect_proxy.importers.openwebui_database import open_openwebui

MEMORIES = [memory_row("I keep bees."), memory_row("I collect stamps.", user="ben")]
CHATS = [
    chat_row(talk(("I keep bees.", "Oh."))),
    chat_row(talk(("I collect stamps.", "Oh.")), id_="chat-2", user="ben", created_at=1),
]


def contents_of(source: Source) -> list[str]:
    """Return what the memories say."""
    return [each.content for each in source.memories]


async def everything(source: Source) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """Return what the memories say, and the chats with what is said in them."""
    chats = [await each.read() for each in source.chats]
    return (
        contents_of(source),
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

    async with open_openwebui(str(path)) as source:
        assert await everything(source) == EVERYTHING
        assert source.users == frozenset({"anna", "ben"})

    assert contents(tmp_path) == before, "and no file is left beside it, which might be another account's"


async def test_what_openwebui_wrote_last_is_read_while_it_runs_and_it_can_go_on(tmp_path: Path) -> None:
    path = write_database(tmp_path / "webui.db", memories=MEMORIES[:1])
    running = sqlite3.connect(path)
    running.execute("INSERT INTO memory (id, user_id, content) VALUES ('m', 'anna', 'I moved to Ghent.')")
    running.commit()

    async with open_openwebui(str(path)) as source:
        assert contents_of(source) == ["I moved to Ghent.", "I keep bees."]
        running.execute("INSERT INTO memory (id, user_id, content) VALUES ('n', 'anna', 'Again.')")
        running.commit()
    async with open_openwebui(str(path)) as source:
        assert len(source.memories) == 3
    running.close()


async def test_a_chat_that_is_deleted_meanwhile_is_gone(tmp_path: Path) -> None:
    path = write_database(tmp_path / "webui.db", chats=CHATS)

    async with open_openwebui(str(path)) as source:
        running = sqlite3.connect(path)
        running.execute("DELETE FROM chat WHERE id = 'chat-2'")
        running.commit()
        running.close()
        assert [await each.read() is None for each in source.chats] == [True, False]


async def test_a_file_of_an_older_release_is_read(tmp_path: Path) -> None:
    path = write_database(tmp_path / "webui.db", memories=MEMORIES, chats=CHATS, schema=OLD_SCHEMA)

    async with open_openwebui(str(path)) as source:
        assert await everything(source) == EVERYTHING


async def test_a_file_without_a_log_of_changes_is_read_while_it_is_written(tmp_path: Path) -> None:
    path = write_database(tmp_path / "webui.db", memories=MEMORIES)
    running = sqlite3.connect(path)
    running.execute("PRAGMA journal_mode = DELETE")

    async with open_openwebui(str(path)) as source:
        assert len(source.memories) == 2
        running.execute("DELETE FROM memory WHERE user_id = 'ben'")
        running.commit()
    async with open_openwebui(str(path)) as source:
        assert len(source.memories) == 1
    running.close()


async def test_bytes_that_are_no_text_are_survived(tmp_path: Path) -> None:
    path = write_database(tmp_path / "webui.db")
    connection = sqlite3.connect(path)
    connection.execute(
        "INSERT INTO memory (id, user_id, content) VALUES ('m', 'anna', CAST(x'ff41' AS TEXT))"
    )
    connection.commit()
    connection.close()

    async with open_openwebui(str(path)) as source:
        assert contents_of(source) == ["\ufffdA"]


async def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    path = write_database(
        tmp_path / "other.db", users=(), schema=('CREATE TABLE "user" (id TEXT)', "CREATE TABLE x (y)")
    )

    with pytest.raises(SourceError, match="no database of OpenWebUI"):
        async with open_openwebui(str(path)):
            pass


async def test_a_torn_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "webui.db"
    path.write_bytes(b"SQLite format 3\0" + b"x" * 5000)

    with pytest.raises(SourceError, match="can't be read"):
        async with open_openwebui(str(path)):
            pass


async def test_a_file_in_a_folder_that_cannot_be_written_is_read_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_database(tmp_path / "webui.db", memories=MEMORIES)
    other = sqlite3.connect(path)
    other.execute("PRAGMA journal_mode = DELETE")
    other.close()
    connect: Callable[..., sqlite3.Connection] = sqlite3.connect

    def connect_where_nothing_can_be_written(where: str, **options: Any) -> sqlite3.Connection:
        if "immutable" not in where:  # as SQLite says it there, and root can write anywhere
            raise sqlite3.OperationalError("unable to open database file")
        return connect(where, **options)

    monkeypatch.setattr(sqlite3, "connect", connect_where_nothing_can_be_written)
    async with open_openwebui(str(path)) as source:
        assert len(source.memories) == 2

    (tmp_path / "webui.db-wal").write_bytes(b"what was written last")
    with pytest.raises(SourceError, match=r"webui\.db-wal lies beside it"):
        async with open_openwebui(str(path)):
            pass


@table("lines", [False, True])
async def test_an_export_is_read(tmp_path: Path, lines: bool) -> None:  # noqa: FBT001 -- of a row
    path = write_export(tmp_path / "export.json", [*MEMORIES, *CHATS], lines=lines)

    async with open_openwebui(str(path)) as source:
        assert await everything(source) == EVERYTHING
        assert source.users is None


async def test_one_exported_chat_and_an_empty_export_are_read(tmp_path: Path) -> None:
    (tmp_path / "chat.json").write_text(json.dumps(CHATS[0]))
    (tmp_path / "none.json").write_text("[]")

    async with open_openwebui(str(tmp_path / "chat.json")) as source:
        assert [each.name for each in source.chats] == ["chat-1"]
    async with open_openwebui(str(tmp_path / "none.json")) as source:
        assert await everything(source) == ([], [])


@table(
    "wrapped",
    [
        {"memories": MEMORIES, "chats": CHATS},
        {"exported_at": 1_760_000_000, "user": {}, "chats": CHATS, "memories": MEMORIES},
    ],
)
async def test_an_export_may_be_an_object_of_lists(tmp_path: Path, wrapped: dict[str, Any]) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps(wrapped))

    async with open_openwebui(str(path)) as source:
        assert await everything(source) == EVERYTHING


async def test_an_object_of_one_list_or_of_an_empty_one_is_an_export(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"chats": CHATS, "memories": None}))
    async with open_openwebui(str(path)) as source:
        assert await everything(source) == ([], EVERYTHING[1])

    path.write_text('{"chats": []}')
    async with open_openwebui(str(path)) as source:
        assert await everything(source) == ([], [])


@table("content", [b'\xef\xbb\xbf[{"content": "tea"}]', rb'[{"content": "\ud800"}]', b'[{"content": NaN}]'])
async def test_an_export_may_be_laxer_than_json(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "export.json"
    path.write_bytes(content)

    async with open_openwebui(str(path)) as source:
        assert len(source.memories) + len(source.broken) == 1


async def test_a_broken_row_of_an_export_is_named_by_its_place(tmp_path: Path) -> None:
    path = tmp_path / "export.jsonl"
    path.write_text("\n".join([json.dumps(MEMORIES[0]), "{broken", "[" * 100_000, json.dumps(MEMORIES[1])]))

    async with open_openwebui(str(path)) as source:
        assert contents_of(source) == ["I keep bees.", "I collect stamps."]
        assert [each.partition(":")[0] for each in source.broken] == ["row number 2", "row number 3"]


async def test_line_separators_within_a_text_do_not_part_its_row(tmp_path: Path) -> None:
    path = tmp_path / "export.jsonl"
    rows = [memory_row("one\u2028two\x85three"), memory_row("four")]
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")

    async with open_openwebui(str(path)) as source:
        assert contents_of(source) == ["one\u2028two\x85three", "four"]


@table(
    "content",
    [
        *(b"", b"my diary", b"[1, 2]", b'{"a": "diary"}', b'[{"diary": 1}]', b'"diary"', b"\xff\xfe\x00"),
        *(b'{"chats": {"diary": 1}}', b'{"chats": ["diary"]}', b"[" * 200_000),
    ],
)
async def test_what_is_no_export_is_told_with_what_is_expected_and_not_quoted(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)

    with pytest.raises(SourceError, match="no export") as raised:
        async with open_openwebui(str(path)):
            pass
    assert 'or an object with such lists as "memories" and "chats"' in str(raised.value)
    assert "diary" not in str(raised.value)


@table(
    ("name", "why"),
    [
        ("/no/such/file.db", "can't be read: No such file"),
        ("https://chat.example", "postgresql://"),
        ("mysql://a:secret@b/c", "postgresql://"),
        ("postgresql://anna:secret@127.0.0.1:9/none", "can't be reached"),
        ("postgresql://anna:secret@127.0.0.1:port/none", "can't be reached"),
    ],
)
async def test_a_source_that_is_not_there_is_said_without_its_password(name: str, why: str) -> None:
    with pytest.raises(SourceError, match=why) as raised:
        async with open_openwebui(name):
            pass
    assert "secret" not in str(raised.value)


async def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="can't be read"):
        async with open_openwebui(str(tmp_path)):
            pass


# -- Postgres --------------------------------------------------------------------------------------


async def test_a_chat_whose_time_no_float_can_hold_comes_first(tmp_path: Path) -> None:
    never = {"messages": [], "timestamp": 10**400}
    rows = [chat_row([], id_="late"), chat_row([], id_="odd", created_at=10**400, chat=never)]

    async with open_openwebui(str(write_export(tmp_path / "export.json", rows))) as source:
        assert [each.name for each in source.chats] == ["odd", "late"]


async def fill(dsn: str, schema: Sequence[str] = SCHEMA) -> None:
    connection = await asyncpg.connect(dsn)
    for statement in schema:
        await connection.execute(statement)
    for row in MEMORIES:
        await connection.execute(
            "INSERT INTO memory (id, user_id, content, created_at, type, meta) VALUES ($1, $2, $3, $4, $5, $6)",
            *(row[name] for name in ("id", "user_id", "content", "created_at", "type")),
            json.dumps(row["meta"]),
        )
    for row in CHATS:
        await connection.execute(
            "INSERT INTO chat (id, user_id, created_at, chat) VALUES ($1, $2, $3, $4)",
            *(row[name] for name in ("id", "user_id", "created_at")),
            json.dumps(row["chat"]),
        )
    await connection.execute("INSERT INTO \"user\" (id) VALUES ('anna'), ('ben')")
    await connection.close()


async def test_the_postgres_of_openwebui_is_read(empty_dsn: str) -> None:
    await fill(empty_dsn)

    for scheme in ("postgresql", "postgres", "postgresql+psycopg"):
        async with open_openwebui(f"{scheme}://{empty_dsn.partition('://')[2]}") as source:
            memories, chats = await everything(source)
            assert (sorted(memories), chats) == (sorted(EVERYTHING[0]), EVERYTHING[1])
            assert source.users == frozenset({"anna", "ben"})


async def test_a_postgres_of_something_else_is_refused(empty_dsn: str) -> None:
    with pytest.raises(SourceError, match="no database of OpenWebUI"):
        async with open_openwebui(empty_dsn):
            pass


async def test_one_that_fails_to_answer_is_told_without_its_data(empty_dsn: str) -> None:
    connection = await asyncpg.connect(empty_dsn)
    await connection.execute("CREATE VIEW memory AS SELECT 1 / 0 AS id, 1 AS created_at")
    await connection.close()

    with pytest.raises(SourceError, match=r"DivisionByZeroError\.$"):
        async with open_openwebui(empty_dsn):
            pass


async def test_tables_in_a_schema_of_their_own_are_found_by_its_name(empty_dsn: str) -> None:
    in_schema = f"{empty_dsn}{'&' if '?' in empty_dsn else '?'}search_path=webui"
    connection = await asyncpg.connect(empty_dsn)
    await connection.execute("CREATE SCHEMA webui")
    await connection.close()
    await fill(in_schema)

    async with open_openwebui(in_schema) as source:
        assert (await everything(source))[1] == EVERYTHING[1]
    with pytest.raises(SourceError, match=r"\?search_path=SCHEMA"):
        async with open_openwebui(empty_dsn):
            pass


def test_the_queries_only_read() -> None:
    queries = list(read_queries((resources.files(importers) / "openwebui.sql").read_text("utf-8")))

    assert len(queries) == 4
    assert all(query.text.startswith("SELECT ") for query in queries)
