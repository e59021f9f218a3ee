"""Files as ChatGPT, Claude, mem0 and the chat completions API have them, imported by command into a real store."""

import asyncio
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.databases import administrator
from tests.recollect_proxy.command_line import recollect

Importing = Callable[..., Any]

BEES = "I keep bees on the roof of the library."
STAMPS = "I collect stamps from Portugal."


def node(id_: str, parent: str | None, role: str, *parts: Any, **message: Any) -> dict[str, Any]:
    """Return a node of ChatGPT's tree."""
    said = {
        "id": id_,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": 1714550000.5,
        "content": {"content_type": "text", "parts": list(parts)},
        "status": "finished_successfully",
        "metadata": {"model_slug": "gpt-4o"} if role == "assistant" else {},
        "recipient": "all",
        **message,
    }
    return {"id": id_, "message": said, "parent": parent, "children": []}


def chatgpt_chat(*nodes: dict[str, Any], current: str, **changed: Any) -> dict[str, Any]:
    """Return a conversation of ChatGPT's."""
    root: dict[str, Any] = {"id": "root", "message": None, "parent": None, "children": []}
    return {
        "title": "Bees",
        "create_time": 1714550000.0,
        "update_time": 1714550100.0,
        "mapping": {each["id"]: each for each in (root, *nodes)},
        "current_node": current,
        "conversation_id": "c-1",
        "id": "c-1",
    } | changed


CHATGPT = [
    chatgpt_chat(
        node("s", "root", "system", "", metadata={"is_visually_hidden_from_conversation": True}),
        node("u1", "s", "user", "I keep wasps."),
        node("a1", "u1", "assistant", "Wasps!"),
        node("u2", "s", "user", BEES),
        node("t", "u2", "assistant", content={"content_type": "thoughts", "thoughts": []}),
        node("a2", "t", "assistant", "I look that up."),
        node("b", "a2", "assistant", "Keeps bees.", recipient="bio"),
        node("bt", "b", "tool", "Model set context updated."),
        node("a3", "bt", "assistant", "How lovely."),
        node("u3", "a3", "user", "And wasps?"),
        node("e", "u3", "assistant", content={"content_type": "system_error", "text": "Oops."}),
        node(
            "m",
            "e",
            "user",
            content={
                "content_type": "model_editable_context",
                "model_set_context": "1. [2024-04-01]. Likes tea.\n2. [2024-04-02]. Rows.",
            },
        ),
        node("u4", "m", "user", {"content_type": "image_asset_pointer"}, STAMPS),
        node("a4", "u4", "assistant", "Nice."),
        current="a4",
    ),
    {"id": "broken", "mapping": 7},
    "no object",
]
CLAUDE = [
    {
        "uuid": "c-1",
        "name": "Bees",
        "created_at": "2025-02-03T10:00:00.123456Z",
        "account": {"uuid": "a"},
        "chat_messages": [
            {
                "uuid": "1",
                "sender": "human",
                "text": BEES,
                "content": [{"type": "text", "text": BEES}],
                "created_at": "2025-02-03T10:00:00Z",
            },
            {
                "uuid": "2",
                "sender": "assistant",
                "text": "",
                "content": [
                    {"type": "thinking", "thinking": "Bees?"},
                    {"type": "text", "text": "How lovely."},
                ],
                "created_at": "2025-02-03T10:00:05Z",
            },
        ],
    },
    {"uuid": "c-2", "name": "", "created_at": "2025-02-04T10:00:00Z", "chat_messages": []},
]
CLAUDE_MEMORIES = [
    {
        "conversations_memory": "**Work context**\n\nAnna keeps bees.\n\n**Personal**\n\n- Anna rows.",
        "project_memories": {"p": "The project is a beehive."},
        "account_uuid": "a",
    }
]
MEM0 = {
    "count": 2,
    "results": [
        {
            "id": "m-1",
            "memory": "Keeps bees",
            "user_id": "anna",
            "metadata": None,
            "created_at": "2025-07-20T05:38:36.728562-07:00",
        },
        {
            "id": "m-2",
            "memory": "Rows",
            "user_id": "ben",
            "created_at": "2025-07-20T05:38:36-07:00",
            "updated_at": "2025-08-20T05:38:36-07:00",
        },
        {"id": "m-3", "user_id": "ben"},
    ],
}
LINES = [
    [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": BEES},
        {"role": "assistant", "content": "Oh."},
    ],
    {
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": STAMPS}]},
            {"role": "assistant", "content": "Ah."},
        ],
        "user": "ben",
        "chat_id": "c-9",
        "created_at": "2025-01-01T00:00:00Z",
    },
    {"messages": [{"role": "wizard", "content": "x"}]},
]


