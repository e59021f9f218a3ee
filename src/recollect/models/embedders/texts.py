"""Prepares any text for an embedder. Never: a model."""

from recollect.text.secrets import mask


def prepare(text: str, limit: int) -> str:
    """Return ``text`` without outer whitespace, cut to ``limit`` characters, encodable as UTF-8.

    A question mark replaces each lone surrogate, which JSON can carry but UTF-8 can't.
    """
    return text.strip()[:limit].encode("utf-8", "replace").decode("utf-8")


def prepare_to_send(text: str, limit: int) -> str:
    """Prepare a text as ``prepare`` does and mask its secrets, since it is sent to a server."""
    return prepare(mask(text.strip()[: 2 * limit]).text, limit)
