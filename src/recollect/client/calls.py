"""What the memory API can be asked, each as a value that a client sends. Pure. Never: a connection, a token.

A user id is any text, as the frontend sends it; it is encoded here.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar
from urllib.parse import quote
from uuid import UUID

from msgspec import UNSET, UnsetType

from recollect.client import shapes

Answer_co = TypeVar("Answer_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Call(Generic[Answer_co]):
    """A request, and the shape of its answer.

    Attributes:
        shape: What the answer is read as; None: it has no body.
        method: The HTTP method.
        path: Below the server's address, percent-encoded.
        query: The parameters of the query.
        body: What is sent as JSON; None: nothing.
        headers: What is sent beside the token.
    """

    shape: type[Answer_co]
    method: str
    path: str
    query: Sequence[tuple[str, str]] = ()
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


def list_memories(
    user: str,
    *,
    kinds: Iterable[str] = (),
    sources: Iterable[str] = (),
    session: str | None = None,
    text: str | None = None,
    observed_from: datetime | None = None,
    observed_until: datetime | None = None,
    state: str | None = None,
    standing: str | None = None,
    as_of: datetime | None = None,
    limit: int | None = None,
    after: str | None = None,
) -> Call[shapes.MemoryPage]:
    """List a user's memories, newest first; of several filters all apply. Times need a zone."""
    query = _query(
        kind=list(kinds),
        source=list(sources),
        session=session,
        text=text,
        until=observed_until,
        state=state,
        standing=standing,
        as_of=as_of,
        limit=limit,
        after=after,
        **{"from": observed_from},
    )
    return Call(shapes.MemoryPage, "GET", _memories(user), query)


def search(
    user: str,
    text: str,
    *,
    kinds: Iterable[str] = (),
    sources: Iterable[str] = (),
    limit: int | None = None,
) -> Call[shapes.FoundMemories]:
    """Search a user's memories by meaning and by words."""
    query = _query(q=text, kind=list(kinds), source=list(sources), limit=limit)
    return Call(shapes.FoundMemories, "GET", f"{_memories(user)}/search", query)


def get_memory(user: str, memory: UUID) -> Call[shapes.Memory]:
    """Read one memory, with its version as ``etag``."""
    return Call(shapes.Memory, "GET", f"{_memories(user)}/{memory}")


def add_memory(
    user: str,
    content: str,
    *,
    kind: str | UnsetType = UNSET,
    importance: float | UnsetType = UNSET,
    event_at: datetime | UnsetType | None = UNSET,
    session: str | UnsetType | None = UNSET,
    key: str | None = None,
) -> Call[shapes.Memory]:
    """Write a memory by hand; with a ``key`` (Idempotency-Key) once, however often it is sent within a day."""
    body = _given(content=content, kind=kind, importance=importance, event_at=event_at, session_id=session)
    return Call(shapes.Memory, "POST", _memories(user), body=body, headers=_keyed(key))


def change_memory(
    user: str,
    memory: UUID,
    *,
    content: str | UnsetType = UNSET,
    kind: str | UnsetType = UNSET,
    importance: float | UnsetType = UNSET,
    event_at: datetime | UnsetType | None = UNSET,
    if_match: str | None = None,
) -> Call[shapes.Memory]:
    """Correct a memory; what is UNSET stays. With ``if_match``, the ``etag`` it was read with, only if it is still that version."""
    body = _given(content=content, kind=kind, importance=importance, event_at=event_at)
    return Call(shapes.Memory, "PATCH", f"{_memories(user)}/{memory}", body=body, headers=_matching(if_match))


def delete_memory(user: str, memory: UUID, *, if_match: str | None = None) -> Call[None]:
    """Take a memory away; with ``if_match`` only if it is still that version."""
    return Call(_NOTHING, "DELETE", f"{_memories(user)}/{memory}", headers=_matching(if_match))


def deletion(memory: UUID) -> dict[str, Any]:
    """Return an operation of ``bulk``: take a memory away."""
    return {"op": "delete", "id": memory}


