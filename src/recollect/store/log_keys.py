"""The keys of turns as the log has them. Pure. Never: SQL."""

import hashlib

from recollect.errors import StoreError
from recollect.text.normalization import storable_id

_LONGEST_KEY = 200
"""Bytes. The log has a longer key as its hash: an index entry has to fit a part of a page."""


def storable_parent(parent: str | None) -> str | None:
    """Return the parent in the form of the log's keys; None if unknown, or if it could be no key."""
    try:
        return None if parent is None else storable_key(parent)
    except StoreError:
        return None


def storable_key(key: str) -> str:
    """Return a turn's key for the log: itself, or its hash if an index entry could not hold it."""
    encoded = storable_id(key).encode()
    if len(encoded) <= _LONGEST_KEY:
        return key
    return "sha256:" + hashlib.sha256(encoded).hexdigest()
