"""The sessions of pages, in signed cookies: a cookie is all there is of a session. It knows neither requests nor pages."""

import hmac
from dataclasses import dataclass
from datetime import timedelta
from secrets import token_urlsafe

from recollect.ports import Clock
from recollect_proxy.access.person_tokens import ISSUER, Audience, derived_key, signed, verified
from recollect_proxy.access.principal import Principal, TokenKind

SESSION_LIFETIME = timedelta(hours=1)  # short: no table has it, so it can't be ended before (decision 0043)

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
        return self.principal.user_id if self.principal.kind is TokenKind.PERSON else self.looks_at


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
            "iss": ISSUER,
            "aud": Audience.PAGE.value,
            "sub": principal.user_id if principal.user_id is not None else principal.name,
            "role": principal.kind.value,
            "name": principal.name,
            "looks_at": session.looks_at,
            "iat": int(self._clock().timestamp()),
            "exp": session.ends,
            "jti": session.id,
        }
        return signed(claims, self._key)

    def session(self, cookie: str) -> PageSession | None:
        """Return the session of a cookie; None if it is not ours, or expired."""
        claims = verified(cookie, self._key, Audience.PAGE)
        if claims is None or not self._clock().timestamp() < claims["exp"]:
            return None
        kind = TokenKind(claims["role"])
        principal = Principal(kind, claims["name"], claims["sub"] if kind is TokenKind.PERSON else None)
        return PageSession(principal, claims["jti"], claims["exp"], claims["looks_at"])

    def form_token(self, session: PageSession) -> str:
        """Return the token in each form of a session's pages, so that no other site can send one."""
        return hmac.digest(self._form_key, session.id.encode(), "sha256").hex()

    def is_form_token(self, session: PageSession, token: str) -> bool:
        """Whether a form was made for this session."""
        return hmac.compare_digest(self.form_token(session).encode(), token.encode("utf-8", "replace"))
