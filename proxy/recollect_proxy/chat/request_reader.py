"""Reads a chat request: the speaker, the options, and the bytes to forward. It neither recalls nor touches a socket."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

from recollect.model import Skip, project_scope, project_within
from recollect.wire import Dialect, decoded, is_light, may_have_options, session_skip, take_options
from recollect.wire.turn import DetectedTurn, detect_turn
from recollect_proxy.chat.fair_executor import FairExecutor
from recollect_proxy.chat.request_options import RefusedError, RequestOptions, read_request_options
from recollect_proxy.identity.caller import Caller
from recollect_proxy.web.asgi import Headers, content_encodings
from recollect_proxy.web.error_answers import OPTIONS_NOT_CUT, OPTIONS_NOT_READ

_OPTIONS_SECONDS = 10.0
"""How long a request that was not read in time waits at most to learn whether it carries options."""


@dataclass(frozen=True, slots=True)
class ParsedRequest:
    """A request that was read; its body to forward is None if that is the body as it came.

    ``is_light``: Whether it was read on the event loop, which may compose it, too.
    """

    detected: DetectedTurn
    options: RequestOptions
    body: bytes | None = None
    is_light: bool = False


@dataclass(frozen=True, slots=True)
class RequestReader:
    """Reads the requests of one API.

    Attributes:
        limit: Bytes of a body up to which it is read.
        executor: Reads large and compressed requests off the event loop.
        options_executor: Finds out whether a request that was not read in time carries options; the time this takes is
            bounded by the body's size.
    """

    dialect: Dialect
    limit: int
    recall_in_temporary: bool
    clock: Callable[[], datetime]
    executor: FairExecutor = field(default_factory=FairExecutor)
    options_executor: FairExecutor = field(default_factory=partial(FairExecutor, _OPTIONS_SECONDS))

    async def read_in_time(self, caller: Caller, headers: Headers, body: bytes | None) -> ParsedRequest:
        """Read a request as ``read`` does; a large or compressed one off the event loop, and with a time limit.

        Raises:
            RefusedError: An option is invalid, or the options can't be taken out of the body.
        """
        read = partial(self.read_request, caller, headers, body)
        if body is None or (is_light(body) and not content_encodings(headers)):
            return replace(read(), is_light=True)
        try:
            return await self.executor.submit(read, caller.user_id)
        except TimeoutError:  # it goes on without memory, unless its body has options, which no LLM may see
            options = read_request_options(headers, None)
        if await self._may_have_options(caller, headers, body):
            raise RefusedError(OPTIONS_NOT_READ)
        return ParsedRequest(DetectedTurn(skip=caller.skip or Skip.DEADLINE), options)

    async def _may_have_options(self, caller: Caller, headers: Headers, body: bytes) -> bool:
        def search() -> bool:
            plain = decoded(body, content_encodings(headers), self.limit)
            return plain is not None and may_have_options(plain)

        try:
            return await self.options_executor.submit(search, caller.user_id)
        except TimeoutError:
            return True  # unknown; and options are never forwarded

    def read_request(self, caller: Caller, headers: Headers, body: bytes | None) -> ParsedRequest:
        """Read a request, whose body is None if it is too large to be read.

        Raises:
            RefusedError: An option is invalid, or the options can't be taken out of the body.
        """
        plain = None if body is None else decoded(body, content_encodings(headers), self.limit)
        if plain is None:
            skip = caller.skip or (Skip.TOO_LARGE if body is None else Skip.UNREADABLE)
            return ParsedRequest(DetectedTurn(skip=skip), read_request_options(headers, None))
        kept, in_body = take_options(plain)
        if kept is None:
            raise RefusedError(OPTIONS_NOT_CUT)
        options = read_request_options(headers, in_body)
        detected = self._detect_turn(caller, options, kept)
        return ParsedRequest(detected, options, None if in_body is None else kept)

    def _detect_turn(self, caller: Caller, options: RequestOptions, body: bytes) -> DetectedTurn:
        if caller.user_id is None or caller.skip is not None:
            return DetectedTurn(skip=caller.skip)
        project = project_within(caller.project, options.project)
        if project is None:
            return DetectedTurn(skip=Skip.BAD_IDENTITY)
        # A chat that the frontend calls temporary stays temporary, whatever session the options name.
        is_private = caller.session_id is not None and session_skip(caller.session_id) is not None
        session = caller.session_id if is_private else options.session or caller.session_id
        detected = detect_turn(
            body,
            dialect=self.dialect,
            user_id=project_scope(caller.user_id, project),
            session_id=session,
            message_id=caller.message_id,
            parent_id=caller.parent_id,
            at=self.clock(),
            recall_in_temporary=self.recall_in_temporary,
            is_whole=None if options.session else caller.sends_all,
            by_agent=caller.by_agent,
        )
        if detected.turn is None:
            return detected
        turn = replace(
            detected.turn,
            marked=options.mark,
            zone=caller.zone,
            name=caller.name,
            of_bound_key=caller.project != "",
        )
        return replace(detected, turn=turn)