def correction(
    memory: UUID,
    *,
    content: str | UnsetType = UNSET,
    kind: str | UnsetType = UNSET,
    importance: float | UnsetType = UNSET,
    event_at: datetime | UnsetType | None = UNSET,
) -> dict[str, Any]:
    """Return an operation of ``bulk``: correct a memory; what is UNSET stays."""
    changed = _given(content=content, kind=kind, importance=importance, event_at=event_at)
    return {"op": "change", "id": memory, **changed}


def bulk(
    user: str, operations: Iterable[Mapping[str, Any]], *, key: str | None = None
) -> Call[shapes.BulkResults]:
    """Correct and take away up to 100 memories in order, all or nothing; ``deletion`` and ``correction`` make operations."""
    return Call(
        shapes.BulkResults,
        "POST",
        f"{_memories(user)}/bulk",
        body={"operations": list(operations)},
        headers=_keyed(key),
    )


def history(
    user: str, memory: UUID | None = None, *, limit: int | None = None, after: str | None = None
) -> Call[shapes.History]:
    """Read the audit of all a user's memories, or of one, newest first."""
    of_one = "" if memory is None else f"/{memory}"
    return Call(shapes.History, "GET", f"{_memories(user)}{of_one}/history", _query(limit=limit, after=after))


def undo(user: str, update: UUID, *, key: str | None = None) -> Call[shapes.Update]:
    """Undo one change of the audit."""
    path = f"{_memories(user)}/history/{update}/undo"
    return Call(shapes.Update, "POST", path, headers=_keyed(key))


def share(user: str, memory: UUID, users: Iterable[str], *, key: str | None = None) -> Call[shapes.Memory]:
    """Let up to 100 other users see a memory."""
    path = f"{_memories(user)}/{memory}/share"
    return Call(shapes.Memory, "POST", path, body={"users": list(users)}, headers=_keyed(key))


def quarantine(user: str, *, limit: int | None = None, after: str | None = None) -> Call[shapes.Quarantine]:
    """List what of a user's is held back until someone approves it, newest first."""
    return Call(shapes.Quarantine, "GET", f"{_user(user)}/quarantine", _query(limit=limit, after=after))


def approve(user: str, memory: UUID, *, key: str | None = None) -> Call[shapes.Memory]:
    """Keep what is held back."""
    path = f"{_user(user)}/quarantine/{memory}/approve"
    return Call(shapes.Memory, "POST", path, headers=_keyed(key))


def refuse(user: str, memory: UUID) -> Call[None]:
    """Let go of what is held back; it does not come again."""
    return Call(_NOTHING, "DELETE", f"{_user(user)}/quarantine/{memory}")


def sessions(user: str, *, begun_before: datetime | None = None) -> Call[shapes.Sessions]:
    """List a user's chats, the one where something was said last first."""
    return Call(shapes.Sessions, "GET", f"{_user(user)}/sessions", _query(begun_before=begun_before))


def messages(
    user: str, session: str, *, limit: int | None = None, after: str | None = None
) -> Call[shapes.MessagesPage]:
    """List what was said in a chat, oldest first."""
    path, query = f"{_session(user, session)}/messages", _query(limit=limit, after=after)
    return Call(shapes.MessagesPage, "GET", path, query)


def mark_turn(user: str, session: str, message: UUID, *, marked: bool = True) -> Call[None]:
    """Call the turn of a message valuable, or no longer."""
    path = f"{_session(user, session)}/messages/{message}/mark"
    return Call(_NOTHING, "POST", path, body={"marked": marked})


def session_summary(user: str, session: str) -> Call[shapes.SummaryOfSession]:
    """Read a chat's newest summary."""
    return Call(shapes.SummaryOfSession, "GET", f"{_session(user, session)}/summary")


def ask_for_summary(user: str, session: str) -> Call[shapes.AskedSummary]:
    """Have a chat summarized now, in the background; ``session_summary`` reads it then."""
    return Call(shapes.AskedSummary, "POST", f"{_session(user, session)}/summary")


