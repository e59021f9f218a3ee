"""Identifies a request's user by the configured modes, and reads the ids of chat and message from its headers."""

from collections.abc import Sequence
from functools import lru_cache

import structlog

from recollect.model import ROOT, Skip
from recollect.model.local_time import zone_named
from recollect.text.normalization import is_unfilled
from recollect_proxy.identity.caller import Caller, Mode, header_text, readable_id
from recollect_proxy.web.asgi import Headers, values
from recollect_proxy.web.headers import is_own_key

_OPENWEBUI = b"x-openwebui-"
_PARENT = b"x-recollect-parent"
_ZONE = b"x-recollect-timezone"
_PREFIXES = (
    b"x-recollect-",
    _OPENWEBUI,
)  # none is forwarded: OpenWebUI also sends names and e-mail addresses
_AGENTS_CHATS = {
    b"x-claude-code-session-id": None,
    b"thread-id": b"originator",  # Codex
    b"x-session-affinity": b"x-session-id",  # opencode
}
"""The headers in which coding agents send a chat's id, and the header that comes with one whose name others use, too.

They are for the LLM's server, too, and are sent on.
"""

_SUB_AGENTS = (
    b"x-claude-code-agent-id",
    b"x-openai-subagent",
    b"x-codex-parent-thread-id",
    b"x-parent-session-id",
)
"""The headers by which they mark a chat's requests of a sub-agent: a model wrote the messages of its user."""

_NAMES_KEPT = 1024
_LONGEST_KEPT = 100
_NIL = b"00000000-0000-0000-0000-000000000000"
"""The parent that LibreChat gives a chat's first message."""

log = structlog.get_logger(__name__)


class Identity:
    """Identifies the user of each request.

    Args:
        modes: The modes, in the order in which they are asked.
        session: The lower-case name of the header with the chat's id.
        message: The same for the id of the user's message.
        task: The same for the header by which a frontend marks background tasks.
    """

    def __init__(self, modes: Sequence[Mode], *, session: str, message: str, task: str) -> None:
        self._modes = tuple(modes)
        self._session = session.encode()
        self._message = message.encode()
        self._task = task.encode()
        beside = frozenset({self._session, self._message, self._task})
        self._names = _dashed(beside.union(*(mode.headers for mode in self._modes)))
        self._secrets = _dashed(frozenset[bytes]().union(*(mode.secrets for mode in self._modes)))
        self._has_warned = False
        self._kept = lru_cache(maxsize=_NAMES_KEPT)(self._stays)

    def is_ours(self, name: bytes) -> bool:
        """Whether a header (lower-case ``name``) is meant for the proxy alone, and is not forwarded.

        The same holds for its name with underscores, which many servers treat as equal.
        """
        return self._kept(name) if len(name) < _LONGEST_KEPT else self._stays(name)

    def is_secret(self, name: bytes) -> bool:
        """Whether a header (lower-case ``name``, hyphens or underscores) carries a secret that proves any identity."""
        return name.replace(b"_", b"-") in self._secrets

    def _stays(self, name: bytes) -> bool:
        dashed = name.replace(b"_", b"-")
        return dashed.startswith(_PREFIXES) or dashed in self._names

    def identify(self, headers: Headers, peer: str | None) -> Caller:
        """Return the caller of a request.

        Args:
            headers: The request's headers.
            peer: The IP address that the request came from; None if unknown.
        """
        claims = (mode.claim(headers, peer) for mode in self._modes)
        claim = next((claim for claim in claims if claim is not None), None)
        if claim is None:
            return Caller(skip=Skip.NO_IDENTITY)
        if claim.user_id is None:
            if claim.is_unfilled:
                self._warn()
            return Caller(skip=Skip.BAD_IDENTITY)
        agents_chat = _agents_chat(headers)
        marking = (self._task, *_SUB_AGENTS) if agents_chat else (self._task,)
        marks = (value for name in marking for value in values(headers, name))
        if any(not is_unfilled(header_text(value) or "") for value in marks):
            return Caller(claim.user_id, Skip.TASK)
        authorization = [
            value
            for name, value in headers
            if name.lower() == b"authorization" and not is_own_key(name, value)
        ]
        credential = authorization[0].decode("latin-1") if authorization else None
        return Caller(
            claim.user_id,
            session_id=readable_id(values(headers, self._session)) or agents_chat,
            message_id=readable_id(values(headers, self._message)),
            parent_id=_parent_id(headers),
            credential=credential,
            sends_all=True if agents_chat else self._sends_all(headers),
            by_agent=agents_chat is not None,
            by_openwebui=claim.by_openwebui,
            zone=_zone(headers),
            name=claim.name,
            project=claim.project,
        )

    def _warn(self) -> None:
        """Say once that the frontend sends a template in place of each user's id: it is set up so, and will do it again."""
        if not self._has_warned:
            self._has_warned = True
            log.warning(
                "user_id_rejected",
                detail="The frontend sends a template in place of the user's id; these chats have no memory.",
            )

    def _sends_all(self, headers: Headers) -> bool | None:
        """Return whether the request is known to carry everything said before its message; None if unknown.

        The parent header decides if it is sent: empty, for a chat's first message, it means True, else False. Without
        it, OpenWebUI's session header means True: OpenWebUI sends whole chats.
        """
        parent = _parent_id(headers)
        if parent is not None:
            return parent == ROOT
        return True if self._session.startswith(_OPENWEBUI) and values(headers, self._session) else None


def _agents_chat(headers: Headers) -> str | None:
    """Return the id of a coding agent's chat, whose requests carry its whole history."""
    sent = (
        readable_id(values(headers, name))
        for name, companion in _AGENTS_CHATS.items()
        if companion is None or values(headers, companion)
    )
    return next(filter(None, sent), None)


def _parent_id(headers: Headers) -> str | None:
    """Return the id of the message before the user's: ROOT if the header says that there is none, None if it is absent."""
    parents = values(headers, _PARENT)
    if len(parents) == 1 and parents[0].strip() in {b"", _NIL}:
        return ROOT
    return readable_id(parents)


def _zone(headers: Headers) -> str:
    """Return the name of the person's time zone; "" if there is no header, several, or none that names a zone."""
    found = values(headers, _ZONE)
    name = (header_text(found[0]) or "").strip() if len(found) == 1 else ""
    return "" if zone_named(name) is None else name


def _dashed(names: frozenset[bytes]) -> frozenset[bytes]:
    return frozenset(name.replace(b"_", b"-") for name in names)
