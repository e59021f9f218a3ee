"""Steps that tests of the store share: keep, form, read."""

from datetime import datetime
from typing import Any
from uuid import UUID

from tests.servers.databases import administrator
from tests.support.notes import note_block
from tests.support.stores import LATER, MODEL, NOON, NORTH, Store, vector
from uuid_utils.compat import uuid7

from recollect.model import (
    Actor,
    Add,
    Change,
    EmbeddedRevision,
    EntryState,
    Exchange,
    Formed,
    IndexedChunk,
    IndexedMessage,
    Injection,
    Memory,
    Pending,
    Place,
    ProfileEntry,
    ProfileField,
    Provenance,
    RequestRecord,
    Revision,
    Scope,
    Update,
)
from recollect.store.log_index import LogIndex
from recollect.text.lexical import document_terms

_ROWS = "SELECT row_to_json(each)::text AS row FROM recollect.{table} AS each"


async def apply(
    store: Store,
    *changes: Change,
    scope: Scope | None = None,
    actor: Actor = Actor.FORMATION,
    at: datetime = NOON,
) -> list[Change]:
    return await store.memories.apply(scope or store.anna.scope, changes, actor=actor, at=at)


async def edit(store: Store, memory_id: UUID, *, at: datetime = NOON, **changed: Any) -> Memory:
    """Edit a memory of Anna's by hand."""
    return await store.memories.edit(store.anna, revised(memory_id, **changed), actor=Actor.USER, at=at)


def revised(memory_id: UUID, **changed: Any) -> EmbeddedRevision:
    """Return a revision with hints, and with embeddings of them and of ``of``, else of its content."""
    embedded = {name: changed.pop(name) for name in [*changed] if "embedding" in name}
    of, hints = changed.pop("of", changed.get("content", "")), changed.pop("hints", None)
    if hints is not None:
        changed |= {"use": hints.use, "topics": hints.topics, "questions": hints.questions}
    return EmbeddedRevision(Revision(memory_id, **changed), of, hints, **embedded)


async def kept(store: Store, content: str, scope: Scope | None = None, **changed: object) -> Memory:
    scope = scope or store.anna.scope
    new = store.memory(content, scope, **changed)
    assert await apply(store, Add(new), scope=scope) == [Add(new)]
    return new


async def contents(store: Store, user_id: str | None = None) -> list[str]:
    page = await store.memories.page(user_id or store.anna, limit=100)
    return [each.content for each in page.memories]


def resting_on(said: Exchange) -> dict[str, Any]:
    """Return what says of a memory that it was said in an exchange."""
    return {"provenance": Provenance(said.turn.scope.session_id, (said.message_id,), said.turn.text)}


async def formed(store: Store, said: Exchange, *changes: Change) -> list[Change]:
    """Form an exchange by these changes; return what was really done."""
    done = await store.inbox.complete([Formed(said, changes)], at=NOON)
    assert done is not None
    return done[0]


async def next_pending(store: Store, user_id: str | None = None) -> Pending | None:
    """Return what is to be formed next."""
    pending = await store.inbox.pending(user_id or store.anna, limit=1)
    return pending[0] if pending else None


async def next_exchange(store: Store, user_id: str | None = None) -> Exchange:
    """Return the exchange that is to be formed next."""
    pending = await next_pending(store, user_id)
    assert pending is not None
    return pending.exchange


async def noted(
    store: Store,
    anchor: str,
    *items: UUID,
    scope: Scope | None = None,
    text: str = "a block",
    at: datetime = NOON,
) -> None:
    """Note a block of a prompt that speaks of these memories and messages."""
    block = Injection(anchor, Place.BESIDE, text, items, 1, at)
    await note_block(store.log, scope or store.anna.scope, block, [])


async def anchors(store: Store, scope: Scope | None = None) -> list[str]:
    """Return the anchors of the blocks of a chat."""
    return [
        each.anchor for each in (await store.chats.chat(scope or store.anna.scope, exchanges=9)).injections
    ]


async def said_in(store: Store, scope: Scope | None = None) -> list[str]:
    """Return the messages of a chat's user."""
    return [each.said for each in (await store.chats.chat(scope or store.anna.scope, exchanges=9)).exchanges]


async def history(store: Store, user_id: str | None = None) -> list[Update]:
    """Return the user's audit, oldest first."""
    return (await store.memories.history(user_id or store.anna, limit=10_000))[::-1]


async def last_update(store: Store, user_id: str | None = None) -> Update:
    """Return what was changed last."""
    [update] = await store.memories.history(user_id or store.anna, limit=1)
    return update


async def undo(
    store: Store, update: Update | None = None, user_id: str | None = None, *, at: datetime = LATER
) -> Update:
    """Undo a change by hand, the last one unless told otherwise."""
    user_id = user_id or store.anna
    row = update or await last_update(store, user_id)
    return await store.memories.undo(user_id, row.id, actor=Actor.USER, at=at)


async def indexed(index: LogIndex, user_id: str) -> int:
    """Index all that the user said, each message as one chunk; return how many."""
    messages = await index.unindexed(user_id, limit=99)
    for message in messages:
        terms = document_terms(message.content)
        length, before = len(message.content), document_terms(message.before)
        chunk = IndexedChunk(0, length, code=False, terms=terms, context=before, vectors=(vector(*NORTH),))
        assert await index.index(user_id, IndexedMessage(message.id, (chunk,), terms, MODEL))
    return len(messages)


def added_to_a_prompt(block: str, *, anchor: str = "a:1") -> Injection:
    """Return a block that speaks of nothing in particular."""
    return Injection(anchor, Place.SYSTEM, block, (), 9, NOON)


def like_a_request(scope: Scope) -> RequestRecord:
    """Return what a request of theirs was like."""
    return RequestRecord(uuid7(), NOON, scope, "chat/stable", "scripted")


def a_statement(content: str) -> ProfileEntry:
    """Return a statement of a profile, with an embedding."""
    given = (uuid7(), ProfileField.NOTES, content, EntryState.CONFIRMED, NOON, NOON)
    return ProfileEntry(*given, own_words=True, embedding=vector(*NORTH), embedding_model=MODEL)


async def rows_with(dsn: str, word: str) -> dict[str, int]:
    """Return the number of rows that contain the text, also as bytes, for each table with such rows."""
    async with administrator(dsn) as connection:
        tables = await connection.fetch(
            "SELECT relname AS name FROM pg_class WHERE relnamespace = 'recollect'::regnamespace "
            "AND relkind IN ('r', 'p') AND NOT relispartition"
        )
        counts = {
            table["name"]: sum(
                word in row["row"] or word.encode().hex() in row["row"]
                for row in await connection.fetch(_ROWS.format(table=table["name"]))
            )
            for table in tables
        }
    return {table: count for table, count in counts.items() if count}
