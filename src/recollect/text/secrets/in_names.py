"""Masks secrets in ids of chats and names of models, which rows, logs and lists show as they are. Pure."""

from functools import lru_cache
from hashlib import sha256

from recollect.text.patterns import anchored
from recollect.text.secrets.masking import mask

_PLAIN = anchored(
    r"(?:[a-z]{1,12}:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|fp:[0-9a-f]{32}|[a-z0-9-]{1,12}"
)
"""The look of nearly all ids and of no secret: a UUID, a chat known by its beginning, a short word."""

_LONGEST = 200


@lru_cache(maxsize=4096)
def id_without_secrets(text: str) -> str:
    """Return a chat's id with its secrets masked; then a hash keeps it another id than all others. A masked one stays as it is."""
    if _PLAIN.fullmatch(text):
        return text
    masked = mask(text).text
    digest = sha256(text.encode(errors="replace")).hexdigest()
    return text if masked == text else f"{masked[:_LONGEST]}#{digest[:16]}"


@lru_cache(maxsize=1024)
def name_without_secrets(text: str) -> str:
    """Return a model's name with its secrets masked."""
    return mask(text).text
