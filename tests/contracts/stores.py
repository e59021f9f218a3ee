"""What the contracts speak of: a store behind its ports, and nouns of two users. Never: a test."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from uuid_utils.compat import uuid7

from recollect.model import Exchange, Kind, Memory, Scope, Source, Turn, Vector
from recollect.ports import (
    ChatMemory,
    FlagStore,
    Inbox,
    Jobs,
    LogIndex,
    MemoryStore,
    MessageLog,
    RequestLog,
    UsageLog,
)

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
LATER = datetime(2026, 3, 16, 9, 30, tzinfo=UTC)
ANNA = Scope("anna", "chat-1")
BEN = Scope("ben", "chat-1")
MODEL = "words/4"
NORTH, EAST, SOUTH = (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (-1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Store:
    memories: MemoryStore
    log: MessageLog
    inbox: Inbox
    jobs: Jobs
    index: LogIndex
    chats: ChatMemory
    requests: RequestLog
    flags: FlagStore
    usage: UsageLog


def vector(*numbers: float) -> Vector:
    values = np.array(numbers, dtype=np.float32)
    unit: Vector = values / np.linalg.norm(values)
    return unit


def memory(content: str, scope: Scope = ANNA, **changed: Any) -> Memory:
    given: dict[str, Any] = {
        "id": uuid7(),
        "owner": scope.user_id,
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


def exchange(text: str, scope: Scope = ANNA, *, reply: str = "I see.", **changed: Any) -> Exchange:
    given: dict[str, Any] = {
        "scope": scope,
        "text": text,
        "key": str(uuid7()),
        "at": NOON,
        "model": "scripted",
    }
    return Exchange(uuid7(), Turn(**given | changed), reply, uuid7(), uuid7(), authorized=True)
