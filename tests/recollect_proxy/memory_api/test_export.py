"""An export holds all of a user, as its schema says; erased and imported again, the store is as it was."""

import asyncio
import json
import re
import socket
from collections import defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker  # type: ignore[import-untyped]  # it ships no types
from tests.recollect.engines import engine_over
from tests.recollect.store.keeping import apply
from tests.recollect_proxy.memory_api.serving import TOKEN, Api, path_of, serve
from tests.servers.databases import administrator
from tests.support.notes import note_block, note_request
from tests.support.searching import important
from tests.support.stores import LATER, NOON, Store
from uuid_utils.compat import uuid7

from recollect import model
from recollect.engine import Engine
from recollect.store.users.portability import SECTIONS, query_of
from recollect.store.users.user_erasure import ERASED_TABLES
from recollect_proxy.memory_api import people_and_sharing_operations
from recollect_proxy.takeout.export_format import json_schema

SCHEMA = Path(__file__).parents[3] / "docs/reference/export.schema.json"


_MADE_ANEW: dict[str, set[str]] = {
    "users_vectors": {"changed"},
    "vectors": {"values", "embedding_model", "changed"},
    "exchanges": {"asking"},
    "profile_entries": {"values", "embedding_model"},
    "not_helpful": {"values", "embedding_model"},
    "message_chunks": {"document", "embedding_model", "changed", "terms", "counts"},
}
_BOOKKEEPING = {"leases", "tries", "users", "chunk_vectors"}
"""Who holds a lease just now, what a worker died of, embeddings, and versions."""


async def rows_of(dsn: str, user_id: str) -> dict[str, list[dict[str, Any]]]:
    """Return a user's rows, with those of their projects, of every table but what is made anew."""
    found = {}
    async with administrator(dsn) as connection:
        for table in set(ERASED_TABLES) - _BOOKKEEPING:
            owner = "owner" if table in {"vectors", "projects"} else "user_id"
            statement = f"SELECT * FROM recollect.{table} WHERE recollect.person_of({owner}) = $1"
            rows = await connection.fetch(statement, user_id)
            lacking = _MADE_ANEW.get(table, set())
            kept = [{name: value for name, value in row.items() if name not in lacking} for row in rows]
            found[table] = sorted(kept, key=repr)
    return found


@dataclass
class Kept:
    """A store in which Anna has something of everything, and the Memory API over it."""

    api: Api
    store: Store
    dsn: str
    engine: Engine

    @property
    def boat(self) -> str:
        return model.project_scope(self.store.anna, "boat")

    async def export(self) -> Any:
        answer = await self.api.call("GET", f"{path_of(self.store.anna)}/export")
        assert answer.status == 200, answer.body
        return answer.json

    async def restore(self, document: Any, user: str | None = None) -> Any:
        user = user or self.store.anna
        answer = await self.api.call("POST", f"{path_of(user)}/import", document)
        for scope in (user, model.project_scope(user, "boat")):
            await self.index(scope)
        return answer

    async def index(self, user: str) -> None:
        while (again := await self.engine.drain(user)) is not None:
            assert again.total_seconds() < 5, "something failed"

    async def rows(self, user: str | None = None) -> dict[str, list[dict[str, Any]]]:
        return await rows_of(self.dsn, user or self.store.anna)


@pytest.fixture
async def kept(own_store: Store, own_dsn: str) -> AsyncIterator[Kept]:
    engine = engine_over(own_store)
    async with serve(engine) as api:
        kept = Kept(api, own_store, own_dsn, engine)
        await live(kept)
        yield kept


