"""Identifies a user by a signed token (JWT): from OpenWebUI or an OpenID provider. It makes no network call."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jwt

from recollect.errors import ConfigurationError
from recollect_proxy.identity.api_key import bearer_tokens
from recollect_proxy.identity.caller import OPENWEBUI_USER, REFUSED, Claim, Mode, require_strong
from recollect_proxy.web.asgi import Headers, values

EMAIL, VERIFIED = "email", "email_verified"
"""Claims of OpenID Connect Core 1.0, section 5.1."""

_LEEWAY_SECONDS = 30
"""Tolerance between our clock and the one of who signs."""


class OpenWebUIToken(Mode):
    """The mode ``openwebui-jwt``: a JWT (RFC 7519), signed by HS256 with a secret shared with OpenWebUI.

    Args:
        secret: OpenWebUI's ``FORWARD_USER_INFO_HEADER_JWT_SECRET``.
        header: The lower-case name of the header with the token.
        leeway: Tolerance between the two clocks, in seconds.

    Raises:
        ConfigurationError: The secret is too weak.
    """

    def __init__(self, secret: str, *, header: str, leeway: float = _LEEWAY_SECONDS) -> None:
        require_strong(secret, "RECOLLECT_OPENWEBUI_JWT_SECRET")
        self._secret = secret
        self._header = header.encode()
        self._leeway = leeway
        # No secrets among them: a token expires, and proves one user only.
        self.headers = OPENWEBUI_USER | {self._header}

    def claim(self, headers: Headers, peer: str | None) -> Claim | None:
        """Return the user in the token, or a rejection; None if the request has neither token nor plain user headers."""
        del peer  # the signature is proof enough
        tokens = values(headers, self._header)
        if not tokens:
            # OpenWebUI falls back to its plain headers if it can't sign: no later mode may believe them.
            return REFUSED if any(name.lower() in OPENWEBUI_USER for name, _ in headers) else None
        if len(tokens) != 1:
            return REFUSED
        try:
            claims = jwt.decode(
                tokens[0].decode("ascii"),
                self._secret,
                algorithms=["HS256"],
                issuer="open-webui",
                leeway=self._leeway,
                options={"require": ["exp", "iat", "iss", "sub"]},
            )
        except (jwt.InvalidTokenError, UnicodeDecodeError):
            return REFUSED  # no later mode may believe this request
        return Claim.from_text(claims["sub"], by_openwebui=True, name=claims.get("name"))


class ProviderToken(Mode):
    """The mode ``oidc``: a bearer token that is a JWT, signed by RS256 with a key of a JWKS file (RFC 7517).

    It holds back no header: the upstream may need the same one.

    Args:
        keys: The path of the JWKS file.
        issuer: The required issuer (``iss``).
        audience: The required audience (``aud``).
        user_claim: The claim with the user's id.

    Raises:
        ConfigurationError: The file can't be read, or holds no RSA key.
    """

    def __init__(self, keys: Path, *, issuer: str, audience: str, user_claim: str) -> None:
        self._keys = _read_keys(keys)
        self._issuer = issuer
        self._audience = audience
        self._user_claim = user_claim

    def claim(self, headers: Headers, peer: str | None) -> Claim | None:
        """Return the user in the token, or a rejection; None if the request has no JWT. An API key is none."""
        del peer  # the signature is proof enough
        tokens = [token for token in bearer_tokens(headers) if token.count(b".") == 2]  # noqa: PLR2004
        if not tokens:
            return None
        if len(tokens) != 1:
            return REFUSED
        try:
            claims = self._verified(tokens[0].decode("ascii"))
        except (jwt.InvalidTokenError, UnicodeDecodeError):
            return REFUSED
        return Claim.from_text(told_id(claims, self._user_claim))

    def _verified(self, token: str) -> Mapping[str, Any]:
        key_id = jwt.get_unverified_header(token).get("kid")
        matching: Sequence[jwt.PyJWK] = [key for key in self._keys if key_id in {None, key.key_id}]
        if len(matching) != 1:
            raise jwt.InvalidTokenError
        claims: Mapping[str, Any] = jwt.decode(
            token,
            matching[0],
            algorithms=["RS256"],
            issuer=self._issuer,
            audience=self._audience,
            leeway=_LEEWAY_SECONDS,
            options={"require": ["exp", "iss", "aud", self._user_claim]},
        )
        return claims


def told_id(claims: Mapping[str, Any], claim: str) -> object:
    """Return the user's id in a provider's claims; None if there is none."""
    value = claims.get(claim)
    if claim != EMAIL:
        return value
    # Anybody may state an address that the provider did not verify. Frontends keep it in small letters.
    return value.lower() if isinstance(value, str) and claims.get(VERIFIED) is True else None


def _read_keys(path: Path) -> list[jwt.PyJWK]:
    try:
        keys = jwt.PyJWKSet.from_json(path.read_text(encoding="utf-8")).keys
    except (OSError, ValueError, jwt.PyJWTError) as error:
        raise ConfigurationError(f"{path}: no key set can be read there ({error}).") from error
    usable = [key for key in keys if key.key_type == "RSA"]
    if not usable:
        raise ConfigurationError(f"{path} holds no RSA key.")
    return usable
