"""Asks an OpenID provider: for its configuration and keys, which are kept for a while, and for the tokens of a code.

It knows no browser and no person's id, and logs neither tokens nor codes.
"""

import asyncio
import hashlib
import hmac
from base64 import urlsafe_b64encode
from collections.abc import Awaitable, Callable, Mapping, Sequence
from time import monotonic
from typing import Any, Generic, TypeAlias, TypeVar
from urllib.parse import quote, urlsplit

import httpx
import jwt
import msgspec

from recollect_proxy.access.principal import Refusal, SignInError
from recollect_proxy.identity.user_and_chat import is_loopback
from recollect_proxy.upstream.pool import tls

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


_DISCOVERY = "/.well-known/openid-configuration"
_LONGEST_ANSWER = 512 * 1024  # held whole
_LASTS_SECONDS = 3600.0
_NEW_KEYS_SECONDS = 60.0
"""A token with an unknown key has the keys read again, if they are as old as this."""
_PAUSE_SECONDS = 5.0
"""The pause before a failed provider is asked again for its configuration or keys."""
_AT_ONCE = 8
"""Requests that run at once: wrong codes of strangers shall not keep more of them open."""
_OK = 200
_BROKEN = 500

_REFUSED_CODE = frozenset(
    {
        "invalid_request",
        "invalid_client",
        "invalid_grant",
        "unauthorized_client",
        "unsupported_grant_type",
        "invalid_scope",
    }
)
"""RFC 6749, section 5.2."""

Value = TypeVar("Value")


