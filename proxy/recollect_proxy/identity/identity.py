"""Asks the modes in order, and reads what else the headers say."""

from collections.abc import Sequence
from functools import lru_cache

from recollect.model import ROOT, Skip
from recollect_proxy.asgi import Headers, values
from recollect_proxy.headers import is_own_key
from recollect_proxy.identity.caller import Caller, Mode, readable_id

_OPENWEBUI = b"x-openwebui-"
_PARENT = b"x-recollect-parent"
_PREFIXES = (b"x-recollect-", _OPENWEBUI)  # a frontend tells more than we read: name, e-mail address
_NAMES_KEPT = 1024
_LONGEST_KEPT = 100


class Identity:
    """Tells of each request who is speaking."""

    def __init__(self, modes: Sequence[Mode], *, session: str, message: str, task: str) -> None:
        """Take the modes, the one that decides first in front, and the names of the headers beside them."""
        self._modes = tuple(modes)
        self._session = session.encode()
        self._message = message.encode()
        self._task = task.encode()
        beside = frozenset({self._session, self._message, self._task})
        self._names = _dashed(beside.union(*(mode.headers for mode in self._modes)))
        self._secrets = _dashed(frozenset[bytes]().union(*(mode.secrets for mode in self._modes)))
        self._kept = lru_cache(maxsize=_NAMES_KEPT)(self._stays)

    def is_ours(self, name: bytes) -> bool:
        """Whether a header (lower-case ``name``) tells us something, or who speaks, and goes no further.

        Nor does its twin with underscores, which many servers take for the same.
        """
        return self._kept(name) if len(name) < _LONGEST_KEPT else self._stays(name)

    def is_secret(self, name: bytes) -> bool:
        """Whether a header (lower-case ``name``), or its twin, carries a secret that proves any identity."""
        return name.replace(b"_", b"-") in self._secrets

    def _stays(self, name: bytes) -> bool:
        dashed = name.replace(b"_", b"-")
        return dashed.startswith(_PREFIXES) or dashed in self._names

    def identify(self, headers: Headers, peer: str | None) -> Caller:
        """Return who is speaking.

        Args:
            headers: The request's.
            peer: The address it came from, or None where that is unknown.
        """
        claims = (mode.claim(headers, peer) for mode in self._modes)
        claim = next((claim for claim in claims if claim is not None), None)
        if claim is None:
            return Caller(skip=Skip.NO_IDENTITY)
        if claim.user_id is None:
            return Caller(skip=Skip.BAD_IDENTITY)
        if any(value.strip() for value in values(headers, self._task)):
            return Caller(claim.user_id, Skip.TASK)
        authorization = [
            value
            for name, value in headers
            if name.lower() == b"authorization" and not is_own_key(name, value)
        ]
        credential = authorization[0].decode("latin-1") if authorization else None
        return Caller(
            claim.user_id,
            session_id=readable_id(values(headers, self._session)),
            message_id=readable_id(values(headers, self._message)),
            parent_id=_parent_id(headers),
            credential=credential,
            sends_all=self._sends_all(headers),
            by_openwebui=claim.by_openwebui,
        )

    def _sends_all(self, headers: Headers) -> bool | None:
        """Tell whether the frontend sends what was said before; only who sends none of it is asked for it.

        OpenWebUI does; with the id of the message before, it says so of each message.
        """
        parents = values(headers, _PARENT)
        if parents:
            return not any(parent.strip() for parent in parents)
        return True if self._session.startswith(_OPENWEBUI) and values(headers, self._session) else None


def _parent_id(headers: Headers) -> str | None:
    """Return the id of the message before the user's; the header of a chat's first message is there, and empty."""
    parents = values(headers, _PARENT)
    if len(parents) == 1 and not parents[0].strip():
        return ROOT
    return readable_id(parents)


def _dashed(names: frozenset[bytes]) -> frozenset[bytes]:
    return frozenset(name.replace(b"_", b"-") for name in names)
