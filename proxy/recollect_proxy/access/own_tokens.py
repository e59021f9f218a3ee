"""Tokens that we sign ourselves (JWT, RFC 7519; HS256, RFC 7518 section 3.2): short-lived ones of a person, and the cookies of pages.

Their keys are derived from the admin token (HKDF, RFC 5869), so that all replicas know them, and another admin token ends
all of them. A cookie is all there is of a session. Never: keeps a token; a request, a page.
"""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from secrets import token_bytes, token_urlsafe
from typing import Any

from recollect.ports import Clock
from recollect_proxy.access.principal import Principal, Role
from recollect_proxy.identity.caller import is_strong, opaque_id
from recollect_proxy.web.headers import OWN_KEY

_ISSUER = "recollect"
_PREFIX = OWN_KEY.decode()
_INFO = b"recollect: tokens of people, 1"
_REQUIRED = ["exp", "iat", "iss", "sub", "aud"]


class Audience(StrEnum):
    """The purpose of a token, which is valid for no other."""

    API = "memory-api"
    PAGE_LINK = "page-link"
    """Opens one's page, once, within minutes."""

    PAGE = "page"
    """The session of pages, in a cookie (``PageSessions``)."""


LIFETIME = {
    Audience.API: timedelta(hours=1),
    Audience.PAGE_LINK: timedelta(minutes=5),
    Audience.PAGE: timedelta(hours=1),
}


class PersonTokens:
    """Makes and reads them."""

    def __init__(self, admin_token: str, clock: Clock) -> None:
        self._key = derived_key(admin_token.encode(), _INFO)
        self._clock = clock

    def make(self, user_id: str, audience: Audience) -> tuple[str, datetime]:
        """Return a token for a user, and when it ends; in the form of a key, so that it is sent on to no LLM."""
        now = self._clock()
        ends = now + LIFETIME[audience]
        claims = {
            "iss": _ISSUER,
            "aud": audience.value,
            "sub": user_id,
            "iat": int(now.timestamp()),
            "exp": int(ends.timestamp()),
            "jti": token_urlsafe(9),
        }
        return _PREFIX + _signed(claims, self._key), ends.replace(microsecond=0)

    def read(self, token: str, audience: Audience) -> tuple[str, str] | None:
        """Return the user and the id of a token; None if it is not ours, for another purpose, or expired."""
        claims = self._verified(token, audience)
        if claims is None or not claims["iat"] - 60 <= self._clock().timestamp() < claims["exp"]:
            return None
        user_id = opaque_id(claims["sub"])
        return None if user_id is None else (user_id, str(claims["jti"]))

    def are_ours(self, token: bytes) -> bool:
        """Whether we signed a token, for whatever purpose, and whether it ended or not: it is no guess then."""
        if not token.isascii():
            return False
        return any(self._verified(token.decode("ascii"), audience) is not None for audience in Audience)

    def _verified(self, token: str, audience: Audience) -> Mapping[str, Any] | None:
        return _verified(token.removeprefix(_PREFIX), self._key, audience)


def derived_key(secret: bytes, purpose: bytes) -> bytes:
    """Return 32 bytes made of ``secret`` for one purpose (RFC 5869, with SHA-256, no salt, one block).

    For a weak secret they are random, since the owner of a token could find the secret by trying. Tokens signed with them end
    with the process.
    """
    if not is_strong(secret.decode()):
        return token_bytes(32)
    extracted = hmac.digest(bytes(hashlib.sha256().digest_size), secret, "sha256")
    return hmac.digest(extracted, purpose + b"\x01", "sha256")


def _signed(claims: Mapping[str, Any], key: bytes) -> str:
    import jwt  # noqa: PLC0415 -- with its cryptography a thirtieth of a second, for which no start waits

    return jwt.encode(dict(claims), key, algorithm="HS256")


def _verified(token: str, key: bytes, audience: Audience) -> Mapping[str, Any] | None:
    """Return the claims of a token of ours; None if it is invalid or for another audience. The caller checks its times."""
    import jwt  # noqa: PLC0415 -- as above

    try:
        claims: Mapping[str, Any] = jwt.decode(
            token,
            key,
            algorithms=["HS256"],
            issuer=_ISSUER,
            audience=audience.value,
            options={"require": _REQUIRED, "verify_exp": False, "verify_iat": False},
        )
    except jwt.InvalidTokenError:
        return None
    return claims


SESSION_LIFETIME = LIFETIME[Audience.PAGE]

_OF_COOKIES = b"recollect: sessions of pages, 1"
_OF_FORMS = b"recollect: forms of pages, 1"


@dataclass(frozen=True, slots=True)
class PageSession:
    """A visitor of pages, and the user whose memory the pages show.

    Attributes:
        principal: The visitor; a person's has the user id.
        id: Another one for each session.
        ends: When it ends, in seconds since 1970.
        looks_at: The user whose memory an administrator has opened; None: none.
    """

    principal: Principal
    id: str
    ends: int
    looks_at: str | None = None

    @property
    def user_id(self) -> str | None:
        """The user whose memory is shown: the person, or the one that an administrator has opened."""
        return self.principal.user_id if self.principal.role is Role.PERSON else self.looks_at


class PageSessions:
    """Makes and reads the cookies of sessions, and the tokens of their forms."""

    def __init__(self, admin_token: str, clock: Clock) -> None:
        self._key = derived_key(admin_token.encode(), _OF_COOKIES)
        self._form_key = derived_key(admin_token.encode(), _OF_FORMS)
        self._clock = clock

    def new(
        self, principal: Principal, *, looks_at: str | None = None, ends: int | None = None
    ) -> PageSession:
        """Return a new session: it ends in an hour, or with the session it takes the place of (``ends``)."""
        until = int((self._clock() + SESSION_LIFETIME).timestamp()) if ends is None else ends
        return PageSession(principal, token_urlsafe(18), until, looks_at)

    def cookie(self, session: PageSession) -> str:
        """Return the value of the cookie that says all of ``session``."""
        principal = session.principal
        claims = {
            "iss": _ISSUER,
            "aud": Audience.PAGE.value,
            "sub": principal.user_id if principal.user_id is not None else principal.name,
            "role": principal.role.value,
            "name": principal.name,
            "looks_at": session.looks_at,
            "iat": int(self._clock().timestamp()),
            "exp": session.ends,
            "jti": session.id,
        }
        return _signed(claims, self._key)

    def session(self, cookie: str) -> PageSession | None:
        """Return the session of a cookie; None if it is not ours, or expired."""
        claims = _verified(cookie, self._key, Audience.PAGE)
        if claims is None or not self._clock().timestamp() < claims["exp"]:
            return None
        role = Role(claims["role"])
        principal = Principal(role, claims["name"], claims["sub"] if role is Role.PERSON else None)
        return PageSession(principal, claims["jti"], claims["exp"], claims["looks_at"])

    def form_token(self, session: PageSession) -> str:
        """Return the token in each form of a session's pages, so that no other site can send one."""
        return hmac.digest(self._form_key, session.id.encode(), "sha256").hex()

    def is_form_token(self, session: PageSession, token: str) -> bool:
        """Whether a form was made for this session."""
        return hmac.compare_digest(self.form_token(session).encode(), token.encode("utf-8", "replace"))
