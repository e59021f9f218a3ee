"""Splits a message into the entries of the index: its parts, their terms, and the windows that are embedded. Pure.

The person's own words and pasted text are indexed apart, by the same attribution that formation uses. A mere question or greeting,
the reply to it, and an error in place of a reply are not indexed, unless a memory was formed from it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from recollect.chunking import Chunk, chunks, windows
from recollect.formation.analyzed_turn import must_be_hidden
from recollect.model import IndexedChunk, IndexedMessage, LoggedMessage, Role
from recollect.text.attribution import others_words
from recollect.text.cues import (
    SUBSTANCE,
    count_words,
    is_about_oneself,
    is_small_talk,
    statement_features,
)
from recollect.text.lexical import document_terms, identifiers
from recollect.text.lexical.letters import ends_asking, sentences
from recollect.text.memory_requests import read_memory_request
from recollect.text.normalization import without_cuts
from recollect.text.patterns import anchored
from recollect.text.secrets import mask

Span = tuple[int, int]

_LEAST = 40
"""The least characters of a text by others that gets an entry of its own; a shorter one is left out."""


@dataclass(frozen=True, slots=True)
class MessagePart:
    """A part of a message, by one author.

    Attributes:
        begins: Its first character's place.
        ends: The place after its last character.
        pasted: Whether others wrote it.
        cuts: Where in the message others' words stand within it: beginning and end by turns.
    """

    begins: int
    ends: int
    pasted: bool = False
    cuts: tuple[int, ...] = ()


def parts_of(role: Role, text: str) -> list[MessagePart]:
    """Return the parts of a message's text, in order."""
    if role is not Role.USER:
        return [MessagePart(0, len(text))]
    pasted, quoted = others_words(text)
    return list(_parts(len(text), pasted, quoted))


def _parts(length: int, pasted: Sequence[Span], quoted: Sequence[Span]) -> Iterator[MessagePart]:
    at = 0
    for start, end in [*pasted, (length, length)]:
        if at < start:
            yield MessagePart(
                at,
                start,
                cuts=tuple(place for span in quoted if at <= span[0] and span[1] <= start for place in span),
            )
        if end - start >= _LEAST:
            yield MessagePart(start, end, pasted=True)
        at = end


def own_text(text: str, parts: Sequence[MessagePart]) -> str:
    """Return the person's own words."""
    own = (without_cuts(text, part.begins, part.ends, part.cuts) for part in parts if not part.pasted)
    return "\n\n".join(said.strip() for said in own if said.strip())


_CLAUSES = frozenset(",;:\u2013\u2014\u060c\u061b\uff0c\uff1b\uff1a\u3001")
"""Separates clauses: "my dog is ill, what helps?" states a fact before it asks."""

_SHORT, _LONG = 10, 25
"""The most words of a question that states no fact: one about oneself or of several clauses, and any other. In LoCoMo, BEAM,
RealMem and PrefEval one in five hundred of the messages with an answer is such a short question. Longer questions state facts
about their subject: on BEAM they are one in four."""

_ERROR = anchored(
    r"\s*(?:Traceback \(most recent|\[?(?:ERROR|FATAL|CRITICAL)\]?[: \t]|[\w.]{0,80}(?:Error|Exception)(?: [45][0-9]{2})? ?[:(]"
    r"|\{\s*\"error\"|(?:HTTP(?:/[0-9.]+)? )?[45][0-9]{2} [A-Z][a-z]+|<!DOCTYPE html|<html)"
)
_READ = 1_000
"""Characters; a longer message is no mere question, greeting or error."""


def is_recallable(message: LoggedMessage) -> bool:
    """Return whether a message may be recalled in another chat; one that was marked as valuable always may."""
    if message.marked:
        return True
    if message.failed:
        return False
    if is_error(message.content):
        return False
    if message.role is Role.USER:
        return message.taught or not _says_nothing(message.content)
    asked = message.before
    if read_memory_request(asked) is not None:  # "Nothing was forgotten": the memory's words, in the model's
        return False
    is_idle = _is_small_talk(asked) or (only_asks(asked) and is_about_oneself(asked))
    return not is_idle or is_substantial(message.content)


def words_without_entry(role: Role, text: str) -> str:
    """Return the words by which a message without an entry tells of its chat: a mere question, an answer, a new message.

    "" for small talk, a request to the memory, an error, others' words, and a message that may never be recalled.
    """
    own = own_text(text, parts_of(role, text))
    if is_error(own) or must_be_hidden(text):
        return ""
    is_told = role is not Role.USER or not (_is_small_talk(own) or read_memory_request(own) is not None)
    return own if is_told else ""


def is_substantial(text: str) -> bool:
    """Return whether a reply is more than a remark: long, or a list, or code."""
    return "```" in text or statement_features(text).lists or count_words(text) >= SUBSTANCE


