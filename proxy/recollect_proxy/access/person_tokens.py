"""Tokens of a person that we sign ourselves, short-lived (JWT, RFC 7519; HS256, RFC 7518 section 3.2). They are kept nowhere.

Their keys are derived from the admin token (HKDF, RFC 5869), so that all replicas know them, and another admin token ends
all of them.
"""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from secrets import token_bytes, token_urlsafe
from typing import Any

from recollect.ports import Clock
from recollect_proxy.identity.caller import is_strong, opaque_id
from recollect_proxy.web.headers import OWN_KEY

ISSUER = "recollect"
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
            "iss": ISSUER,
            "aud": audience.value,
            "sub": user_id,
            "iat": int(now.timestamp()),
            "exp": int(ends.timestamp()),
            "jti": token_urlsafe(9),
        }
        return _PREFIX + signed(claims, self._key), ends.replace(microsecond=0)

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
        return verified(token.removeprefix(_PREFIX), self._key, audience)


def derived_key(secret: bytes, purpose: bytes) -> bytes:
    """Return 32 bytes made of ``secret`` for one purpose (RFC 5869, with SHA-256, no salt, one block).

    For a weak secret they are random, and tokens signed with them end with the process.
    """
    if not is_strong(secret.decode()):
        return token_bytes(32)  # else the owner of a token could find the secret by trying
    extracted = hmac.digest(bytes(hashlib.sha256().digest_size), secret, "sha256")
    return hmac.digest(extracted, purpose + b"\x01", "sha256")


def signed(claims: Mapping[str, Any], key: bytes) -> str:
    """Return the token that says ``claims``."""
    import jwt  # noqa: PLC0415 -- with its cryptography a thirtieth of a second, for which no start waits

    return jwt.encode(dict(claims), key, algorithm="HS256")


def verified(token: str, key: bytes, audience: Audience) -> Mapping[str, Any] | None:
    """Return the claims of a token of ours; None if it is invalid or for another audience. The caller checks its times."""
    import jwt  # noqa: PLC0415 -- as above

    try:
        claims: Mapping[str, Any] = jwt.decode(
            token,
            key,
            algorithms=["HS256"],
            issuer=ISSUER,
            audience=audience.value,
            # The caller decides by its own clock, and knows an expired token from a wrong one.
            options={"require": _REQUIRED, "verify_exp": False, "verify_iat": False},
        )
    except jwt.InvalidTokenError:
        return None
    return claims
