"""Finds secrets in what people say, and masks them before anything is kept or sent. Pure.

A secret is found by its form, its checksum, or the words around it. A secret in plain words that nothing announces is missed.
"""

from recollect.text.secrets.masking import (
    has_mark,
    holds_secret,
    mask,
    mask_exchange_texts,
    warm,
    without_marks,
)
