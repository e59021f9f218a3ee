"""Identifies a request's user by the configured modes, and reads the ids of chat and message from its headers."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from ipaddress import ip_address

import structlog

from recollect.errors import ConfigurationError
from recollect.model import ROOT, Skip
from recollect.model.local_time import zone_named
from recollect.text.normalization import is_unfilled
from recollect_proxy.identity.api_key import ApiKey, read_key_file
from recollect_proxy.identity.caller import Caller, Claim, Mode, header_text, readable_id
from recollect_proxy.identity.plain_header import PlainHeader
from recollect_proxy.settings.proxy_settings import IdentityMode, ProxySettings
from recollect_proxy.settings.watched_file import WatchedFile
from recollect_proxy.web.asgi import Headers, values
from recollect_proxy.web.headers import is_own_key

MESSAGE_HEADER = "x-recollect-message"
TASK_HEADER = "x-recollect-task"
SECRET_HEADER = "x-recollect-secret"  # noqa: S105 -- a name
"""Our own names: of a message's id and a client's task, for a frontend that can send them, and of the shared secret."""

OPENWEBUI_JWT_HEADER = "x-openwebui-user-jwt"
"""OpenWebUI's own name."""

_OPENWEBUI = b"x-openwebui-"
_PARENT = b"x-recollect-parent"
_ZONE = b"x-recollect-timezone"
_PREFIXES = (b"x-recollect-", _OPENWEBUI)
"""None of these is forwarded: OpenWebUI also sends names and e-mail addresses."""
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

_NAMES_KEPT = 1024  # the same few come with every request
_LONGEST_KEPT = 100  # a client's endless names must not fill the memory
_NIL = b"00000000-0000-0000-0000-000000000000"
"""The parent that LibreChat gives a chat's first message."""

_UNFILLED = "The frontend sends a template in place of the user's id; these chats have no memory."
_UNPROVEN = (
    "A request names a user without the proof that RECOLLECT_IDENTITY asks for, or with a wrong one; its chat has no memory. "
    "`recollect doctor` says what is wrong with it."
)

log = structlog.get_logger(__name__)


class Identity:
    """Identifies the user of each request, by modes that are asked in order.

    ``session``, ``message`` and ``task`` are the lower-case names of the headers with the ids of the chat and the message,
    and of the one by which a frontend marks background tasks.
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
        """Return the caller of a request with these headers from this IP address, None if that is unknown."""
        claims = (mode.claim(headers, peer) for mode in self._modes)
        # The first mode that applies decides. If it refuses, no other may let the caller in.
        claim = next((claim for claim in claims if claim is not None), None)
        if claim is None:
            return Caller(skip=Skip.NO_IDENTITY)
        if claim.user_id is None:
            self._warn(claim)
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

    def _warn(self, refused: Claim) -> None:
        """Log once why chats have no memory."""
        if not self._has_warned:  # a misconfigured client would repeat it with each request
            self._has_warned = True
            log.warning("user_id_rejected", detail=_UNFILLED if refused.is_unfilled else _UNPROVEN)

    def _sends_all(self, headers: Headers) -> bool | None:
        """Return whether the request is known to carry everything said before its message; None if unknown."""
        parent = _parent_id(headers)
        if parent is not None:
            return parent == ROOT  # a chat's first message has nothing before it
        # OpenWebUI sends whole chats.
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


def make_identity(settings: ProxySettings) -> Identity:
    """Return the identity with all modes of ``RECOLLECT_IDENTITY``.

    Raises:
        ConfigurationError: A mode lacks a setting, or its settings are unsafe.
    """
    if not settings.identity:
        raise ConfigurationError("RECOLLECT_IDENTITY names no mode: header, openwebui-jwt, api-key or oidc.")
    return Identity(
        [_MODES[mode](settings) for mode in settings.identity],
        session=settings.session_header,
        message=MESSAGE_HEADER,
        task=TASK_HEADER,
    )


def proving_modes(settings: ProxySettings) -> tuple[Mode, ...]:
    """Return the configured modes by which a person can prove an identity: all but the plain header.

    Raises:
        ConfigurationError: A mode lacks a setting, or its settings are unsafe.
    """
    return tuple(_MODES[mode](settings) for mode in settings.identity if mode is not IdentityMode.HEADER)


def _plain_header(settings: ProxySettings) -> Mode:
    secret = settings.shared_secret
    if secret is None and not settings.trusted_networks and not is_loopback(settings.host):
        raise ConfigurationError(
            f"Whoever reaches {settings.host} could claim any identity: name the networks your frontend is in "
            "(RECOLLECT_TRUSTED_NETWORKS=10.0.0.0/8), or a secret it sends (RECOLLECT_SHARED_SECRET), "
            "or let it sign (RECOLLECT_IDENTITY=openwebui-jwt)."
        )
    return PlainHeader(
        settings.user_header,
        networks=settings.trusted_networks,
        hosts=settings.allowed_hosts,
        secret_header=SECRET_HEADER,
        secret=secret.get_secret_value() if secret else None,
    )


def _openwebui_token(settings: ProxySettings) -> Mode:
    secret = settings.openwebui_jwt_secret
    if secret is None:
        raise ConfigurationError(
            "RECOLLECT_IDENTITY=openwebui-jwt needs RECOLLECT_OPENWEBUI_JWT_SECRET: "
            "OpenWebUI's FORWARD_USER_INFO_HEADER_JWT_SECRET."
        )
    from recollect_proxy.identity.signed_token import OpenWebUIToken  # noqa: PLC0415 -- cryptography, for this mode alone

    return OpenWebUIToken(secret.get_secret_value(), header=OPENWEBUI_JWT_HEADER)


def _api_key(settings: ProxySettings) -> Mode:
    if not settings.api_key_file.is_file():
        raise ConfigurationError(
            f"RECOLLECT_IDENTITY=api-key needs {settings.api_key_file}: `recollect key USER` makes a key."
        )
    file = WatchedFile[Mapping[str, str]](
        settings.api_key_file, read_key_file, absent={}, event="api_keys_read_failed"
    )
    return ApiKey(file.value)


def _provider_token(settings: ProxySettings) -> Mode:
    issuer, audience = settings.oidc_issuer, settings.oidc_audience
    if not issuer or not audience:
        raise ConfigurationError(
            "RECOLLECT_IDENTITY=oidc needs RECOLLECT_OIDC_ISSUER and RECOLLECT_OIDC_AUDIENCE, and the provider's key "
            f"set as {settings.jwks_file}."
        )
    if settings.upstream_api_key is None:
        raise ConfigurationError(
            "RECOLLECT_IDENTITY=oidc reads the token of `Authorization`, which is the upstream's too: it would "
            "be sent on, and prove the user to whoever runs the upstream. Set RECOLLECT_UPSTREAM_API_KEY: any "
            "word where the LLM asks for none."
        )
    from recollect_proxy.identity.signed_token import ProviderToken  # noqa: PLC0415 -- as above

    return ProviderToken(
        settings.jwks_file, issuer=issuer, audience=audience, user_claim=settings.oidc_user_claim or "sub"
    )


_MODES = {
    IdentityMode.HEADER: _plain_header,
    IdentityMode.OPENWEBUI_JWT: _openwebui_token,
    IdentityMode.API_KEY: _api_key,
    IdentityMode.OIDC: _provider_token,
}


def is_loopback(host: str) -> bool:
    """Whether ``host`` is a loopback address or ``localhost``, which only this machine can reach."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
