"""The pages of single memories: correct, forget, approve, confirm."""

from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, date, datetime, time
from typing import Any
from uuid import UUID

from litestar import Response, get, post
from litestar.params import FromQuery
from msgspec import ValidationError

from recollect.api.fields import LONGEST_CONTENT, metadata_named, pairs_of
from recollect.errors import BulkRefusedError, MemoryNotFoundError
from recollect.model import (
    MOST_QUESTIONS,
    MOST_TAGS,
    MOST_TOPICS,
    QUESTION_LENGTH,
    STATEMENTS,
    TAG_LENGTH,
    TOPIC_LENGTH,
    WAITING,
    YEARS,
    Action,
    Ending,
    Hints,
    Kind,
    Memory,
    Reason,
    Removal,
    Revision,
    Update,
    Use,
    tags_named,
)
from recollect_proxy.identity.caller import opaque_id
from recollect_proxy.pages.failures import BAD_INPUT, BAD_TAGS, NOT_FOUND, PageError
from recollect_proxy.pages.page_request import Reading, SentForm, Transaction, chats_of

_HELD, _CHATS = 25, 10
_LAST = time(23, 59, 59)
"""A statement holds to the end of its last day."""
_CHANGES = 50
_REVIEWED = 10
_PAIRS = 5
_IMPORTANCES = {"low": 0.3, "middle": 0.5, "high": 0.8}
_HIGH, _MIDDLE = 0.7, 0.4
_UNDOABLE = frozenset({Action.ADD, Action.REPLACE, Action.RETIRE, Action.EDIT, Action.REINFORCE})


@get("/memory")
async def show_memory(visit: Reading, id: FromQuery[str] = "") -> Response[str]:  # noqa: A002 -- as the address calls it
    """Return the page of one memory: its content, its source, its changes, others with its names, and a form to correct it."""
    memory_id = id_named(id)
    changes = await visit.engine.history(visit.user_id, memory_id, limit=_CHANGES)
    try:
        memory: Memory | None = await visit.engine.get(visit.user_id, memory_id, past=True)
    except MemoryNotFoundError:
        if not changes:
            raise
        memory = None  # it is gone; its changes still show it
    return visit.page(
        "memory.html",
        memory=memory,
        chats=await chats_of(visit, [memory.provenance.session_id if memory else None]),
        not_helpful_for=await visit.engine.not_helpful_for(visit.user_id, memory_id),
        names=await visit.engine.shared_names(visit.user_id, memory_id),
        changes=changes,
        undoable=_undoable(changes),
        kinds=[kind for kind in Kind if kind in STATEMENTS],
        importances=_IMPORTANCES,
        level=_level(memory.importance) if memory is not None else "",
        uses=list(Use),
        longest=LONGEST_CONTENT,
        metadata=pairs_of(memory.metadata if memory is not None else {}),
    )


@get("/review")
async def show_review(visit: Reading) -> Response[str]:
    """Return the page of old important memories that may not be true any more."""
    memories = await visit.engine.to_review(visit.user_id, limit=_REVIEWED)
    pairs = await visit.engine.told_twice(visit.user_id, limit=_PAIRS)
    shown = [*memories, *(each for pair in pairs for each in pair)]
    chats = await chats_of(visit, [each.provenance.session_id for each in shown])
    return visit.page("review.html", memories=memories, pairs=pairs, chats=chats)


@get("/held")
async def show_held(visit: Reading) -> Response[str]:
    """Return the page of memories that are held back until the user approves them."""
    held = await visit.engine.quarantined(visit.user_id)
    waiting = [each for each in held if each.reason in WAITING]
    counts = Counter(each.memory.provenance.session_id for each in waiting)
    old: dict[UUID, str] = {}
    for known in (
        known for each in held[:_HELD] if each.reason is Reason.APPROVAL for known in each.replaces
    ):
        with suppress(MemoryNotFoundError):
            old[known] = (await visit.engine.get(visit.user_id, known)).content
    return visit.page(
        "held.html",
        held=held[:_HELD],
        total=len(held),
        waiting=waiting,
        of_chats=[(chat, count) for chat, count in counts.most_common(_CHATS) if chat],
        old=old,
        chats=await chats_of(visit, [*counts, *(each.memory.provenance.session_id for each in held[:_HELD])]),
    )