class Configuration(msgspec.Struct, frozen=True):
    """The part of a provider's metadata that we use (OpenID Connect Discovery 1.0, section 3; RFC 9207)."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None = None
    end_session_endpoint: str | None = None
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)
    authorization_response_iss_parameter_supported: bool = False


class Tokens(msgspec.Struct, frozen=True):
    """The tokens that a provider returns for a code."""

    id_token: str
    access_token: str | None = None


class _KeySet(msgspec.Struct, frozen=True):
    keys: tuple[dict[str, Any], ...]


class _Refused(msgspec.Struct, frozen=True):
    error: str = ""


class Fetched(Generic[Value]):
    """Keeps a provider's answer, and asks again when it is old. While a provider fails, the old value holds.

    Args:
        fetch: Asks the provider, or raises SignInError.
        seconds: Tells the time, which never goes back.
    """

    def __init__(self, fetch: Callable[[], Awaitable[Value]], seconds: Callable[[], float]) -> None:
        self._fetch = fetch
        self._seconds = seconds
        self._value: Value | None = None
        self._fetched_at = self._tried_at = float("-inf")
        self._failed: SignInError | None = None
        self._alone = asyncio.Lock()

    async def value(self, younger_than: float = _LASTS_SECONDS) -> Value:
        """Return the value; one that is older than so many seconds is fetched before.

        Raises:
            SignInError: There is none.
        """
        async with self._alone:  # one request for all who wait
            now = self._seconds()
            if self._value is not None and now - self._fetched_at < younger_than:
                return self._value
            if now - self._tried_at >= _PAUSE_SECONDS:
                try:
                    self._value = await self._fetch()
                    self._fetched_at, self._failed = now, None
                except SignInError as error:  # an older value holds
                    self._failed = error
                self._tried_at = self._seconds()
            if self._value is None:
                reason = self._failed.reason if self._failed else "no answer"
                raise SignInError(Refusal.AWAY, reason)
            return self._value


class OidcProvider:
    """An OpenID provider.

    Args:
        issuer: Its issuer identifier.
        client_id: Our id there.
        client_secret: Our secret there; None: we are a public client.
        patience: Seconds that an answer may take; a person waits for it.
        seconds: Tells the time, which never goes back.
    """

    def __init__(
        self,
        issuer: str,
        client_id: str,
        client_secret: str | None,
        *,
        patience: float = 5.0,
        seconds: Callable[[], float] = monotonic,
    ) -> None:
        self.issuer = issuer
        self.client_id = client_id
        self._client_secret = client_secret
        self._patience = patience
        self._configuration = Fetched(self._read_configuration, seconds)
        self._keys = Fetched(self._read_keys, seconds)
        self._running = asyncio.Semaphore(_AT_ONCE)

    async def configuration(self) -> Configuration:
        """Return its configuration; raise SignInError if it is away."""
        return await self._configuration.value()

    async def key_of(self, token: str) -> SigningKey:
        """Return the key by which a token says it is signed; for an unknown one the keys are read again, once a minute.

        Raises:
            SignInError: The provider has no such key, or is away.
        """
        for age in (_LASTS_SECONDS, _NEW_KEYS_SECONDS):
            key = matching_key(token, (await self._keys.value(age)).keys)
            if key is not None:
                return key
        raise SignInError(Refusal.UNPROVEN, "key")

    async def tokens_for(self, code: str, *, verifier: str, redirect_uri: str) -> Tokens:
        """Return the tokens for a code (RFC 6749, section 4.1.3; RFC 7636, section 4.5).

        Raises:
            SignInError: The provider refuses, or is away.
        """
        configuration = await self.configuration()
        fields = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": verifier,
        }
        auth = None
        if self._client_secret is None:
            fields["client_id"] = self.client_id
        elif "client_secret_basic" in configuration.token_endpoint_auth_methods_supported:
            auth = httpx.BasicAuth(quote(self.client_id, safe=""), quote(self._client_secret, safe=""))
        else:
            fields |= {"client_id": self.client_id, "client_secret": self._client_secret}
        status, body = await self._ask("POST", configuration.token_endpoint, data=fields, auth=auth)
        if status != _OK:
            refused = _decoded(body, _Refused, Refusal.UNPROVEN).error
            raise SignInError(Refusal.UNPROVEN, refused if refused in _REFUSED_CODE else f"status {status}")
        return _decoded(body, Tokens, Refusal.UNPROVEN)

    async def userinfo(self, access_token: str) -> Mapping[str, Any]:
        """Return the claims of the userinfo endpoint (OpenID Connect Core 1.0, section 5.3); none if there is no such endpoint.

        Raises:
            SignInError: It refuses, or is away.
        """
        url = (await self.configuration()).userinfo_endpoint
        if url is None:
            return {}
        bearer = {"authorization": f"Bearer {access_token}"}
        status, body = await self._ask("GET", url, headers=bearer)
        if status != _OK:
            raise SignInError(Refusal.UNPROVEN, f"userinfo: status {status}")
        return _decoded(body, dict[str, Any], Refusal.UNPROVEN)

    async def _read_configuration(self) -> Configuration:
        found = await self._read(self.issuer.rstrip("/") + _DISCOVERY, Configuration)
        if found.issuer != self.issuer:
            raise SignInError(Refusal.AWAY, "issuer")
        endpoints = (
            *(found.authorization_endpoint, found.token_endpoint, found.jwks_uri),
            *(found.userinfo_endpoint, found.end_session_endpoint),
        )
        if not all(each is None or is_trustworthy(each) for each in endpoints):
            raise SignInError(Refusal.AWAY, "endpoint without TLS")
        return found

    async def _read_keys(self) -> _KeySet:
        return await self._read((await self.configuration()).jwks_uri, _KeySet)

    async def _read(self, url: str, kind: type[Value]) -> Value:
        status, body = await self._ask("GET", url)
        if status != _OK:
            raise SignInError(Refusal.AWAY, f"status {status}")
        return _decoded(body, kind, Refusal.AWAY)

    async def _ask(self, method: str, url: str, **request: Any) -> tuple[int, bytes]:
        """Return the status and body of an answer; raise SignInError if none comes, it is too long, or the server failed."""
        body = bytearray()
        try:
            async with asyncio.timeout(self._patience), self._running:
                context = await asyncio.to_thread(tls)  # the first reads the trusted authorities
                async with (
                    httpx.AsyncClient(verify=context, trust_env=False, timeout=self._patience) as client,
                    client.stream(method, url, **request) as response,
                ):
                    async for piece in response.aiter_bytes():
                        body += piece
                        if len(body) > _LONGEST_ANSWER:
                            raise SignInError(Refusal.AWAY, "answer too long")
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
            raise SignInError(Refusal.AWAY, type(error).__name__) from None
        if response.status_code >= _BROKEN:
            raise SignInError(Refusal.AWAY, f"status {response.status_code}")
        return response.status_code, bytes(body)


def is_trustworthy(url: str) -> bool:
    """Whether a request to a URL can't be read or changed on the way: it has TLS, or is this machine's."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    host = parts.hostname or ""
    return (parts.scheme == "https" and host != "") or (parts.scheme == "http" and is_loopback(host))


def _decoded(body: bytes, kind: type[Value], refusal: Refusal) -> Value:
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise SignInError(refusal, "answer unreadable") from None
