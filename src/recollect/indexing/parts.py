"""What of a message is found: its parts, their terms, and the windows of them that are embedded. Pure.

Never: an embedder, an index.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from recollect.chunking import chunks, windows
from recollect.lexical import document_terms
from recollect.model import IndexedChunk, IndexedMessage, LoggedMessage
from recollect.secrets import mask
from recollect.statements import read_statement

CHUNK_TOKENS = 500
"""The most tokens of a chunk: what fits a prompt's budget."""

WINDOW_TOKENS = 250
"""What the local embedder reads at once, less its two special word pieces; longer chunks are embedded in windows."""

WINDOW_OVERLAP = 50

_CONTEXT_WORDS = 40
"""Words of the message before, and of the one behind, by which a message is found too: an answer is often
asked for by the words of the question it was given to. On LoCoMo worth seven points of Recall@10."""

_MOST_CHARACTERS = 200_000
"""How much of a message is indexed: a long book chapter, or a big source file. Who pastes more pastes data,
which would take seconds and fill the index; what stands behind it is logged, but not found."""

_MOST_CHUNKS = 400
"""The most chunks of one message: what 200,000 characters of the densest everyday scripts come to."""

_CONTEXT_CHARACTERS = 2_000


def windows_of(indexed: IndexedMessage, content: str) -> list[list[str]]:
    """Return the windows of each chunk of a message."""
    return [windows_to_embed(content[chunk.begins : chunk.ends]) for chunk in indexed.chunks]


def windows_to_embed(text: str) -> list[str]:
    """Return what of a chunk is embedded, each piece no longer than the local embedder reads."""
    return windows(text, tokens=WINDOW_TOKENS, overlap=WINDOW_OVERLAP)


def without_secrets_before(message: LoggedMessage) -> LoggedMessage:
    """Return a message that is not found by the secrets of the one before it, which the log may have in clear."""
    return replace(message, before=mask(message.before[-2 * _CONTEXT_CHARACTERS :]).text)


def by_words(message: LoggedMessage, model: str, *, embeddable: bool) -> IndexedMessage:
    """Return what of a message is found by its words; what stands behind its first 200,000 characters is not.

    Args:
        message: The message.
        model: The embedder in use.
        embeddable: Whether its chunks are to have embeddings.
    """
    text = message.content[:_MOST_CHARACTERS]
    cut = chunks(text, tokens=CHUNK_TOKENS)[:_MOST_CHUNKS]
    parts = tuple(
        IndexedChunk(
            chunk.start,
            chunk.stop,
            chunk.code,
            chunk.language,
            document_terms(text[chunk.start : chunk.stop]),
            _context(message, is_first=chunk is cut[0]),
            embeddable=embeddable,
        )
        for chunk in cut
    )
    return IndexedMessage(message.id, parts, document_terms(_beginning(text)), model, read_statement(text))


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