@post("/correct")
async def correct_memory(change: Transaction) -> Response[str]:
    """Correct a memory."""
    visit, form, memory_id = change.visit, change.form, id_of(change)
    kind, level = form.get("kind", ""), form.get("importance", "")
    if kind and kind not in STATEMENTS:
        raise PageError(BAD_INPUT)
    old = await visit.engine.get(visit.user_id, memory_id)
    content = content_of(change, old.content)
    new_content = None if content == old.content else content
    new_kind = Kind(kind) if kind and kind != old.kind and old.kind in STATEMENTS else None
    new_level = _IMPORTANCES.get(level) if level != _level(old.importance) else None
    others = {**_new_hints(change, old.hints), **_new_times(change, old), **_new_labels(change, old)}
    if not others and new_content is None and new_kind is None and new_level is None:  # saved as it was
        return visit.back("/memory", id=str(memory_id))
    await visit.engine.revise(
        visit.user_id,
        memory_id,
        content=new_content,
        kind=new_kind,
        importance=new_level,
        **others,
        actor=visit.actor,
    )
    undo = await last_change(change, memory_id)
    return visit.back("/memory", id=str(memory_id), done="corrected", undo=str(undo))


@post("/forget")
async def forget_memory(change: Transaction) -> Response[str]:
    """Forget a memory, or each ticked one, and offer to undo that. A past one never comes back."""
    if "id" not in change.form:
        return await _forget_picked(change)
    memory_id = id_of(change)
    await change.visit.engine.forget(change.visit.user_id, memory_id, actor=change.visit.actor)
    return _confirm(change, "forgotten", undo=await last_change(change, memory_id))


async def _forget_picked(change: SentForm) -> Response[str]:
    visit, picked = change.visit, [id_named(each) for each in dict.fromkeys(change.picked)]
    if not picked:
        return change.answer("nothing_picked", "")
    try:
        await visit.engine.change_all(visit.user_id, [Removal(each) for each in picked], actor=visit.actor)
    except BulkRefusedError:
        raise PageError(NOT_FOUND) from None
    undo = await last_change(change, picked[-1])
    return change.answer("forgotten_several", "", undo=undo, count=len(picked))


@post("/tag")
async def tag_memories(change: Transaction) -> Response[str]:
    """Give all memories that are ticked further tags."""
    visit, tags, added = change.visit, tags_of(change), []
    if not change.picked or not tags:
        return change.answer("nothing_picked", "")
    for each in dict.fromkeys(map(id_named, change.picked)):
        own = (await visit.engine.get(visit.user_id, each)).tags
        added.append(Revision(each, tags=_few_tags(dict.fromkeys((*own, *tags)))))
    try:
        await visit.engine.change_all(visit.user_id, added, actor=visit.actor)
    except BulkRefusedError:
        raise PageError(NOT_FOUND) from None
    undo = await last_change(change, added[-1].memory_id)
    return change.answer("tagged", "", undo=undo, count=len(added))


@post("/confirm")
async def confirm_memory(change: Transaction) -> Response[str]:
    """Note that a memory is still true."""
    memory_id = id_of(change)
    await change.visit.engine.confirm(change.visit.user_id, memory_id, actor=change.visit.actor)
    return _confirm(change, "todo_open" if change.form.get("from") == "todo" else "confirmed")


