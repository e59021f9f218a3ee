"""Carries out a person's requests to the memory in a message, before its answer, and reports them in the prompt, so that the answer is true.

Most messages ask for nothing: they are only read. A person who asks for something waits for it, for some seconds at most; nothing is
raised. An uncertain change is never reported as done. The report is in plain words for a model, which tells them in the
person's language; it never quotes forgotten text.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import structlog
from uuid_utils.compat import uuid7

from recollect.backends import Backends
from recollect.engine.listed_targets import Unmet, shown_list, targets
from recollect.engine.people.memory_edits import MemoryEdits
from recollect.engine.policy import Policy
from recollect.errors import MemoryNotFoundError, StoreError, raised_at
from recollect.formation.analyzed_turn import read_commands
from recollect.model import (
    Actor,
    Asking,
    CarriedOut,
    Changer,
    Erasure,
    Exchange,
    Flags,
    KeptRequest,
    Memory,
    Party,
    Placement,
    PointedAt,
    Reason,
    Retire,
    Role,
    Scope,
    Turn,
    is_agents,
    person_of,
)
from recollect.ports import Clock
from recollect.runtime.deadline import within
from recollect.text.attribution import attribute
from recollect.text.memory_requests import (
    LAST,
    LONGEST_MESSAGE,
    MemoryRequest,
    Request,
    read_memory_request,
    read_opening,
)
from recollect.text.secrets import holds_secret

_DONE, _NOT_DONE = "- [DONE]", "- [NOT DONE]"

_STOPPED = (
    f"{_DONE} From now on nothing that the user says is remembered, in any chat. What was remembered before stays, and is still"
    ' used. "Remember me again" turns it on again.'
)
_RESUMED = f"{_DONE} What the user says is remembered again, from now on."
_SWITCHED_OFF = (
    f"{_NOT_DONE} Nothing is remembered of anybody here: whoever runs this memory has switched it off."
)
_NOT_EVERYWHERE = (
    f"{_NOT_DONE} Nothing was changed: it would hold in all chats, and from here only one project or agent is reached. The user may"
    ' say it in a chat of their own, or "don\'t remember this chat" here.'
)
_LEFT_OUT = (
    f"{_DONE} Nothing of this chat is remembered any more. What was kept of it, and what was learned from it alone, is deleted"
    ' for good. "Remember this chat again" turns it on again.'
)
_TAKEN_IN = (
    f"{_DONE} What is said in this chat is remembered again, from now on. What was deleted stays deleted."
)
_NOT_LEFT_OUT = f"{_NOT_DONE} There was nothing to change: this chat was not left out of the memory."
_NOT_UNDONE = (
    f"{_NOT_DONE} Nothing was undone: it was undone before, was changed again since, or was erased for good."
)
_NOT_EVERYTHING = (
    f"{_NOT_DONE} Nothing was forgotten: everything is not forgotten for a sentence in a chat. Whoever runs this memory can delete"
    ' all of it. To forget something, the user asks what is known about them, and then says "forget number 2".'
)
_UNCERTAIN = f"{_NOT_DONE} The memory can't be reached: it is not certain that anything was changed. The user may ask again later."
_UNCLEAR = (
    f"{_NOT_DONE} Nothing was forgotten: it is not certain what is meant. The user may ask what is known about them, to see the"
    " list again, or say what to forget."
)
CONFIDENTIAL = (
    f"{_NOT_DONE} Nothing was remembered of the user's message before this one: it holds a password or another secret, and"
    " secrets are never kept."
)
_GONE = f"{_NOT_DONE} Nothing was forgotten: that is not remembered any more."


def _report_forgotten(numbers: Sequence[int], count: int) -> str:
    """Return the answer when ``count`` memories were forgotten for the numbers that the person named."""
    if count < len(numbers):
        return f"{_DONE} Forgotten, as the user asked: {count} of the {len(numbers)} named; the others were so before."
    which = ", ".join("the last" if each == LAST else f"number {each}" for each in numbers)
    return (
        f"{_DONE} Forgotten, as the user asked: {which} of the list. Tell the user by the words of the list in this chat, not by the"
        ' number. The other numbers stay as they are. "Undo that" brings it back.'
    )


def _report_undone(count: int) -> str:
    """Return the report on so many undone changes; 0: nothing was learned, and nothing will be."""
    if not count:
        return f"{_DONE} Nothing is learned from the user's message before this one."
    return f"{_DONE} Undone, as the user asked: {count} {'change' if count == 1 else 'changes'} of what is remembered."


_CLEAR_ALONE = frozenset({Request.STOP, Request.RESUME, Request.LEAVE_OUT, Request.TAKE_IN})
"""The requests that are clear without the chat; others need the store to be understood."""


_PATIENCE_SECONDS = 5.0  # longer than recall has: an answer that says "done" must be true (decision 0041)
_ONCE_MORE = timedelta(hours=1)
"""Later the same words are a new message, if only words distinguish chats."""

log = structlog.get_logger(__name__)


def request_of(turn: Turn) -> MemoryRequest | None:
    """Return a turn's request to the memory as a whole, in the person's own words; None for most."""
    # Nearly every message is none by its form, and attribution takes much longer.
    return read_memory_request(turn.text) and read_memory_request(_authored(turn))


def _authored(turn: Turn) -> str:
    return attribute(Exchange(uuid7(), turn, "", uuid7(), uuid7())).authored


class RequestsToMemory:
    """Carries out what chats ask of the memory; ``leave_out`` deletes a chat, and keeps nothing of it from then on."""

    def __init__(
        self,
        administration: MemoryEdits,
        leave_out: Callable[[Scope], Awaitable[Erasure]],
        backends: Backends,
        policy: Policy,
        clock: Clock,
    ) -> None:
        self._administration = administration
        self._leave_out = leave_out
        self._store = backends.store
        self._policy = policy
        self._clock = clock

    async def carry_out(self, turn: Turn) -> CarriedOut | None:
        """Carry out a turn's request; return its outcome, None without a request."""
        request: MemoryRequest | None = None
        try:
            request = request_of(turn)
            if request is None or request.asking is Request.KNOWN:  # recall answers KNOWN
                wanted = asked_to_remember_a_secret(turn) and await self._is_added_to(turn)
                return CarriedOut(CONFIDENTIAL) if wanted else None
            if not await self._is_added_to(turn):
                return None
            if request.asking is Request.EVERYTHING:
                return CarriedOut(_NOT_EVERYTHING)
            return await within(_PATIENCE_SECONDS, self._carried_out(turn, request))
        except (TimeoutError, StoreError) as error:  # it may have been done, or may not
            log.warning("chat_request_failed", error=type(error).__name__)
        except Exception as error:  # noqa: BLE001 -- a bug here must not cost anybody their chat
            log.error("chat_request_failed", error=type(error).__name__, raised_at=raised_at(error))  # noqa: TRY400 -- no text
        is_clear = request is not None and request.asking in _CLEAR_ALONE
        return CarriedOut(_UNCERTAIN) if is_clear else None

    async def _is_added_to(self, turn: Turn) -> bool:
        """Return whether the turn's prompt is added to at all, by the settings of its user and of everybody."""
        flags = await within(_PATIENCE_SECONDS, self._store.flags.flags(turn.scope.user_id))
        return self._policy.under(flags).bounds.placement is not Placement.OFF

    async def _carried_out(self, turn: Turn, request: MemoryRequest) -> CarriedOut | None:
        """Return the outcome; None if it turns out that the memory is not meant."""
        if request.asking in _CLEAR_ALONE - {Request.TAKE_IN}:
            return await self._switch(turn, request.asking)
        pointed_at = await self._store.asked.pointed_at(turn)
        if (done := _done_before(turn, request, pointed_at)) is not None:
            return CarriedOut(done)
        if request.asking is Request.FORGET_LISTED:
            return await self._forget(turn, request.numbers, pointed_at)
        return await (self._undo(turn, pointed_at) if request.asking is Request.UNDO else self._take_in(turn))

    async def _switch(self, turn: Turn, asking: Request) -> CarriedOut | None:
        """Do what may be done again without harm; by an agent or its key nothing that holds for the person everywhere."""
        if asking is Request.LEAVE_OUT:
            await self._leave_out(turn.scope)
            return CarriedOut(_LEFT_OUT, switched=asking)
        if _reaches_one_project(turn):
            return CarriedOut(_NOT_EVERYWHERE)
        return await (self._stop(turn) if asking is Request.STOP else self._resume(turn))

    async def _stop(self, turn: Turn) -> CarriedOut:
        await self._record(turn.scope.user_id, record=False)
        await self._store.asked.unlog(turn)  # it may be in the log by now; later it is not let in
        await self._note(turn, Request.STOP)
        return CarriedOut(_STOPPED, switched=Request.STOP)

    async def _resume(self, turn: Turn) -> CarriedOut:
        """Remove the person's own setting; the operator's setting for everybody stays."""
        await self._record(turn.scope.user_id, record=None)
        flags = await self._store.flags.flags(turn.scope.user_id)
        if not self._policy.under(flags).records:
            return CarriedOut(_SWITCHED_OFF)
        return CarriedOut(_RESUMED, switched=Request.RESUME)

    async def _take_in(self, turn: Turn) -> CarriedOut:
        if not await self._store.asked.take_in(turn.scope):
            return CarriedOut(_NOT_LEFT_OUT)
        await self._note(turn, Request.TAKE_IN)
        return CarriedOut(_TAKEN_IN, switched=Request.TAKE_IN)

    async def _record(self, user_id: str, *, record: bool | None) -> None:
        flags = Flags(record=record)
        await self._store.flags.change_flags(
            user_id, flags, ("record",), at=self._clock(), by=Changer(Party.PERSON, "chat")
        )

    async def _note(self, turn: Turn, asking: Request, items: Sequence[UUID] = ()) -> None:
        kept = KeptRequest(turn.anchor, asking, tuple(items), self._clock())
        await self._store.asked.keep_request(turn.scope, kept)

    async def _forget(self, turn: Turn, numbers: Sequence[int], pointed_at: PointedAt) -> CarriedOut | None:
        shown = shown_list(turn, pointed_at)
        if shown is None:
            return None
        found = await self._memories(turn.scope.user_id, shown.listed)
        memories = {each: memory for each, (_, memory) in found.items()}
        meant = targets(shown, numbers, memories)
        if isinstance(meant, Unmet):
            count = len(shown.seen) or len(shown.listed)
            beyond = f"{_NOT_DONE} Nothing was forgotten: the list has {count} statements, and none of that number."
            reason = {Unmet.OUT_OF_RANGE: beyond, Unmet.UNCLEAR: _UNCLEAR}.get(meant)
            return None if reason is None else CarriedOut(reason)
        named = [(found[each][0], each) for each in meant if each in found]
        asking = turn.scope.user_id
        if _reaches_one_project(turn) and any(scope == person_of(asking) for scope, _ in named):
            return CarriedOut(_NOT_EVERYWHERE)
        retired = [
            each
            for scope in dict.fromkeys(scope for scope, _ in named)
            for each in await self._retire(scope, named, by=asking)
        ]
        if not retired:
            return CarriedOut(_GONE)
        await self._note(turn, Request.FORGET_LISTED, retired)
        rows = [await self._administration.last_removal(*each) for each in named if each[1] in retired]
        return CarriedOut(_report_forgotten(numbers, len(retired)), tuple(filter(None, rows)))

    async def _memories(self, user_id: str, ids: Sequence[UUID]) -> dict[UUID, tuple[str, Memory]]:
        """Return memories by their ids, each with the scope that has it: in a project's chat, also one around it."""
        found: dict[UUID, tuple[str, Memory]] = {}
        for scope in await self._administration.scopes_within_reach(user_id):
            for each in ids:
                with suppress(MemoryNotFoundError):  # it is in another scope, or gone
                    found.setdefault(each, (scope, await self._store.memories.get(scope, each)))
        return found

    async def _retire(self, user_id: str, named: Sequence[tuple[str, UUID]], *, by: str) -> list[UUID]:
        """Take from a scope those of these memories that it has, for the user ``by``; return those that were."""
        changes = [Retire(each, Reason.FORGOTTEN) for scope, each in named if scope == user_id]
        if not changes:
            return []
        named_for = person_of(by) if person_of(by) != person_of(user_id) else ""
        done = await self._store.memories.apply(
            Scope(user_id, ""), changes, actor=Actor.USER, at=self._clock(), by=named_for
        )
        return [each.target for each in done if isinstance(each, Retire)]

    async def _undo(self, turn: Turn, pointed_at: PointedAt) -> CarriedOut | None:
        """Undo the changes by the message before, or the news of its answer; after anything else "undo that" means something else."""
        said_before = _said_before(turn)
        asked_before = read_memory_request(said_before)
        if asked_before is not None and asked_before.asking is Request.LEAVE_OUT:
            is_in = await self._store.asked.take_in(turn.scope)
            return CarriedOut(_TAKEN_IN, switched=Request.TAKE_IN) if is_in else None
        before = _anchor_before(turn, pointed_at)
        asked = next((each for each in pointed_at.requests if each.anchor == before), None)
        if asked is not None and asked.asking == Request.STOP:
            return await self._switch(turn, Request.RESUME)
        if asked is not None and asked.asking == Request.FORGET_LISTED:
            return await self._bring_back(turn, asked)
        return await self._take_back(turn, pointed_at, before, said_before)

    async def _bring_back(self, turn: Turn, asked: KeptRequest) -> CarriedOut:
        bound = _reaches_one_project(turn)
        back = await self._administration.bring_back(turn.scope.user_id, asked, actor=Actor.USER, bound=bound)
        if not back:
            return CarriedOut(_NOT_UNDONE)
        await self._note(turn, Request.UNDO, [each.memory_id for each in back])
        return CarriedOut(_report_undone(len(back)), tuple(back))

    async def _take_back(
        self, turn: Turn, pointed_at: PointedAt, before: str | None, said_before: str
    ) -> CarriedOut | None:
        found = [each for each in pointed_at.exchanges if before is None or each.anchor == before]
        if not found:
            return None
        last = found[0]
        following = pointed_at.exchanges[pointed_at.exchanges.index(last) + 1 :][:1]
        if last.did_as_asked or last.told_news or _asks(said_before):
            meant = last
        elif following and following[0].did_as_asked:  # its answer told so
            meant = following[0]
        else:
            return None
        bound = _reaches_one_project(turn)
        undone = await self._administration.take_back(turn.scope, meant.key, actor=Actor.USER, bound=bound)
        if undone is None:
            return None
        if not undone and meant.did_as_asked:
            return CarriedOut(_NOT_UNDONE)
        await self._note(turn, Request.UNDO, [each.memory_id for each in undone])
        return CarriedOut(_report_undone(len(undone)), undone)


