"""The permissions under `/memory` of administrators, integrations that act for users, and people themselves.

``authentication`` finds the principal of a request, ``principal`` says which rights it has. Read ``principal`` first. Never: a route,
an engine; the store's row-level security checks each object once more.
"""

from recollect.api.operations import Permission
from recollect_proxy.access.access_keys import KeyRole, add_access_key
from recollect_proxy.access.authentication import (
    Authentication,
    FailedAttempts,
    TooManyAttemptsError,
    make_authentication,
    source_of,
)
from recollect_proxy.access.own_tokens import (
    SESSION_LIFETIME,
    Audience,
    PageSession,
    PageSessions,
    PersonTokens,
)
from recollect_proxy.access.principal import SIGN_IN_LIFETIME, Principal, Refusal, Role, SignInError

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
    "SignInError",
    "TooManyAttemptsError",
    "add_access_key",
    "make_authentication",
    "source_of",
]
