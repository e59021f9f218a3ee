"""Derives ids that are the same in every import of the same data. Pure."""

from datetime import datetime
from hashlib import sha256
from uuid import UUID

from recollect.text.normalization import storable_text

_VERSION, _VARIANT = 7, 2


def stable_id(at: datetime, *names: str) -> UUID:
    """Return a UUID of version 7 (RFC 9562, section 5.7) whose random bits are a hash of ``names``.

    It sorts by time, and a repeated import yields the same id.

    Args:
        at: The time, of which milliseconds count; not before 1970.
        names: The names that identify the item together.
    """
    # The lengths make the joined names unambiguous.
    told = "".join(f"{len(name)}:{name}" for name in map(storable_text, names))
    chance = int.from_bytes(sha256(told.encode()).digest()[:16])
    milliseconds = int(at.timestamp() * 1000) & (2**48 - 1)
    high, low = chance >> 116, chance & (2**62 - 1)
    return UUID(int=milliseconds << 80 | _VERSION << 76 | high << 64 | _VARIANT << 62 | low)
