"""Signs people in at an OpenID provider: by a code with PKCE (OpenID Connect Core 1.0, section 3.1; RFC 7636; RFC 9700).

A sign-in that runs is a cookie of its browser alone: random bytes, the end of its time, and for whom it is. State, nonce
and code verifier are made of the cookie by a key of ours, so that none of them can be had without both.

It knows neither requests nor pages, and keeps neither tokens nor codes.
"""

import hashlib
import hmac
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from secrets import token_bytes
from struct import Struct
from typing import Any
from urllib.parse import urlencode, urlsplit

from cachetools import TTLCache

from recollect.ports import Clock
from recollect_proxy.access.oidc_provider import Claims, OidcProvider, base64url, verified_claims
from recollect_proxy.access.person_tokens import derived_key
from recollect_proxy.access.principal import (
    SIGN_IN_LIFETIME,
    Principal,
    Refusal,
    SignInError,
    administrator_of_provider,
    person_of_provider,
)
from recollect_proxy.identity.caller import opaque_id
from recollect_proxy.identity.signed_token import EMAIL, VERIFIED, told_id

_PURPOSE = b"recollect: sign-ins at a provider, 1"
_SEED = Struct(">16sQ?")
"""Random bytes, the end in seconds since 1970, and whether an administrator signs in."""

_USED = 10_000
_LONGEST_CODE = 4096
_SHORTEST_SUBJECT = 16  # too long to be counted, or chosen by hand

_CANCELLED = frozenset({"access_denied", "consent_required", "interaction_required", "login_required"})
_AWAY = frozenset({"server_error", "temporarily_unavailable"})
_UNPROVEN = frozenset(
    {"invalid_request", "invalid_scope", "unauthorized_client", "unsupported_response_type"}
)
"""Errors of RFC 6749, section 4.1.2.1, and OpenID Connect Core 1.0, section 3.1.2.6."""


@dataclass(frozen=True, slots=True)
class SignInRules:
    """How a provider's claims name a person.

    Attributes:
        claim: The claim with the user's id; None: `sub`, if it is too long to be counted or chosen by hand.
        administrators: The claim and the value that an administrator has; None: the provider names none.
        scopes: The scopes that are asked for.
    """

    claim: str | None = None
    administrators: tuple[str, str] | None = None
    scopes: str = "openid profile email"


