"""Who is speaking: an ordered list of modes, of which the first that applies decides.

Never: the body's messages. A mode that applies and fails never falls through to a weaker one.
"""

from recollect_proxy.identity.api_key import add_key
from recollect_proxy.identity.caller import Caller, Claim, Mode, readable_id
from recollect_proxy.identity.identity import Identity
from recollect_proxy.identity.modes import make_identity

__all__ = ["Caller", "Claim", "Identity", "Mode", "add_key", "make_identity", "readable_id"]