def _reaches_one_project(turn: Turn) -> bool:
    """Return whether a request to the memory may change only its project, as a program may have sent it for the person."""
    return turn.of_bound_key or is_agents(turn.scope.user_id)


def _done_before(turn: Turn, request: MemoryRequest, pointed_at: PointedAt) -> str | None:
    """Return the answers to a message that is sent once more, as with the results of tools; its request is carried out once."""
    done = next((each for each in pointed_at.requests if each.anchor == turn.anchor), None)
    if done is None or done.asking != request.asking or turn.at - done.at > _ONCE_MORE:
        return None
    match request.asking:
        case Request.TAKE_IN:
            return _TAKEN_IN
        case Request.FORGET_LISTED:
            return _report_forgotten(request.numbers, len(done.items))
        case _:
            return _report_undone(len(done.items))


def _anchor_before(turn: Turn, pointed_at: PointedAt) -> str | None:
    """Return by which the person's message before is known; None where neither the request nor the log has it."""
    if len(turn.anchors) > 1:
        return turn.anchors[-2][1]  # the last is the turn's own
    return next((each.anchor for each in pointed_at.exchanges), None)


def _said_before(turn: Turn) -> str:
    """Return the person's own words in the beginning of their message before, as the request carries it."""
    said = _text_before(turn)
    return _authored(replace(turn, text=said, history=())) if said else ""


def _text_before(turn: Turn) -> str:
    said = next((each.text for each in reversed(turn.history) if each.role is Role.USER), "")
    return said[: 4 * LONGEST_MESSAGE]


def asked_to_remember_a_secret(turn: Turn) -> bool:
    """Return whether the person's message before, as the request carries it, asks to remember a secret."""
    if not holds_secret(_text_before(turn)):  # nearly always
        return False
    said = _said_before(turn)
    opening = read_opening(said)
    return opening is not None and opening[0] is Asking.REMEMBER and holds_secret(said)


def _asks(said: str) -> bool:
    """Return whether someone's words asked to remember, forget or correct something."""
    commands = {Asking.REMEMBER, Asking.FORGET, Asking.CORRECT}
    return any(each.asking in commands for each in read_commands(said))
