"""A chat request from beginning to end: read it, prepare it, forward it, relay the answer, record how it ended.

SQL, prompts and the policy for headers are elsewhere.
"""

from dataclasses import dataclass

from recollect.engine.counters import AnswerCounts
from recollect.model import Skip
from recollect_proxy.chat.forwarding import Forwarding
from recollect_proxy.chat.reply_recorder import ReplyRecorder
from recollect_proxy.chat.request_options import RefusedError
from recollect_proxy.chat.request_preparer import RequestPreparer
from recollect_proxy.chat.request_reader import RequestReader
from recollect_proxy.chat.tracing import Traces
from recollect_proxy.identity.user_and_chat import Identity
from recollect_proxy.upstream.upstream import TruncatedError, UpstreamError
from recollect_proxy.web.asgi import ClientLeftError, Incoming, Receive, Scope, Send, peer_of, unless_left
from recollect_proxy.web.error_answers import UPSTREAM_BUSY, UPSTREAM_UNREACHABLE, send_failure


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatApplication:
    """Answers chat requests of one API with memory."""

    identity: Identity
    reader: RequestReader
    preparer: RequestPreparer
    relay: Forwarding
    answers: AnswerCounts
    traces: Traces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        # Read: the speaker, their turn, and the options of the request.
        trace = self.traces(scope["headers"])
        incoming = Incoming(receive)
        caller = self.identity.identify(scope["headers"], peer_of(scope))
        body = await incoming.read_body(self.reader.limit)
        try:
            parsed = await self.reader.read_in_time(caller, scope["headers"], body)
        except RefusedError as error:
            return await send_failure(scope, send, error.failure)

        # Without a turn there is nothing to recall or to remember: the request passes.
        relay, is_task = self.relay, self.preparer.is_task(parsed)
        if parsed.detected.turn is None or body is None or is_task:
            headers = relay.reports.skip(Skip.TASK if is_task else parsed.detected.skip)
            return await relay.passthrough.forward(scope, incoming, send, extra=headers, instead=parsed.body)

        # Prepare: begin to write the turn to the log, recall, put memories into the prompt.
        request = await self.preparer.prepare(caller, parsed, body)
        await request.durable()
        trace.prepared()

        # Forward, relay the answer as it comes, and record how it ended.
        recorder = ReplyRecorder(self.reader.dialect)
        try:
            await unless_left(incoming, relay(scope, send, request, recorder))
        except ClientLeftError:
            recorder.client_left = True
            raise
        except TruncatedError:
            recorder.broke_off = True
            raise
        except UpstreamError as error:
            recorder.is_unreached = error.failure in (UPSTREAM_BUSY, UPSTREAM_UNREACHABLE)
            raise
        finally:
            request.record_end(recorder)
            recorder.count(self.answers)
            trace.end(request, recorder, api=self.reader.dialect.name)
        return None
