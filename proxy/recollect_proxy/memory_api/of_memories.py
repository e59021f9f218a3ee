"""Answers what is asked about memories. Each function is named as its row of the table. Never: SQL, a route."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from recollect import model
from recollect.api.failures import BULK_REFUSED, Failure, ItemError
from recollect.api.fields import LONGEST_QUESTION
from recollect.api.memories import (
    BulkDelete,
    BulkResult,
    BulkResults,
    FoundMemories,
    FoundMemory,
    GlobalMemories,
    History,
    Memory,
    MemoryChange,
    MemoryPage,
    NewSessionMemory,
    OneChange,
    Quarantine,
    Quarantined,
    Todo,
    Todos,
    Update,
)
from recollect.api.memory_operations import GLOBAL_ALREADY, NOT_GLOBAL, NOT_TO_SHARE
from recollect.api.queries import PLACE
from recollect.errors import BulkRefusedError, DuplicateMemoryError, MemoryNotFoundError
from recollect.model import (
    KEPT,
    MOST_QUARANTINED,
    SHOWN,
    Ending,
    Kind,
    MemoryFilter,
    Removal,
    Revision,
    Source,
)
from recollect.text.secrets.in_names import id_without_secrets
from recollect_proxy.memory_api.asked import Asked
from recollect_proxy.memory_api.errors import RefusedError, failure_of, invalid_field, invalid_parameter
from recollect_proxy.memory_api.reading import changes

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


async def list_memories(asked: Asked) -> MemoryPage:
    """Return a page of those that the filters let through."""
    sent = asked.sent
    taken = MemoryFilter(
        kinds=_shown(sent.kind, sent.source),
        sources=frozenset(sent.source or ()),
        session_id=None if sent.session is None else id_without_secrets(sent.session),
        text=sent.text,
        observed_from=sent.observed_from,
        observed_until=sent.until,
        state=sent.state,
        doubt=sent.standing,
        as_of=sent.as_of,
        valid_at=sent.valid_at,
    )
    return MemoryPage.of(
        await asked.engine.page(asked.user_id, limit=sent.limit, after=sent.after, taken=taken)
    )


async def search_memories(asked: Asked) -> FoundMemories:
    """Return the best, with their scores."""
    sent = asked.sent
    if len(sent.q) > LONGEST_QUESTION:
        raise invalid_parameter("q", f"1 to {LONGEST_QUESTION} characters")
    found = await asked.engine.search(
        asked.user_id,
        sent.q.strip(),
        limit=sent.limit,
        kinds=_shown(sent.kind, sent.source),
        sources=frozenset(sent.source or ()),
    )
    return FoundMemories(
        [
            FoundMemory(Memory.of(each), round(score, 4), {name: round(part, 4) for name, part in parts})
            for each, score, parts in found.memories
        ],
        list(found.degraded),
    )


async def add_memory(asked: Asked) -> Memory:
    """Write a memory."""
    return await _add(asked, asked.sent.session_id)


async def read_memory(asked: Asked) -> Memory:
    """Return a memory."""
    return _tagged(await asked.engine.get(asked.user_id, asked.id("memory_id")))


async def revise_memory(asked: Asked) -> Memory:
    """Correct a memory."""
    known = asked.id("memory_id")
    revised = await asked.engine.revise(
        asked.user_id, known, **_revised(asked.sent), versions=asked.versions, actor=asked.actor
    )
    return _tagged(revised)


async def forget_memory(asked: Asked) -> None:
    """Take a memory away."""
    known = asked.id("memory_id")
    await asked.engine.forget(asked.user_id, known, versions=asked.versions, actor=asked.actor)


async def change_memories(asked: Asked) -> BulkResults:
    """Make all changes, or none."""
    operations = asked.sent.operations
    wanted = [_wanted(position, each) for position, each in enumerate(operations)]
    try:
        done = await asked.engine.change_all(asked.user_id, wanted, actor=asked.actor)
    except BulkRefusedError as refused:
        raise RefusedError(_refused(refused, operations)) from refused
    return BulkResults(
        [
            BulkResult(each.id, "deleted", None)
            if memory is None
            else BulkResult(each.id, "changed", Memory.of(memory))
            for each, memory in zip(operations, done, strict=True)
        ]
    )


async def read_history(asked: Asked) -> History:
    """Return a page of the audit."""
    return _history(asked, await _updates(asked, None))


async def read_memory_history(asked: Asked) -> History:
    """Return a page of the audit of a memory."""
    updates = await _updates(asked, asked.id("memory_id"))
    if not updates and asked.sent.after is None:
        raise MemoryNotFoundError
    return _history(asked, updates)


async def undo_update(asked: Asked) -> Update:
    """Undo a change."""
    known = asked.id("update_id")
    return Update.of(await asked.engine.undo(asked.user_id, known, actor=asked.actor))


async def list_todos(asked: Asked) -> Todos:
    """Return what todos and summaries say is to do."""
    limit = asked.sent.limit
    memories = await asked.engine.todos(asked.user_id, limit=limit)
    return Todos([todo for memory in memories for todo in _todos_of(memory)][:limit])


async def end_todo(asked: Asked) -> Update:
    """Note that a to-do was done or dropped."""
    ending = asked.sent.ended_as
    if ending is Ending.CHANGED:
        raise invalid_field("ended_as", "`ended_as` must be done or dropped.")
    known = asked.id("memory_id")
    return Update.of(await asked.engine.end_todo(asked.user_id, known, ending, actor=asked.actor))


async def list_session_memories(asked: Asked) -> MemoryPage:
    """Return a page of a chat's memories."""
    chat, sent = asked.chat, asked.sent
    await asked.engine.expect_chat(chat)
    taken = MemoryFilter(kinds=SHOWN, session_id=chat.session_id)
    return MemoryPage.of(
        await asked.engine.page(chat.user_id, limit=sent.limit, after=sent.after, taken=taken)
    )


