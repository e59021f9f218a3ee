"""Stores the search index of the message log, and the generations of its embeddings."""

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import structlog
from asyncpg import Record

from recollect.model import (
    COMMONS,
    EmbedderInUse,
    EmbedderPlace,
    EmbeddingCounts,
    IndexedMessage,
    LoggedMessage,
    Memory,
    Role,
    Scope,
    Statement,
    UnembeddedChunk,
    Vector,
    person_of,
)
from recollect.store.jobs import enqueue
from recollect.store.pool import Connection, Database, StorePart, column
from recollect.store.row_mapping import (
    as_columns,
    embedding_columns,
    memory_of,
    own_content,
    with_context,
    written_terms,
)
from recollect.store.sql import SQL

log = structlog.get_logger(__name__)

_READING = 2
"""By which reading messages are indexed."""

_REBUILD = -1
"""The reading of whose index is to be built again, whatever was read of it: so it goes on after a restart."""

_UNREAD = (None,) * len(Statement._fields)


def _is_outdated(known: Record | None) -> bool:
    return known is not None and known["reading"] is not None and known["reading"] < _READING


class LogIndex(StorePart):
    """The index by which the log's messages, and the memories, are found."""

    async def unindexed(self, user_id: str, *, limit: int) -> list[LoggedMessage]:
        """Return the user's messages that are not indexed yet, oldest first."""
        rows = await self._database.rows(user_id, "unindexed_messages", limit)
        return [_logged(row) for row in rows]

    async def read_again(self, user_id: str, *, limit: int) -> bool:
        """Have some messages indexed again, where the index is of an older reading or is to be built again; return whether more are left."""
        # Mostly none is: that is seen without the user's lock, and looked at again under it.
        async with self._database.for_user(user_id) as connection:
            if not _is_outdated(await connection.fetchrow(SQL["reading_of"], user_id)):
                return False
        async with self._database.changing(user_id) as connection:
            known = await connection.fetchrow(SQL["reading_of"], user_id)
            if known is None or not _is_outdated(known):
                return False
            found = [
                row["id"]
                for row in await connection.fetch(SQL["indexed_messages"], user_id, known["reread_to"], limit)
            ]
            await unindex(connection, user_id, found)
            # The last removed messages are indexed again before the next look; only then is an index built again.
            reading, last = (known["reading"], found[-1]) if found else (_READING, None)
            await connection.execute(SQL["note_reading"], user_id, reading, last)
        if not found:
            log.info("index_rebuild_started", user_id=person_of(user_id))
        return bool(found)

    async def rebuild(self, user_id: str) -> bool:
        """Have the worker build the user's index again, a few messages at a time; False where nothing is indexed."""
        async with self._database.changing(user_id) as connection:
            if await connection.fetchval(SQL["ask_for_rebuild"], user_id) is None:
                return False
            await enqueue(connection, [user_id])
        return True

    async def rebuilding(self) -> dict[str, UUID | None]:
        """Return whose index is being built again, each with up to which message; None: it has not begun."""
        rows = await self._database.rows_of_all("users_being_rebuilt", _REBUILD)
        return {row["user_id"]: row["reread_to"] for row in rows}

    async def mark(self, scope: Scope, message_id: UUID, *, marked: bool) -> bool:
        """Note whether a message's turn, with its answers, is valuable, and have it indexed again; False where the chat has no such message."""
        async with self._database.changing(scope.user_id) as connection:
            said = (scope.user_id, scope.session_id, message_id)
            if await connection.fetchval(SQL["turn_of_message"], *said) is None:
                return False
            rows = await connection.fetch(SQL["mark_turn"], *said, marked)
            if changed := [row["id"] for row in rows if row["is_findable"]]:
                await unindex(connection, scope.user_id, changed)
                await enqueue(connection, [scope.user_id])
        return True

    async def index(self, user_id: str, message: IndexedMessage) -> bool:
        """Index one message, in one transaction; False if it was indexed meanwhile, or is gone, or if its context was hidden."""
        async with self._database.changing(user_id) as connection:
            marked = await connection.fetchrow(
                SQL["mark_indexed"],
                user_id,
                message.id,
                *(message.statement or _UNREAD),
                message.context_of,
            )
            if marked is None:
                return False
            if marked["hidden"]:
                return True  # it is not to be found
            before = await connection.fetchrow(
                SQL["document_before"], user_id, marked["session_id"], marked["turn_index"]
            )
            # A message is found by the beginning of the next one, too.
            if before is not None and not before["followed"]:
                followed = with_context(before["terms"], before["counts"], message.head)
                await connection.execute(SQL["mark_followed"], user_id, before["document"], *followed)
            await _insert_chunks(connection, user_id, message)
            return True

    async def said_with(
        self, user_id: str, terms: Sequence[str], *, before: datetime, limit: int
    ) -> list[tuple[UUID, str]]:
        """Return chunks of the user's own words before a time, with all ``terms`` in them or their context: message id and text, newest first."""
        rows = await self._database.rows(user_id, "chunks_said_with", terms, before, limit)
        return [(row["message_id"], own_content(row)) for row in rows]

    async def unembedded(self, user_id: str, model: str, *, limit: int) -> list[UnembeddedChunk]:
        """Return the user's chunks that are to have embeddings of ``model`` and have none, newest first."""
        rows = await self._database.rows(user_id, "unembedded_chunks", model, limit)
        return [UnembeddedChunk(row["document"], own_content(row)) for row in rows]

    async def replace_embeddings(
        self, user_id: str, document: int, vectors: Sequence[Vector], model: str
    ) -> None:
        """Replace the embeddings of a user's chunk."""
        async with self._database.changing(user_id) as connection:
            if await connection.fetchval(SQL["mark_embedded"], user_id, document, model) is not None:
                await connection.execute(SQL["delete_chunk_vectors"], user_id, [document])
                await _insert_vectors(connection, user_id, {document: vectors}, model)

    async def unembedded_memories(self, user_id: str, model: str, *, limit: int) -> list[Memory]:
        """Return memories that the user sees and that have no embedding of ``model``, newest first."""
        rows = await self._database.rows(user_id, "unembedded_memories", model, limit)
        return [memory_of(row) for row in rows]

    async def questions_to_embed(self, user_id: str, model: str, *, limit: int) -> list[tuple[UUID, str]]:
        """Return questions for which memories were not helpful and that ``model`` has not embedded: messages, and their texts."""
        rows = await self._database.rows(user_id, "questions_to_embed", model, limit)
        return [(row["message_id"], row["content"]) for row in rows]

    async def embed_question(self, user_id: str, message_id: UUID, vector: Vector, model: str) -> None:
        """Keep the embedding of such a question."""
        await self._database.changed(user_id, "embed_question", message_id, vector, model)

    async def entries_to_embed(self, user_id: str, model: str, *, limit: int) -> list[tuple[UUID, str]]:
        """Return entries of the user's profile that ``model`` has not embedded, and their texts."""
        async with self._database.for_user(user_id) as connection:
            rows = await connection.fetch(SQL["entries_to_embed"], user_id, model, limit)
        return [(row["id"], row["content"]) for row in rows]

    async def embed_entry(self, user_id: str, entry_id: UUID, text: str, vector: Vector, model: str) -> None:
        """Keep the embedding of an entry of the profile; not if its text changed meanwhile."""
        async with self._database.changing(user_id) as connection:
            await connection.execute(SQL["embed_entry"], user_id, entry_id, text, vector, model)

    async def embed_memory(self, user_id: str, memory: Memory) -> None:
        """Give a memory that the user sees its embeddings, in place of others; not if it changed meanwhile."""
        values = *embedding_columns(memory), memory.content, *as_columns(memory.hints)
        async with self._database.changing(user_id) as connection:
            await connection.execute(SQL["embed_memory"], user_id, memory.id, *values)
            is_given = await connection.fetchval(SQL["is_given"], user_id, memory.id)
        if is_given:  # a shared memory belongs to no user: only the operator's role may write it
            async with self._database.over_all_users() as connection:
                await connection.execute(SQL["lock_user"], COMMONS)
                await connection.execute(SQL["embed_memory"], COMMONS, memory.id, *values)

    async def count_unembedded(self, user_id: str, model: str, log_model: str) -> int:
        """Count what of the user's is to have an embedding of ``model``, or of the log's, and has none."""
        count: int = await self._database.value(user_id, "count_unembedded", model, log_model)
        return count

    async def enqueue(self, user_id: str) -> None:
        """Enqueue a job for a user who says nothing: a memory was kept without an embedding."""
        async with self._database.changing(user_id) as connection:
            await enqueue(connection, [user_id])

    async def enqueue_unindexed(self) -> int:
        """Enqueue a job for each user who has said something and has no index, or one that is not tidied; return how many."""
        async with self._database.over_all_users() as connection:
            users = await column(connection, SQL["users_without_index"], _READING)
            if users:
                await enqueue(connection, users)
        return len(users)

    async def largest_users(self, limit: int) -> list[str]:
        """Return the users who have most documents in their index, the largest first."""
        return [row["user_id"] for row in await self._database.rows_of_all("largest_users", limit)]


