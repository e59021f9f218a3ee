"""The permissions under `/memory` of administrators, integrations that act for users, and people themselves.

``authentication`` finds the principal of a request, ``principal`` says which rights it has; keys, tokens, sessions and failed attempts have
a module each, and the sign-in at an OpenID provider three (``provider_sign_in`` is the first). Read ``principal`` first. Never: a route, an engine; the store's row-level security checks each object once more.
"""

from recollect.api.operation import Permission
from recollect_proxy.access.access_keys import KeyRole, add_access_key
from recollect_proxy.access.attempts import FailedAttempts, TooManyAttemptsError, source_of
from recollect_proxy.access.authentication import Authentication, make_authentication
from recollect_proxy.access.page_sessions import SESSION_LIFETIME, PageSession, PageSessions
from recollect_proxy.access.person_tokens import Audience, PersonTokens
from recollect_proxy.access.principal import Principal, Role
from recollect_proxy.access.sign_in import SIGN_IN_LIFETIME, Refusal, SignIn, SignInError

__all__ = [
    "SESSION_LIFETIME",
    "SIGN_IN_LIFETIME",
    "Audience",
    "Authentication",
    "FailedAttempts",
    "KeyRole",
    "PageSession",
    "PageSessions",
    "Permission",
    "PersonTokens",
    "Principal",
    "Refusal",
    "Role",
    "SignIn",
    "SignInError",
    "TooManyAttemptsError",
    "add_access_key",
    "make_authentication",
    "source_of",
]
