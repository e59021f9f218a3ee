"""A person's lexical index beside a dictionary that says what it has to say. Never: a test."""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from unittest import mock
from uuid import UUID

from tests.recollect.postgres.found import indexed

from recollect.model import Scope
from recollect.ports import LogIndex
from recollect.postgres import Postgres, paging
from recollect.postgres.paging import merge_new, merge_waiting
from recollect.postgres.posting_pages import MOST_OFTEN
from recollect.postgres.postings import (
    add_postings,
    number_documents,
    purge_postings,
    read_lexicon,
    remove_postings,
)
from recollect.postgres.waiting_postings import Document

WORDS = [*(f"w{number}" for number in range(300)), "\u00e9t\u00e9", "\u65e5\u672c", "x" * 64, "\U0010ffff"]
WEIGHTS = [1 / (place + 1) for place in range(len(WORDS))]


async def have_pages(index: LogIndex, scope: Scope, message_id: UUID) -> None:
    """Bring all words of a person into pages, and index a message of theirs anew: its words wait, and those in pages are to go."""
    with mock.patch.object(paging, "LEAST_WAITING", 1):
        assert not await index.tidy(scope.user_id)
    assert await index.mark(scope, message_id, marked=True)
    assert await indexed(index, scope.user_id)


@dataclass
class Index:
    """A person's index, and what it has to hold: of each document how often its terms stand in it, and in its own text."""

    postgres: Postgres
    user_id: str
    documents: dict[int, Document] = field(default_factory=dict)
    held: dict[int, dict[str, tuple[int, int]]] = field(default_factory=dict)

    async def add(self, texts: Sequence[tuple[Counter[str], Counter[str]]]) -> None:
        """Index documents: of each its own terms, and those of its context."""
        lengths = [own.total() + context.total() for own, context in texts]
        async with self.postgres.database.changing(self.user_id) as connection:
            numbers = await number_documents(connection, self.user_id, lengths)
            added = [
                Document(number, own, context, length, own.total())
                for number, (own, context), length in zip(numbers, texts, lengths, strict=True)
            ]
            await add_postings(connection, self.user_id, added)
        for document in added:
            self.documents[document.number] = document
            self._count(document)

    async def follow(self, number: int, head: Counter[str]) -> None:
        """Add to the context of a document what was said next."""
        known = self.documents[number]
        more = Document(number, {}, head, known.length, known.own_length)
        async with self.postgres.database.changing(self.user_id) as connection:
            await add_postings(connection, self.user_id, [more])
        self._count(more)

    async def remove(self, number: int) -> None:
        """Take a document out by its terms, as a memory is: one whose context never grew."""
        async with self.postgres.database.changing(self.user_id) as connection:
            await remove_postings(connection, self.user_id, self.documents[number])
        self._forget([number])

    async def purge(self, numbers: Sequence[int], *, later: bool = False) -> None:
        """Take documents out whatever terms they have."""
        async with self.postgres.database.changing(self.user_id) as connection:
            await purge_postings(connection, self.user_id, numbers, later=later)
        self._forget(numbers)

    async def merge(self, *, new: bool = False) -> int:
        """Merge all that waits, and with ``new`` what is in pages of level 0, too; return in how many steps."""
        steps = 0
        for step in (merge_waiting, *([merge_new] if new else [])):
            more = True
            while more:
                async with self.postgres.database.changing(self.user_id) as connection:
                    more = await step(connection, self.user_id)
                steps += 1
        return steps

    async def check(self, terms: Iterable[str] = WORDS) -> None:
        """Compare what is looked up of terms with what has to be found."""
        wanted = list(terms)
        async with self.postgres.database.for_user(self.user_id) as connection:
            lexicon = await read_lexicon(connection, self.user_id, wanted)
        for term in wanted:
            found = lexicon.occurrences.get(term)
            rows = [] if found is None else zip(*(each.tolist() for each in found), strict=True)
            assert list(rows) == self._expected(term), term

    def _expected(self, term: str) -> list[tuple[int, ...]]:
        return [
            (number, *held[term], self.documents[number].length, self.documents[number].own_length)
            for number, held in sorted(self.held.items())
            if term in held
        ]

    def _count(self, document: Document) -> None:
        held = self.held.setdefault(document.number, {})
        for term in {*document.terms, *document.context}:
            own = document.terms.get(term, 0)
            often = own + document.context.get(term, 0)
            before = held.get(term, (0, 0))
            held[term] = min(before[0] + often, MOST_OFTEN), min(before[1] + own, MOST_OFTEN)

    def _forget(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            self.documents.pop(number, None)
            self.held.pop(number, None)

    async def rows(self) -> dict[str, int]:
        """Count the rows of each table of it."""
        tables = ("waiting_documents", "posting_pages", "document_lengths", "posting_removals")
        async with self.postgres.database.for_user(self.user_id) as connection:
            return {
                table: await connection.fetchval(
                    f"SELECT count(*) FROM {table} WHERE user_id = $1", self.user_id
                )
                for table in tables
            }

    async def holds(self, word: str) -> list[str]:
        """Return in which tables of it the bytes of a word stand."""
        tables = {
            "waiting_documents": "encode(terms, 'escape')",
            "posting_pages": "encode(terms, 'escape') || first_term",
        }
        async with self.postgres.database.for_user(self.user_id) as connection:
            return [
                table
                for table, told in tables.items()
                if await connection.fetchval(
                    f"SELECT count(*) FROM {table} WHERE user_id = $1 AND position($2 IN {told}) > 0",
                    self.user_id,
                    word,
                )
            ]


def drawn(chance: random.Random, words: int) -> Counter[str]:
    """Draw terms as often as those of a language stand in a text."""
    return Counter(chance.choices(WORDS, WEIGHTS, k=words))


def texts(chance: random.Random, count: int) -> list[tuple[Counter[str], Counter[str]]]:
    """Draw texts with their contexts."""
    return [(drawn(chance, chance.randrange(40)), drawn(chance, chance.randrange(10))) for _ in range(count)]
