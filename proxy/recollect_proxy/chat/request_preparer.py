"""Prepares a chat request for its upstream: begins to log the turn, recalls, and puts memories into the prompt.

Never: reads a request, a socket. A failure here costs the request its memories and nothing else.
"""

from dataclasses import dataclass, field, replace
from functools import partial

from uuid_utils.compat import uuid7

from recollect.composition import Placed
from recollect.engine.live.client_questions import asked_request
from recollect.engine.live.live_engine import LiveEngine
from recollect.engine.turns.prepared import Prepared
from recollect.model import Skip, Turn
from recollect.settings.upstreams import UpstreamSettings
from recollect.text.tokens import token_counter
from recollect_proxy.chat.fair_executor import FairExecutor
from recollect_proxy.chat.full_chats import FullChats
from recollect_proxy.chat.outbound_request import OutboundRequest
from recollect_proxy.chat.request_composer import RequestComposer
from recollect_proxy.chat.request_reader import ParsedRequest
from recollect_proxy.chat.status import Status
from recollect_proxy.identity import Caller

_NOT_LEARNED = "not-learned"
"""The flag of a request of which nothing is kept, as its upstream is not learned from."""


@dataclass(frozen=True, slots=True)
class UpstreamRules:
    """The rules for data to and from the requests' upstream.

    Attributes:
        policy: As the operator wrote it.
        is_default: Whether it is the one that all goes to that no other takes.
        is_told: Whether requests are explained with its name, as there are several, or it has a policy.
        lends: Whether a request's own credential is for it, and so for background calls on the request's behalf.
    """

    policy: UpstreamSettings = field(default_factory=UpstreamSettings)
    is_default: bool = True
    is_told: bool = False
    lends: bool = True


@dataclass(frozen=True, slots=True)
class RequestPreparer:
    """Prepares the requests of one API.

    Attributes:
        engine: Recalls, and writes the log.
        composer: Puts memories into a request's body.
        executor: Composes large requests off the event loop.
        status: Shows users of OpenWebUI the memory's status; None if it is not shown.
        upstream: The rules for data to and from the upstream.
        full_chats: Which chats have no room for memories.
    """

    engine: LiveEngine
    composer: RequestComposer
    executor: FairExecutor
    status: Status | None = None
    upstream: UpstreamRules = field(default_factory=UpstreamRules)
    full_chats: FullChats = field(default_factory=FullChats)

    def is_task(self, parsed: ParsedRequest) -> bool:
        """Return whether a request is its client's own question about what its person said a moment ago."""
        turn, chat = parsed.detected.turn, parsed.detected.body
        return turn is not None and chat is not None and self.engine.recent.is_task(asked_request(turn, chat))

    async def prepare(self, caller: Caller, parsed: ParsedRequest, body: bytes) -> OutboundRequest:
        """Return the request for the upstream.

        Args:
            caller: The sender of the request.
            parsed: The request; it has a turn.
            body: The request's body as it came.
        """
        turn, chat = parsed.detected.turn, parsed.detected.body
        assert turn is not None  # noqa: S101 -- the caller has looked
        assert chat is not None  # noqa: S101 -- it is there where the turn is
        policy = self.upstream.policy
        if not self.upstream.is_default:
            turn = replace(turn, upstream=policy.name)
        turn = await self.engine.in_its_chat(turn)
        learns = policy.learns_of(turn.scope.user_id)
        credential = caller.credential if self.upstream.lends else None
        forms = parsed.detected.forms and parsed.options.remember and learns
        record = self.engine.begin_turn(turn, credential=credential) if forms else None
        asked = asked_request(turn, chat)
        if parsed.detected.forms:
            self.engine.recent.keep_request(asked, words=record is not None)
        options = replace(parsed.options.recall, disclosure=policy.disclosure(turn.scope.user_id))
        prepared = await self.engine.prepare(turn, options, count=token_counter(turn.model))
        prepared = self._with_upstream(prepared, learns=learns)
        plain = body if parsed.body is None else parsed.body
        composed, prepared = await self._compose(parsed, prepared, turn, size=len(plain))
        request_id, api = uuid7(), self.composer.dialect.name
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
            note_answer=partial(self.engine.note_answer, asked) if parsed.detected.forms else None,
            note_recall=partial(self.engine.note_turn, turn, record=record, request_id=request_id, api=api)
            if parsed.detected.forms
            else None,
            note_length=partial(self.full_chats.note_too_long, turn, len(plain)),
            plain=None if composed is None else plain,
            plain_is_changed=parsed.body is not None,
        )

    def _with_upstream(self, prepared: Prepared, *, learns: bool) -> Prepared:
        """Return the preparation with the upstream in its explanation."""
        if learns and not self.upstream.is_told:
            return prepared
        name = self.upstream.policy.name if self.upstream.is_told else ""
        flags = prepared.flags if learns else (*prepared.flags, _NOT_LEARNED)
        return replace(prepared, upstream=name, flags=flags)

    async def _compose(
        self, parsed: ParsedRequest, prepared: Prepared, turn: Turn, *, size: int
    ) -> tuple[bytes | None, Prepared]:
        """Return the body with memories, or None, and the preparation as really added; nothing is without room, a place or time."""
        chat, reason = parsed.detected.body, Skip.NO_PLACE
        assert chat is not None  # noqa: S101 -- it is there where the turn is
        work = partial(self.composer.compose, chat, prepared.placed)
        composed = None
        try:
            if self.full_chats.is_full(turn, size):
                reason = Skip.CONTEXT_LENGTH
            else:
                composed = work() if parsed.is_light else await self.executor.submit(work, turn.scope.user_id)
        except TimeoutError:
            reason = Skip.DEADLINE
        if composed is None and prepared.placed != Placed():
            nothing = Placed(detached=prepared.placed.detached)
            prepared = replace(prepared, placed=nothing, recall=replace(prepared.recall, skipped=reason))
        return composed, prepared