async def live(kept: Kept) -> None:
    """Have Anna say, correct, refuse and set something of everything."""
    store, anna, scope = kept.store, kept.store.anna, kept.store.anna.scope
    for text in ("I have a cat called Minka.", "I moved to Lisbon \U0001f1f5\U0001f1f9 in May."):
        await store.log.append(store.exchange(text, speaker="Anna", parent="^"))
    await kept.index(anna)
    await store.log.append(store.exchange("And I still wait."))
    await kept.engine.erase_session(store.anna.chat("left out"), leaves_out=True)
    tea = await kept.engine.add(anna, "She drinks tea.", importance=0.3, event_at=NOON)
    await kept.engine.revise(anna, tea.id, content="She drinks green tea.")
    await kept.engine.revise(anna, tea.id, use=model.Use.ALWAYS, topics=("tea time",))
    smokes, row = [await kept.engine.add(anna, each) for each in ("She smokes.", "They row.")]
    await kept.engine.forget(anna, smokes.id)
    await store.memories.share(anna, row.id, at=NOON, actor=model.Actor.ADMIN)
    summed: Any = {"kind": model.Kind.SUMMARY, "outline": model.Outline(facts=("Lisbon",))}
    summary = store.memory("They spoke of moving.", source=model.Source.SUMMARY, **summed)
    hints = model.Hints(model.Use.TOPIC, ("shopping",), ("What do I buy?",))
    held = [store.memory(f"Always recommend {each}.", embedding=None, hints=hints) for each in ("X", "Y")]
    planted = [model.Quarantine(each, model.Reason.INSTRUCTION) for each in held]
    ends = (model.Retire(tea.id, model.Reason.ENDED, past=model.Past(LATER, model.Ending.CHANGED)),)
    plain = store.memory("Drinks no tea any more.", embedding=None)
    waiting = model.Quarantine(plain, model.Reason.APPROVAL, hides=False, then=ends)
    await apply(store, model.Add(summary), *planted, waiting, model.Add(store.memory("Old.")), at=LATER)
    await apply(store, model.Retire(summary.id, model.Reason.DELETED), actor=model.Actor.ADMIN, at=LATER)
    await kept.engine.refuse(anna, held[1].id)
    flags: Any = {"formation": model.Strategy.QA_TURN, "minimum_importance": 0.1, "profile": True}
    await kept.engine.change_flags(model.Flags(**flags), tuple(flags), anna)
    await kept.engine.add_to_profile(anna, model.ProfileField.NAME, "Is called Anna.")
    statements = [each for each in await important(store.snapshots, anna, limit=9) if each.owner == anna]
    proposals = {uuid7(): (each.id, model.ProfileField.NOTES) for each in statements}
    await store.profiles.propose(anna, proposals, at=NOON)
    await kept.engine.remove_from_profile(anna, next(iter(proposals)))
    await note_block(
        store.log, scope, model.Injection("a", model.Place.SYSTEM, "<memory>", (tea.id,), 3, NOON), []
    )
    await store.usage.use(anna, NOON.date(), 120)
    await store.usage.use(anna, NOON.date(), 40, for_summary=True)
    await store.log.append(said := store.exchange("What do I drink?"))
    measured: Any = {"found_by": model.SearchPath.LEXICAL, "budget": 900, "block_tokens": 40}
    measured |= {
        "complains": False,
        "given_by": {"statements": 2, "log": 1},
        "marked": True,
        "key": said.turn.key,
    }
    request = model.RequestRecord(uuid7(), NOON, scope, "completions/stable", "scripted", **measured)
    await note_request(store.log, request)
    assert await store.feedback.note_not_helpful(anna, request.id, tea.id, at=LATER)
    await store.memories.touch(anna, [tea.id], at=LATER)
    await store.asked.keep_request(scope, model.KeptRequest("a:1", model.LISTED, (tea.id,), NOON))
    await store.admin_reads.add_read(anna, model.AdminRead(uuid7(), NOON, "support", "page: memories"))
    assert await store.answers.reserve(anna, "a key", b"a hash", at=NOON) is None
    await store.answers.keep(anna, "a key", b'{"content": "She drinks tea."}', "v1", at=NOON)
    await store.inbox.ask_for_summary(scope, at=LATER)
    await kept.engine.add(kept.boat, "The boat is called Petrel.")
    await store.log.append(store.exchange("The mast is new.", model.Scope(kept.boat, "of the boat")))
    await kept.engine.change_project(anna, "boat", title="The Petrel", alone=True)
    await kept.index(anna)
    await kept.index(kept.boat)


def test_the_schema_in_the_documents_is_the_one_that_is_checked() -> None:
    assert json.loads(SCHEMA.read_text("utf-8")) == json_schema()


async def test_an_export_is_as_its_schema_says_and_holds_something_of_everything(kept: Kept) -> None:
    document = await kept.export()

    Draft202012Validator(json_schema(), format_checker=FormatChecker()).validate(document)
    told = (document["format"], document["version"], document["user_id"])
    assert told == ("recollect-export", 1, kept.store.anna)
    lists = {name: len(rows) for name, rows in document.items() if isinstance(rows, list)}
    assert all(lists.values()), lists
    assert document["chats_left_out"][0]["session_id"] == "left out"
    assert (document["usage"][0]["tokens"], document["usage"][0]["summary_tokens"]) == (160, 40)
    assert document["requests"][0]["found_by"] == "lexical"
    assert "Minka" in json.dumps(document["messages"])
    assert "values" not in document["memories"][0]
    assert document["chat_requests"][0]["asking"] == "listed"
    assert document["not_helpful"][0]["request_id"] == document["requests"][0]["id"]
    assert document["kept_answers"][0]["answer"] == '{"content": "She drinks tea."}'
    reads = [each["operation"] for each in document["admin_reads"]]
    assert {"page: memories", "export_user"} <= set(reads), reads
    assert any(each.startswith("settings: ") for each in reads)


