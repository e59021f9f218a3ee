"""What a chat request says to us: whose turn it is, what it asks of the memory, and what of it goes on.

Never: what is recalled for it, a socket.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

from recollect.chat import Dialect, decoded, is_light, may_ask, session_skip, take_options
from recollect.chat.heard import Heard, hear
from recollect.model import Skip
from recollect_proxy.asgi import Headers, values
from recollect_proxy.aside import Aside
from recollect_proxy.errors import OPTIONS_NOT_CUT, OPTIONS_NOT_READ
from recollect_proxy.identity import Caller
from recollect_proxy.wishes import RefusedError, RequestWishes, read_wishes

_LOOKING_SECONDS = 10.0
"""How long a chat that was not read in time waits at most, to learn whether something in it is for us alone."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request says.

    Attributes:
        heard: The turn, or why there is none.
        wishes: What it asks of the memory.
        body: What of its body goes on; None where that is as it came.
    """

    heard: Heard
    wishes: RequestWishes
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """How requests are read.

    Attributes:
        dialect: The API they are spoken in.
        limit: Bytes of a body up to which it is read.
        recall_in_temporary: Whether temporary chats recall.
        clock: Tells the time.
        aside: Where is read what takes long.
        looking: Where is looked, in a time that its size bounds, whether what was not read in time asks something of us.
    """

    dialect: Dialect
    limit: int
    recall_in_temporary: bool
    clock: Callable[[], datetime]
    aside: Aside = field(default_factory=Aside)
    looking: Aside = field(default_factory=partial(Aside, _LOOKING_SECONDS))

    async def read_aside(self, caller: Caller, headers: Headers, body: bytes | None) -> Asked:
        """Read a request as ``read`` does; one that is large or compressed beside the loop, and only for so long.

        Raises:
            RefusedError: It asks the memory for what makes no sense, or what it asks can't be taken out of it.
        """
        read = partial(self.read, caller, headers, body)
        if body is None or (is_light(body) and not _encodings(headers)):
            return read()
        try:
            return await self.aside.do(read, caller.user_id)
        except TimeoutError:
            wishes = read_wishes(headers, None)
        if await self._may_ask(caller, headers, body):
            raise RefusedError(OPTIONS_NOT_READ)
        return Asked(Heard(skip=caller.skip or Skip.DEADLINE), wishes)

    async def _may_ask(self, caller: Caller, headers: Headers, body: bytes) -> bool:
        def look() -> bool:
            plain = decoded(body, _encodings(headers), self.limit)
            return plain is not None and may_ask(plain)

        try:
            return await self.looking.do(look, caller.user_id)
        except TimeoutError:
            return True  # nobody knows, and what is ours goes to nobody

    def read(self, caller: Caller, headers: Headers, body: bytes | None) -> Asked:
        """Read a request.

        Args:
            caller: Who speaks.
            headers: The request's.
            body: Its body as it came; None where that is too large to be read.

        Raises:
            RefusedError: It asks the memory for what makes no sense, or what it asks can't be taken out of it.
        """
        if body is None:
            return Asked(Heard(skip=caller.skip or Skip.TOO_LARGE), read_wishes(headers, None))
        plain = decoded(body, _encodings(headers), self.limit)
        if plain is None:
            return Asked(Heard(skip=caller.skip or Skip.UNREADABLE), read_wishes(headers, None))
        kept, options = take_options(plain)
        if kept is None:
            raise RefusedError(OPTIONS_NOT_CUT)
        wishes = read_wishes(headers, options)
        goes_on = None if options is None else kept
        return Asked(self._hear(caller, wishes, kept), wishes, goes_on)

    def _hear(self, caller: Caller, wishes: RequestWishes, body: bytes) -> Heard:
        if caller.user_id is None or caller.skip is not None:
            return Heard(skip=caller.skip)
        # What the frontend calls temporary stays so, whatever session is wished for.
        is_private = caller.session_id is not None and session_skip(caller.session_id) is not None
        session = caller.session_id if is_private else wishes.session or caller.session_id
        heard = hear(
            body,
            dialect=self.dialect,
            user_id=caller.user_id,
            session_id=session,
            message_id=caller.message_id,
            parent_id=caller.parent_id,
            at=self.clock(),
            recall_in_temporary=self.recall_in_temporary,
            is_whole=None if wishes.session else caller.sends_all,
        )
        if heard.turn is None or not wishes.mark:
            return heard
        return replace(heard, turn=replace(heard.turn, marked=True))


def _encodings(headers: Headers) -> str:
    return b",".join(values(headers, b"content-encoding")).decode("latin-1")