async def delete_chunks(connection: Connection, user_id: str, messages: Sequence[UUID]) -> list[int]:
    """Remove messages from the index; return the numbers of their chunks."""
    documents = await column(connection, SQL["delete_chunks"], user_id, messages)
    if documents:
        await connection.execute(SQL["delete_chunk_vectors"], user_id, documents)
    return documents


async def unindex(connection: Connection, user_id: str, messages: Sequence[UUID]) -> None:
    """Remove messages from the index, to be indexed again."""
    await delete_chunks(connection, user_id, messages)
    await connection.execute(SQL["unindex_messages"], user_id, messages)


def _logged(row: Record) -> LoggedMessage:
    return LoggedMessage(
        id=row["id"],
        role=Role(row["role"]),
        content=row["content"],
        said_at=row["created_at"],
        speaker=row["speaker"],
        before=row["before"] or "",
        before_id=row["before_id"] if row["before"] else None,
        marked=row["marked"],
        failed=row["failed"],
        taught=row["taught"],
    )


async def _insert_chunks(connection: Connection, user_id: str, message: IndexedMessage) -> None:
    model, chunks = message.embedding_model, message.chunks
    first: int = await connection.fetchval(SQL["number_documents"], user_id, len(chunks), _READING)
    rows = [
        (
            user_id,
            first + part,
            message.id,
            part,
            chunk.begins,
            chunk.ends,
            chunk.code,
            *written_terms(chunk.terms, chunk.context),
            chunk.embeddable,
            model if chunk.vectors else None,
            chunk.pasted,
            chunk.cuts or None,
        )
        for part, chunk in enumerate(chunks)
    ]
    # All in one round trip: they are written under the user's lock.
    await connection.executemany(SQL["insert_chunk"], rows)
    vectors = {first + part: chunk.vectors for part, chunk in enumerate(chunks)}
    await _insert_vectors(connection, user_id, vectors, model)


