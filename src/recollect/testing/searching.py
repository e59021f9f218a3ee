"""What is indexed and searched of one user, in memory. Never: another user; how a message is cut."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from recollect.lexical import document_terms
from recollect.model import (
    Exchange,
    Hit,
    IndexedChunk,
    IndexedMessage,
    Lexicon,
    LoggedMessage,
    Memory,
    Passage,
    Role,
    Source,
    Statement,
    UnembeddedChunk,
    Vector,
)
from recollect.testing.counting import Counted, occurrences_of


@dataclass(frozen=True, slots=True)
class Said:
    """A message of the log: the user's, or the reply to it."""

    id: UUID
    exchange: Exchange
    role: Role
    turn_index: int

    @property
    def content(self) -> str:
        """What was said."""
        return self.exchange.turn.text if self.role is Role.USER else self.exchange.reply

    @property
    def speaker(self) -> str | None:
        """Who said it, by name."""
        return self.exchange.turn.speaker if self.role is Role.USER else None

    @property
    def session_id(self) -> str:
        """The chat it was said in."""
        return self.exchange.turn.scope.session_id


@dataclass
class Chunk:
    """A part of a message, as it is indexed."""

    said: Said
    part: int
    indexed: IndexedChunk
    terms: Counter[str]
    vectors: tuple[Vector, ...]
    model: str | None

    @property
    def content(self) -> str:
        """Its text."""
        return self.said.content[self.indexed.begins : self.indexed.ends]


@dataclass
class Index:
    """By what one user's memories and messages are found."""

    numbers: int = 0
    memories: dict[UUID, int] = field(default_factory=dict)
    chunks: dict[int, Chunk] = field(default_factory=dict)
    indexed: set[UUID] = field(default_factory=set)
    statements: dict[UUID, Statement] = field(default_factory=dict)
    hidden: set[UUID] = field(default_factory=set)
    changed: dict[UUID, datetime] = field(default_factory=dict)

    def unindexed(self, said: Sequence[Said], limit: int) -> list[LoggedMessage]:
        """Return the messages that are not indexed yet, oldest first."""
        missing = sorted((each for each in said if each.id not in self.indexed), key=lambda each: each.id)
        return [
            LoggedMessage(
                each.id,
                each.role,
                each.content,
                each.exchange.turn.at,
                each.speaker,
                before.content if (before := _before(each, said)) and before.id not in self.hidden else "",
                each.exchange.turn.marked,
            )
            for each in missing[:limit]
        ]

    def index(self, message: IndexedMessage, said: Sequence[Said]) -> bool:
        """Index one message; False if it was, or is not there."""
        own = next((each for each in said if each.id == message.id), None)
        if own is None or own.id in self.indexed:
            return False
        self.indexed.add(own.id)
        if message.statement is not None:
            self.statements[own.id] = message.statement
        if own.id in self.hidden:
            return True
        before = _before(own, said)
        behind = [chunk for chunk in self.chunks.values() if before and chunk.said.id == before.id]
        if behind and before and before.id not in self.hidden:
            max(behind, key=lambda chunk: chunk.part).terms.update(message.head)
        for part, chunk in enumerate(message.chunks):
            model = message.embedding_model if chunk.vectors else None
            terms = Counter(chunk.terms) + Counter(chunk.context)
            self.chunks[self._number()] = Chunk(own, part, chunk, terms, chunk.vectors, model)
        return True

    def unembedded(self, model: str, limit: int) -> list[UnembeddedChunk]:
        """Return the chunks that are to have embeddings of ``model`` and have none, newest first."""
        missing = [
            UnembeddedChunk(number, chunk.content)
            for number, chunk in sorted(self.chunks.items(), reverse=True)
            if chunk.indexed.embeddable and chunk.model != model and chunk.said.id not in self.hidden
        ]
        return missing[:limit]

    def embed(self, document: int, vectors: Sequence[Vector], model: str) -> None:
        """Give a chunk its embeddings."""
        if document in self.chunks and self.chunks[document].said.id not in self.hidden:
            self.chunks[document].vectors, self.chunks[document].model = tuple(vectors), model

    def unembedded_memories(self, model: str, memories: Iterable[Memory], limit: int) -> list[Memory]:
        """Return those of the memories that have no embedding of ``model``, newest first."""
        missing = [each for each in memories if lacks_embedding(each, model)]
        return [_loaded(each) for each in sorted(missing, key=lambda each: each.id, reverse=True)[:limit]]

    def index_memories(self, memories: Mapping[UUID, Memory]) -> None:
        """Number the memories, and forget those that are gone."""
        self.memories = {known: self.memories.get(known) or self._number() for known in memories}

    def hide(self, message_ids: Sequence[UUID], said: Sequence[Said]) -> None:
        """Find these messages no more, nor what was answered to them."""
        self.hidden |= set(_of_their_exchanges(message_ids, said))

    def hide_reply(self, exchange: Exchange) -> None:
        """Hide what came as the reply to a message that is hidden."""
        if exchange.message_id in self.hidden:
            self.hidden.add(exchange.reply_id)

    def note_change(self, message_ids: Sequence[UUID], said: Sequence[Said], at: datetime) -> None:
        """Note that what was understood from these messages is no longer so."""
        self.changed = dict.fromkeys(_of_their_exchanges(message_ids, said), at) | self.changed

    def lexicon(self, terms: Sequence[str], memories: Mapping[UUID, Memory]) -> Lexicon:
        """Return where the terms stand."""
        documents = {
            number: Counted(
                chunk.terms,
                chunk.indexed.terms,
                sum(chunk.indexed.terms.values()) + sum(chunk.indexed.context.values()),
            )
            for number, chunk in self.chunks.items()
            if chunk.said.id not in self.hidden
        }
        for known, memory in memories.items():
            counted = document_terms(memory.content)
            documents[self.memories[known]] = Counted(Counter(counted), counted, sum(counted.values()))
        mean = sum(each.length for each in documents.values()) / max(1, len(documents))
        occurrences = {term: occurrences_of(term, documents) for term in terms}
        stand = {term: found for term, found in occurrences.items() if found is not None}
        return Lexicon(len(documents), max(1.0, mean), stand)

    def vocabulary(self, memories: Mapping[UUID, Memory]) -> set[str]:
        """Return every term there is."""
        known = [document_terms(memory.content) for memory in memories.values()]
        return {
            term for terms in (*known, *(chunk.terms for chunk in self.chunks.values())) for term in terms
        }

    def search(
        self,
        vector: Vector | None,
        model: str,
        memories: Mapping[UUID, Memory],
        *,
        documents: Sequence[int],
        limit: int,
        log: bool,
        verbatim: bool = False,
        common: Sequence[Memory] = (),
    ) -> list[Hit]:
        """Return what is nearest to ``vector``, and what is named; ``common`` is no document of the user's."""
        hidden = {Source.QA_TURN} if log and not verbatim else set()
        kept = [memory for memory in memories.values() if memory.source not in hidden]
        found = [
            Hit(_loaded(memory), self.memories.get(memory.id), _cosine(memory, vector, model))
            for memory in [*kept, *common]
        ]
        hits = _nearest(found, limit, documents)
        if log:
            passages = [*self._passages(vector, model)]
            hits += _nearest(passages, self._chunks_near(passages, vector, model, 2 * limit), documents)
        return hits

    def _chunks_near(self, passages: Sequence[Hit], vector: Vector | None, model: str, pieces: int) -> int:
        """Return how many chunks the nearest ``pieces`` pieces belong to."""
        cosines = sorted(
            (
                (-cosine, hit.document)
                for hit in passages
                if hit.document is not None
                for cosine in _cosines(self.chunks[hit.document], vector, model)
            ),
        )
        return len({document for _, document in cosines[:pieces]})

    def _passages(self, vector: Vector | None, model: str) -> Iterator[Hit]:
        for number, chunk in self.chunks.items():
            if chunk.said.id in self.hidden:
                continue
            near = _cosines(chunk, vector, model)
            said = chunk.said
            passage = Passage(
                said.id,
                said.exchange.id,
                said.session_id,
                said.turn_index,
                chunk.part,
                said.role,
                chunk.content,
                said.exchange.turn.at,
                said.speaker,
                chunk.indexed.code,
                chunk.indexed.language,
                self.changed.get(said.id),
                self.statements.get(said.id),
            )
            first = self._beginning(said.id, vector, model)
            yield Hit(passage, number, max(near, default=None), first)

    def _beginning(self, message_id: UUID, vector: Vector | None, model: str) -> float | None:
        """Return the cosine of the first piece of a message."""
        first = next(
            (each for each in self.chunks.values() if each.said.id == message_id and not each.part), None
        )
        if first is None or vector is None or first.model != model or not first.vectors:
            return None
        return float(first.vectors[0] @ vector) if first.vectors[0].shape == vector.shape else None

    def _number(self) -> int:
        self.numbers += 1
        return self.numbers


