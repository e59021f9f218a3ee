"""Files of ChatGPT, Claude, mem0 and the chat completions API are read; hostile ones are refused."""

import asyncio
import json
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.recollect_proxy.commands.command_line import recollect
from tests.servers.databases import sql_rows
from tests.support.tables import table

from recollect.model import Add
from recollect_proxy.importers import product_files
from recollect_proxy.importers.common_format import Source
from recollect_proxy.importers.other_products import read_chatgpt, read_claude
from recollect_proxy.importers.product_files import open_files
from recollect_proxy.importers.screening import screened
from recollect_proxy.takeout.large_json import FileError

AT = datetime(2026, 3, 15, tzinfo=UTC)
BEES, STAMPS = "I keep bees on the roof of the library.", "I collect stamps from Portugal."


def node(id_: str, parent: str | None, role: str, *parts: Any, **message: Any) -> dict[str, Any]:
    said = {"id": id_, "author": {"role": role, "name": None, "metadata": {}}, "create_time": 1714550000.5}
    said |= {"content": {"content_type": "text", "parts": list(parts)}, "recipient": "all"}
    said |= {"metadata": {"model_slug": "gpt-4o"} if role == "assistant" else {}} | message
    return {"id": id_, "message": said, "parent": parent, "children": []}


_CONTEXT = {
    "content_type": "model_editable_context",
    "model_set_context": "1. [2024-04-01]. Likes tea.\n2. [2024-04-02]. Rows.",
}
_NODES = [
    {"id": "root", "message": None, "parent": None, "children": []},
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
    node("m", "e", "user", content=_CONTEXT),
    node("u4", "m", "user", {"content_type": "image_asset_pointer"}, STAMPS),
    node("a4", "u4", "assistant", "Nice."),
]
_CHAT = {"create_time": 1714550000.0, "mapping": {each["id"]: each for each in _NODES}}
_CHAT |= {"current_node": "a4", "conversation_id": "c-1"}
CHATGPT: list[Any] = [_CHAT, {"id": "broken", "mapping": 7}, "no object"]
_ANSWER = [{"type": "thinking", "thinking": "Bees?"}, {"type": "text", "text": "How lovely."}]
CLAUDE = [
    {
        "uuid": "c-1",
        "created_at": "2025-02-03T10:00:00.123456Z",
        "chat_messages": [
            {"uuid": "1", "sender": "human", "text": BEES, "content": [{"type": "text", "text": BEES}]},
            {"uuid": "2", "sender": "assistant", "text": "", "content": _ANSWER},
        ],
    },
    {"uuid": "c-2", "created_at": "2025-02-04T10:00:00Z", "chat_messages": []},
]
_TOLD = "**Work context**\n\nAnna keeps bees.\n\n**Personal**\n\n- Anna rows."
CLAUDE_MEMORIES = [{"conversations_memory": _TOLD, "project_memories": {"p": "The project is a beehive."}}]
_MEMORIES = [
    {"id": "m-1", "memory": "Keeps bees", "user_id": "anna", "created_at": "2025-07-20T05:38:36.7-07:00"},
    {"id": "m-2", "payload": {"data": "Rows", "user_id": "ben"}},
    {"id": "m-3", "user_id": "ben"},
]
MEM0 = {"count": 2, "results": _MEMORIES}
_SAID = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": BEES}]
_OF_BEN = {"messages": [{"role": "user", "content": [{"type": "text", "text": STAMPS}]}]}
LINES: list[Any] = [
    [*_SAID, {"role": "assistant", "content": "Oh."}],
    _OF_BEN | {"user": "ben", "chat_id": "c"},
    {"messages": [{"role": "wizard", "content": "x"}]},
]

BRANCH = [BEES, "I look that up.\n\nHow lovely.", "And wasps?", "", STAMPS, "Nice."]
CHATGPT_S = (["Keeps bees.", "Likes tea.", "Rows."], [BRANCH], ["row broken", "row number 3"])
TALKS = [[BEES, "How lovely."], []]
PARAGRAPHS = ["Anna keeps bees.", "Anna rows.", "The project is a beehive."]
MEM0_S: tuple[Any, ...] = (["Keeps bees", "Rows"], [], ["row m-3"])


def archive(path: Path, **contents: Any) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in contents.items():
            file.writestr(f"data/{name}.json", json.dumps(content))
        file.writestr("data/chat.html", "<html>")
    return path


def written(path: Path, content: Any) -> Path:
    """Write a JSON file; of a list of lines one a line, the last of which is broken."""
    is_lines = path.suffix == ".jsonl"
    path.write_text("\n".join([*map(json.dumps, content), "no json"]) if is_lines else json.dumps(content))
    return path


async def contents(source: Source) -> tuple[list[str], list[list[str]], list[str]]:
    """Return the texts of memories, those of each chat, and the names of broken rows."""
    chats = [chat for each in source.chats if (chat := await each.read()) is not None]
    return (
        [each.content for each in source.memories],
        [[each.text for each in chat.messages] for chat in chats],
        [each.partition(":")[0] for each in source.broken],
    )


