"""Keeps a user's index complete in bounded runs, whatever fails meanwhile."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar
from uuid import UUID

import structlog

from recollect.errors import EmbedderError, StoreError, StoreUnavailableError, WorkerStoppedError, raised_at
from recollect.formation.analyzed_turn import must_be_hidden
from recollect.indexed_message import (
    index_by_words,
    windows_of,
    windows_to_embed,
    without_secrets_before,
)
from recollect.model import EmbeddingScope, IndexedMessage, LoggedMessage, Memory, UnembeddedChunk
from recollect.models.background_limits import Step, Steps
from recollect.models.memory_embedding import embedded
from recollect.ports import ONLY_TODAYS, Embedder, Generations
from recollect.text.attribution import question_in

if TYPE_CHECKING:
    from recollect.store.log_index import LogIndex


_SHORT_CHARACTERS = 2_000
"""Longer messages are cut in a thread, since all streams would wait meanwhile."""

_AT_ONCE = 32
_BATCHES_OF_A_RUN = 6
"""How often so many messages, memories or chunks are read in a run; then other users have their turn."""

_FIRST_FAILURES = 3
"""If this many texts fail at the beginning of a run, the embedder counts as unavailable; else a failing text is at fault."""

_EMBEDDER_DELAY = timedelta(seconds=30)
_STORE_DELAY = timedelta(seconds=5)
_NEXT_RUN_DELAY = timedelta(seconds=1)

_Text = TypeVar("_Text")

log = structlog.get_logger(__name__)


_Tally: TypeAlias = tuple[bool, EmbedderError | None]
"""Whether a run left more texts for another, apart from failures, and why some could not be embedded."""
_NONE_LEFT: _Tally = (False, None)


async def _embed_all(
    read: Callable[..., Awaitable[Sequence[_Text]]],
    number: Callable[[_Text], int],
    embed: Callable[[Sequence[_Text]], Awaitable[None]],
    *,
    together: bool = False,
) -> _Tally:
    """Embed the newest texts without embeddings, a run of them, until the embedder seems to be away.

    ``read`` returns so many at the ``limit``, also those that failed; a text is known again by its ``number``. Embedded ``together``,
    those that fail are then embedded one by one.
    """
    failed: set[int] = set()
    failure: EmbedderError | None = None
    succeeded = False

    async def left() -> list[_Text]:
        return [each for each in await read(limit=_AT_ONCE + len(failed)) if number(each) not in failed]

    for _ in range(_BATCHES_OF_A_RUN):
        found = await left()
        if not found:
            return False, failure
        groups = deque([found] if together else [[each] for each in found])
        while groups:
            group = groups.popleft()
            try:
                await embed(group)
            except EmbedderError as error:
                failure = failure or error
                if len(group) > 1:
                    groups.extend([each] for each in group)
                    continue
                failed.add(number(group[0]))
                if len(failed) >= (_AT_ONCE if succeeded else _FIRST_FAILURES):
                    return False, failure
            else:
                succeeded = True
    return bool(await left()), failure


def shorter_wait(one: timedelta | None, other: timedelta | None) -> timedelta | None:
    """Return the shorter of two waits; None waits for nothing."""
    return min((each for each in (one, other) if each is not None), default=None)


@dataclass(frozen=True, slots=True)
class Indexer:
    """Keeps the index of users' messages, and embeds what has no embedding, a run of a few hundred texts at a time.

    A method returns how long to wait before the next run, None if nothing is left. A store or an embedder that fails is logged and
    come back to: nothing of it is raised.

    Attributes:
        embedder: Makes the embeddings of memories.
        log_embedder: Makes those of messages.
        embedded: Which messages get them.
        logs: Whether messages of the log are indexed, not memories alone.
        attempts: How often a message is tried that a worker may have died of; then it is indexed without its words.
        steps: Counts these attempts; None: no need.
        generations: Says whether these embedders replace the vectors of others, or others have replaced theirs.
    """

    index: "LogIndex"
    embedder: Embedder
    log_embedder: Embedder
    embedded: EmbeddingScope
    logs: bool = True
    attempts: int = 3
    steps: Steps | None = None
    generations: Generations = ONLY_TODAYS

    async def index_user(
        self, user_id: str, *, until: UUID | None = None, careful: bool = False
    ) -> timedelta | None:
        """Index and embed a user's missing texts, memories before messages.

        With ``until`` the messages up to that one alone, and none while many older ones wait. ``careful``: one message at a time is
        counted, because a worker died over them.
        """
        tried = partial(self.steps.step, user_id, Step.MESSAGE) if careful and self.steps else None
        return await self._logging_failures(
            "messages_indexed_without_embeddings", self._has_more(user_id, until, _Run(user_id, self, tried))
        )

    async def embed_missing(self, user_id: str, *, log_too: bool = True) -> timedelta | None:
        """Embed a user's texts that these embedders did not embed; without ``log_too`` memories alone."""
        chunks = log_too and self.logs
        return await self._logging_failures(
            "memory_reembedding_failed", self._embed_left(user_id, chunks=chunks)
        )

    async def _logging_failures(self, event: str, run: Coroutine[Any, Any, bool]) -> timedelta | None:
        """Return how long to wait after a run, which returns whether it left something."""
        try:
            return _NEXT_RUN_DELAY if await run else None
        except EmbedderError as error:
            log.warning(event, error=type(error).__name__, detail=str(error))
            return _EMBEDDER_DELAY
        except StoreError as error:
            log.warning("indexing_store_failed", error=type(error).__name__, detail=str(error))
            return _STORE_DELAY

    async def _has_more(self, user_id: str, until: UUID | None, run: "_Run") -> bool:
        embeds = until is None and self.generations.is_today
        # An imported log takes minutes, and recall needs the few memories at once.
        memories = await self._embed_memories(user_id) if embeds else _NONE_LEFT
        if self.logs and await run.index_messages(until):
            return True
        if self.logs and until is None:
            # Only now: first restore everything that a killed worker took out of the index.
            rereads = await self.index.read_again(user_id, limit=_AT_ONCE)
            if await run.index_messages(None) or rereads:
                return True
        return embeds and await self._embed_rest(user_id, memories, chunks=self.logs)

    async def _embed_left(self, user_id: str, *, chunks: bool) -> bool:
        return await self._embed_rest(user_id, await self._embed_memories(user_id), chunks=chunks)

    async def _embed_rest(self, user_id: str, memories: _Tally, *, chunks: bool) -> bool:
        """Embed, behind the memories, what could not be embedded when it was kept; return whether more is left, or raise the cause.

        The log comes last: its embedder may be a server that is away.
        """
        has_more, failure = memories
        for embed in (self._embed_entries, self._embed_questions, *([self._embed_chunks] if chunks else [])):
            more, of_others = await embed(user_id)
            has_more, failure = has_more | more, failure or of_others
        if failure is not None and not has_more:
            raise failure
        return has_more

    async def _embed_memories(self, user_id: str) -> _Tally:
        async def embed(memories: Sequence[Memory]) -> None:
            for made in await embedded(memories, self.embedder):
                await self.index.embed_memory(user_id, made)

        read = partial(self.index.unembedded_memories, user_id, self.embedder.name)
        return await _embed_all(read, lambda memory: memory.id.int, embed, together=True)

    async def _embed_entries(self, user_id: str) -> _Tally:
        """Embed the entries of a profile."""

        async def embed(entries: Sequence[tuple[UUID, str]]) -> None:
            [(entry_id, text)] = entries
            [vector] = await self.embedder.embed([text])
            await self.index.embed_entry(user_id, entry_id, text, vector, self.embedder.name)

        read = partial(self.index.entries_to_embed, user_id, self.embedder.name)
        return await _embed_all(read, lambda entry: entry[0].int, embed)

    async def _embed_questions(self, user_id: str) -> _Tally:
        """Embed the questions for which memories were not helpful."""

        async def embed(questions: Sequence[tuple[UUID, str]]) -> None:
            [(message_id, text)] = questions
            vector = await self.embedder.embed_question(question_in(text))
            await self.index.embed_question(user_id, message_id, vector, self.embedder.name)

        read = partial(self.index.questions_to_embed, user_id, self.embedder.name)
        return await _embed_all(read, lambda question: question[0].int, embed)

    async def _embed_chunks(self, user_id: str) -> _Tally:
        async def embed(chunks: Sequence[UnembeddedChunk]) -> None:
            [chunk] = chunks  # its windows are many texts already
            vectors = await self.log_embedder.embed(windows_to_embed(chunk.content))
            await self.index.replace_embeddings(user_id, chunk.document, vectors, self.log_embedder.name)

        read = partial(self.index.unembedded, user_id, self.log_embedder.name)
        return await _embed_all(read, lambda chunk: chunk.document, embed)


