"""The marks of erased users and chats: hashes, so that a later write is refused and nobody is named. Pure. Never: SQL."""

import hashlib
import json

from recollect.model import Scope


def mark_of(erased: Scope | str) -> bytes:
    """Return the 32 bytes (SHA-256) by which an erased user, or one of their chats, is known again."""
    named = [erased] if isinstance(erased, str) else [erased.user_id, erased.session_id]
    return hashlib.sha256(json.dumps(["recollect", *named]).encode()).digest()


def marks_of(scope: Scope) -> list[bytes]:
    """Return the marks that a turn of this chat is looked up by: its user's and its own."""
    return [mark_of(scope.user_id), mark_of(scope)]
