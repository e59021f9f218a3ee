"""Nouns for tests, made of as few words as a test wants to say."""

from datetime import UTC, datetime
from typing import Any

from uuid_utils.compat import uuid7

from recollect.engine import Prepared
from recollect.model import (
    Injection,
    Kind,
    LoggedExchange,
    Memory,
    Passage,
    Place,
    Recollection,
    Role,
    Scope,
    Source,
    Turn,
)

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


def passage(content: str, **changed: Any) -> Passage:
    """Return what Anna once said, as the message log keeps it."""
    given: dict[str, Any] = {
        "message_id": uuid7(),
        "exchange_id": uuid7(),
        "session_id": "chat-0",
        "turn_index": 0,
        "part": 0,
        "role": Role.USER,
        "content": content,
        "said_at": NOON,
    }
    return Passage(**given | changed)


def recalled_passage(content: str, *, score: float = 0.9, **changed: Any) -> Recollection:
    """Return what Anna once said as it came back."""
    return Recollection(passage(content, **changed), score)


def logged(number: int, said: str | None = None, reply: str | None = None, **changed: Any) -> LoggedExchange:
    """Return the exchange at this place of a chat, counted from 0, that carried all before it."""
    given: dict[str, Any] = {
        "key": f"key {number}",
        "turn_index": 2 * number,
        "said": f"said {number}" if said is None else said,
        "reply": f"reply {number}" if reply is None else reply,
        "carried": 2 * number,
        "anchor": f"anchor {number}",
    }
    return LoggedExchange(**given | changed)


def injection(anchor: str, block: str, place: Place = Place.BESIDE, **changed: Any) -> Injection:
    """Return what was added to a turn of Anna's."""
    given: dict[str, Any] = {
        "anchor": anchor,
        "place": place,
        "block": block,
        "items": (),
        "tokens": 100,
        "at": NOON,
    }
    return Injection(**given | changed)


def standing(prepared: Prepared) -> set[str]:
    """Return the statements that a turn is given whatever it asks."""
    return {each.item.content for each in prepared.included if each.standing}
