"""What of a message is found: its parts, their terms, and the windows of them that are embedded. Pure.

Never: an embedder, an index.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from recollect.chunking import Chunk, chunks, windows
from recollect.indexing.message_parts import MessagePart, own_text, parts_of
from recollect.indexing.substance import is_recallable
from recollect.model import IndexedChunk, IndexedMessage, LoggedMessage
from recollect.text.lexical import document_terms
from recollect.text.normalization import without_cuts
from recollect.text.secrets import mask
from recollect.text.statement_features import read_statement

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
    return [
        windows_to_embed(without_cuts(content, chunk.begins, chunk.ends, chunk.cuts))
        for chunk in indexed.chunks
    ]


def windows_to_embed(text: str) -> list[str]:
    """Return what of a chunk is embedded, each piece no longer than the local embedder reads."""
    return windows(text, tokens=WINDOW_TOKENS, overlap=WINDOW_OVERLAP)


def without_secrets_before(message: LoggedMessage) -> LoggedMessage:
    """Return a message that is not found by the secrets of the one before it, which the log may have in clear."""
    return replace(message, before=mask(message.before[-2 * _CONTEXT_CHARACTERS :]).text)


def index_by_words(message: LoggedMessage, model: str, *, embeddable: bool) -> IndexedMessage:
    """Return what of a message is found by its words; what stands behind its first 200,000 characters is not.

    What a person only handed over is found apart from what they say, and what tells nothing is not found at all.

    Args:
        message: The message.
        model: The embedder in use.
        embeddable: Whether its chunks are to have embeddings.
    """
    text = message.content[:_MOST_CHARACTERS]
    parts = parts_of(message, len(text))
    own = own_text(text, parts)
    is_told = is_recallable(replace(message, content=own))
    if not is_told and (message.failed or not any(part.pasted for part in parts)):
        return IndexedMessage(message.id, (), {}, model, read_statement(own))
    cut = [(part, chunk) for part in parts if is_told or part.pasted for chunk in _chunks(text, part)]
    indexed = tuple(
        IndexedChunk(
            chunk.start,
            chunk.stop,
            chunk.code,
            chunk.language,
            document_terms(without_cuts(text, chunk.start, chunk.stop, part.cuts)),
            _context(message, is_first=number == 0),
            embeddable=embeddable,
            pasted=part.pasted,
            cuts=tuple(_within(part.cuts, chunk)),
        )
        for number, (part, chunk) in enumerate(cut[:_MOST_CHUNKS])
    )
    return IndexedMessage(message.id, indexed, document_terms(_beginning(own)), model, read_statement(own))


def is_indexed_otherwise(message: LoggedMessage) -> bool:
    """Return whether a message was indexed otherwise before others' words were told from the person's."""
    parts = parts_of(message, _MOST_CHARACTERS)
    if len(parts) > 1 or any(part.pasted or part.cuts for part in parts):
        return True
    return not is_recallable(message)


def _chunks(text: str, part: MessagePart) -> Iterator[Chunk]:
    """Yield the chunks of a part, in the places of the whole text."""
    for chunk in chunks(text[part.begins : part.ends], tokens=CHUNK_TOKENS):
        yield replace(chunk, start=part.begins + chunk.start, stop=part.begins + chunk.stop)


def _within(cuts: Sequence[int], chunk: Chunk) -> Iterator[int]:
    for start, end in zip(cuts[::2], cuts[1::2], strict=True):
        if chunk.start <= start and end <= chunk.stop:
            yield from (start, end)


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
