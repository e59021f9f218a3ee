"""An OpenID provider that speaks the real protocol as an ASGI application, and misbehaves at will.

Its person agrees at once: the authorization endpoint leads straight back with a code.
"""

import asyncio
import hashlib
import json
import time
from base64 import b64decode, urlsafe_b64encode
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from recollect_proxy.web.asgi import Incoming, Receive, Scope, Send, respond, values

CLIENT_ID = "recollect-pages"
CLIENT_SECRET = "a secret/of: the pages"
ANNAS_SUB = "5b1c7f0e-8f0d-4c1b-9a63-2d8f6a4e9c11"


@dataclass(frozen=True)
class Key:
    """A signing key with its id."""

    id: str
    private: rsa.RSAPrivateKey = field(
        default_factory=lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048)
    )

    @property
    def jwk(self) -> dict[str, Any]:
        """The public key as a provider publishes it."""
        own = RSAAlgorithm.to_jwk(self.private.public_key(), as_dict=True)
        return {**own, "kid": self.id, "use": "sig", "alg": "RS256"}


@cache
def _first_key() -> Key:
    """Return the key of every provider: making one takes a while."""
    return Key("1")


@dataclass
class ScriptedOidc:
    """The provider.

    Attributes:
        issuer: Its origin, once it is served.
        key: Signs id tokens.
        published: The keys of its key set.
        person: The claims of the id token about its person.
        userinfo: The claims of the userinfo endpoint.
        configuration: Changes to its metadata.
        changed: Changes to an id token's claims before it is signed; None takes one away.
        sign: Signs in place of the key.
        query: Changes to the query with which it leads back; None takes one away.
        token_error: The error of the token endpoint; "": none.
        broken: The paths that answer 500.
        pause: Seconds that each answer takes.
        asked: How often each path was asked.
        reused_codes: Whether a code works more than once.
    """

    issuer: str = ""
    key: Key = field(default_factory=_first_key)
    published: list[Key] = field(default_factory=list)
    person: dict[str, Any] = field(default_factory=lambda: {"sub": ANNAS_SUB})
    userinfo: dict[str, Any] = field(default_factory=dict)
    configuration: dict[str, Any] = field(default_factory=dict)
    changed: dict[str, Any] = field(default_factory=dict)
    sign: Callable[[Mapping[str, Any]], str] | None = None
    query: dict[str, str | None] = field(default_factory=dict)
    token_error: str = ""
    broken: set[str] = field(default_factory=set)
    pause: float = 0.0
    asked: Counter[str] = field(default_factory=Counter)
    reused_codes: bool = False

    def __post_init__(self) -> None:
        self.published = self.published or [self.key]
        self._codes: dict[str, dict[str, str]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        path = scope["path"]
        self.asked[path] += 1
        await asyncio.sleep(self.pause)
        answers: dict[str, Callable[[Scope, bytes], tuple[int, Any]]] = {
            "/.well-known/openid-configuration": self._configuration,
            "/jwks": lambda _scope, _body: (200, {"keys": [each.jwk for each in self.published]}),
            "/authorize": self._authorize,
            "/token": self._token,
            "/userinfo": lambda _scope, _body: (200, self.userinfo),
        }
        body = await Incoming(receive).read_body(2**20) or b""
        status, told = (500, {}) if path in self.broken else answers[path](scope, body)
        if status == 303:
            await respond(
                send, status, b"", content_type=b"text/plain", headers=[(b"location", str(told).encode())]
            )
        else:
            await respond(send, status, json.dumps(told).encode(), content_type=b"application/json")

    def _configuration(self, _scope: Scope, _body: bytes) -> tuple[int, Any]:
        own = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/jwks",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "end_session_endpoint": f"{self.issuer}/leave?theme=plain",
            "authorization_response_iss_parameter_supported": True,
        }
        return 200, {**own, **self.configuration}

    def _authorize(self, scope: Scope, _body: bytes) -> tuple[int, Any]:
        asked = {name: given[0] for name, given in parse_qs(scope["query_string"].decode()).items()}
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        code = f"code-{len(self._codes)}"
        self._codes[code] = asked
        query = {"code": code, "state": asked["state"], "iss": self.issuer} | self.query
        back = urlencode({name: value for name, value in query.items() if value is not None})
        return 303, f"{asked['redirect_uri']}?{back}"

    def _token(self, scope: Scope, body: bytes) -> tuple[int, Any]:
        form = {name: given[0] for name, given in parse_qs(body.decode()).items()}
        if self.token_error:
            return 400, {"error": self.token_error, "error_description": "<b>said by the provider</b>"}
        if not self._is_client(scope, form):
            return 401, {"error": "invalid_client"}
        asked = self._codes.get(form["code"]) if self.reused_codes else self._codes.pop(form["code"], None)
        verifier = hashlib.sha256(form["code_verifier"].encode()).digest()
        if (
            asked is None
            or asked["redirect_uri"] != form["redirect_uri"]
            or urlsafe_b64encode(verifier).rstrip(b"=").decode() != asked["code_challenge"]
        ):
            return 400, {"error": "invalid_grant"}
        half = hashlib.sha256(b"an access token").digest()[:16]
        claims = {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "iat": int(time.time()),
            "exp": int(time.time()) + 60,
            "nonce": asked["nonce"],
            "at_hash": urlsafe_b64encode(half).rstrip(b"=").decode(),
            **self.person,
            **self.changed,
        }
        kept = {name: value for name, value in claims.items() if value is not None}
        sign = self.sign or (
            lambda given: jwt.encode(
                dict(given), self.key.private, algorithm="RS256", headers={"kid": self.key.id}
            )
        )
        return 200, {"access_token": "an access token", "token_type": "Bearer", "id_token": sign(kept)}

    def _is_client(self, scope: Scope, form: Mapping[str, str]) -> bool:
        """Whether the pages proved themselves, by one of both ways (RFC 6749, section 2.3.1)."""
        sent = values(scope["headers"], b"authorization")
        if sent:
            name, _, secret = b64decode(sent[0].removeprefix(b"Basic ")).decode().partition(":")
            given = (unquote(name), unquote(secret))
        else:
            given = (form.get("client_id", ""), form.get("client_secret", ""))
        return given == (CLIENT_ID, CLIENT_SECRET)
