"""Counts the statements and transactions that a process sends to Postgres."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from recollect.store.pool import connections


@dataclass
class Statements:
    """The statements that were sent, in order, each a round trip, and each with a number of its connection."""

    sent: list[tuple[int, str]] = field(default_factory=list)
    _awaited: dict[str, Callable[[], None]] = field(default_factory=dict)

    def note(self, connection: int, statement: str) -> None:
        self.sent.append((connection, statement))
        for part, call in self._awaited.items():
            if part in statement:
                call()

    def when_sent(self, part: str, call: Callable[[], None]) -> None:
        self._awaited[part] = call

    @property
    def transactions(self) -> list[list[str]]:
        ended: list[list[str]] = []
        open_ones: dict[int, list[str]] = {}
        for connection, statement in self.sent:
            open_ones.setdefault(connection, []).append(statement)
            if not open_ones[connection][0].startswith("BEGIN") or statement.startswith(
                ("COMMIT", "ROLLBACK")
            ):
                ended.append(open_ones.pop(connection))
        return ended


@contextmanager
def counting_statements() -> Iterator[Statements]:
    """Count the statements on all connections that are opened during the body."""
    statements = Statements()
    register = connections._register_vectors

    async def watch(connection: Any, *, schema: str) -> None:
        await register(connection, schema=schema)
        number = id(connection)
        connection.add_query_logger(lambda record: statements.note(number, record.query))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connections, "_register_vectors", watch)
        yield statements
