"""Relays answers that an upstream keeps until they are fetched, and has them remembered. Never: changes or delays a byte.

``POST /v1/responses`` with ``background`` returns before its answer is there. Later ``GET /v1/responses/ID`` brings it, or
``POST /v1/responses/ID/cancel`` ends it.
"""

from collections.abc import Callable

from recollect.engine.live.fetched_answers import note_fetched
from recollect.engine.live.live_engine import LiveEngine
from recollect.model import project_scope
from recollect.wire import RESPONSES
from recollect_proxy.chat.passthrough import Passthrough
from recollect_proxy.chat.reply_recorder import ReplyRecorder
from recollect_proxy.identity import Identity, readable_project
from recollect_proxy.upstream.upstream import Answer
from recollect_proxy.web.asgi import Incoming, Receive, Scope, Send, peer_of, values


class KeptAnswers:
    """Relays requests for kept answers.

    Args:
        engine: Remembers an answer for the person who asked for it.
        identity: Identifies the person who fetches it.
        passthrough: Relays the request.
        lends: Whether the request's own credential is for this upstream.
    """

    def __init__(
        self, engine: LiveEngine, identity: Identity, passthrough: Passthrough, *, lends: bool
    ) -> None:
        self._engine = engine
        self._identity = identity
        self._passthrough = passthrough
        self._lends = lends

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Relay one request.

        Raises:
            ClientLeftError, UpstreamError, TruncatedError: As their names say.
        """
        recorder = ReplyRecorder(RESPONSES)

        def hear(answer: Answer) -> Callable[[bytes], None]:
            recorder.start(answer)
            return recorder.feed

        try:
            await self._passthrough.forward(scope, Incoming(receive), send, hear=hear)
        finally:
            reply = recorder.reply()
            parsed = recorder.parsed
            caller = self._identity.identify(scope["headers"], peer_of(scope))
            is_over = parsed is not None and not parsed.awaited and (parsed.complete or parsed.failed)
            if is_over and recorder.answer_id and caller.user_id is not None and caller.skip is None:
                named = readable_project(values(scope["headers"], b"x-recollect-project")) or ""
                note_fetched(
                    self._engine,
                    project_scope(caller.user_id, caller.project or named),
                    recorder.answer_id,
                    reply or "",
                    failure=recorder.failure,
                    credential=caller.credential if self._lends else None,
                )
