"""What tests of a store speak of: the parts of a store, two people, and nouns of theirs. Never: a test."""

from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any

import numpy as np
from tests.support.people import Person, person
from uuid_utils.compat import uuid7

from recollect.index import SnapshotCache
from recollect.model import Exchange, Kind, Memory, Scope, Source, Turn, Vector
from recollect.store import Postgres
from recollect.store.browsing import Browsing
from recollect.store.inbox import Inbox
from recollect.store.jobs import Attempts, Jobs
from recollect.store.log import LogIndex
from recollect.store.memories import Memories, Repairs
from recollect.store.messages import ChatRequests, Chats, MessageLog
from recollect.store.requests import RequestLog
from recollect.store.statistics import Statistics
from recollect.store.users import (
    AdminReadLog,
    Answers,
    Events,
    Feedback,
    Portability,
    Profiles,
    Projects,
    Teams,
    UsageLog,
    UserSettings,
)

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
LATER = datetime(2026, 3, 16, 9, 30, tzinfo=UTC)
MODEL = "words/4"
NORTH, EAST, SOUTH = (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (-1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Parts:
    """The parts of an open store."""

    memories: Memories
    log: MessageLog
    inbox: Inbox
    jobs: Jobs
    index: LogIndex
    chats: Chats
    asked: ChatRequests
    requests: RequestLog
    flags: UserSettings
    usage: UsageLog
    admin_reads: AdminReadLog
    browsing: Browsing
    attempts: Attempts
    answers: Answers
    portability: Portability
    repairs: Repairs
    profiles: Profiles
    projects: Projects
    teams: Teams
    feedback: Feedback
    events: Events
    statistics: Statistics
    snapshots: SnapshotCache


PARTS = tuple(each.name for each in fields(Parts))


@dataclass(frozen=True)
class Store(Parts):
    """A store, and two people whom no other test knows. What is said is Anna's, and of her first chat, unless told otherwise."""

    anna: Person = field(default_factory=lambda: person("anna"))
    ben: Person = field(default_factory=lambda: person("ben"))

    def memory(self, content: str, scope: Scope | None = None, **changed: Any) -> Memory:
        """Return a fact, with an embedding."""
        given: dict[str, Any] = {
            "id": uuid7(),
            "owner": (scope or self.anna.scope).user_id,
            "kind": Kind.FACT,
            "source": Source.EXTRACTED,
            "content": content,
            "importance": 0.5,
            "observed_at": NOON,
            "created_at": NOON,
            "embedding": vector(*NORTH),
            "embedding_model": MODEL,
        }
        return Memory(**given | changed)

    def turn(self, text: str = "What do I drink?", scope: Scope | None = None, **changed: Any) -> Turn:
        """Return what is said."""
        given: dict[str, Any] = {
            "scope": scope or self.anna.scope,
            "text": text,
            "key": str(uuid7()),
            "at": NOON,
            "model": "scripted",
        }
        return Turn(**given | changed)

    def exchange(
        self, text: str, scope: Scope | None = None, *, reply: str = "I see.", **changed: Any
    ) -> Exchange:
        """Return what is said, and its answer."""
        turn = self.turn(text, scope, **changed)
        return Exchange(uuid7(), turn, reply, uuid7(), uuid7(), authorized=True)


def store_over(postgres: Postgres) -> Store:
    """Return the store in Postgres, and two people who are new to it."""
    return Store(**{name: getattr(postgres, name) for name in PARTS})


def vector(*numbers: float) -> Vector:
    """Return the unit vector of that direction."""
    values = np.array(numbers, dtype=np.float32)
    unit: Vector = values / np.linalg.norm(values)
    return unit