@table(
    ("product", "name", "content", "found"),
    [
        ("chatgpt", "g.zip", {"conversations": CHATGPT, "user": {}}, CHATGPT_S),
        ("chatgpt", "g.zip", {"conversations-000": CHATGPT}, CHATGPT_S),
        ("chatgpt", "conversations.json", CHATGPT, CHATGPT_S),
        ("claude", "c.zip", {"conversations": CLAUDE, "memories": CLAUDE_MEMORIES}, (PARAGRAPHS, TALKS, [])),
        ("claude", "c.json", CLAUDE, ([], TALKS, [])),
        ("claude", "m.json", CLAUDE_MEMORIES, (PARAGRAPHS, [], [])),
        *(("mem0", "m.json", each, MEM0_S) for each in (MEM0, _MEMORIES)),
        ("mem0", "m.json", _MEMORIES[0], (["Keeps bees"], [], [])),
        ("jsonl", "l.jsonl", LINES, ([], [[BEES, "Oh."], [STAMPS]], ["row number 3", "row number 4"])),
        ("jsonl", "l.json", LINES[:2], ([], [[BEES, "Oh."], [STAMPS]], [])),
        ("jsonl", "l.json", LINES[0], ([], [[BEES, "Oh."]], [])),
    ],
)
async def test_a_file_is_read(tmp_path: Path, product: str, name: str, content: Any, found: Any) -> None:
    path = tmp_path / name
    written_as = archive(path, **content) if path.suffix == ".zip" else written(path, content)

    async with open_files(product, written_as) as source:
        assert await contents(source) == found


@table(("read", "item"), [(read_chatgpt, CHATGPT[0]), (read_claude, CLAUDE[0])])
def test_an_error_in_place_of_an_answer_is_marked(read: Callable[..., Any], item: Any) -> None:
    failed = json.loads(json.dumps(item).replace('"text": ""', '"text": "", "error": "overloaded"'))

    assert [each.is_failed for each in next(read(failed)).messages].count(True) == 1


async def test_mem0s_categories_and_fitting_metadata_come_along(tmp_path: Path) -> None:
    values = {"source": "crm", "rank": 2, "nested": {"a": 1}, "a b": 1, "none": None, "long": "x" * 201}
    rows = [
        {"memory": "Keeps bees", "categories": ["Hobby", 7], "metadata": values},
        {"memory": "Sails", "metadata": []},
    ]

    async with open_files("mem0", written(tmp_path / "m.json", rows)) as source:
        added = [screened(each, at=AT) for each in source.memories]

    assert [(each.memory.tags, each.memory.metadata) for each in added if isinstance(each, Add)] == [
        (("hobby",), {"source": "crm", "rank": 2}),
        ((), {}),
    ]


async def test_ids_are_kept_and_a_chat_without_one_is_known_by_its_beginning(tmp_path: Path) -> None:
    begun: list[Any] = [*LINES[0], {"role": "user", "content": "Many."}]
    longer = [*begun, {"role": "assistant", "content": "How many?"}]
    async with (
        open_files("jsonl", written(tmp_path / "l.json", [begun, LINES[1]])) as lines,
        open_files("jsonl", written(tmp_path / "m.json", [longer])) as later,
        open_files("mem0", written(tmp_path / "n.json", MEM0)) as memories,
    ):
        known = [(each.name, each.user_id) for each in lines.chats]
        assert known == [(later.chats[0].name, ""), ("c", "ben")]
        assert [each.user_id for each in memories.memories] == ["anna", "ben"]


@pytest.mark.parametrize(
    ("product", "content", "chats", "memories"), [("chatgpt", CHATGPT, 2, 3), ("jsonl", LINES[:2], 1, 0)]
)
def test_a_file_comes_by_command_once_for_the_user_named(
    own_dsn: str, data_dir: Path, tmp_path: Path, product: str, content: Any, chats: int, memories: int
) -> None:
    variables = {"RECOLLECT_DATABASE_URL": own_dsn, "RECOLLECT_DATA_DIR": str(data_dir)}
    command = ("import", product, written(tmp_path / "f.json", content), "--user", "anna", "--json")

    counts = []
    for further in (["--dry-run"], [], []):
        done = recollect(*command, *further, **variables)
        assert done.exit_code == 0, done.output
        told = json.loads(done.stdout)
        counts.append((told["exchanges"].get("new", 0), told["memories"].get("new", 0)))

    assert counts == [(chats, memories), (chats, memories), (0, 0)]
    assert asyncio.run(owners(own_dsn)) == {"anna"}


async def owners(dsn: str) -> set[str]:
    """Return all users of whom something is kept."""
    rows = await sql_rows(
        dsn, "SELECT user_id FROM recollect.messages UNION SELECT owner FROM recollect.vectors"
    )
    return {row["user_id"] for row in rows}


def raw(content: bytes, name: str = "n.json") -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        (folder / name).write_bytes(content)
        return folder / name

    return write


def bomb(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "b.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("conversations.json", b"[" + b" " * 50_000_000 + b"]")
    return folder / "b.zip"


@table(
    ("write", "complaint"),
    [
        (bomb, "unpacks to more"),
        *(
            (raw(each), "nested")
            for each in (b"[" * 5_000_000, b'[{"id": "x", "mapping": {"a": ' + b"[" * 3_000)
        ),
        *((raw(each), "ends within") for each in (b'[{"id": "x"', b"")),
        (raw(b"hello"), "no JSON"),
        (raw(b"PK\x03\x04 and no more", "n.zip"), "no zip archive"),
        (lambda folder: archive(folder / "e.zip", other=[]), "without any"),
        (lambda folder: folder / "none.json", "can't be read"),
        (lambda folder: written(folder / "o.json", {"chats": []}), "no list"),
    ],
)
async def test_hostile_files_fail(write: Callable[[Path], Path], complaint: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=complaint) as refused:
        async with open_files("chatgpt", write(tmp_path)):
            pass
    assert "\n" not in str(refused.value)


async def test_an_archives_files_share_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(product_files, "LARGEST_FILE", 100)
    several = {f"conversations-{number}": [{"x": "x" * 50}] for number in range(2)}

    async with open_files("chatgpt", archive(tmp_path / "a.zip", conversations=several["conversations-0"])):
        pass
    with pytest.raises(FileError, match="unpacks to more"):
        async with open_files("chatgpt", archive(tmp_path / "b.zip", **several)):
            pass
