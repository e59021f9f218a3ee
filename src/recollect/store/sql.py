"""Loads the SQL: named queries and migrations, each from its ``.sql`` file."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable

_NAMED = re.compile(r"^-- name: (\w+)\n-- (.+)\n", re.MULTILINE)
_MEMORY = """v.owner, v.id, v.kind, v.source, v.content, v.importance, v.confidence, v.observed_at, v.event_at,
    v.created_at, v.session_id, v.message_ids, v.evidence, v.extractor, v.embedding_model, v.holds_from, v.holds_until,
    v.outline, v.use, v.topics, v.questions, v.tags, v.metadata"""
_CONTENT_VALUES = """CASE WHEN v.use IS NULL THEN v."values"
        ELSE subvector(v."values", 1, vector_dims(v."values") / (2 + cardinality(v.questions))) END"""
"""The embedding of a memory's content without its hints, which a query names ``{content_values}``."""
_LINK = "l.last_recalled_at, l.recall_count, l.reinforcement_count, l.doubt, l.expires_at"
_UPDATE = """u.id, u.at, u.action, u.actor, u.reason, u.memory_id, u.replaced_id, u.before, u.after, u.session_id,
    u.exchange_id, u.undoes, u.details"""
_SHORT = {"{memory}": _MEMORY, "{content_values}": _CONTENT_VALUES, "{link}": _LINK, "{update}": _UPDATE}
"""Lists of columns, by their names in queries: of a memory, its embedded content, its link to a user, and a row of the audit."""

_MIGRATION = re.compile(r"(\d{4})_(\w+)\.sql")


@dataclass(frozen=True, slots=True)
class Query:
    """A named query: its one-line purpose and its text."""

    name: str
    purpose: str
    text: str


@dataclass(frozen=True, slots=True)
class Migration:
    """A step of the schema. Once released its file never changes; the checksum tells."""

    version: int
    name: str
    text: str

    @property
    def contracts(self) -> bool:
        """Whether it removes something that the version before needs; then its first line says ``-- contract: WHY``."""
        return self.text.startswith("-- contract: ")

    @property
    def checksum(self) -> str:
        """SHA-256 of the text, as hexadecimal."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def read_queries(text: str) -> Iterator[Query]:
    """Yield the queries of one file: a name line, a purpose line, the query, and so on.

    Raises:
        ValueError: Something stands before the first name line.
    """
    before, *parts = _NAMED.split(text)
    if before.strip():
        raise ValueError("A query without a name and a purpose.")
    for name, purpose, body in zip(parts[0::3], parts[1::3], parts[2::3], strict=True):
        text = body.strip()
        for short, columns in _SHORT.items():
            text = text.replace(short, columns)
        yield Query(name, purpose, text)


def load_queries() -> dict[str, Query]:
    """Return every query by its name.

    Raises:
        ValueError: Two queries have one name.
    """
    queries: dict[str, Query] = {}
    for file in _files("queries"):
        for query in read_queries(file.read_text(encoding="utf-8")):
            if query.name in queries:
                raise ValueError(f"Two queries are named {query.name}.")
            queries[query.name] = query
    return queries


def load_migrations() -> list[Migration]:
    """Return the migrations in the order they are applied."""
    found = []
    for file in _files("migrations"):
        named = _MIGRATION.fullmatch(file.name)
        if named is None:
            raise ValueError(f"Not the name of a migration: {file.name}")
        found.append(Migration(int(named[1]), named[2], file.read_text(encoding="utf-8")))
    return found


def _files(folder: str) -> list[Traversable]:
    here = resources.files(__package__) / folder
    return sorted((file for file in here.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)


SQL = {name: query.text for name, query in load_queries().items()}
"""The text of each named query."""


def of_table(name: str, table: str) -> str:
    """Return the text of a query of any table of the users', for one of them."""
    return (
        SQL[name].replace("{table}", table).replace("{owner}", "owner" if table == "vectors" else "user_id")
    )


def of_everything(name: str) -> str:
    """Return the text of a query of what changed, without the upper bound by which its plan expects few rows."""
    return SQL[name].replace("AND changed < 9223372036854775807", "")
