"""Prepares any text for an embedder. Never: a model."""

from typing import Final

from recollect.text.secrets import mask

LONGEST_PAUSE: Final = 5.0
"""The most seconds that an embedder waits for its server between two attempts."""


def prepare(text: str, limit: int) -> str:
    """Return ``text`` without outer whitespace, cut to ``limit`` characters, encodable as UTF-8.

    A question mark replaces each lone surrogate, which JSON can carry but UTF-8 can't.
    """
    return text.strip()[:limit].encode("utf-8", "replace").decode("utf-8")


def prepare_to_send(text: str, limit: int) -> str:
    """Prepare a text as ``prepare`` does and mask its secrets, since it is sent to a server."""
    return prepare(mask(text.strip()[: 2 * limit]).text, limit)


def pause_asked_for(retry_after: str | None) -> float | None:
    """Return the seconds in ``Retry-After`` (RFC 9110, section 10.2.3), at most 5; None without it.

    A date counts as 5 seconds, since the two clocks may differ.
    """
    if retry_after is None:
        return None
    return min(float(retry_after), LONGEST_PAUSE) if retry_after.isdecimal() else LONGEST_PAUSE
