"""Finds the principal whose token a request under `/memory` carries."""

import hmac
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from recollect.errors import ConfigurationError
from recollect.ports import Clock
from recollect_proxy.access.access_keys import AccessKeys
from recollect_proxy.access.failed_attempts import FailedAttempts, TooManyAttemptsError, source_of
from recollect_proxy.access.page_sessions import PageSessions
from recollect_proxy.access.person_tokens import Audience, PersonTokens
from recollect_proxy.access.principal import ADMIN_TOKEN_NAME, Principal, TokenKind
from recollect_proxy.identity.caller import Mode, is_strong
from recollect_proxy.identity.user_and_chat import proving_modes
from recollect_proxy.settings.proxy_settings import ProxySettings
from recollect_proxy.web.asgi import Headers, values

if TYPE_CHECKING:
    from recollect_proxy.access.oidc_sign_in import ProviderSignIn


_ADMIN = Principal(TokenKind.ADMIN, ADMIN_TOKEN_NAME)
_TOKEN_DOTS = 2  # a JWT has three parts (RFC 7519, section 3)
_PAGES = "/memory/ui"


class Authentication:
    """Knows the tokens of the memory API.

    Args:
        admin_token: Opens everything.
        clock: Tells the time.
        keys: Further keys; None: there are none.
        modes: The ways in which people prove who they are by a signature or a key of their own.
        provider: The sign-in to pages at an OpenID provider; None: there is none.

    Raises:
        ConfigurationError: The token is empty.
    """

    def __init__(
        self,
        admin_token: str,
        clock: Clock,
        *,
        keys: AccessKeys | None = None,
        modes: tuple[Mode, ...] = (),
        provider: "ProviderSignIn | None" = None,
    ) -> None:
        if not admin_token.strip():
            raise ConfigurationError("The admin token is empty: anybody could read and erase memories.")
        self._admin_token = admin_token.encode()
        self._keys = keys
        self._modes = modes
        self.provider = provider
        self.person_tokens = PersonTokens(admin_token, clock)
        self.page_sessions = PageSessions(admin_token, clock)
        self.failed = FailedAttempts()
        self._is_guessable = not is_strong(admin_token)

    def principal(self, headers: Headers, peer: str | None) -> Principal | None:
        """Return the principal of a request's token; None without a known token, or with more than one.

        Args:
            headers: The request's.
            peer: The address it came from; None: unknown.
        """
        if len(values(headers, b"authorization")) > 1:
            return None
        token = _bearer(headers)
        if token is not None and (known := self._by_token(token, peer)) is not None:
            return known
        return self._by_mode(headers, peer)

    def admitted(self, headers: Headers, peer: str | None) -> Principal | None:
        """Return the principal as ``principal`` does; a wrong token counts for the address it came from.

        Wrong keys of pages count with wrong tokens.

        Raises:
            TooManyAttemptsError: Too many wrong ones came from there, and this is one more; or it is an admin token that can
                be guessed.
        """
        known = self.principal(headers, peer)
        self.count_attempt(known, _bearer(headers), source_of(None, peer))
        return known

    def count_attempt(self, known: Principal | None, token: bytes | None, source: str) -> None:
        """Count a wrong token for its source; see ``admitted``.

        Args:
            known: Its principal; None: it is wrong.
            token: The token; None: there was none.
            source: The source for which it counts.

        Raises:
            TooManyAttemptsError: There were too many.
        """
        # An expired signed token is no guess, and its client has to learn that it expired.
        if known is None and (token is None or self.person_tokens.are_ours(token) or self._is_signed(token)):
            return
        seconds = self.failed.seconds_to_wait(source)
        # All requests through a gateway come from one address: a token that can't be guessed is let in however many failed.
        if seconds and (known is None or (known == _ADMIN and self._is_guessable)):
            raise TooManyAttemptsError(seconds)
        if known is None:
            self.failed.fail(source)

    def _is_signed(self, token: bytes) -> bool:
        """Whether a wrong token has the form of a signed one (RFC 7519), and not of a key that can be guessed."""
        return (
            bool(self._modes)
            and token.count(b".") == _TOKEN_DOTS
            and not (self._is_guessable and self._admin_token.count(b".") == _TOKEN_DOTS)
        )

    def administrator(self, token: str, peer: str | None) -> Principal | None:
        """Return the administrator of a token that was typed in; None if it is no administrator's."""
        known = self._by_token(token.strip().encode("utf-8", "replace"), peer)
        return known if known is not None and known.is_administrator else None

    def still_knows(self, principal: Principal, peer: str | None) -> bool:
        """Whether a proof that a session began with counts still: a key may be taken out of its file meanwhile."""
        if not principal.is_administrator or principal == _ADMIN:
            return True
        if principal.is_by_provider:
            return self.provider is not None and self.provider.names_administrators
        return self._keys is not None and self._keys.has(principal, peer)

    def _by_token(self, token: bytes, peer: str | None) -> Principal | None:
        if hmac.compare_digest(token, self._admin_token):
            return _ADMIN
        if self._keys is not None and (known := self._keys.principal_of(token, peer)) is not None:
            return known
        if token.count(b".") != _TOKEN_DOTS or not token.isascii():
            return None
        found = self.person_tokens.read(token.decode("ascii"), Audience.API)
        return None if found is None else Principal(TokenKind.PERSON, "own-token", found[0])

    def _by_mode(self, headers: Headers, peer: str | None) -> Principal | None:
        """Return who the first mode that applies proves it is: one that fails never falls through to another."""
        for mode in self._modes:
            claim = mode.claim(headers, peer)
            if claim is not None:
                who, project = claim.user_id, claim.project
                return None if who is None else Principal(TokenKind.PERSON, "own-proof", who, project=project)
        return None