@pytest.fixture
def importing(own_dsn: str, data_dir: Path) -> Importing:
    """Return what imports by command, and returns the document that is printed, or the status where another is wanted."""

    def run(kind: str, *arguments: str | Path, status: int = 0) -> Any:
        variables = {"RECOLLECT_DATABASE_URL": own_dsn, "RECOLLECT_DATA_DIR": str(data_dir)}
        done = recollect("import", kind, *arguments, "--json", **variables)
        assert done.exit_code == status, done.output
        return json.loads(done.stdout) if status == 0 else done.stderr

    return run


async def said(dsn: str) -> list[tuple[str, str, str]]:
    """Return what the log holds, in order: whose, the role, the words."""
    async with administrator(dsn) as connection:
        rows = await connection.fetch("SELECT user_id, role, content FROM recollect.messages ORDER BY id")
    return [tuple(row) for row in rows]


async def remembered(dsn: str) -> set[tuple[str, str]]:
    """Return whose memory says what."""
    async with administrator(dsn) as connection:
        rows = await connection.fetch("SELECT owner, content FROM recollect.vectors")
    return {tuple(row) for row in rows}


def archive(path: Path, **files: Any) -> Path:
    """Write an archive of JSON files."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in files.items():
            file.writestr(f"data/{name}.json", json.dumps(content))
        file.writestr("data/chat.html", "<html>")
    return path


def written(path: Path, content: Any) -> Path:
    """Write a JSON file."""
    path.write_text(json.dumps(content), "utf-8")
    return path


def lines(path: Path, content: list[Any]) -> Path:
    """Write lines of JSON."""
    path.write_text("\n".join(map(json.dumps, content)) + "\nno json\n", "utf-8")
    return path


CHATS = [
    (
        "chatgpt",
        lambda folder: archive(folder / "gpt.zip", conversations=CHATGPT, user={}),
        ("--user", "anna"),
    ),
    (
        "chatgpt",
        lambda folder: archive(folder / "g.zip", **{"conversations-000": CHATGPT}),
        ("--user", "anna"),
    ),
    ("chatgpt", lambda folder: written(folder / "conversations.json", CHATGPT), ("--user", "anna")),
    (
        "claude",
        lambda folder: archive(folder / "c.zip", conversations=CLAUDE, memories=CLAUDE_MEMORIES),
        ("--user", "anna"),
    ),
    ("claude", lambda folder: written(folder / "conversations.json", CLAUDE), ("--user", "anna")),
    ("jsonl", lambda folder: lines(folder / "chats.jsonl", LINES), ("--user", "anna", "--user", "ben")),
    ("mem0", lambda folder: written(folder / "mem0.json", MEM0), ()),
]


@pytest.mark.parametrize(("kind", "write", "options"), CHATS)
def test_a_dry_run_writes_nothing_and_what_is_done_again_brings_nothing_twice(
    importing: Importing, tmp_path: Path, kind: str, write: Callable[[Path], Path], options: tuple[str, ...]
) -> None:
    file = write(tmp_path)

    dry, first, second = (
        importing(kind, file, *options, "--dry-run"),
        importing(kind, file, *options),
        importing(kind, file, *options),
    )

    assert first["exchanges"].get("new", 0) + first["memories"].get("new", 0) > 0
    assert (dry["exchanges"], dry["memories"], dry["skipped"]) == (
        first["exchanges"],
        first["memories"],
        first["skipped"],
    )
    assert second["exchanges"].get("new", 0) == second["memories"].get("new", 0) == 0


def test_the_branch_that_chatgpt_showed_is_brought_without_tools_and_failures(
    importing: Importing, tmp_path: Path
) -> None:
    done = importing("chatgpt", archive(tmp_path / "gpt.zip", conversations=CHATGPT), "--user", "anna")

    assert (done["exchanges"]["new"], done["memories"]["new"], len(done["skipped"])) == (2, 3, 2)


def test_what_is_said_is_kept_in_order(own_dsn: str, data_dir: Path, tmp_path: Path) -> None:
    variables = {"RECOLLECT_DATABASE_URL": own_dsn, "RECOLLECT_DATA_DIR": str(data_dir)}
    file = archive(tmp_path / "gpt.zip", conversations=CHATGPT)
    done = recollect("import", "chatgpt", file, "--user", "anna", **variables)

    assert done.exit_code == 0, done.output
    assert [words for _, _, words in asyncio.run(said(own_dsn))] == [
        BEES,
        "I look that up.\n\nHow lovely.",
        STAMPS,
        "Nice.",
    ]
    assert asyncio.run(remembered(own_dsn)) == {
        ("anna", each) for each in ("Keeps bees.", "Likes tea.", "Rows.")
    }


def test_of_claude_the_words_are_brought_and_each_paragraph_of_its_memory(
    importing: Importing, tmp_path: Path
) -> None:
    done = importing(
        "claude",
        archive(tmp_path / "c.zip", conversations=CLAUDE, memories=CLAUDE_MEMORIES),
        "--user",
        "anna",
    )
    alone = importing("claude", written(tmp_path / "m.json", CLAUDE_MEMORIES), "--user", "ben")

    assert (done["exchanges"]["new"], done["memories"]["new"], done["left_out"]) == (
        1,
        3,
        {"nothing said": 1},
    )
    assert alone["memories"]["new"] == 3


def test_mem0_s_memories_go_to_whom_they_name(importing: Importing, tmp_path: Path) -> None:
    everybody = importing("mem0", written(tmp_path / "a.json", MEM0))
    nobody = importing("mem0", written(tmp_path / "b.json", [{"id": "m-9", "memory": "Swims"}]))
    somebody = importing(
        "mem0", written(tmp_path / "c.json", [{"id": "m-9", "memory": "Swims"}]), "--user", "cleo"
    )

    assert (everybody["users"], everybody["memories"]["new"], len(everybody["skipped"])) == (2, 2, 1)
    assert (nobody["memories"], len(nobody["skipped"])) == ({}, 1)
    assert somebody["memories"]["new"] == 1


def test_lines_go_to_whom_they_name_and_a_list_of_chats_is_taken_too(
    importing: Importing, tmp_path: Path
) -> None:
    done = importing("jsonl", lines(tmp_path / "a.jsonl", LINES), "--user", "anna")
    listed = importing("jsonl", written(tmp_path / "b.json", LINES[:2]), "--user", "anna", "--dry-run")

    assert (done["exchanges"]["new"], len(done["skipped"])) == (1, 2), (
        "Ben's is left: only Anna's was asked for"
    )
    assert listed["exchanges"] == {"new": 0, "there": 1}


def bomb(path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("conversations.json", b"[" + b" " * 50_000_000 + b"]")
    return path


def raw(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("write", "complaint"),
    [
        (lambda folder: bomb(folder / "b.zip"), "unpacks to more"),
        (lambda folder: raw(folder / "n.json", b"[" * 5_000_000), "nested"),
        (lambda folder: raw(folder / "n.json", b'[{"id": "x", "mapping": {"a": ' + b"[" * 300), "nested"),
        (lambda folder: raw(folder / "n.json", b'[{"id": "x"'), "ends within"),
        (lambda folder: raw(folder / "n.json", b"hello"), "no JSON"),
        (lambda folder: raw(folder / "n.json", b""), "ends within"),
        (lambda folder: raw(folder / "n.zip", b"PK\x03\x04 and no more"), "no zip archive"),
        (lambda folder: archive(folder / "e.zip", other=[]), "without any"),
        (lambda folder: folder / "none.json", "can't be read"),
        (lambda folder: written(folder / "o.json", {"chats": []}), "no list"),
    ],
)
def test_a_hostile_file_is_refused_in_one_line(
    importing: Importing, tmp_path: Path, write: Callable[[Path], Path], complaint: str
) -> None:
    said = importing("chatgpt", write(tmp_path), "--user", "anna", status=1)

    assert complaint in said
    assert len(said.splitlines()) == 1
