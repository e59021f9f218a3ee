"""Who is speaking: an ordered list of modes, of which the first that applies decides.

Never: the body's messages. A mode that applies and fails never falls through to a weaker one.
"""

from recollect_proxy.identity.api_key import add_key
from recollect_proxy.identity.caller import Caller, Claim, Mode, opaque_id, readable_id
from recollect_proxy.identity.identity import Identity
from recollect_proxy.identity.modes import is_loopback, make_identity
from recollect_proxy.identity.secrets import require_strong

__all__ = [
    "Caller",
    "Claim",
    "Identity",
    "Mode",
    "add_key",
    "is_loopback",
    "make_identity",
    "opaque_id",
    "readable_id",
    "require_strong",
]
