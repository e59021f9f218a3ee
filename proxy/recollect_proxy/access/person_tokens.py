"""Short-lived tokens of a person's own, signed by us (JWT, RFC 7519; HS256, RFC 7518 section 3.2).

The key is derived from the admin token (HKDF, RFC 5869), so that all replicas know it, and another admin token ends
all of them. Never: keeps a token.
"""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from secrets import token_bytes, token_urlsafe
from typing import Any

from recollect.errors import ConfigurationError
from recollect.ports import Clock
from recollect_proxy.identity import opaque_id, require_strong

_ISSUER = "recollect"
_INFO = b"recollect: tokens of people, 1"
_REQUIRED = ["exp", "iat", "iss", "sub", "aud"]


class Audience(StrEnum):
    """The purpose of a token, which is valid for no other."""

    API = "memory-api"
    PAGE_LINK = "page-link"
    """Opens one's page, once, within minutes."""

    PAGE = "page"
    """The session of pages, in a cookie (``page_sessions``)."""


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
        """Return a token for a user, and when it ends."""
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
        return encode_own_token(claims, self._key), ends.replace(microsecond=0)

    def user_of(self, token: str, audience: Audience) -> str | None:
        """Return the user of a token; None if it is not ours, for another purpose, or expired."""
        claims = self._claims(token, audience)
        return None if claims is None else opaque_id(claims["sub"])

    def id_of(self, token: str, audience: Audience) -> str | None:
        """Return the id of a token; None if ``user_of`` returns None."""
        claims = self._claims(token, audience)
        return None if claims is None else str(claims["jti"])

    def _claims(self, token: str, audience: Audience) -> Mapping[str, Any] | None:
        claims = decode_own_token(token, self._key, issuer=_ISSUER, audience=audience.value)
        if claims is None or not claims["iat"] - 60 <= self._clock().timestamp() < claims["exp"]:
            return None
        return claims

    def are_ours(self, token: bytes) -> bool:
        """Whether we signed a token, for whatever purpose, and whether it ended or not: it is no guess then."""
        if not token.isascii():
            return False
        written = token.decode("ascii")
        return any(
            decode_own_token(written, self._key, issuer=_ISSUER, audience=audience.value) is not None
            for audience in Audience
        )


def derived_key(secret: bytes, purpose: bytes) -> bytes:
    """Return 32 bytes made of ``secret`` for one purpose (RFC 5869, with SHA-256, no salt, one block).

    For a weak secret they are random, since the owner of a token could find the secret by trying. Tokens signed with them end
    with the process.
    """
    try:
        require_strong(secret.decode(), "")
    except ConfigurationError:
        return token_bytes(32)
    extracted = hmac.digest(bytes(hashlib.sha256().digest_size), secret, "sha256")
    return hmac.digest(extracted, purpose + b"\x01", "sha256")


def encode_own_token(claims: Mapping[str, Any], key: bytes) -> str:
    """Return a JWT with ``claims``, signed by HS256 with the proxy's own key."""
    import jwt  # noqa: PLC0415 -- with its cryptography a thirtieth of a second, for which no start waits

    return jwt.encode(dict(claims), key, algorithm="HS256")


def decode_own_token(token: str, key: bytes, *, issuer: str, audience: str) -> Mapping[str, Any] | None:
    """Return the claims of a token that ``encode_own_token`` made; None if it is invalid or for another audience.

    Expiry is not checked: the caller compares ``exp`` and ``iat`` with its own clock.
    """
    import jwt  # noqa: PLC0415 -- as above

    try:
        claims: Mapping[str, Any] = jwt.decode(
            token,
            key,
            algorithms=["HS256"],
            issuer=issuer,
            audience=audience,
            options={"require": _REQUIRED, "verify_exp": False, "verify_iat": False},
        )
    except jwt.InvalidTokenError:
        return None
    return claims
