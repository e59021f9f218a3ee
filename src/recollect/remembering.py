"""Logs what was said, and notes what it was given: off the answer's path, and whatever fails.

Failing open for what is remembered lives here. Never: a concrete backend, how memories are formed.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import structlog
from cachetools import TTLCache
from uuid_utils.compat import uuid7

from recollect.composition import Placed
from recollect.errors import StoreError
from recollect.failures import place
from recollect.model import Exchange, Memory, Recollection, RequestRecord, Scope, Strategy, Turn
from recollect.policy import Policy
from recollect.ports import Backends, Clock
from recollect.secrets.exchanges import masked_exchange, unread_exchange

_CREDENTIALS_KEPT = 10_000
_CREDENTIAL_SECONDS = 3600.0
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_APPEND_DELAYS = (0.5, 2.0, 5.0, *(15.0,) * 40)  # ten minutes; in a long gap a shutdown loses it

log = structlog.get_logger(__name__)


class Remembering:
    """Remembers exchanges of many users."""

    def __init__(self, backends: Backends, policy: Policy, clock: Clock) -> None:
        self._backends = backends
        self._policy = policy
        self._clock = clock
        self._credentials: TTLCache[UUID, str] = TTLCache(_CREDENTIALS_KEPT, _CREDENTIAL_SECONDS)
        self._erased: TTLCache[Scope | str, datetime] = TTLCache(_CREDENTIALS_KEPT, _CREDENTIAL_SECONDS)

    def credential(self, exchange_id: UUID) -> str | None:
        """Return the credential of an exchange's own request, while it is at hand."""
        credential: str | None = self._credentials.get(exchange_id)
        return credential

    def note_erasure(self, erased: Scope | str, at: datetime) -> None:
        """Let nothing that this user said until then, or said in this chat, be written any more."""
        self._erased[erased] = at

    async def remember(
        self,
        turn: Turn,
        reply: str,
        *,
        recollections: Sequence[Recollection] = (),
        credential: str | None = None,
    ) -> bool:
        """Log the exchange, and let it be formed in the background; never raises.

        Waits out a store that is away, so call it off the answer's path.

        Args:
            turn: What the user said.
            reply: What of the answer went by; "" if the user left before its first word.
            recollections: What of the user's memories went into the prompt.
            credential: The request's own ``Authorization``; kept in this process's memory alone.

        Returns:
            Whether it was a new exchange that is now logged.
        """
        exchange = Exchange(
            uuid7(), turn, reply, uuid7(), uuid7(), authorized=credential is not None, credential=credential
        )
        if credential is not None:
            self._credentials[exchange.id] = credential
        exchange = await self._masked(exchange)
        new = await self._append(exchange)
        if new is None:
            log.error("exchange_lost", exchange_id=str(exchange.id))
            return False
        await self._touch(turn.scope, recollections)
        return new

    async def _masked(self, exchange: Exchange) -> Exchange:
        """Return the exchange without its secrets, unless the operator wants them in the log."""
        if self._policy.log_secrets:
            return exchange
        try:
            return await asyncio.to_thread(masked_exchange, exchange)
        except Exception as error:  # noqa: BLE001 -- what nobody could read may hold a secret, so none of it is kept
            log.error("masking_failed", error=type(error).__name__, place=place(error))  # noqa: TRY400 -- as in recall
            return unread_exchange(exchange)

    async def _append(self, exchange: Exchange) -> bool | None:
        """Return whether the exchange was new, or None if it could not be logged."""
        for delay in (*_APPEND_DELAYS, None):
            if self._is_erased(exchange.turn):
                return False
            try:
                return await self._is_wanted(exchange) and await self._backends.log.append(exchange)
            except StoreError as error:
                log.warning("remember_failed", error=type(error).__name__, detail=str(error), again=delay)
                if delay is not None:
                    await asyncio.sleep(delay)
            except Exception as error:  # noqa: BLE001 -- as in recall
                log.error("remember_failed", error=type(error).__name__, place=place(error))  # noqa: TRY400 -- as in recall
                break
        return None

    def _is_erased(self, turn: Turn) -> bool:
        """Return whether the user, or the chat, was erased since this was said."""
        scope = turn.scope
        return any(turn.at <= self._erased.get(each, _LONG_AGO) for each in (scope, scope.user_id))

    async def _is_wanted(self, exchange: Exchange) -> bool:
        """Return whether what this user says is kept at all."""
        flags = await self._backends.flags.flags(exchange.turn.scope.user_id)
        return self._policy.under(flags).strategy is not Strategy.OFF

    async def _touch(self, scope: Scope, recollections: Sequence[Recollection]) -> None:
        """Count the recollections as recalled; to miss a count is no reason to lose an exchange."""
        try:
            if ids := [each.item.id for each in recollections if isinstance(each.item, Memory)]:
                await self._backends.memories.touch(scope.user_id, ids, at=self._clock())
        except Exception as error:  # noqa: BLE001 -- as in recall
            log.warning("touch_failed", error=type(error).__name__, place=place(error))

    async def inject(self, turn: Turn, placed: Placed) -> None:
        """Note what was added to a turn, so that it can be added again; never raises."""
        if placed.injection is not None or placed.detached:
            noting = self._backends.chats.inject(turn.scope, placed.injection, placed.detached)
            await self._quietly("inject_failed", turn, noting)

    async def record(self, request: RequestRecord, turn: Turn) -> None:
        """Keep what a request was like; never raises."""
        await self._quietly("record_failed", turn, self._backends.requests.record(request))

    async def _quietly(self, event: str, turn: Turn, work: Coroutine[Any, Any, None]) -> None:
        """Do what a chat can do without; nothing of a user who was erased meanwhile."""
        if self._is_erased(turn):
            work.close()
            return
        try:
            await work
        except Exception as error:  # noqa: BLE001 -- to miss a note is no reason to fail a chat
            log.warning(event, error=type(error).__name__, place=place(error))