@post("/merge")
async def merge_memories(change: Transaction) -> Response[str]:
    """Keep one of two statements that say the same, and offer to undo that; or note that both are right."""
    visit, kept, other = change.visit, id_of(change), id_named(change.form.get("other", ""))
    if change.form.get("both") == "yes":
        for each in (kept, other):
            await visit.engine.confirm(visit.user_id, each, actor=visit.actor)
        return visit.back("/review", done="confirmed")
    await visit.engine.merge(visit.user_id, kept, other, actor=visit.actor)
    return change.answer("merged", "/review", undo=await last_change(change, other))


@post("/done")
async def end_done(change: Transaction) -> Response[str]:
    """Note that a to-do was done."""
    return await _end_todo(change, Ending.DONE)


@post("/dropped")
async def end_dropped(change: Transaction) -> Response[str]:
    """Note that a to-do was dropped."""
    return await _end_todo(change, Ending.DROPPED)


async def _end_todo(change: SentForm, ending: Ending) -> Response[str]:
    update = await change.visit.engine.end_todo(
        change.visit.user_id, id_of(change), ending, actor=change.visit.actor
    )
    return _confirm(change, f"todo_{ending}", undo=update.id)


@post("/approve")
async def approve_memory(change: Transaction) -> Response[str]:
    """Approve a memory that was held back."""
    memory_id = id_of(change)
    await change.visit.engine.approve(change.visit.user_id, memory_id, actor=change.visit.actor)
    return _confirm(change, "approved", undo=await last_change(change, memory_id))


@post("/refuse")
async def refuse_memory(change: Transaction) -> Response[str]:
    """Refuse a memory that was held back."""
    await change.visit.engine.refuse(change.visit.user_id, id_of(change), actor=change.visit.actor)
    return _confirm(change, "refused")


@post("/decide")
async def decide_held(change: Transaction) -> Response[str]:
    """Approve or refuse the memories that wait because all are approved first, as far as the page showed them."""
    visit, form = change.visit, change.form
    try:
        until = datetime.fromisoformat(form.get("until", ""))
    except ValueError:
        raise PageError(BAD_INPUT) from None
    count = await visit.engine.decide_held(
        visit.user_id,
        approved=form.get("approved") == "yes",
        session_id=other_id_named(form["chat"]) if form.get("chat") else None,
        until=until,
        actor=visit.actor,
    )
    return visit.back("/held", done="decided", count=str(count))


@post("/undo")
async def undo_change(change: Transaction) -> Response[str]:
    """Undo a change, or several that were made at once."""
    visit, changed = change.visit, id_named(change.form.get("change", ""))
    if change.form.get("several") == "yes":
        together = await visit.engine.undo_together(visit.user_id, changed, actor=visit.actor)
        return change.answer("undone_several", "", count=len(together))
    undone = await visit.engine.undo(visit.user_id, changed, actor=visit.actor)
    if visit.is_piece:
        return visit.page("piece.html", done="undone", undo=None, memory_id=undone.memory_id)
    return visit.back("/memory", id=str(undone.memory_id), done="undone")


async def last_change(change: SentForm, memory_id: UUID) -> UUID | None:
    """Return the id of the change just made; None if it can't be undone."""
    updates = await change.visit.engine.history(change.visit.user_id, memory_id, limit=1)
    return next(iter(_undoable(updates)), None)


_BACK = {"confirmed": "/review", "todo_open": "/review", "approved": "/held", "refused": "/held"}


def _confirm(change: SentForm, done: str, *, undo: UUID | None = None) -> Response[str]:
    """Confirm a change on the page that the form came from."""
    back = "/review" if change.form.get("from") == "review" else _BACK.get(done, "")
    return change.answer(done, back, undo=undo)