def session_memories(
    user: str, session: str, *, limit: int | None = None, after: str | None = None
) -> Call[shapes.MemoryPage]:
    """List the memories that were formed in a chat, or written for it, newest first."""
    path, query = f"{_session(user, session)}/memories", _query(limit=limit, after=after)
    return Call(shapes.MemoryPage, "GET", path, query)


def add_session_memory(
    user: str,
    session: str,
    content: str,
    *,
    kind: str | UnsetType = UNSET,
    importance: float | UnsetType = UNSET,
    event_at: datetime | UnsetType | None = UNSET,
    key: str | None = None,
) -> Call[shapes.Memory]:
    """Write a memory for a chat of which something is kept."""
    body = _given(content=content, kind=kind, importance=importance, event_at=event_at)
    path = f"{_session(user, session)}/memories"
    return Call(shapes.Memory, "POST", path, body=body, headers=_keyed(key))


def get_session_memory(user: str, session: str, memory: UUID) -> Call[shapes.Memory]:
    """Read a memory of a chat; one of another chat is not found."""
    return Call(shapes.Memory, "GET", f"{_session(user, session)}/memories/{memory}")


def delete_session_memory(
    user: str, session: str, memory: UUID, *, if_match: str | None = None
) -> Call[None]:
    """Take a memory of a chat away; one of another chat is not found."""
    path = f"{_session(user, session)}/memories/{memory}"
    return Call(_NOTHING, "DELETE", path, headers=_matching(if_match))


def undo_message(user: str, session: str, message: str) -> Call[shapes.Undone]:
    """Undo what a message taught; ``message`` is the id that its request had as ``X-Recollect-Message``."""
    return Call(shapes.Undone, "POST", f"{_session(user, session)}/undo", body={"message": message})


def taught(user: str, session: str, message: str) -> Call[shapes.Taught]:
    """Take what a message taught, as a line to show; it is told once."""
    return Call(shapes.Taught, "POST", f"{_session(user, session)}/taught", body={"message": message})


def erase_session(user: str, session: str) -> Call[shapes.Erasure]:
    """Erase a chat, with what only it taught."""
    return Call(shapes.Erasure, "DELETE", _session(user, session))


def erase_user(user: str, *, vacuum: bool = False) -> Call[shapes.Erasure]:
    """Erase everything of a user."""
    return Call(shapes.Erasure, "DELETE", _user(user), _query(vacuum="true" if vacuum else None))


def todos(user: str, *, limit: int | None = None) -> Call[shapes.Todos]:
    """List what a user has to do."""
    return Call(shapes.Todos, "GET", f"{_user(user)}/todos", _query(limit=limit))


def usage(user: str) -> Call[shapes.Usage]:
    """Read what models took in the background for a user today."""
    return Call(shapes.Usage, "GET", f"{_user(user)}/usage")


def user_settings(user: str) -> Call[shapes.UserFlags]:
    """Read what was changed for a user, and what counts for them."""
    return Call(shapes.UserFlags, "GET", f"{_user(user)}/settings")


def change_user_settings(user: str, change: shapes.FlagsChange) -> Call[shapes.UserFlags]:
    """Change settings for a user."""
    return Call(shapes.UserFlags, "PATCH", f"{_user(user)}/settings", body=_changed(change))


def profile(user: str) -> Call[shapes.Profile]:
    """Read a user's profile; empty while they do not allow one, by ``FlagsChange(profile=True)``."""
    return Call(shapes.Profile, "GET", f"{_user(user)}/profile")


def add_to_profile(
    user: str, field: str, content: str, *, key: str | None = None
) -> Call[shapes.ProfileEntry]:
    """Write a statement into a user's profile."""
    body = {"field": field, "content": content}
    return Call(shapes.ProfileEntry, "POST", f"{_user(user)}/profile", body=body, headers=_keyed(key))


def propose_profile(user: str) -> Call[shapes.Profile]:
    """Propose what memories say for a user's profile, and read it."""
    return Call(shapes.Profile, "POST", f"{_user(user)}/profile/proposals")


