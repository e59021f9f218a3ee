"""What tests of a store speak of: the parts of a store, two people, and nouns of theirs."""

from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any

import numpy as np
from tests.support import recollections
from tests.support.people import Person, person
from uuid_utils.compat import uuid7

from recollect.model import Exchange, Memory, Scope, Turn, Vector
from recollect.store.postgres import Postgres

NOON = recollections.NOON
LATER = datetime(2026, 3, 16, 9, 30, tzinfo=UTC)
MODEL = "words/4"
NORTH, EAST, SOUTH = (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (-1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Store(Postgres):
    """A store, and two people whom no other test knows. What is said is Anna's, and of her first chat, unless told otherwise."""

    anna: Person = field(default_factory=lambda: person("anna"))
    ben: Person = field(default_factory=lambda: person("ben"))

    def memory(self, content: str, scope: Scope | None = None, **changed: Any) -> Memory:
        """Return a fact, with an embedding."""
        owner = (scope or self.anna.scope).user_id
        embedded = {"embedding": vector(*NORTH), "embedding_model": MODEL}
        return recollections.memory(content, **{"owner": owner} | embedded | changed)

    def turn(self, text: str = "What do I drink?", scope: Scope | None = None, **changed: Any) -> Turn:
        """Return what is said."""
        return recollections.turn(text, scope=scope or self.anna.scope, **changed)

    def exchange(
        self, text: str, scope: Scope | None = None, *, reply: str = "I see.", **changed: Any
    ) -> Exchange:
        """Return what is said, and its answer."""
        turn = self.turn(text, scope, **changed)
        return Exchange(uuid7(), turn, reply, uuid7(), uuid7(), authorized=True)


def store_over(postgres: Postgres) -> Store:
    """Return the store in Postgres, and two people who are new to it."""
    return Store(**{each.name: getattr(postgres, each.name) for each in fields(Postgres)})


def vector(*numbers: float) -> Vector:
    """Return the unit vector of that direction."""
    values = np.array(numbers, dtype=np.float32)
    unit: Vector = values / np.linalg.norm(values)
    return unit