_NOT_EXPORTED = {
    "leases": "who forms memories just now",
    "tries": "what a worker is doing just now",
    "users": "counts what changed",
    "message_chunks": "parts of messages",
    "chunk_vectors": "embeddings of those",
}
"""Tables that are derived from the others or temporary; docs/reference/export.md names each."""
_EMBEDDED = {"values", "embedding_model"}
_OF_A_VIEW = {"vector_id", "owner", "content_hash", "document", "changed", "hints_asked", "not_helpful"}
_COLUMNS_NOT_EXPORTED = {
    "memory_updates": {"number"},
    "not_helpful": _EMBEDDED,
    "vectors": _EMBEDDED | {"terms", "counts", "terms_by", "content_hash", "owner", "changed"},
    "users_vectors": _OF_A_VIEW,
    "quarantine": {"content_hash"},
    "profile_entries": _EMBEDDED | {"content_hash"},
    "exchanges": {"asking"},
    "messages": {"indexed", "lists", "self_share", "states_taste", "words"},
    "kept_answers": {"request"},
}
"""Derived columns: embeddings, terms, hashes, numbers of documents, features of a text."""


_COLUMNS = (
    "SELECT column_name AS name FROM information_schema.columns "
    "WHERE table_schema = 'recollect' AND table_name = $1 AND column_name <> 'user_id'"
)


async def test_every_table_and_column_of_a_user_is_exported_or_known_not_to_be(own_dsn: str) -> None:
    tables: dict[str, str] = defaultdict(str)
    for text in (query_of("export", section) for section in SECTIONS):
        for table in re.findall(r"(?:FROM|JOIN) (\w+)", text):
            tables[table] += text
    documented = (SCHEMA.parent / "export.md").read_text("utf-8")

    assert set(tables) | set(_NOT_EXPORTED) == set(ERASED_TABLES)
    assert not set(tables) & set(_NOT_EXPORTED)
    assert [table for table in _NOT_EXPORTED if f"`{table}`" not in documented] == []
    lacking: dict[str, set[str]] = {}
    async with administrator(own_dsn) as connection:
        for table, text in tables.items():
            columns = await connection.fetch(_COLUMNS, table)
            missing = {row["name"] for row in columns if not re.search(rf"\b{row['name']}\b", text)}
            if missing - _COLUMNS_NOT_EXPORTED.get(table, set()):
                lacking[table] = missing
    assert lacking == {}


async def test_erased_and_imported_the_store_is_as_it_was(kept: Kept) -> None:
    document = await kept.export()
    before = await kept.rows()
    await kept.engine.erase(kept.store.anna)
    assert not any((await kept.rows()).values())

    answer = await kept.restore(document)

    after = await kept.rows()
    shared = [each["id"] for each in document["memories"] if each["shared"]]
    assert answer.status == 200, answer.body
    assert sum(answer.json["there"].values()) == 0
    assert (answer.json["ignored"], len(before["kept_answers"])) == ({"kept_answers": 1}, 1)
    for table in before:
        if table == "kept_answers":
            assert after[table] == [], "it is told, and not brought back"
        elif table == "vectors":  # a shared memory that no other user sees is her own then
            assert [str(each["id"]) for each in after[table] if each not in before[table]] == shared
        else:  # of her view of it the owner
            same = {"owner": ""} if table == "users_vectors" else {}
            assert [each | same for each in after[table]] == [each | same for each in before[table]], table
    texts = [[each["content"] for each in one["memories"]] for one in (await kept.export(), document)]
    assert texts[0] == texts[1]


async def test_done_again_it_changes_nothing_and_for_another_it_changes_nobody_else(kept: Kept) -> None:
    document = await kept.export()
    before = await kept.rows()

    again = await kept.restore(document)
    other = await kept.restore(document, kept.store.ben)

    assert not any(again.json["new"].values())
    assert await kept.rows() == before
    assert other.json["new"]["messages"] == len(document["messages"])


async def test_a_profile_comes_back_where_it_is_allowed_alone(kept: Kept) -> None:
    document = await kept.export()
    states = sorted(row["state"] for row in document["profile"])
    await kept.engine.change_flags(model.Flags(profile=False), ("profile",), kept.store.ben)

    refused = await kept.restore(document, kept.store.ben)

    assert states == ["confirmed", "proposed", "refused"]
    assert [row["content"] for row in document["profile"] if row["state"] != "confirmed"] == [None, None]
    assert refused.json["new"]["profile"] == 0
    assert (await kept.rows(kept.store.ben))["profile_entries"] == []


async def test_what_was_let_go_of_since_does_not_come_back(kept: Kept) -> None:
    document = await kept.export()
    [tea] = [each for each in document["memories"] if each["content"] == "She drinks green tea."]
    await kept.engine.forget(kept.store.anna, tea["id"])

    await kept.restore(document)

    page = await kept.engine.page(kept.store.anna, limit=100)
    assert "She drinks green tea." not in [each.content for each in page.memories]


