"""Turns rows into the nouns of memory. Never: SQL, a connection."""

from asyncpg import Record

from recollect.model import (
    Action,
    Actor,
    Exchange,
    Hit,
    Kind,
    Memory,
    Message,
    Passage,
    Provenance,
    Reason,
    Role,
    Scope,
    Source,
    Statement,
    Turn,
    Update,
)

_DIGITS = 6
"""What a four-byte float holds."""


def shortest(number: float) -> float:
    """Return a four-byte float as it was given: 0.3 comes back as 0.3."""
    return float(f"{number:.{_DIGITS}g}")


def memory_of(row: Record) -> Memory:
    """Return the memory of a joined row of vectors and users_vectors; its embedding is not loaded."""
    return Memory(
        id=row["id"],
        owner=row["owner"],
        kind=Kind(row["kind"]),
        source=Source(row["source"]),
        content=row["content"],
        importance=shortest(row["importance"]),
        observed_at=row["observed_at"],
        created_at=row["created_at"],
        confidence=shortest(row["confidence"]),
        event_at=row["event_at"],
        provenance=Provenance(row["session_id"], tuple(row["message_ids"]), row["evidence"]),
        last_recalled_at=row["last_recalled_at"],
        recall_count=row["recall_count"],
        reinforcement_count=row["reinforcement_count"],
        embedding_model=row["embedding_model"],
    )


def passage_of(row: Record) -> Passage:
    """Return the passage of a joined row of message_chunks and messages."""
    return Passage(
        message_id=row["id"],
        exchange_id=row["exchange_id"],
        session_id=row["session_id"],
        turn_index=row["turn_index"],
        part=row["part"],
        role=Role(row["role"]),
        content=row["content"],
        said_at=row["created_at"],
        speaker=row["speaker"],
        code=row["code"],
        language=row["language"],
        changed_at=row["changed_at"],
        statement=None if row["words"] is None else Statement(*(row[name] for name in Statement._fields)),
    )


def hit_of(row: Record) -> Hit:
    """Return what a row of the search found."""
    item = passage_of(row) if row["owner"] is None else memory_of(row)
    return Hit(item, row["document"], row["cosine"], row["first_cosine"])


def update_of(row: Record) -> Update:
    """Return the audit row."""
    return Update(
        id=row["id"],
        at=row["at"],
        action=Action(row["action"]),
        actor=Actor(row["actor"]),
        reason=Reason(row["reason"]),
        memory_id=row["memory_id"],
        replaced_id=row["replaced_id"],
        before=row["before"],
        after=row["after"],
    )


def message_of(row: Record) -> Message:
    """Return the message of the log."""
    return Message(Role(row["role"]), row["content"], row["speaker"])


def exchange_of(user_id: str, row: Record, history: tuple[Message, ...]) -> Exchange:
    """Return the exchange as it was appended, without the request's credential."""
    turn = Turn(
        scope=Scope(user_id, row["session_id"]),
        text=row["said"],
        key=row["key"],
        at=row["said_at"],
        model=row["model"],
        history=history,
        speaker=row["speaker"],
    )
    return Exchange(
        id=row["id"],
        turn=turn,
        reply=row["reply"],
        message_id=row["message_id"],
        reply_id=row["reply_id"],
        authorized=row["authorized"],
    )
