"""Makes ids that are the same whenever the same is imported again. Pure."""

from datetime import datetime
from hashlib import sha256
from uuid import UUID

from recollect.text.normalization import storable_text

_VERSION, _VARIANT = 7, 2


def stable_id(at: datetime, *names: str) -> UUID:
    """Return a UUID of version 7 (RFC 9562, section 5.7) whose random bits are a hash of ``names``.

    So it sorts by when something was said, and what is imported once more has the id it had.

    Args:
        at: When, to the millisecond; not before 1970.
        names: What tells it from everything else.
    """
    # The lengths tell where each name ends.
    told = "".join(f"{len(name)}:{name}" for name in map(storable_text, names))
    chance = int.from_bytes(sha256(told.encode()).digest()[:16])
    milliseconds = int(at.timestamp() * 1000) & (2**48 - 1)
    high, low = chance >> 116, chance & (2**62 - 1)
    return UUID(int=milliseconds << 80 | _VERSION << 76 | high << 64 | _VARIANT << 62 | low)