def change_in_profile(
    user: str, entry: UUID, *, field: str | UnsetType = UNSET, content: str | UnsetType = UNSET
) -> Call[shapes.ProfileEntry]:
    """Put a statement of a profile otherwise, or in another field; what is UNSET stays."""
    body = _given(field=field, content=content)
    return Call(shapes.ProfileEntry, "PATCH", f"{_user(user)}/profile/{entry}", body=body)


def confirm_in_profile(user: str, entry: UUID) -> Call[shapes.ProfileEntry]:
    """Confirm a statement that is proposed or outdated."""
    return Call(shapes.ProfileEntry, "POST", f"{_user(user)}/profile/{entry}/confirm")


def remove_from_profile(user: str, entry: UUID) -> Call[None]:
    """Take a statement out of a profile, or refuse one that is proposed."""
    return Call(_NOTHING, "DELETE", f"{_user(user)}/profile/{entry}")


def settings() -> Call[shapes.CommonFlags]:
    """Read what was changed for everybody."""
    return Call(shapes.CommonFlags, "GET", "/memory/settings")


def change_settings(change: shapes.FlagsChange) -> Call[shapes.CommonFlags]:
    """Change settings for everybody."""
    return Call(shapes.CommonFlags, "PATCH", "/memory/settings", body=_changed(change))


def list_global(*, limit: int | None = None, after: str | None = None) -> Call[shapes.MemoryPage]:
    """List what serves everybody who has few memories, newest first."""
    return Call(shapes.MemoryPage, "GET", "/memory/global", _query(limit=limit, after=after))


def add_global(
    content: str, *, kind: str | UnsetType = UNSET, importance: float | UnsetType = UNSET
) -> Call[shapes.Memory]:
    """Write a memory that serves everybody who has few."""
    body = _given(content=content, kind=kind, importance=importance)
    return Call(shapes.Memory, "POST", "/memory/global", body=body)


def remove_global(memory: UUID) -> Call[None]:
    """Take away what serves everybody."""
    return Call(_NOTHING, "DELETE", f"/memory/global/{memory}")


def explain(request: UUID) -> Call[shapes.Story]:
    """Read why a request's prompt was given what it was; ``x-recollect-request-id`` names it."""
    return Call(shapes.Story, "GET", f"/memory/explain/{request}")


def retry_formation() -> Call[shapes.Retried]:
    """Form again what failed."""
    return Call(shapes.Retried, "POST", "/memory/formation/retry")


def health() -> Call[shapes.Health]:
    """Ask whether Recollect works."""
    return Call(shapes.Health, "GET", "/memory/health")


_NOTHING: type[None] = type(None)


def _user(user: str) -> str:
    return f"/memory/users/{_segment(user)}"


def _session(user: str, session: str) -> str:
    return f"{_user(user)}/sessions/{_segment(session)}"


def _memories(user: str) -> str:
    return f"{_user(user)}/memories"


def _segment(text: str) -> str:
    """Return one percent-encoded segment of a path; a dot too, which alone would mean another path."""
    if not text:
        raise ValueError("An id is empty.")
    return quote(text, safe="").replace(".", "%2E")


def _query(**given: str | int | datetime | Sequence[str] | None) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for name, value in given.items():
        match value:
            case None:
                continue
            case datetime():
                if value.tzinfo is None:
                    raise ValueError(f"The time `{name}` has no zone.")
                found.append((name, value.isoformat()))
            case str() | int():
                found.append((name, str(value)))
            case _:
                found += [(name, str(each)) for each in value]
    return found


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not UNSET}


def _changed(change: shapes.FlagsChange) -> dict[str, Any]:
    return _given(**{name: getattr(change, name) for name in change.__struct_fields__})


def _keyed(key: str | None) -> dict[str, str]:
    return {} if key is None else {"Idempotency-Key": key}


def _matching(etag: str | None) -> dict[str, str]:
    return {} if etag is None else {"If-Match": etag}
