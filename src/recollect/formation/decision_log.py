"""Writes formation's log lines: one for each run, and one with the decisions for each exchange."""

from collections import Counter
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import structlog

from recollect.model import Add, Change, Erase, Formed, Hide, Ignore, Quarantine, Replace, Unread, person_of

log = structlog.get_logger(__name__)

_IGNORED = Ignore.__name__.lower()


def log_formed(formed: Sequence[Formed], applied: Sequence[Sequence[Change]], *, milliseconds: float) -> None:
    """Log one ``formed`` for the exchanges of a user that were formed at once: counts of the applied changes, and no text.

    It is at the level ``debug``, unless formation is on and no model read some of the exchanges.
    """
    unread = Counter(each.unread.value for each in formed if each.unread is not None)
    done = Counter(type(change).__name__.lower() for changes in applied for change in changes)
    is_news = any(reason != Unread.OFF.value for reason in unread)
    say = log.info if is_news else log.debug
    say(
        "formed",
        user_id=person_of(formed[0].exchange.turn.scope.user_id),
        session_id=formed[-1].exchange.turn.scope.session_id,
        exchanges=len(formed),
        changes={name: count for name, count in done.items() if name != _IGNORED},
        skipped=done[_IGNORED],
        milliseconds=round(milliseconds),
        **({"unread": dict(unread)} if unread else {}),
    )


def log_decision(formed: Formed, applied: Sequence[Change], *, include_text: bool) -> None:
    """Log one ``memories_decided`` at the level ``debug``: each change for an exchange, with its reason."""
    exchange = formed.exchange
    log.debug(
        "memories_decided",
        user_id=person_of(exchange.turn.scope.user_id),
        exchange_id=str(exchange.id),
        input_message_length=len(exchange.turn.text),
        extracted_count=formed.extracted_count,
        unread=formed.unread,
        decisions=[_decision(change, include_text=include_text) for change in applied],
    )


def _decision(change: Change, *, include_text: bool) -> dict[str, Any]:
    text: str | None = None
    target: UUID | None
    match change:
        case Add(memory) | Quarantine(memory):
            target, text = memory.id, memory.content
        case Replace(old, memory):
            target, text = old, memory.content
        case Ignore(target=target, candidate=candidate):
            text = candidate.content if candidate else None
        case Hide() | Erase():
            target = None
        case _:
            target = change.target
    decision: dict[str, Any] = {
        "action": type(change).__name__.lower(),
        "target_id": str(target) if target else None,
        "reason": change.reason.value,
    }
    if not isinstance(change, Hide | Erase) and change.decided_by is not None:
        decision["decided_by"] = change.decided_by
    if isinstance(change, Replace):
        decision["memory_id"] = str(change.memory.id)
    if include_text and text is not None:
        decision["text"] = text
    return decision