def lacks_embedding(memory: Memory, model: str) -> bool:
    """Return whether a memory has no embedding of ``model``."""
    return memory.embedding is None or memory.embedding_model != model


def _before(own: Said, said: Sequence[Said]) -> Said | None:
    earlier = [
        each for each in said if each.session_id == own.session_id and each.turn_index < own.turn_index
    ]
    return max(earlier, key=lambda each: each.turn_index, default=None)


def _of_their_exchanges(message_ids: Sequence[UUID], said: Sequence[Said]) -> Iterator[UUID]:
    exchanges = {each.exchange.id for each in said if each.id in message_ids}
    return (each.id for each in said if each.exchange.id in exchanges)


def _cosines(chunk: Chunk, vector: Vector | None, model: str) -> list[float]:
    if vector is None or chunk.model != model:
        return []
    return [float(each @ vector) for each in chunk.vectors if each.shape == vector.shape]


def _nearest(hits: Sequence[Hit], limit: int, documents: Sequence[int]) -> list[Hit]:
    near = sorted((hit for hit in hits if hit.cosine is not None), key=lambda hit: -(hit.cosine or 0.0))
    named = [hit for hit in hits if hit.document in documents and hit not in near[:limit]]
    return [*near[:limit], *named]


def _cosine(memory: Memory, vector: Vector | None, model: str) -> float | None:
    if vector is None or memory.embedding is None or memory.embedding_model != model:
        return None
    return float(memory.embedding @ vector) if memory.embedding.shape == vector.shape else None


def _loaded(memory: Memory) -> Memory:
    """Return the memory as a store reads it: without its embedding."""
    return Memory(**{name: getattr(memory, name) for name in Memory.__slots__} | {"embedding": None})
