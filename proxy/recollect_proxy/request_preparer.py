"""Prepares a chat request for its upstream: begins to log the turn, recalls, and puts memories into the prompt.

Never: reads a request, a socket. What fails here costs the request its memories and nothing else.
"""

from dataclasses import dataclass, replace
from functools import partial

from uuid_utils.compat import uuid7

from recollect.chat import ChatBody, is_light
from recollect.composition import Placed
from recollect.engine.live import LiveEngine
from recollect.engine.prepared import Prepared
from recollect.model import Skip
from recollect.text.tokens import token_counter
from recollect_proxy.fair_executor import FairExecutor
from recollect_proxy.identity import Caller
from recollect_proxy.outbound_request import OutboundRequest
from recollect_proxy.request_composer import RequestComposer
from recollect_proxy.request_reader import ParsedRequest
from recollect_proxy.status import Status


@dataclass(frozen=True, slots=True)
class RequestPreparer:
    """Prepares the requests of one API.

    Attributes:
        engine: Recalls, and writes the log.
        composer: Puts memories into a request's body.
        executor: Composes large requests off the event loop.
        status: Shows users of OpenWebUI what the memory does; None if nobody is shown that.
    """

    engine: LiveEngine
    composer: RequestComposer
    executor: FairExecutor
    status: Status | None = None

    async def prepare(self, caller: Caller, parsed: ParsedRequest, body: bytes) -> OutboundRequest:
        """Return what is sent to the upstream.

        Args:
            caller: Who sent the request.
            parsed: The request; it has a turn.
            body: The request's body as it came.
        """
        turn, chat = parsed.detected.turn, parsed.detected.body
        assert turn is not None  # noqa: S101 -- the caller has looked
        assert chat is not None  # noqa: S101 -- it is there where the turn is
        forms = parsed.detected.forms and parsed.options.remember
        record = self.engine.begin(turn, credential=caller.credential) if forms else None
        prepared = await self.engine.prepare(turn, parsed.options.recall, count=token_counter(turn.model))
        composed, prepared = await self._compose(chat, prepared, turn.scope.user_id)
        request_id = uuid7()
        if parsed.detected.forms:
            self.engine.note(turn, prepared, request_id=request_id, api=self.composer.dialect.name)
        changed = composed or parsed.body
        return OutboundRequest(
            request_id,
            body if changed is None else changed,
            changed is not None,
            parsed.options,
            turn,
            prepared,
            record,
            self.status if self.status is not None and self.status.is_for(caller, chat) else None,
        )

    async def _compose(
        self, chat: ChatBody, prepared: Prepared, user_id: str
    ) -> tuple[bytes | None, Prepared]:
        """Return the body with memories, or None, and what was really added."""
        work, reason = partial(self.composer.compose, chat, prepared.placed), Skip.NO_PLACE
        try:
            composed = work() if is_light(chat.raw) else await self.executor.run(work, user_id)
        except TimeoutError:
            composed, reason = None, Skip.DEADLINE
        if composed is None and prepared.placed != Placed():
            nothing = Placed(detached=prepared.placed.detached)
            prepared = replace(prepared, placed=nothing, recall=replace(prepared.recall, skipped=reason))
        return composed, prepared
