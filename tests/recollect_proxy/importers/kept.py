"""Makes rows, chats and a database of OpenWebUI, in the shapes of release 0.12.4."""

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

BEGUN = 1_760_000_000
"""When the first chat began: October 2025."""

SCHEMA = (
    'CREATE TABLE "user" (id VARCHAR NOT NULL PRIMARY KEY, name VARCHAR, email VARCHAR)',
    """CREATE TABLE memory (id VARCHAR NOT NULL PRIMARY KEY, user_id VARCHAR, content TEXT, updated_at BIGINT,
        created_at BIGINT, type VARCHAR DEFAULT 'context' NOT NULL, path TEXT, meta JSON)""",
    """CREATE TABLE chat (id VARCHAR NOT NULL PRIMARY KEY, user_id VARCHAR, title TEXT, created_at BIGINT,
        updated_at BIGINT, chat JSON, meta JSON DEFAULT '{}' NOT NULL, current_message_id TEXT)""",
)

OLD_SCHEMA = (
    'CREATE TABLE "user" (id VARCHAR NOT NULL PRIMARY KEY, name VARCHAR)',
    "CREATE TABLE memory (id VARCHAR, user_id VARCHAR, content TEXT, updated_at BIGINT, created_at BIGINT)",
    "CREATE TABLE chat (id VARCHAR, user_id VARCHAR, title TEXT, created_at BIGINT, updated_at BIGINT, chat JSON)",
)
"""The schema of releases before memories had types and chats had `meta`."""


def memory_row(content: Any, *, user: str = "anna", **changed: Any) -> dict[str, Any]:
    """Return a row of the table `memory`."""
    row = {"id": f"memory of {user}: {content}", "user_id": user, "content": content, "type": "context"}
    row |= {"updated_at": BEGUN, "created_at": BEGUN, "path": None, "meta": {"created_by": "manual"}}
    return row | changed


def message(id_: str, role: str, content: Any, parent: str | None, **changed: Any) -> dict[str, Any]:
    """Return a message of a chat's tree."""
    return {"id": id_, "role": role, "content": content, "parentId": parent, "childrenIds": []} | changed


def talk(*pairs: tuple[str, str], name: str = "", begun: int = BEGUN) -> list[dict[str, Any]]:
    """Return the messages of a chat of questions and answers, whose ids are `{name}u1`, `{name}a1`, `{name}u2`, ..."""
    messages: list[dict[str, Any]] = []
    parent = None
    for number, (said, answer) in enumerate(pairs, start=1):
        at = begun + 60 * number
        question = message(f"{name}u{number}", "user", said, parent, timestamp=at)
        told = {"model": "scripted", "timestamp": at + 5, "done": True}
        reply = message(f"{name}a{number}", "assistant", answer, question["id"], **told)
        messages += question, reply
        parent = reply["id"]
    return messages


def chat_row(
    messages: Sequence[dict[str, Any]], *, id_: str = "chat-1", user: str = "anna", **changed: Any
) -> dict[str, Any]:
    """Return a row of the table `chat`, of which the last message is displayed, or `current`."""
    current = changed.pop("current", None) or (messages[-1]["id"] if messages else None)
    tree = {"currentId": current, "messages": {each["id"]: each for each in messages}}
    row = {
        "id": id_,
        "user_id": user,
        "title": "A chat",
        "created_at": BEGUN,
        "updated_at": BEGUN,
        "meta": {},
    }
    row["chat"] = {"id": id_, "history": tree, "messages": [], "timestamp": BEGUN * 1000}
    return row | {"current_message_id": current} | changed


def write_database(
    path: Path, users: Sequence[str] = ("anna", "ben"), schema: Sequence[str] = SCHEMA, **rows: Any
) -> Path:
    """Write OpenWebUI's file with ``memories`` and ``chats``, and a log of changes next to it; return its path."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    for statement in schema:
        connection.execute(statement)
    connection.executemany('INSERT INTO "user" (id) VALUES (?)', [(user,) for user in users])
    for table, name in (("memory", "memories"), ("chat", "chats")):
        known = [column[1] for column in connection.execute(f"PRAGMA table_info({table})")]
        for row in rows.get(name, ()):
            names = [name for name in known if name in row]
            marks = ", ".join("?" * len(names))
            values = [_column(row[name]) for name in names]
            connection.execute(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})", values)
    connection.commit()
    connection.close()
    return path


def write_export(path: Path, rows: Sequence[Any]) -> Path:
    """Write an export, and return its path."""
    path.write_text(json.dumps(rows) + "\n", "utf-8")
    return path


def _column(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, dict | list) else value
