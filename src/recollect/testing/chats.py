"""What a chat was said, what was added to its prompts, and what its requests were like, in memory.

Never: what to add.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from recollect.model import (
    Chat,
    Exchange,
    Injection,
    Kind,
    LoggedExchange,
    Memory,
    Reason,
    RequestRecord,
    Role,
    Scope,
    Turn,
    Update,
)
from recollect.normalization import storable_id, storable_text
from recollect.ports import USAGE_OUTLIVES
from recollect.testing.abandoning import abandoned_by
from recollect.testing.changes import Belongings
from recollect.testing.settings import Kept

_DONE = 10
_ASKED = {Reason.ASKED, Reason.FORGOTTEN, Reason.CORRECTED}


class ChatStore(ABC):
    """Implements ChatMemory and RequestLog.

    Attributes:
        settings: The FlagStore, and the UsageLog.
    """

    settings: Kept
    _globals: dict[UUID, Memory]

    @abstractmethod
    def _of(self, user_id: str) -> Belongings:
        """Return what the user has, or raise what the store is told to."""

    @abstractmethod
    def _everybody(self) -> list[Belongings]:
        """Return what all users have, or raise what the store is told to."""

    async def chat(
        self, scope: Scope, *, exchanges: int, unless_begun: str | None = None, turn: Turn | None = None
    ) -> Chat:
        """Return what is known of a chat; its last exchanges, unless it began with that message."""
        user, session_id = self._of(scope.user_id), storable_id(scope.session_id)
        injections = user.injections.get(session_id, {})
        kept = _kept(user, session_id)
        said = [
            LoggedExchange(
                key=each.exchange.turn.key,
                turn_index=each.turn_index,
                said=each.exchange.turn.text,
                reply="" if each.exchange.reply_id in user.index.hidden else each.exchange.reply,
                speaker=each.exchange.turn.speaker,
                carried=user.carried[each.exchange.id],
                anchor=each.exchange.turn.anchor,
            )
            for each in user.said
            if each.role is Role.USER and each.exchange.id in kept and each.id not in user.index.hidden
        ][::-1][:exchanges]
        if kept and next(iter(kept.values())).turn.text == unless_begun:
            said = []
        summaries = [
            memory.content
            for _, memory in sorted(user.memories.items())
            if memory.kind is Kind.SUMMARY and memory.provenance.session_id == session_id
        ]
        attached = (each for each in injections.values() if (session_id, each.anchor) not in user.detached)
        in_order = sorted(attached, key=lambda each: (each.at, each.anchor))
        summary = summaries[-1] if summaries and said else ""
        return Chat(
            tuple(in_order),
            tuple(reversed(said)),
            summary,
            done=_done(user, session_id, kept),
            flags=await self.settings.flags(scope.user_id),
            abandoned=frozenset() if turn is None else abandoned_by(user, turn),
        )

    async def inject(self, scope: Scope, injection: Injection | None, detached: Sequence[str]) -> None:
        """Note what was added to a turn, unless something was before; ``detached`` anchors are added no more."""
        user, session_id = self._of(scope.user_id), storable_id(scope.session_id)
        known = user.injections.setdefault(session_id, {})
        user.detached |= {(session_id, anchor) for anchor in known.keys() & set(detached)}
        if injection is not None and user.are_there(set(injection.items) - self._globals.keys()):
            kept = replace(injection, block=storable_text(injection.block))
            if (session_id, injection.anchor) in user.detached:
                user.detached.discard((session_id, injection.anchor))
                del known[injection.anchor]
            known.setdefault(injection.anchor, kept)

    async def record(self, request: RequestRecord) -> None:
        """Keep what a request was like."""
        scope = Scope(request.scope.user_id, storable_text(request.scope.session_id))
        kept = replace(request, scope=scope, model=storable_text(request.model))
        self._of(scope.user_id).requests.setdefault(request.id, kept)

    async def request(self, request_id: UUID) -> RequestRecord | None:
        """Return what a request was like, whoever made it; None if it is not known (any more)."""
        found = (user.requests.get(request_id) for user in self._everybody())
        return next((request for request in found if request is not None), None)

    async def prune_requests(self, before: datetime) -> int:
        """Delete what was kept of requests before a time; return of how many."""
        count = 0
        for user in self._everybody():
            kept = {known: request for known, request in user.requests.items() if request.at >= before}
            count += len(user.requests) - len(kept)
            user.requests = kept
        self.settings.prune((before - USAGE_OUTLIVES).date())
        return count


def _kept(user: Belongings, session_id: str) -> dict[UUID, Exchange]:
    """Return a chat's exchanges in order, but those that were abandoned."""
    kept = (each.exchange for each in user.log if each.state != "abandoned")
    return {each.id: each for each in kept if each.turn.scope.session_id == session_id}


def _done(user: Belongings, session_id: str, kept: dict[UUID, Exchange]) -> tuple[Update, ...]:
    """Return what was asked for in a chat and done since its last turn."""
    if not kept:
        return ()
    last = list(kept.values())[-1].turn.at
    undone = {each.undoes for each in user.updates}
    done = [
        each
        for each in user.updates
        if each.session_id == session_id
        and each.reason in _ASKED
        and each.at > last
        and each.id not in undone
    ]
    return tuple(sorted(done, key=lambda each: (each.at, each.id))[:_DONE])