@dataclass(slots=True)
class _Run:
    """One run over a user's unindexed messages.

    Attributes:
        tried: Counts an attempt of a message by its id before it begins; None: no need.
        failure: Why the embedder is not asked again for new messages.
        refused: Messages that the store takes in no form; they are left for another run.
    """

    user_id: str
    of: Indexer
    tried: Callable[[str], AbstractAsyncContextManager[int]] | None
    failure: EmbedderError | None = None
    refused: set[UUID] = field(default_factory=set)

    async def index_messages(self, until: UUID | None) -> bool:
        """Index messages up to ``until``, or a run of the oldest; return whether more are left.

        Raises:
            StoreError: The store failed.
            EmbedderError: The embedder failed; until it is back, these texts are found by words only.
        """
        more = False
        if until is None:
            more = await self.index_oldest()
        else:
            await self.index_up_to(until)
        if self.failure is not None and not more:
            raise self.failure
        return more

    async def index_up_to(self, last: UUID) -> None:
        """Index the messages up to ``last``, unless an old backlog comes before it, which can wait."""
        found = await self.of.index.unindexed(self.user_id, limit=_AT_ONCE)
        if len(found) == _AT_ONCE and found[-1].id < last:
            return
        for message in found:
            if message.id <= last:
                await self._add(message)

    async def index_oldest(self) -> bool:
        """Index the oldest messages; return whether more are left."""
        for _ in range(_BATCHES_OF_A_RUN):
            found = await self._unindexed()
            if not found:
                return False
            for message in found:
                await self._add(message)
        return bool(await self._unindexed())

    async def _unindexed(self) -> list[LoggedMessage]:
        found = await self.of.index.unindexed(self.user_id, limit=_AT_ONCE + len(self.refused))
        return [message for message in found if message.id not in self.refused]

    async def _add(self, message: LoggedMessage) -> None:
        """Index a message; with no chunks if the store refuses them, so that it does not block others."""
        bare = IndexedMessage(message.id, (), {}, self.of.log_embedder.name)
        try:
            await self._put(await self._carefully_prepared(message) or bare)
        except StoreUnavailableError:
            raise
        except StoreError as error:
            _log_not_indexed(error)
            await self._add_refused(bare)

    async def _put(self, indexed: IndexedMessage) -> None:
        """Store it, with one retry: a conflict of two transactions is over by then."""
        try:
            await self.of.index.index(self.user_id, indexed)
        except StoreUnavailableError:
            raise
        except StoreError:
            await self.of.index.index(self.user_id, indexed)

    async def _add_refused(self, bare: IndexedMessage) -> None:
        try:
            await self.of.index.index(self.user_id, bare)
        except StoreUnavailableError:
            raise
        except StoreError:
            self.refused.add(bare.id)
            if len(self.refused) >= _AT_ONCE:
                raise  # the store's failure, not that of some messages

    async def _carefully_prepared(self, message: LoggedMessage) -> IndexedMessage | None:
        """Return a message's index entry; None for one that causes errors or kills workers."""
        if self.tried is None:
            return await self._prepared(message)
        async with self.tried(str(message.id)) as begun:
            if begun > self.of.attempts:
                log.error("message_indexing_failed", error=WorkerStoppedError.__name__, attempts=begun - 1)
                return None
            return await self._prepared(message)

    async def _prepared(self, message: LoggedMessage) -> IndexedMessage | None:
        """Return a message's index entry, with embeddings if there are any; None if its text causes an error.

        A message with a secret, or with an order that may be planted, gets none: formation hides it too, but later,
        and that may fail.
        """
        embeddable = self.of.embedded is EmbeddingScope.ALL or (
            self.of.embedded is EmbeddingScope.MARKED and message.marked
        )
        indexed: IndexedMessage | None = None
        try:
            if await asyncio.to_thread(must_be_hidden, message.content):
                return IndexedMessage(message.id, (), {}, self.of.log_embedder.name)
            message = await asyncio.to_thread(without_secrets_before, message)
            if len(message.content) > _SHORT_CHARACTERS:
                indexed = await asyncio.to_thread(
                    index_by_words, message, self.of.log_embedder.name, embeddable=embeddable
                )
            else:
                indexed = index_by_words(message, self.of.log_embedder.name, embeddable=embeddable)
            if embeddable and self.failure is None:
                return await _embedded(indexed, message, self.of.log_embedder)
        except EmbedderError as error:
            self.failure = error
        except Exception as error:  # noqa: BLE001 -- a text that breaks us must not keep all others from being found
            _log_not_indexed(error)
            return None
        return indexed


def _log_not_indexed(error: Exception) -> None:
    log.error("message_indexing_failed", error=type(error).__name__, raised_at=raised_at(error))


async def _embedded(indexed: IndexedMessage, message: LoggedMessage, embedder: Embedder) -> IndexedMessage:
    """Return the message with the embeddings of its chunks."""
    texts = await asyncio.to_thread(windows_of, indexed, message.content)
    vectors = iter(await embedder.embed([text for each in texts for text in each]))
    parts = tuple(
        replace(chunk, vectors=tuple(next(vectors) for _ in each))
        for chunk, each in zip(indexed.chunks, texts, strict=True)
    )
    return replace(indexed, chunks=parts)
