"""Makes what was said findable: cuts a message of the log, and gives its parts terms and embeddings.

Never: who calls it and when, where the index is.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from enum import StrEnum
from uuid import UUID

import structlog

from recollect.chunking import chunks, windows
from recollect.errors import EmbedderError, StoreUnavailableError
from recollect.failures import place
from recollect.lexical import document_terms
from recollect.model import IndexedChunk, IndexedMessage, LoggedMessage
from recollect.ports import Embedder, LogIndex
from recollect.statements import read_statement

CHUNK_TOKENS = 500
"""The most tokens of a chunk: what fits a prompt's budget."""

WINDOW_TOKENS = 250
"""What the local embedder reads at once, less its two special word pieces; longer chunks are embedded in windows."""

WINDOW_OVERLAP = 50

_CONTEXT_WORDS = 40
"""Words of the message before, and of the one behind, by which a message is found too: an answer is often
asked for by the words of the question it was given to. On LoCoMo worth seven points of Recall@10."""

_AT_ONCE = 32
_CONTEXT_CHARACTERS = 2_000

_EMBEDDER_DELAY = timedelta(seconds=30)
_STORE_DELAY = timedelta(seconds=5)

log = structlog.get_logger(__name__)


class Embedded(StrEnum):
    """What gets embeddings; all else is found by its words alone."""

    MEMORIES = "memories"
    SUMMARIES = "memories+summaries"
    MARKED = "marked"
    ALL = "all"


async def keep_indexed(
    user_id: str,
    *,
    index: LogIndex,
    embedder: Embedder,
    embedded: Embedded,
    messages: bool = True,
    until: UUID | None = None,
) -> timedelta | None:
    """Index all of the user's that is not; return after how long to come again where something was away.

    Args:
        user_id: Whose.
        index: Where it is indexed.
        embedder: Makes the embeddings.
        embedded: What gets them.
        messages: Whether messages of the log are indexed, not memories alone.
        until: The last message that is indexed; None: all are.
    """
    try:
        while await index.index_memories(user_id, limit=_AT_ONCE) == _AT_ONCE:
            pass
        if messages:
            await index_log(user_id, index=index, embedder=embedder, embedded=embedded, until=until)
    except EmbedderError as error:
        log.warning("indexing_without_embeddings", error=type(error).__name__, detail=str(error))
        return _EMBEDDER_DELAY
    except StoreUnavailableError:
        return _STORE_DELAY
    return None


def soonest(one: timedelta | None, other: timedelta | None) -> timedelta | None:
    """Return the shorter of two waits; None waits for nothing."""
    return min((each for each in (one, other) if each is not None), default=None)


async def index_log(
    user_id: str,
    *,
    index: LogIndex,
    embedder: Embedder,
    embedded: Embedded,
    until: UUID | None = None,
) -> None:
    """Index the user's messages that are not, up to a last one or all, and embed what was not embedded yet.

    Raises:
        StoreError: The store failed.
        EmbedderError: The embedder failed; what it was to embed is found by its words until it is back.
    """
    failure: EmbedderError | None = None
    while found := await index.unindexed(user_id, limit=_AT_ONCE):
        for message in found:
            if until is not None and message.id > until:
                return
            embeddable = _is_embeddable(message, embedded)
            try:
                indexed = _by_words(message, embedder.name, embeddable=embeddable)
                if embeddable and failure is None:
                    indexed = await _embedded(indexed, message, embedder)
            except EmbedderError as error:
                failure = error
            except Exception as error:  # noqa: BLE001 -- a text that breaks us must not keep all others from being found
                log.error("message_not_indexed", error=type(error).__name__, place=place(error))  # noqa: TRY400 -- a trace quotes users
                indexed = IndexedMessage(message.id, (), {}, embedder.name)
            await index.index(user_id, indexed)
    if failure is not None:
        raise failure
    while missing := await index.unembedded(user_id, embedder.name, limit=_AT_ONCE):
        for chunk in missing:
            vectors = await embedder.embed(_windows(chunk.content))
            await index.embed(user_id, chunk.document, vectors, embedder.name)


async def _embedded(indexed: IndexedMessage, message: LoggedMessage, embedder: Embedder) -> IndexedMessage:
    """Return the message with the embeddings of its chunks."""
    texts = [_windows(message.content[chunk.begins : chunk.ends]) for chunk in indexed.chunks]
    vectors = iter(await embedder.embed([text for each in texts for text in each]))
    parts = tuple(
        replace(chunk, vectors=tuple(next(vectors) for _ in each))
        for chunk, each in zip(indexed.chunks, texts, strict=True)
    )
    return replace(indexed, chunks=parts)


def _is_embeddable(message: LoggedMessage, embedded: Embedded) -> bool:
    return embedded is Embedded.ALL or (embedded is Embedded.MARKED and message.marked)


def _windows(text: str) -> list[str]:
    return windows(text, tokens=WINDOW_TOKENS, overlap=WINDOW_OVERLAP)


def _by_words(message: LoggedMessage, model: str, *, embeddable: bool) -> IndexedMessage:
    cut = chunks(message.content, tokens=CHUNK_TOKENS)
    parts = tuple(
        IndexedChunk(
            chunk.start,
            chunk.stop,
            chunk.code,
            chunk.language,
            document_terms(message.content[chunk.start : chunk.stop]),
            _context(message, is_first=chunk is cut[0]),
            embeddable=embeddable,
        )
        for chunk in cut
    )
    head = document_terms(_beginning(message.content))
    return IndexedMessage(message.id, parts, head, model, read_statement(message.content))


def _context(message: LoggedMessage, *, is_first: bool) -> Mapping[str, int]:
    """Return the terms of a chunk's speaker, its date and, of the first, the tail of what was said before."""
    terms = Counter(document_terms(f"{message.speaker or ''} {message.said_at:%Y-%m-%d}"))
    if is_first:
        terms.update(document_terms(_end(message.before)))
    return terms


def _beginning(text: str) -> str:
    return " ".join(text[:_CONTEXT_CHARACTERS].split()[:_CONTEXT_WORDS])


def _end(text: str) -> str:
    return " ".join(text[-_CONTEXT_CHARACTERS:].split()[-_CONTEXT_WORDS:])
