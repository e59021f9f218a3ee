"""Identifies the user of a request. An ordered list of modes is asked, and the first that applies decides.

If that mode rejects the request, no later mode is asked.
"""

from recollect_proxy.identity.api_key import add_key, hash_and_project, hash_of, named_hash, numbered_lines
from recollect_proxy.identity.caller import (
    Caller,
    Claim,
    Mode,
    header_text,
    is_strong,
    opaque_id,
    readable_id,
    readable_project,
    require_strong,
)
from recollect_proxy.identity.identity import Identity, is_loopback, make_identity, proving_modes
from recollect_proxy.identity.plain_header import Network, is_within

__all__ = [
    "Caller",
    "Claim",
    "Identity",
    "Mode",
    "Network",
    "add_key",
    "hash_and_project",
    "hash_of",
    "header_text",
    "is_loopback",
    "is_strong",
    "is_within",
    "make_identity",
    "named_hash",
    "numbered_lines",
    "opaque_id",
    "proving_modes",
    "readable_id",
    "readable_project",
    "require_strong",
]