async def add_session_memory(asked: Asked) -> Memory:
    """Write a memory for a chat."""
    chat = asked.chat
    await asked.engine.expect_chat(chat)
    return await _add(asked, chat.session_id)


async def read_session_memory(asked: Asked) -> Memory:
    """Return a memory of a chat."""
    return _tagged(await _of_chat(asked))


async def forget_session_memory(asked: Asked) -> None:
    """Take a memory of a chat away."""
    known = await _of_chat(asked)
    await asked.engine.forget(asked.user_id, known.id, versions=asked.versions, actor=asked.actor)


async def list_quarantine(asked: Asked) -> Quarantine:
    """Return a page of what is held back."""
    most = asked.sent.limit or MOST_QUARANTINED
    after = _place_named(asked.sent.after)
    held = await asked.engine.quarantined(asked.user_id, limit=most + 1, after=after)
    page = held[:most]
    following = _place_of(page[-1]) if len(held) > most else None
    return Quarantine(following, [Quarantined(Memory.of(each.memory), each.reason, each.at) for each in page])


async def approve_quarantined(asked: Asked) -> Memory:
    """Approve what is held back."""
    known = asked.id("memory_id")
    return Memory.of(await asked.engine.approve(asked.user_id, known, actor=asked.actor))


async def refuse_quarantined(asked: Asked) -> None:
    """Refuse what is held back."""
    await asked.engine.refuse(asked.user_id, asked.id("memory_id"), actor=asked.actor)


async def share_memory(asked: Asked) -> Memory:
    """Let other users see a memory."""
    known = asked.id("memory_id")
    try:
        return Memory.of(await asked.engine.share(asked.user_id, known, asked.sent.users))
    except MemoryNotFoundError as error:
        raise RefusedError(NOT_TO_SHARE) from error


async def list_global_memories(asked: Asked) -> GlobalMemories:
    """Return a page of what serves everybody, or all of it."""
    after = asked.sent.after
    left = [each for each in await asked.engine.globals() if after is None or each.id < after]
    page = left[: asked.sent.limit]
    return GlobalMemories(page[-1].id if len(left) > len(page) else None, [Memory.of(each) for each in page])


async def add_global_memory(asked: Asked) -> Memory:
    """Write a memory for everybody."""
    sent = asked.sent
    try:
        return Memory.of(
            await asked.engine.add_global(sent.content, kind=sent.kind, importance=sent.importance)
        )
    except DuplicateMemoryError as error:
        raise RefusedError(GLOBAL_ALREADY) from error


async def remove_global_memory(asked: Asked) -> None:
    """Take away what serves everybody."""
    try:
        await asked.engine.remove_global(asked.id("memory_id"))
    except MemoryNotFoundError as error:
        raise RefusedError(NOT_GLOBAL) from error


