"""Checks the id token of an OpenID provider (OpenID Connect Core 1.0, section 3.1.3.7). Pure. Never: a network call."""

import hashlib
import hmac
from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import jwt

from recollect_proxy.access.sign_in import Refusal, SignInError

Claims: TypeAlias = Mapping[str, Any]
SigningKey: TypeAlias = jwt.PyJWK

_KEY_TYPES = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), "RSA"),
    **dict.fromkeys(("ES256", "ES384", "ES512"), "EC"),
    "EdDSA": "OKP",
}
"""The algorithms that count, with their types of keys: none of them signs with a secret that we know, too."""

_LEEWAY_SECONDS = 30
_REQUIRED = ["iss", "sub", "aud", "exp", "iat"]


def matching_key(token: str, keys: Sequence[Mapping[str, Any]]) -> SigningKey | None:
    """Return the key of a key set (RFC 7517) that a token names; None if the set has none, or several that may be meant.

    Raises:
        SignInError: The token is none, or is signed by an algorithm that does not count.
    """
    try:
        header = jwt.get_unverified_header(token)
    except jwt.InvalidTokenError as error:
        raise SignInError(Refusal.UNPROVEN, type(error).__name__) from None
    algorithm, key_id = str(header.get("alg")), header.get("kid")
    if algorithm not in _KEY_TYPES:
        raise SignInError(Refusal.UNPROVEN, "algorithm")
    found = [
        each
        for each in keys
        if each.get("kty") == _KEY_TYPES[algorithm]
        and each.get("use", "sig") == "sig"
        and each.get("alg", algorithm) == algorithm
        and (key_id is None or key_id == each.get("kid"))
    ]
    if len(found) != 1:
        return None
    try:
        return jwt.PyJWK(dict(found[0]), algorithm=algorithm)
    except jwt.PyJWTError as error:
        raise SignInError(Refusal.UNPROVEN, type(error).__name__) from None


def verified_claims(
    token: str, key: SigningKey, *, issuer: str, client_id: str, nonce: str, access_token: str | None
) -> Claims:
    """Return the claims of an id token that is for us, for this sign-in, and valid now.

    Args:
        token: The token.
        key: The provider's key, as ``matching_key`` returns it.
        issuer: The provider.
        client_id: Our id at the provider.
        nonce: The value that the sign-in sent along.
        access_token: The access token that came with it; None: none came.

    Raises:
        SignInError: It is not.
    """
    try:
        claims: Claims = jwt.decode(
            token,
            key,
            algorithms=[key.algorithm_name],
            issuer=issuer,
            audience=client_id,
            leeway=_LEEWAY_SECONDS,
            options={"require": _REQUIRED},
        )
    except (jwt.InvalidTokenError, jwt.InvalidKeyError) as error:
        raise SignInError(Refusal.UNPROVEN, type(error).__name__) from None
    several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
    if claims.get("azp", None if several else client_id) != client_id:
        raise SignInError(Refusal.UNPROVEN, "azp")
    if not _are_equal(claims.get("nonce"), nonce):
        raise SignInError(Refusal.UNPROVEN, "nonce")
    if "at_hash" in claims and not _are_equal(
        claims["at_hash"], _half_hash(access_token or "", key.algorithm_name)
    ):
        raise SignInError(Refusal.UNPROVEN, "at_hash")
    return claims


def _are_equal(given: object, expected: str) -> bool:
    return isinstance(given, str) and hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode())


def _half_hash(text: str, algorithm: str) -> str:
    """Return the left half of a text's hash (OpenID Connect Core 1.0, section 3.1.3.6), in base64url."""
    bits = algorithm[2:] if algorithm[2:].isdigit() else "512"  # of EdDSA: Ed25519 has SHA-512 within
    digest = hashlib.new(f"sha{bits}", text.encode()).digest()
    return base64url(digest[: len(digest) // 2])


def base64url(data: bytes) -> str:
    """Return bytes in base64url without padding (RFC 7515, section 2)."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()
