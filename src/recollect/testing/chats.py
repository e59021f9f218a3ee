"""What a chat was said, what was added to its prompts, and what its requests were like, in memory.

Never: what to add.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from recollect.model import Chat, Injection, Kind, LoggedExchange, RequestRecord, Role, Scope
from recollect.normalization import storable_id, storable_text
from recollect.testing.changes import Belongings


class ChatStore(ABC):
    """Implements ChatMemory and RequestLog."""

    @abstractmethod
    def _of(self, user_id: str) -> Belongings:
        """Return what the user has, or raise what the store is told to."""

    @abstractmethod
    def _everybody(self) -> list[Belongings]:
        """Return what all users have, or raise what the store is told to."""

    async def chat(self, scope: Scope, *, exchanges: int, unless_begun: str | None = None) -> Chat:
        """Return what is known of a chat; its last exchanges, unless it began with that message."""
        user, session_id = self._of(scope.user_id), storable_id(scope.session_id)
        injections = user.injections.get(session_id, {})
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
            if each.role is Role.USER and each.session_id == session_id and each.id not in user.index.hidden
        ][::-1][:exchanges]
        first = (each for each in user.said if each.session_id == session_id and not each.turn_index)
        if any(each.content == unless_begun for each in first):
            said = []
        summaries = [
            memory.content
            for _, memory in sorted(user.memories.items())
            if memory.kind is Kind.SUMMARY and memory.provenance.session_id == session_id
        ]
        attached = (each for each in injections.values() if (session_id, each.anchor) not in user.detached)
        in_order = sorted(attached, key=lambda each: (each.at, each.anchor))
        summary = summaries[-1] if summaries and said else ""
        return Chat(tuple(in_order), tuple(reversed(said)), summary)

    async def inject(self, scope: Scope, injection: Injection | None, detached: Sequence[str]) -> None:
        """Note what was added to a turn, unless something was before; ``detached`` anchors are added no more."""
        user, session_id = self._of(scope.user_id), storable_id(scope.session_id)
        known = user.injections.setdefault(session_id, {})
        user.detached |= {(session_id, anchor) for anchor in known.keys() & set(detached)}
        if injection is not None and user.are_there(injection.items):
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
        return count
