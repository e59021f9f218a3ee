"""Nouns for tests, made of as few words as a test wants to say. Never: a test."""

from datetime import UTC, datetime
from typing import Any

from uuid_utils.compat import uuid7

from recollect.model import Kind, Memory, Recollection, Scope, Source, Turn

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)


def memory(content: str, **changed: Any) -> Memory:
    """Return a fact of Anna's with this content."""
    given: dict[str, Any] = {
        "id": uuid7(),
        "owner": "anna",
        "kind": Kind.FACT,
        "source": Source.EXTRACTED,
        "content": content,
        "importance": 0.5,
        "observed_at": NOON,
        "created_at": NOON,
    }
    return Memory(**given | changed)


def recollection(content: str, *, score: float = 0.9, **changed: Any) -> Recollection:
    """Return a fact of Anna's as it came back."""
    return Recollection(memory(content, **changed), score)


def turn(text: str = "What do I drink?", **changed: Any) -> Turn:
    """Return a turn of Anna's."""
    given: dict[str, Any] = {
        "scope": Scope("anna", "chat-1"),
        "text": text,
        "key": str(uuid7()),
        "at": NOON,
        "model": "scripted",
    }
    return Turn(**given | changed)
