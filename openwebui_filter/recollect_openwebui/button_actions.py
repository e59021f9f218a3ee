"""Does the work of the buttons under an answer by this process's engine: lists a person's memories, and undoes those of a message.

A line about a person's first memories names the button that shows them. Memories have the memory API's JSON, as far as the page
needs it, so the page is the same with the proxy. No person sees another's memories.
"""

import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import msgspec

from recollect.api.memories import Memory as Document
from recollect.assembly.host_engine import running_engine
from recollect.engine import Engine
from recollect.errors import (
    ChangeNotFoundError,
    DuplicateMemoryError,
    MemoryNotFoundError,
    NotUndoableError,
    RecollectError,
)
from recollect.model import (
    LONGEST_INSTRUCTIONS,
    SHOWN,
    Action,
    Actor,
    Changer,
    Flags,
    Memory,
    MemoryFilter,
    Party,
    Scope,
    Update,
    project_scope,
)
from recollect_openwebui.notices import Event, Notices, language_of, my_memories_page, notification, status

Json = dict[str, Any]

_SWITCHED = ("recall", "record")
"""The flags for "off": nothing is recalled, and no message kept."""

_PERSON = Changer(Party.PERSON, "my-memories")


class RefusedError(LookupError):
    """It can't be done; its only argument says why: away, gone, duplicate, not_undoable."""


@dataclass(frozen=True, slots=True)
class MyMemories:
    """The operations on their memories of the person who is signed in to Open WebUI."""

    user_id: str

    async def page(self, *, limit: int, after: str | None = None) -> Json:
        """Return ``memories``, newest first, and ``next``, the id to go on behind; None on the last page.

        The person's own come first, then those of one project after another.
        """
        taken, found = MemoryFilter(kinds=SHOWN), list[Json]()
        async with _engine() as engine:
            projects = await engine.projects(self.user_id, measured=False)
            titles = {project_scope(self.user_id, each.name): each.title or each.name for each in projects}
            scopes, behind = [self.user_id, *titles], UUID(after) if after else None
            if behind is not None:
                scopes = scopes[scopes.index(await self._scope_of(engine, behind)) :]
            for scope in scopes:
                page = await engine.page(scope, limit=limit - len(found), after=behind, taken=taken)
                found += [_memory(each, titles.get(scope, "")) for each in page.memories]
                behind = None
                if page.next is not None or len(found) >= limit:
                    break
            is_last = scope == scopes[-1] and page.next is None
        return {"memories": found, "next": None if is_last or not found else found[-1]["id"]}

    async def _scope_of(self, engine: Engine, memory_id: UUID) -> str:
        """Return the scope of the person's that has a memory, or had it; their own if none does."""
        for scope in await engine.scopes_of(self.user_id):
            if await engine.history(scope, memory_id, limit=1):
                return scope
        return self.user_id

    async def html(self, language: str) -> str:
        """Return the page in this language."""
        return my_memories_page(language_of(language))

    async def add(self, content: str) -> str:
        """Write a memory, and return its id."""
        async with _engine() as engine:
            return str((await engine.add(self.user_id, content, actor=Actor.USER)).id)

    async def correct(self, memory_id: str, content: str) -> None:
        """Correct a memory's text."""
        async with _engine() as engine:
            scope = await self._scope_of(engine, UUID(memory_id))
            await engine.revise(scope, UUID(memory_id), content=content, actor=Actor.USER)

    async def forget(self, memory_id: str) -> None:
        """Forget a memory; this can be undone."""
        async with _engine() as engine:
            scope = await self._scope_of(engine, UUID(memory_id))
            await engine.forget(scope, UUID(memory_id), actor=Actor.USER)

    async def changes(self, *, limit: int, memory_id: str | None = None) -> list[Json]:
        """Return the changes of a memory, or of all, newest first."""
        async with _engine() as engine:
            known = UUID(memory_id) if memory_id else None
            found = [
                each
                for scope in await engine.scopes_of(self.user_id)
                for each in await engine.history(scope, known, limit=limit)
            ]
        newest = sorted(found, key=lambda each: each.at, reverse=True)[:limit]
        return [msgspec.to_builtins(each) for each in newest]

    async def undo(self, change_id: str) -> None:
        """Undo one change."""
        async with _engine() as engine:
            for scope in await engine.scopes_of(self.user_id):
                with suppress(ChangeNotFoundError):
                    await engine.undo(scope, UUID(change_id), actor=Actor.USER)
                    return
            raise ChangeNotFoundError

    async def is_on(self) -> bool:
        """Return whether neither recalling nor keeping is switched off for this person, or for everybody."""
        async with _engine() as engine:
            flags = (await engine.flags(self.user_id)).over(await engine.flags())
        return flags.recall is not False and flags.record is not False

    async def switch(self, *, on: bool) -> None:
        """Switch recalling and remembering on or off for this person."""
        flags = Flags() if on else Flags(recall=False, record=False)
        async with _engine() as engine:
            await engine.change_flags(flags, _SWITCHED, self.user_id, by=_PERSON)

    async def instructions(self) -> str:
        """Return the person's own instructions for the model that forms memories."""
        async with _engine() as engine:
            return (await engine.flags(self.user_id)).instructions or ""

    async def instruct(self, text: str) -> None:
        """Keep the person's own instructions; "" takes them back."""
        async with _engine() as engine:
            flags = Flags(instructions=text[:LONGEST_INSTRUCTIONS] or None)
            await engine.change_flags(flags, ("instructions",), self.user_id, by=_PERSON)

    async def held(self) -> list[Json]:
        """Return the memories that wait for approval, those of projects behind the person's own."""
        async with _engine() as engine:
            scopes = await engine.scopes_of(self.user_id)
            found = [each for scope in scopes for each in await engine.quarantined(scope)]
        return [
            {"id": str(each.memory.id), "content": each.memory.content, "reason": each.reason.value}
            for each in found
        ]

    async def decide(self, memory_id: str, *, approved: bool) -> None:
        """Approve or refuse a memory that waits."""
        async with _engine() as engine:
            for scope in await engine.scopes_of(self.user_id):
                with suppress(MemoryNotFoundError):
                    decision = engine.approve if approved else engine.refuse
                    await decision(scope, UUID(memory_id), actor=Actor.USER)
                    return
            raise MemoryNotFoundError

    async def erase(self) -> dict[str, int]:
        """Erase everything of this person, and return how many rows of each table are gone."""
        async with _engine() as engine:
            return dict((await engine.erase(self.user_id)).rows)

    async def link(self) -> None:
        """Return no link: the filter serves no page of its own."""


