"""Answers the operations on memories, including those held back.

Each function answers the operation of its name in `recollect.api.endpoint_table`, and its docstring documents that operation.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec

from recollect import model
from recollect.api.failures import BULK_REFUSED, FORBIDDEN, Failure, ItemError, failure_of
from recollect.api.fields import metadata_named
from recollect.api.memories import BulkForget, MemoryChange, NewSessionMemory, OneChange
from recollect.api.queries import PAIRS, PLACE
from recollect.errors import BulkRefusedError, MemoryNotFoundError
from recollect.model import (
    MOST_QUARANTINED,
    SHOWN,
    UNCHANGED,
    Ending,
    Kind,
    MemoryFilter,
    Quarantined,
    Removal,
    Revision,
    Source,
    tags_named,
)
from recollect.text.secrets.masking import id_without_secrets
from recollect_proxy.memory_api.request_and_reply import Asked, Reply
from recollect_proxy.memory_api.request_validation import (
    RefusedError,
    changes,
    invalid_field,
    invalid_parameter,
    project_in_body,
)


async def list_memories(asked: Asked) -> Any:
    """List a user's memories.

    Newest first; a memory must pass all filters. Memories that are written meanwhile shift no page.

    An unknown user has no memories: the answer is an empty page, not an error.
    """
    sent = asked.sent
    taken = MemoryFilter(
        kinds=_kinds_to_list(sent.kind, sent.source),
        sources=frozenset(sent.source or ()),
        session_id=None if sent.session is None else id_without_secrets(sent.session),
        text=sent.text,
        observed_from=sent.observed_from,
        observed_until=sent.until,
        state=sent.state,
        doubt=sent.doubt,
        as_of=sent.as_of,
        valid_at=sent.valid_at,
        **_labels(sent),
    )
    return await asked.engine.page(asked.user_id, limit=sent.limit, after=sent.after, taken=taken)


async def search_memories(asked: Asked) -> Any:
    """Search a user's memories.

    Ranked as recall ranks them for a chat, by meaning and by words, but nothing is left out as irrelevant.

    It finds memories of the user's list only. Scores compare only within one answer.
    """
    sent = asked.sent
    found = await asked.engine.search(
        asked.user_id,
        sent.q,
        limit=sent.limit,
        taken=MemoryFilter(
            _kinds_to_list(sent.kind, sent.source), frozenset(sent.source or ()), **_labels(sent)
        ),
    )
    memories = [
        {"memory": each, "score": round(score, 4), "parts": {name: round(part, 4) for name, part in parts}}
        for each, score, parts in found.memories
    ]
    return {"found": memories, "degraded": found.degraded}


async def add_memory(asked: Asked) -> Any:
    """Write a memory by hand.

    It is recalled like any other.
    """
    chat = asked.sent.session_id
    return await _add(asked, None if chat is None else id_without_secrets(chat))


async def read_memory(asked: Asked) -> Any:
    """Read a memory.

    The user must have it.
    """
    return await asked.engine.get(asked.user_id, asked.id("memory_id"))


async def correct_memory(asked: Asked) -> Any:
    """Correct a memory.

    It keeps its id. Its changes keep the earlier state, and undo brings it back.

    A memory that several people share can't be changed here.
    """
    known = asked.id("memory_id")
    return await asked.engine.revise(
        asked.user_id, known, **_revised(asked.sent), versions=asked.versions, actor=asked.actor
    )


async def forget_memory(asked: Asked) -> Any:
    """Forget a memory.

    It is never recalled again. Its changes still hold its content: to leave no trace, erase the chat or the user.
    A past memory can be forgotten, too; that can't be undone.
    """
    known = asked.id("memory_id")
    await asked.engine.forget(asked.user_id, known, versions=asked.versions, actor=asked.actor)


async def change_many_memories(asked: Asked) -> Any:
    """Correct and forget many memories.

    All or nothing, in one transaction; each change can be undone alone.

    If one can't be done, the answer is 409, and its `errors` list each such operation with the reason.
    """
    operations = asked.sent.operations
    wanted = [_wanted(position, each) for position, each in enumerate(operations)]
    try:
        done = await asked.engine.change_all(asked.user_id, wanted, actor=asked.actor)
    except BulkRefusedError as refused:
        raise RefusedError(_refused(refused, operations)) from refused
    results = zip(operations, done, strict=True)
    return {
        "results": [
            {"id": each.id, "done": "corrected" if memory else "forgotten", "memory": memory}
            for each, memory in results
        ]
    }


async def list_changes(asked: Asked) -> Any:
    """List the changes of a user's memories.

    Every change, newest first, including changes to memories that are gone.
    """
    return await _history(asked, None)


async def stream_events(asked: Asked) -> Any:
    """Stream what happens to a user's memories.

    Server-sent events, as they happen: ids, and no text. A client that comes again with `Last-Event-ID` misses none.

    A stream ends after a quarter of an hour, and when the user is erased. A comment comes every 15 seconds.
    """
    body = await asked.api.streams.begin(asked.engine, asked.user_id, asked.last_event)
    return Reply(200, body, asked.operation.media_type, {"x-accel-buffering": "no"})


async def list_memory_changes(asked: Asked) -> Any:
    """List the changes of a memory.

    Every change to it, newest first, even if it is gone or was replaced.
    """
    page = await _history(asked, asked.id("memory_id"))
    if not page["changes"] and asked.sent.after is None:
        raise MemoryNotFoundError
    return page


async def undo_change(asked: Asked) -> Any:
    """Undo a change.

    An added memory goes; a replaced or forgotten one returns; a corrected one is as it was before.

    A memory that was changed again since can't be undone: undo the later change first. Messages that forgetting hid stay
    hidden.
    """
    known = asked.id("change_id")
    if asked.who.project and await asked.engine.is_move(asked.user_id, known):
        raise RefusedError(FORBIDDEN)  # its other half is out of the key's reach
    return await asked.engine.undo(asked.user_id, known, actor=asked.actor)


async def list_todos(asked: Asked) -> Any:
    """List a user's to-dos.

    Memories of the kind todo, and the open to-dos of the chats' summaries.

    A POST to a to-do's path ends it as done or dropped. A to-do of a summary goes when the chat is summarized again.
    """
    limit = asked.sent.limit
    memories = await asked.engine.todos(asked.user_id, limit=limit)
    return {"todos": [todo for memory in memories for todo in _todos_of(memory)][:limit]}


async def end_todo(asked: Asked) -> Any:
    """End a to-do as done or dropped.

    From now on the memory is past: questions about to-dos no longer get it, questions about the past may. Undo opens the
    to-do again.
    """
    ending = Ending(asked.sent.ended_as)
    return await asked.engine.end_todo(asked.user_id, asked.id("memory_id"), ending, actor=asked.actor)


async def list_session_memories(asked: Asked) -> Any:
    """List the memories of a chat.

    Newest first. A memory that was said in several chats belongs to the first.
    """
    chat, sent = asked.chat, asked.sent
    await asked.engine.expect_chat(chat)
    taken = MemoryFilter(kinds=SHOWN, session_id=chat.session_id)
    return await asked.engine.page(chat.user_id, limit=sent.limit, after=sent.after, taken=taken)


async def add_session_memory(asked: Asked) -> Any:
    """Write a memory by hand for a chat.

    It is recalled in every chat, like any other, and stays when this chat is erased.
    """
    await asked.engine.expect_chat(asked.chat)
    return await _add(asked, asked.chat.session_id)


async def read_session_memory(asked: Asked) -> Any:
    """Read a memory of a chat.

    A memory of another chat is not found here.
    """
    return await _of_chat(asked)


async def forget_session_memory(asked: Asked) -> Any:
    """Forget a memory of a chat.

    No chat recalls it any longer. A memory of another chat is not found here, and stays.
    """
    known = await _of_chat(asked)
    await asked.engine.forget(asked.user_id, known.id, versions=asked.versions, actor=asked.actor)


async def move_memory(asked: Asked) -> Any:
    """Move a memory to a project, or out of one.

    It is written there as by hand, and forgotten here; undoing either change undoes both. Its chat stays.

    The answer is the memory in its new place, with another id.
    """
    project = project_in_body(asked.sent.project)
    return await asked.engine.move(asked.user_id, asked.id("memory_id"), project, actor=asked.actor)


def _kinds_to_list(kinds: Collection[Kind] | None, sources: Collection[Source] | None) -> frozenset[Kind]:
    """Return the kinds to list, none for any. Exchanges kept as they were said are listed only on request."""
    return frozenset(kinds or ()) or (frozenset() if Source.QA_TURN in (sources or ()) else SHOWN)


def _labels(sent: Any) -> dict[str, Any]:
    """Return the tags and metadata of a filter as the engine takes them."""
    try:
        return {"tags": tags_named(sent.tag or ()), "metadata": metadata_named(sent.metadata or ())}
    except msgspec.ValidationError:
        raise invalid_parameter("metadata", PAIRS) from None


async def _add(asked: Asked, session_id: str | None) -> model.Memory:
    sent = asked.sent
    return await asked.engine.add(
        asked.user_id,
        sent.content,
        kind=sent.kind,
        importance=sent.importance,
        event_at=sent.event_at,
        session_id=session_id,
        hints=_hints(sent),
        tags=sent.tags,
        metadata=sent.metadata,
        expires_at=sent.expires_at,
        actor=asked.actor,
    )


def _hints(sent: NewSessionMemory) -> model.Hints | None:
    hints = sent.use, tuple(sent.topics), tuple(sent.questions)
    return model.Hints(hints[0] or model.Use.TOPIC, *hints[1:]) if any(hints) else None


async def _of_chat(asked: Asked) -> model.Memory:
    """Return the memory in the path."""
    chat, known = asked.chat, asked.id("memory_id")
    await asked.engine.expect_chat(chat)
    memory = await asked.engine.get(chat.user_id, known)
    if memory.provenance.session_id != chat.session_id:
        raise MemoryNotFoundError
    return memory


def _revised(change: Any) -> dict[str, Any]:
    """Return a change as the engine takes it: None, or UNCHANGED for a time, leaves a field as it is."""
    given = changes(change)
    kept = {
        **dict.fromkeys(("content", "kind", "importance", "use", "topics", "questions", "tags", "metadata")),
        **dict.fromkeys(("event_at", "holds_from", "holds_until", "expires_at"), UNCHANGED),
    }
    lists = {name: tuple(each) for name, each in given.items() if isinstance(each, list)}
    return {name: (given | lists).get(name, unchanged) for name, unchanged in kept.items()}


def _wanted(position: int, operation: OneChange) -> Revision | Removal:
    if isinstance(operation, BulkForget):
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


async def _history(asked: Asked, memory_id: UUID | None) -> dict[str, Any]:
    limit = asked.sent.limit
    updates = await asked.engine.history(asked.user_id, memory_id, limit=limit + 1, after=asked.sent.after)
    page = updates[:limit]
    return {"next": page[-1].id if len(updates) > limit else None, "changes": page}


def _todos_of(memory: model.Memory) -> list[dict[str, Any]]:
    texts = (memory.content,) if memory.kind is Kind.TODO else memory.outline.todos if memory.outline else ()
    where = {
        "memory_id": memory.id,
        "session_id": memory.session_id,
        "said_at": memory.observed_at,
        "event_at": memory.event_at,
    }
    return [{"text": text, **where} for text in texts]


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


async def list_held(asked: Asked) -> Any:
    """List the memories held back.

    Newest first; without a limit the newest 500. An instruction to the assistant that came as a fact is an example.
    None of them is recalled before it is approved.
    """
    most = asked.sent.limit or MOST_QUARANTINED
    after = _place_named(asked.sent.after)
    held = await asked.engine.quarantined(asked.user_id, limit=most + 1, after=after)
    page = held[:most]
    return {"next": _place_of(page[-1]) if len(held) > most else None, "held": page}


async def approve_held(asked: Asked) -> Any:
    """Approve a memory held back.

    It is recalled from now on like any other.
    """
    return await asked.engine.approve(asked.user_id, asked.id("memory_id"), actor=asked.actor)


async def decide_held(asked: Asked) -> Any:
    """Approve or refuse many at once.

    Only those that wait because everything is approved first: of one chat, or all. Suspicious ones are decided one by one.
    """
    sent = asked.sent
    count = await asked.engine.decide_held(
        asked.user_id,
        approved=sent.approved,
        session_id=sent.session_id,
        until=sent.until,
        actor=asked.actor,
    )
    return {"decided": count}


async def refuse_held(asked: Asked) -> Any:
    """Refuse a memory held back.

    It does not come back, not even if the person says it again.
    """
    await asked.engine.refuse(asked.user_id, asked.id("memory_id"), actor=asked.actor)


def _place_of(held: Quarantined) -> str:
    """Return a memory's place in the list of memories held back: microseconds since 1970, and its id."""
    return f"{(held.at - _EPOCH) // timedelta(microseconds=1)}.{held.memory.id}"


def _place_named(after: str | None) -> tuple[datetime, UUID] | None:
    if after is None:
        return None
    if re.fullmatch(PLACE, after) is None:
        raise invalid_parameter("after", "the `next` of the page before")
    microseconds, _, id_ = after.partition(".")
    return _EPOCH + timedelta(microseconds=int(microseconds)), UUID(id_)