def only_asks(text: str) -> bool:
    """Return whether a text consists of short questions, apart from a greeting or thanks; one that names code does not."""
    if len(text) > _READ or identifiers(text):
        return False
    asked = [each for each in sentences(text) if not is_small_talk(each)]
    if not asked or not all(map(ends_asking, asked)):
        return False
    of_clauses = any(not _CLAUSES.isdisjoint(each[:-1]) for each in asked)
    is_of_oneself = any(map(is_about_oneself, asked))
    if of_clauses and is_of_oneself:
        return False
    return sum(map(count_words, asked)) <= (_SHORT if of_clauses or is_of_oneself else _LONG)


def is_error(text: str) -> bool:
    """Return whether a short text begins like an error report in place of a reply: a trace, a status, an error's name."""
    return len(text) <= _READ and _ERROR.match(text) is not None


def _says_nothing(text: str) -> bool:
    return only_asks(text) or _is_small_talk(text) or read_memory_request(text) is not None


def _is_small_talk(text: str) -> bool:
    return len(text) <= _READ and is_small_talk(text)


CHUNK_TOKENS = 500
"""The most tokens of a chunk: what fits a prompt's budget."""

WINDOW_TOKENS = 250
"""The most word pieces of an embedding; longer chunks are embedded in windows, since a vector of much text is near to nothing."""

WINDOW_OVERLAP = 50

_CONTEXT_WORDS = 40
"""Words of the message before, and of the one behind, by which a message is found too: an answer is often
asked for by the words of the question it was given to. On LoCoMo worth seven points of Recall@10."""

_MOST_CHARACTERS = 200_000
"""How much of a message is indexed: a long book chapter, or a big source file. A longer paste is data, which would take seconds and
fill the index; the text after that is logged, but not found."""

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
    """Return the windows of a chunk, none longer than the local embedder reads."""
    return windows(text, tokens=WINDOW_TOKENS, overlap=WINDOW_OVERLAP)


def without_secrets_before(message: LoggedMessage) -> LoggedMessage:
    """Return a message whose context, the message before it, has its secrets masked."""
    return replace(message, before=mask(message.before[-2 * _CONTEXT_CHARACTERS :]).text)


def index_by_words(message: LoggedMessage, model: str, *, embeddable: bool) -> IndexedMessage:
    """Return a message's chunks with their terms; text after its first 200,000 characters is not indexed.

    Recall finds pasted text apart from the person's words, and does not find empty phrases at all.

    Args:
        message: The message.
        model: The embedder in use.
        embeddable: Whether its chunks are to have embeddings.
    """
    text = message.content[:_MOST_CHARACTERS]
    parts = parts_of(message.role, text)
    own = own_text(text, parts)
    has_own_words = is_recallable(replace(message, content=own))
    if not has_own_words and (message.failed or not any(part.pasted for part in parts)):
        return IndexedMessage(message.id, (), {}, model, statement_features(own))
    cut = [(part, chunk) for part in parts if has_own_words or part.pasted for chunk in _chunks(text, part)]
    indexed = tuple(
        IndexedChunk(
            chunk.start,
            chunk.stop,
            chunk.code,
            document_terms(without_cuts(text, chunk.start, chunk.stop, part.cuts)),
            _context(message, is_first=number == 0),
            embeddable=embeddable,
            pasted=part.pasted,
            cuts=tuple(_within(part.cuts, chunk)),
        )
        for number, (part, chunk) in enumerate(cut[:_MOST_CHUNKS])
    )
    head, features = document_terms(_beginning(own)), statement_features(own)
    return IndexedMessage(message.id, indexed, head, model, features, message.before_id)


def _chunks(text: str, part: MessagePart) -> Iterator[Chunk]:
    """Yield the chunks of a part, with their places in the whole text."""
    for chunk in chunks(text[part.begins : part.ends], tokens=CHUNK_TOKENS):
        yield Chunk(part.begins + chunk.start, part.begins + chunk.stop, chunk.code)


def _within(cuts: Sequence[int], chunk: Chunk) -> Iterator[int]:
    for start, end in zip(cuts[::2], cuts[1::2], strict=True):
        if chunk.start <= start and end <= chunk.stop:
            yield from (start, end)


def _context(message: LoggedMessage, *, is_first: bool) -> Mapping[str, int]:
    """Return the terms of a chunk's speaker and date and, for the first chunk, of the end of the message before."""
    terms = Counter(document_terms(f"{message.speaker or ''} {message.said_at:%Y-%m-%d}"))
    if is_first:
        terms.update(document_terms(_end(message.before)))
    return terms


def _beginning(text: str) -> str:
    return " ".join(text[:_CONTEXT_CHARACTERS].split()[:_CONTEXT_WORDS])


def _end(text: str) -> str:
    return " ".join(text[-_CONTEXT_CHARACTERS:].split()[-_CONTEXT_WORDS:])