class ProviderSignIn:
    """Signs people in.

    Attributes:
        label: The provider's name on the page.
        begins_at: The address that begins a sign-in: the public one, where the provider leads back to with the cookie.
        names_administrators: Whether an administrator can sign in so.

    Args:
        provider: The provider.
        rules: How its claims name a person.
        pages: The public address of the pages.
        label: The provider's name on the page.
        admin_token: The keys of running sign-ins are made of it.
        clock: Tells the time.
    """

    def __init__(
        self,
        provider: OidcProvider,
        rules: SignInRules,
        *,
        pages: str,
        label: str,
        admin_token: str,
        clock: Clock,
    ) -> None:
        self._provider = provider
        self._rules = rules
        self._clock = clock
        self._key = derived_key(admin_token.encode(), _PURPOSE)
        self._used: TTLCache[bytes, None] = TTLCache(_USED, SIGN_IN_LIFETIME.total_seconds())
        self._redirect_uri = f"{pages}/oidc/callback"
        self._left_uri = f"{pages}/enter"
        self.label = label
        self.begins_at = f"{pages}/oidc/sign-in"
        self.names_administrators = rules.administrators is not None

    async def begin(self, *, administrator: bool) -> tuple[str, str]:
        """Return the cookie of a new sign-in, and the address of the provider's page.

        Raises:
            SignInError: The provider is away.
        """
        configuration = await self._provider.configuration()
        ends = int((self._clock() + SIGN_IN_LIFETIME).timestamp())
        seed = _SEED.pack(token_bytes(16), ends, administrator)
        challenge = hashlib.sha256(self._made_of(seed, b"verifier").encode()).digest()
        query = {
            "response_type": "code",
            "client_id": self._provider.client_id,
            "redirect_uri": self._redirect_uri,
            "scope": self._rules.scopes,
            "state": self._made_of(seed, b"state"),
            "nonce": self._made_of(seed, b"nonce"),
            "code_challenge": base64url(challenge),
            "code_challenge_method": "S256",
        }
        return base64url(seed), _extended(configuration.authorization_endpoint, query)

    async def finish(self, cookie: str, answer: Mapping[str, str]) -> Principal:
        """Return who signed in: asks for the tokens of its code, and reads the id token.

        Args:
            cookie: The cookie of the sign-in.
            answer: The query with which the provider led the browser back.

        Raises:
            SignInError: It failed.
        """
        seed = self._taken_seed(cookie, answer.get("state", ""))
        await self._require_answer(answer)
        tokens = await self._provider.tokens_for(
            answer["code"], verifier=self._made_of(seed, b"verifier"), redirect_uri=self._redirect_uri
        )
        claims = verified_claims(
            tokens.id_token,
            await self._provider.key_of(tokens.id_token),
            issuer=self._provider.issuer,
            client_id=self._provider.client_id,
            nonce=self._made_of(seed, b"nonce"),
            access_token=tokens.access_token,
        )
        as_administrator: bool = _SEED.unpack(seed)[2]
        if tokens.access_token is not None and self._lacks(claims, as_administrator=as_administrator):
            claims = await self._completed(claims, tokens.access_token)
        user_id = self._user_id(claims)
        if not as_administrator:
            return person_of_provider(user_id)
        if not self._is_administrator(claims):
            raise SignInError(Refusal.NO_ADMINISTRATOR, "administrators' claim")
        return administrator_of_provider(user_id)

    async def leaves_at(self) -> str | None:
        """Return the address that ends a session at the provider (OpenID Connect RP-Initiated Logout 1.0); None: there is none.

        Raises:
            SignInError: The provider is away.
        """
        url = (await self._provider.configuration()).end_session_endpoint
        query = {"client_id": self._provider.client_id, "post_logout_redirect_uri": self._left_uri}
        return None if url is None else _extended(url, query)

    def _made_of(self, seed: bytes, purpose: bytes) -> str:
        return base64url(hmac.digest(self._key, purpose + seed, "sha256"))

    def _taken_seed(self, cookie: str, state: str) -> bytes:
        """Return the seed of a sign-in that runs in this browser; it counts no second time in this process."""
        try:
            seed = urlsafe_b64decode(cookie + "=" * (-len(cookie) % 4))
        except ValueError:
            seed = b""  # refused below, like any other wrong one
        if len(seed) != _SEED.size or not hmac.compare_digest(
            self._made_of(seed, b"state").encode(), state.encode("utf-8", "replace")
        ):
            raise SignInError(Refusal.OVER, "state")
        if not self._clock().timestamp() < _SEED.unpack(seed)[1]:
            raise SignInError(Refusal.OVER, "time")
        if seed in self._used:
            raise SignInError(Refusal.OVER, "used")
        self._used[seed] = None
        return seed

    async def _require_answer(self, answer: Mapping[str, str]) -> None:
        """Check that the answer is this provider's (RFC 9207), and a code."""
        issuer = answer.get("iss")
        if issuer is None:
            configuration = await self._provider.configuration()
            is_ours = not configuration.authorization_response_iss_parameter_supported
        else:
            is_ours = issuer == self._provider.issuer
        if not is_ours:
            raise SignInError(Refusal.UNPROVEN, "iss")
        if error := answer.get("error", ""):
            refusals = {
                **dict.fromkeys(_CANCELLED, Refusal.CANCELLED),
                **dict.fromkeys(_AWAY, Refusal.AWAY),
            }
            known = error in _CANCELLED | _AWAY | _UNPROVEN
            raise SignInError(refusals.get(error, Refusal.UNPROVEN), error if known else "unknown error")
        if not 0 < len(answer.get("code", "")) <= _LONGEST_CODE:
            raise SignInError(Refusal.UNPROVEN, "no code")

    def _lacks(self, claims: Claims, *, as_administrator: bool) -> bool:
        """Whether an id token lacks a claim that counts: some providers give most of them at the userinfo endpoint alone."""
        needed = {self._rules.claim or "sub"}
        if self._rules.claim == EMAIL:
            needed.add(VERIFIED)
        if as_administrator and self._rules.administrators is not None:
            needed.add(self._rules.administrators[0])
        return not needed <= claims.keys()

    async def _completed(self, claims: Claims, access_token: str) -> dict[str, Any]:
        more = await self._provider.userinfo(access_token)
        if more and more.get("sub") != claims["sub"]:
            raise SignInError(Refusal.UNPROVEN, "userinfo: sub")
        return {**claims, **more}

    def _user_id(self, claims: Claims) -> str:
        claim = self._rules.claim
        user_id = opaque_id(told_id(claims, claim or "sub"))
        if user_id is None:
            raise SignInError(Refusal.UNPROVEN, "user's claim")
        if claim is None and len(user_id) < _SHORTEST_SUBJECT:
            # A `sub` is unique at its provider alone: "1" may be another person at a frontend.
            raise SignInError(Refusal.UNPROVEN, "short sub")
        return user_id

    def _is_administrator(self, claims: Claims) -> bool:
        if self._rules.administrators is None:
            return False
        claim, value = self._rules.administrators
        told = claims.get(claim)
        return value in told if isinstance(told, list) else value == told


def _extended(url: str, query: Mapping[str, str]) -> str:
    return f"{url}{'&' if urlsplit(url).query else '?'}{urlencode(query)}"