def my_memories(user_id: str) -> MyMemories | None:
    """Return a person's memories; None if nothing in this process has asked for an engine yet."""
    return MyMemories(user_id) if running_engine() is not None else None


@asynccontextmanager
async def _engine() -> AsyncIterator[Engine]:
    """Yield the engine, and turn its errors into reasons for the page."""
    live = running_engine()
    if live is None or live.engine is None:
        raise RefusedError("away")
    try:
        yield live.engine
    except (MemoryNotFoundError, ChangeNotFoundError):
        raise RefusedError("gone") from None
    except DuplicateMemoryError:
        raise RefusedError("duplicate") from None
    except NotUndoableError:
        raise RefusedError("not_undoable") from None
    except RecollectError:
        raise RefusedError("away") from None


def _memory(memory: Memory, project: str) -> Json:
    told: Json = msgspec.to_builtins(msgspec.convert(memory, Document, from_attributes=True))
    return told | {"project": project}


async def undo(body: Any, user: Any, language: Any = None) -> list[Event]:
    """Undo the user's own changes of an answer's exchange, and return the notice in their page's language.

    ``body`` is Open WebUI's of an action: the chat, the answer's id, and the messages up to it.

    Raises:
        StoreError: The store could not be asked.
    """
    live, asked, user_id = running_engine(), _answered_message(body), (user or {}).get("id")
    said = (str(each.get("content")) for each in body.get("messages") or () if each.get("role") == "user")
    notices = Notices(language_of(language, said))
    engine = live.engine if live is not None else None
    if engine is None:
        return [notification(notices("undo.away"), kind="error")]
    if asked is None or not user_id:
        return [notification(notices("undo.nothing"))]
    found = [
        await engine.take_back(Scope(each, asked[0]), asked[1], actor=Actor.USER)
        for each in await engine.scopes_of(user_id)
    ]
    undone = next((each for each in found if each is not None), None)
    if undone is None:
        return [notification(notices("undo.nothing"))]
    line = notices.undone(undone)
    if not line:
        return [notification(notices("undo.not_recalled"))]
    return [status(line), notification(line, kind="success")]


def _answered_message(body: Any) -> tuple[str, str] | None:
    """Return the chat, and the id of the answered message; None if the body lacks them."""
    chat_id, answer_id, key = body.get("chat_id"), body.get("id"), None
    for message in body.get("messages") or ():
        if message.get("id") == answer_id:
            break
        if message.get("role") == "user":
            key = message.get("id")
    return (chat_id, key) if chat_id and key else None


_ENDS = (".", "!", "?", "\u2026", "\u3002")
_SHOWN = 110
"""Characters of a line that Open WebUI shows on a wide page before it is opened; a longer one begins with the hint."""

_HEAD = "title: My memories\nauthor: Recollect\n"


async def changes_line(
    engine: Engine, user_id: str, updates: Sequence[Update], notices: Notices, button: str | None
) -> str:
    """Return the line with new changes; with a person's first memories it names the button that shows them, if there is one."""
    line = notices.changes(updates)
    added = sum(each.action is Action.ADD for each in updates)
    if not line or not added or not button:
        return line
    known = await engine.page(user_id, limit=added + 1)
    if len(known.memories) > added:
        return line
    line = line if line.endswith(_ENDS) else f"{line}."
    hint = notices("hint", button=button)
    return f"{line} {hint}" if len(line) + len(hint) < _SHOWN else f"{hint} {line}"


async def button_name() -> str | None:
    """Return the name of the function My memories in this process's Open WebUI; None if it is not switched on."""
    functions = getattr(sys.modules.get("open_webui.models.functions"), "Functions", None)
    if functions is None:
        return None
    actions = await functions.get_functions_by_type("action", active_only=True)
    return next((each.name for each in actions if _HEAD in each.content), None)
