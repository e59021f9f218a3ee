"""Secrets in what people say: found, and masked before anything is kept or sent. Pure. Never: whose they are.

Found by their shape, their checksum, or the words around them; a secret in plain words that nothing announces is
not found.
"""

from recollect.text.secrets.masking import (
    MaskedText,
    between_marks,
    has_mark,
    holds_secret,
    mark,
    mask,
    mask_exchange_texts,
    warm,
    without_marks,
)
from recollect.text.secrets.values import SecretKind

__all__ = [
    "MaskedText",
    "SecretKind",
    "between_marks",
    "has_mark",
    "holds_secret",
    "mark",
    "mask",
    "mask_exchange_texts",
    "warm",
    "without_marks",
]