def _new_times(change: SentForm, old: Memory) -> dict[str, datetime | None]:
    """Return since when and until when a statement holds, and when it is forgotten, where a form says otherwise than it is, or raise PageError."""
    times = {}
    for name, clock in (("holds_from", time()), ("holds_until", _LAST), ("expires_at", time())):
        text, was = change.form.get(name), getattr(old, name)
        if text is None or text == ("" if was is None else was.date().isoformat()):
            continue
        try:
            day = date.fromisoformat(text) if text else None
        except ValueError:
            raise PageError(BAD_INPUT) from None
        if day is not None and day.year not in YEARS:
            raise PageError(BAD_INPUT)
        times[name] = None if day is None else datetime.combine(day, clock, UTC)
    return times


def _new_labels(change: SentForm, old: Memory) -> dict[str, Any]:
    """Return the tags and metadata of a form by name, if they differ from the statement's, or raise PageError."""
    if "tags" not in change.form:
        return {}
    lines = (each for each in change.form.get("metadata", "").split("\n") if each.strip())
    try:
        given = {"tags": tags_of(change), "metadata": metadata_named(lines)}
    except ValidationError:
        raise PageError(BAD_INPUT) from None
    return {name: each for name, each in given.items() if each != getattr(old, name)}


def tags_of(change: SentForm) -> tuple[str, ...]:
    """Return the tags that a form has, with commas between them, or raise PageError."""
    texts = change.form.get("tags", "").replace("\uff0c", ",").split(",")
    return _few_tags(tags_named(texts, longest=None))


def _few_tags(tags: Collection[str]) -> tuple[str, ...]:
    if len(tags) > MOST_TAGS or any(len(each) > TAG_LENGTH for each in tags):
        raise PageError(BAD_TAGS)
    return tuple(tags)


def content_of(change: SentForm, old: str = "") -> str:
    """Return the statement that a form has, or raise PageError; an unchanged ``old`` one may have any length."""
    content = change.form.get("content", "").replace("\r\n", "\n").strip()  # RFC 7578, section 4.2
    if content and content == old.strip():
        return old
    if not 0 < len(content) <= LONGEST_CONTENT:
        raise PageError(BAD_INPUT)
    return content


def _new_hints(change: SentForm, old: Hints | None) -> dict[str, Any]:
    """Return the hints of a form by name, if it has others than the statement; else nothing. Raises PageError."""
    form, known = change.form, old or Hints()
    use = form.get("use", "")
    if use and use not in {*Use}:
        raise PageError(BAD_INPUT)
    given = Hints(
        Use(use or known.use),
        _lines(form.get("topics", "\n".join(known.topics)), MOST_TOPICS, TOPIC_LENGTH),
        _lines(form.get("questions", "\n".join(known.questions)), MOST_QUESTIONS, QUESTION_LENGTH),
    )
    return {} if given == (old or (Hints() if not use else None)) else asdict(given)


def _lines(text: str, most: int, longest: int) -> tuple[str, ...]:
    lines = tuple(dict.fromkeys(each.strip() for each in text.split("\n") if each.strip()))
    if len(lines) > most or any(len(each) > longest for each in lines):
        raise PageError(BAD_INPUT)
    return lines


def id_of(change: SentForm) -> UUID:
    """Return the memory that a form is about."""
    return id_named(change.form.get("id", ""))


def id_named(text: str) -> UUID:
    """Return the id that ``text`` is, or raise PageError."""
    try:
        return UUID(text)
    except ValueError:
        raise PageError(BAD_INPUT) from None


def other_id_named(text: str) -> str:
    """Return the id of a chat or a user that ``text`` is, or raise PageError: nothing is read into it."""
    named = opaque_id(text)
    if named is None:
        raise PageError(BAD_INPUT)
    return named


def _undoable(changes: Sequence[Update]) -> set[UUID]:
    """Return the changes that may be undone still: those that no one undid, and that changed a memory that was not past."""
    undone = {each.undoes for each in changes}
    return {
        each.id
        for each in changes
        if each.id not in undone and each.action in _UNDOABLE and "was_past" not in each.details
    }


def _level(importance: float) -> str:
    return "high" if importance >= _HIGH else "middle" if importance >= _MIDDLE else "low"