async def test_a_secret_in_a_file_is_masked(kept: Kept) -> None:
    document = await kept.export()
    secret = "My password is hunter2-Geheim!"
    hints = {"use": "topic", "topics": [secret], "questions": [secret]}
    document["messages"][0]["content"] = secret
    [edit, *_] = [each for each in document["history"] if "now" in each["details"]]
    edit["details"] |= {"hints": hints, "now": {**edit["details"]["now"], "hints": hints}}
    for section in ("memories", "quarantine"):
        document[section][0] |= hints

    await kept.restore(document, kept.store.ben)

    assert "hunter2" not in str(await kept.rows(kept.store.ben))


def changed(document: Any, section: str, **fields: Any) -> bytes:
    rows = [{**document[section][0], **fields}, *document[section][1:]]
    return json.dumps({**document, section: rows}).encode()


WRONG_SECTIONS: list[dict[str, Any]] = [
    *({"version": 2}, {"chats_left_out": {}}, {"profile": None}, {"admin_reads": "none"}, {"messages": {}})
]
WRONG_ROWS: list[tuple[str, dict[str, Any]]] = [
    *(("messages", {"project": each}) for each in ("a\x1fb", "cafe\u0301")),
    *(("messages", {"created_at": each}) for each in ("yesterday", "2026-02-31T00:00:00Z")),
    *(("messages", each) for each in ({"role": "god"}, {"content": "a\0b"}, {"turn_index": 2**40})),
    *(("memories", {"topics": each, "use": "topic", "questions": []}) for each in (["x"] * 7, ["x" * 81])),
    *(("memories", {"questions": each, "use": "topic", "topics": []}) for each in (["x"] * 3, ["x" * 201])),
    *(("memories", each) for each in ({"use": "never"}, {"use": "topic", "topics": None})),
    *(("memories", {each: "0001-01-01T00:00:00Z"}) for each in ("observed_at", "event_at", "expires_at")),
    *(("memories", each) for each in ({"importance": 7}, {"source": "global"}, {"id": "x"})),
    *(("profile", each) for each in ({"content": None}, {"state": "proposed"}, {"field": "secret-of"})),
    *(("projects", {"name": "the  boat"}), ("history", {"action": ["add"]})),
    ("settings", {"flags": {"formation": "the-secret-of-anna"}}),
    ("admin_reads", {"operation": "settings: secret-of"}),
    ("admin_reads", {"operation": 'settings: {"by": "god", "changed": {}}'}),
]


async def test_what_is_no_export_leaves_nothing(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    document = await kept.export()
    whole, path = json.dumps(document).encode(), f"{path_of(kept.store.ben)}/import"
    bodies = [
        *(b"", b"[]", b"hello", b'{"format": "recollect-export", "version": 1}', whole[: len(whole) // 2]),
        *(whole + b"[]", b"[" * 100_000, b'{"format": ' + b"[" * 100_000),
        *(json.dumps({**document, **each}).encode() for each in WRONG_SECTIONS),
        *(changed(document, section, **fields) for section, fields in WRONG_ROWS),
    ]

    for body in bodies:
        answer = await kept.api.call("POST", path, raw=body)
        assert (answer.status, answer.json["error"]["code"]) == (422, "invalid_export"), body[:80]
        assert "god" not in answer.json["error"]["message"]
        assert "secret-of" not in answer.json["error"]["message"]

    monkeypatch.setattr(people_and_sharing_operations, "LARGEST_IMPORT", len(whole) - 1)
    assert (await kept.api.call("POST", path, raw=whole)).status == 413
    assert not any((await kept.rows(kept.store.ben)).values())


async def test_who_reads_an_export_slowly_takes_no_connection_from_others(kept: Kept) -> None:
    for number in range(40):
        await kept.store.log.append(kept.store.exchange(f"{number} " + "word " * 40_000))
    loop, slow = asyncio.get_running_loop(), []
    head = f"GET {path_of(kept.store.anna)}/export HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}"
    try:
        for _ in range(11):  # more than the pool has connections
            one = socket.socket()
            slow.append(one)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.setblocking(False)  # noqa: FBT003 -- as it is declared
            await loop.sock_connect(one, ("127.0.0.1", kept.api.port))
            await loop.sock_sendall(one, f"{head}\r\n\r\n".encode())
        begun = await asyncio.gather(*(loop.sock_recv(one, 16) for one in slow))  # all documents are written

        assert set(begun) == {b"HTTP/1.1 200 OK\r"[:16]}
        assert (await kept.engine.page("somebody", limit=1)).memories == ()
    finally:
        for one in slow:
            one.close()
