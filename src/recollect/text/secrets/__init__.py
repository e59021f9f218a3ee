"""Finds secrets in what people say, and masks them before anything is kept or sent. Pure.

A secret is found by its form, its checksum, or the words around it. A secret in plain words that nothing announces is missed.
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
