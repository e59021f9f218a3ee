"""Fills a store for the measure of growth: rows made in the database, by SQL, of a few hundred texts that were embedded for real.

Each embedding is one of those, moved by noise half as long as itself and brought back to length one. Rows of all people lie
in the tables as they come in life: by turns. Never: asks anything of it.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from itertools import islice, product

import asyncpg
import numpy as np
from numpy.typing import NDArray
from pgvector.asyncpg import register_vector

from recollect.model import Vector
from recollect.postgres.paging import OLD
from recollect.postgres.posting_pages import Page, merged, packed
from recollect.text.lexical import document_terms

EMBEDDED = 300
"""How many texts are embedded."""

_NOISES, _NEAR, _SEED = 1009, 0.5, 2026
_BLOCK, _TERMS, _VOCABULARY, _ZIPF = 512, 60, 30_000, 1.05
_IS_PAGED = 2**31
_TABLES = (
    "vectors, users_vectors, messages, message_chunks, chunk_vectors, postings, waiting_documents, posting_pages, "
    "document_lengths, corpora, sessions"
)

_VACUUMS = 60
_ALL_VISIBLE = """
SELECT bool_and(relallvisible >= 0.99 * relpages) FROM pg_class WHERE oid IN ('vectors'::regclass, 'chunk_vectors'::regclass)
"""

_STAGE = """
SET search_path = recollect, public;
CREATE TEMPORARY TABLE bases (number integer PRIMARY KEY, content text, first halfvec, second halfvec);
CREATE TEMPORARY TABLE noises (number integer PRIMARY KEY, first halfvec, second halfvec);
CREATE TEMPORARY TABLE people (user_id text, statements integer, messages integer);
"""
# Drawn below the sort: the planner takes a random() of the list and one of ORDER BY for the same number.
_STATEMENTS = f"""
INSERT INTO vectors (
    owner, id, kind, source, valid_from, content, content_hash, "values", embedding_model, importance,
    confidence, observed_at, message_ids, created_at, second_values, second_model
)
SELECT said.user_id, said.id, 'fact', 'extracted', now(), b.content || ', number ' || said.number,
    sha256(convert_to(said.number::text, 'UTF8')), l2_normalize(b.first + n.first), $1, random(), 1, now(),
    '{{}}', now(), l2_normalize(b.second + n.second), $2
FROM (
    SELECT drawn.*
    FROM (
        SELECT p.user_id, s.number, gen_random_uuid() AS id, (random() * {EMBEDDED - 1})::integer AS base,
            (random() * {_NOISES - 1})::integer AS noise
        FROM people AS p, generate_series(1, p.statements) AS s (number)
    ) AS drawn
    ORDER BY random()
) AS said
JOIN bases AS b ON b.number = said.base
JOIN noises AS n ON n.number = said.noise
"""
_LINKS = """
INSERT INTO users_vectors (user_id, vector_id, owner, content_hash, linked_at, document)
SELECT owner, id, owner, content_hash, now(),
    (SELECT messages FROM people WHERE user_id = owner) + substring(content FROM '([0-9]+)$')::integer - 1
FROM vectors
"""
_MESSAGES = """
INSERT INTO messages (
    user_id, id, session_id, turn_index, role, content, tokens, alternate, created_at, exchange_id, indexed, words
)
SELECT p.user_id, gen_random_uuid(), 'chat ' || s.number / 20, s.number, 'user',
    (SELECT string_agg(content, '. ') FROM bases WHERE number BETWEEN s.number % 280 AND s.number % 280 + 15),
    200, false, now(), gen_random_uuid(), true, 120