def _bearer(headers: Headers) -> bytes | None:
    """Return the token of a request; None without one, or with more than one."""
    sent = values(headers, b"authorization")
    scheme, _, token = sent[0].strip().partition(b" ") if len(sent) == 1 else (b"", b"", b"")
    return (token.strip() or None) if scheme.lower() == b"bearer" else None


def make_authentication(settings: ProxySettings, admin_token: str, clock: Clock) -> Authentication:
    """Return the authentication that the settings describe.

    Raises:
        ConfigurationError: The admin token is empty, a key file can't be read, or a mode or the provider lacks something.
    """
    return Authentication(
        admin_token,
        clock,
        keys=AccessKeys(settings.access_key_file),
        modes=proving_modes(settings),
        provider=_make_sign_in(settings, admin_token, clock),
    )


def _make_sign_in(settings: ProxySettings, admin_token: str, clock: Clock) -> "ProviderSignIn | None":
    """Return the sign-in at the provider that the settings name; None without a client id."""
    if not settings.oidc_client_id:
        return None
    from recollect_proxy.access.oidc_provider import OidcProvider, is_trustworthy  # noqa: PLC0415 -- for this sign-in alone
    from recollect_proxy.access.oidc_sign_in import ProviderSignIn, SignInRules  # noqa: PLC0415 -- and cryptography

    issuer, secret = settings.oidc_issuer or "", settings.oidc_client_secret
    if not is_trustworthy(issuer):
        raise ConfigurationError(
            "RECOLLECT_OIDC_CLIENT_ID needs RECOLLECT_OIDC_ISSUER, an address with https:// (http:// on this machine alone): who "
            "changes the provider's answers on the way could be anybody."
        )
    if settings.public_url is None:
        raise ConfigurationError(
            "RECOLLECT_OIDC_CLIENT_ID needs RECOLLECT_PUBLIC_URL: the provider leads browsers back there."
        )
    return ProviderSignIn(
        OidcProvider(issuer, settings.oidc_client_id, secret.get_secret_value() if secret else None),
        SignInRules(settings.oidc_user_claim, settings.administrators_claim, settings.oidc_scopes),
        pages=f"{settings.public_url}{_PAGES}",
        label=settings.oidc_label or urlsplit(issuer).netloc,
        admin_token=admin_token,
        clock=clock,
    )