async def _insert_vectors(
    connection: Connection, user_id: str, vectors: Mapping[int, Sequence[Vector]], model: str
) -> None:
    rows = [
        (user_id, document, piece, vector, model)
        for document, pieces in vectors.items()
        for piece, vector in enumerate(pieces)
    ]
    await connection.executemany(SQL["insert_chunk_vector"], rows)


_USED = timedelta(minutes=1)
"""How long after it was seen last a process is taken to run still: four times as long as it takes to be seen again."""


class EmbedderGenerations:
    """Knows which embedders have embeddings in the store. Every method raises StoreError when the store fails.

    Processes of several replicas share it, and not all of them need use the same embedders.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._holder = uuid4()

    async def note_in_use(self, place: EmbedderPlace, model: str, made_by: Mapping[str, str]) -> None:
        """Note that this process uses an embedder now."""
        await self._database.rows_of_all("note_embedder", place, model, json.dumps(dict(made_by)), _USED)

    async def known(self) -> list[EmbedderInUse]:
        """Return the embedders that are used, or were and have embeddings in the store, the last one chosen first."""
        rows = await self._database.rows_of_all("known_embedders", _USED)
        return [
            EmbedderInUse(
                **dict(row) | {"place": EmbedderPlace(row["place"]), "made_by": json.loads(row["made_by"])}
            )
            for row in rows
        ]

    async def hold(self, model: str, length: timedelta) -> bool:
        """Take, or renew, the right to go from user to user; False where another process has it."""
        held = await self._database.value_of_all("hold_reembedding", model, self._holder, length)
        return held is not None

    async def users(self, since: datetime, *, without: Collection[str], limit: int) -> list[str]:
        """Return users of whom it was not seen since then that all is embedded, but for some."""
        rows = await self._database.rows_of_all("users_to_embed", since, list(without), limit)
        return [row["user_id"] for row in rows]

    async def counts(self, since: datetime) -> EmbeddingCounts:
        """Count whose texts are all embedded, as was seen since then."""
        row = await self._database.row_of_all("count_users_to_embed", since)
        return EmbeddingCounts(**dict(row or {}))

    async def mark(self, user_id: str) -> None:
        """Note that all of a user's is embedded by those in use."""
        await self._database.changed(user_id, "mark_all_embedded")

    async def complete(self, place: EmbedderPlace, model: str) -> None:
        """Note that an embedder has embedded the texts of all users; unused others are forgotten."""
        async with self._database.over_all_users() as connection:
            await connection.execute(SQL["complete_embedders"], place, model)
            await connection.execute(SQL["drop_embedders"], place, model, _USED)