FROM people AS p, generate_series(0, p.messages - 1) AS s (number)
ORDER BY random()
"""
_CHUNKS = """
INSERT INTO message_chunks (
    user_id, document, message_id, part, begins, ends, code, terms, own_terms, hidden, embeddable, embedding_model, pasted
)
SELECT user_id, turn_index, id, 0, 0, length(content), false, 85, 60, false, true, $1, false FROM messages
"""
_PIECES = f"""
INSERT INTO chunk_vectors (user_id, document, piece, "values", embedding_model)
SELECT said.user_id, said.document, 0, l2_normalize(b.first + n.first), $1
FROM (
    SELECT user_id, document, (random() * {EMBEDDED - 1})::integer AS base, (random() * {_NOISES - 1})::integer AS noise
    FROM message_chunks
) AS said
JOIN bases AS b ON b.number = said.base
JOIN noises AS n ON n.number = said.noise
"""
_CORPORA = """
INSERT INTO corpora (user_id, next_document, documents, terms, reading, paged, merged_to)
SELECT user_id, statements + messages, statements + messages, 60 * (statements + messages), 1, true, statements + messages
FROM people
"""


@dataclass(frozen=True, slots=True)
class Person:
    """How much somebody has, and whether words are looked up for them."""

    user_id: str
    statements: int
    messages: int
    asks: bool = True


@dataclass(frozen=True, slots=True)
class Embedded:
    """What is embedded for real: the texts, by both embedders, and their names."""

    texts: Sequence[str]
    first: Sequence[Vector]
    second: Sequence[Vector]
    model: str
    second_model: str


@asynccontextmanager
async def filling(dsn: str, embedded: Embedded) -> AsyncIterator["Filling"]:
    """Lend what fills the store."""
    connection = await asyncpg.connect(dsn)
    try:
        await register_vector(connection, schema="public")
        await connection.execute(_STAGE)
        drawn = np.random.default_rng(_SEED)
        bases = zip(range(EMBEDDED), embedded.texts, embedded.first, embedded.second, strict=False)
        await connection.executemany(
            "INSERT INTO bases VALUES ($1, $2, $3::halfvec, $4::halfvec)", list(bases)
        )
        noises = [
            (number, *(_noise(drawn, len(each[0])) for each in (embedded.first, embedded.second)))
            for number in range(_NOISES)
        ]
        await connection.executemany("INSERT INTO noises VALUES ($1, $2::halfvec, $3::halfvec)", noises)
        yield Filling(connection, embedded)
    finally:
        await connection.close()


@cache
def vocabulary() -> list[str]:
    """Return made-up words, the most frequent first, each of which is its own and only term."""
    consonants, vowels = "bdfgklmnprtvz", "aou"
    made = map("".join, product(consonants, vowels, consonants, vowels, consonants, vowels))
    return list(islice((word for word in made if list(document_terms(word)) == [word]), _VOCABULARY))


def question_words(drawn: np.random.Generator, count: int) -> list[str]:
    """Return words to ask by, often ones often."""
    weights = _weights()
    return [vocabulary()[number] for number in drawn.choice(_VOCABULARY, count, p=weights)]


def _weights() -> NDArray[np.float64]:
    weights = 1 / (np.arange(_VOCABULARY) + 31) ** _ZIPF
    shares: NDArray[np.float64] = weights / weights.sum()
    return shares


def _noise(drawn: np.random.Generator, dimensions: int) -> NDArray[np.float32]:
    return drawn.normal(scale=_NEAR / np.sqrt(dimensions), size=dimensions).astype(np.float32)


class Filling:
    """Empties the store and fills it anew."""

    def __init__(self, connection: "asyncpg.Connection[asyncpg.Record]", embedded: Embedded) -> None:
        self._connection, self._embedded = connection, embedded

    async def fill(self, people: Sequence[Person]) -> None:
        """Have these people in the store, and nobody else."""
        told, models = self._connection, (self._embedded.model, self._embedded.second_model)
        await told.execute(f"TRUNCATE people, {_TABLES}")
        rows = [(each.user_id, each.statements, each.messages) for each in people]
        await told.copy_records_to_table("people", records=rows)
        await told.execute("ANALYZE people; ANALYZE bases; ANALYZE noises")
        await told.execute(_STATEMENTS, *models, timeout=None)
        await told.execute("CREATE INDEX IF NOT EXISTS people_ids ON people (user_id)")
        for statement, arguments in (
            (_LINKS, ()),
            (_MESSAGES, ()),
            (_CHUNKS, models[:1]),
            (_PIECES, models[:1]),
            (_CORPORA, ()),
        ):
            await told.execute(statement, *arguments, timeout=None)
        for each in people:
            if each.asks:
                await self._post(each)
        for _ in range(_VACUUMS):
            # What was committed without waiting for the disk is not yet visible to all, and VACUUM could not say that it is.
            await told.execute("CHECKPOINT", timeout=None)
            await told.execute(f"VACUUM (ANALYZE) {_TABLES}", timeout=None)
            if await told.fetchval(_ALL_VISIBLE):
                return
            # A process that began to look before the last rows came, as autovacuum's, has to end first.
            await asyncio.sleep(1)
        raise RuntimeError("VACUUM does not find all rows visible")

    async def _post(self, person: Person) -> None:
        """Write the pages of a person's words: as often as a language has them (Zipf), sixty a document."""
        drawn = np.random.default_rng(_SEED)
        documents = person.statements + person.messages
        pages = _paged(drawn.choice(_VOCABULARY, (documents, _TERMS), p=_weights()))
        told, schema = self._connection, "recollect"
        rows = [(person.user_id, OLD, *page) for page in pages]
        await told.copy_records_to_table("posting_pages", records=rows, schema_name=schema)
        lengths = np.full(_BLOCK, _IS_PAGED | _TERMS << 15 | _TERMS, "<u4").tobytes()
        blocks = [(person.user_id, block, lengths) for block in range(-(-documents // _BLOCK))]
        await told.copy_records_to_table("document_lengths", records=blocks, schema_name=schema)


def _paged(stands: NDArray[np.int64]) -> list[Page]:
    """Return the pages of the terms that stand in documents: their numbers (documents, terms)."""
    places = np.repeat(np.arange(len(stands)), stands.shape[1])
    pairs, often = np.unique(np.stack([stands.ravel(), places], 1), axis=0, return_counts=True)
    used = np.unique(pairs[:, 0])
    terms = [vocabulary()[number] for number in used.tolist()]
    return merged([], terms, packed(np.searchsorted(used, pairs[:, 0]), pairs[:, 1], often, often))
