"""Encodes and decodes tokens (JWT, RFC 7519) that the proxy signs itself. Never: whom they are for, when they end."""

from collections.abc import Mapping
from typing import Any

_REQUIRED = ["exp", "iat", "iss", "sub", "aud"]


def encode_own_token(claims: Mapping[str, Any], key: bytes) -> str:
    """Return a JWT with ``claims``, signed by HS256 with the proxy's own key."""
    import jwt  # noqa: PLC0415 -- as below

    return jwt.encode(dict(claims), key, algorithm="HS256")


def decode_own_token(token: str, key: bytes, *, issuer: str, audience: str) -> Mapping[str, Any] | None:
    """Return the claims of a token that ``encode_own_token`` made; None if it is invalid or for another audience.

    Expiry is not checked: the caller compares ``exp`` and ``iat`` with its own clock.
    """
    import jwt  # noqa: PLC0415 -- with its cryptography a thirtieth of a second, for which no start waits

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