def _tagged(memory: model.Memory) -> Memory:
    """Return a memory with its version."""
    told = Memory.of(memory)
    told.etag = f'"{memory.version}"'
    return told


def _shown(kinds: Iterable[Kind] | None, sources: Iterable[Source] | None) -> frozenset[Kind]:
    """Return which kinds are asked for; none: any. Exchanges as they were said have to be asked for."""
    return frozenset(kinds or ()) or (frozenset() if Source.QA_TURN in (sources or ()) else SHOWN)


async def _add(asked: Asked, session_id: str | None) -> Memory:
    sent = asked.sent
    memory = await asked.engine.add(
        asked.user_id,
        sent.content,
        kind=sent.kind,
        importance=sent.importance,
        event_at=sent.event_at,
        session_id=session_id,
        hints=_hints(sent),
        actor=asked.actor,
    )
    return _tagged(memory)


def _hints(sent: NewSessionMemory) -> model.Hints | None:
    told = sent.use, tuple(sent.topics), tuple(sent.questions)
    return model.Hints(told[0] or model.Use.TOPIC, *told[1:]) if any(told) else None


async def _of_chat(asked: Asked) -> model.Memory:
    """Return the memory that the path names.

    Raises:
        SessionNotFoundError: Nothing that was said in the chat is kept.
        MemoryNotFoundError: The user has no such memory, or has it from elsewhere.
    """
    chat, known = asked.chat, asked.id("memory_id")
    await asked.engine.expect_chat(chat)
    memory = await asked.engine.get(chat.user_id, known)
    if memory.provenance.session_id != chat.session_id:
        raise MemoryNotFoundError
    return memory


def _revised(change: Any) -> dict[str, Any]:
    """Return a change as the engine takes it: None, or KEPT for the time, leaves a field as it is."""
    given = changes(change)
    kept = {
        **dict.fromkeys(("content", "kind", "importance", "use", "topics", "questions")),
        **dict.fromkeys(("event_at", "holds_from", "holds_until"), KEPT),
    }
    lists = {name: tuple(each) for name, each in given.items() if isinstance(each, list)}
    return {name: (given | lists).get(name, unchanged) for name, unchanged in kept.items()}


def _wanted(position: int, operation: OneChange) -> Revision | Removal:
    if isinstance(operation, BulkDelete):
        return Removal(operation.id)
    if changes(operation).keys() == {"id"}:
        raise invalid_field(
            "operations",
            f"The operation {position} changes nothing: give at least one of {', '.join(MemoryChange.__struct_fields__)}.",
        )
    return Revision(operation.id, **_revised(operation))


def _refused(refused: BulkRefusedError, operations: Sequence[OneChange]) -> Failure:
    failures = {position: failure_of(error) for position, error in refused.failures.items()}
    items = [
        ItemError(position, operations[position].id, failure.code, failure.message)
        for position, failure in failures.items()
    ]
    return replace(BULK_REFUSED, items=items)


async def _updates(asked: Asked, memory_id: UUID | None) -> Sequence[model.Update]:
    """Return a page of the audit, and one update more where another page follows."""
    sent = asked.sent
    return await asked.engine.history(asked.user_id, memory_id, limit=sent.limit + 1, after=sent.after)


def _history(asked: Asked, updates: Sequence[model.Update]) -> History:
    page = updates[: asked.sent.limit]
    return History(page[-1].id if len(updates) > len(page) else None, [Update.of(each) for each in page])


def _todos_of(memory: model.Memory) -> list[Todo]:
    if memory.kind is Kind.TODO:
        texts: tuple[str, ...] = (memory.content,)
    else:
        texts = memory.outline.todos if memory.outline else ()
    session = memory.provenance.session_id
    return [Todo(text, memory.id, session, memory.observed_at, memory.event_at) for text in texts]


def _place_of(held: model.Quarantined) -> str:
    """Return where in the list something stands: microseconds since 1970, and its id."""
    return f"{(held.at - _EPOCH) // timedelta(microseconds=1)}.{held.memory.id}"


def _place_named(after: str | None) -> tuple[datetime, UUID] | None:
    if after is None:
        return None
    if re.fullmatch(PLACE, after) is None:
        raise invalid_parameter("after", "the `next` of the page before")
    microseconds, _, id_ = after.partition(".")
    return _EPOCH + timedelta(microseconds=int(microseconds)), UUID(id_)
