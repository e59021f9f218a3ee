"""Keys of turns as the log has them, and marks of erased users and chats: hashes that name no person. Pure. Never: SQL."""

import hashlib
import json

from recollect.errors import StoreError
from recollect.model import Scope, scopes_in
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


def mark_of(erased: Scope | str) -> bytes:
    """Return the 32 bytes (SHA-256) by which an erased user, or one of their chats, is known again."""
    named = [erased] if isinstance(erased, str) else [erased.user_id, erased.session_id]
    return hashlib.sha256(json.dumps(["recollect", *named]).encode()).digest()


def marks_of(scope: Scope) -> list[bytes]:
    """Return the marks that a turn of this chat is looked up by: its user's, of a project its person's, too, and its own."""
    return [*map(mark_of, scopes_in(scope.user_id)), mark_of(scope)]
