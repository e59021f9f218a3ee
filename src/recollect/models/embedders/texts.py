"""Makes any text fit to be given to a model. Never: a model."""

from recollect.text.secrets import mask


def prepare(text: str, limit: int) -> str:
    """Return ``text`` without outer whitespace, cut to ``limit`` characters, encodable as UTF-8.

    Half a surrogate pair, which JSON can carry and UTF-8 can't, becomes a question mark.
    """
    return text.strip()[:limit].encode("utf-8", "replace").decode("utf-8")


def prepare_to_send(text: str, limit: int) -> str:
    """Return what ``prepare`` does, with its secrets masked: it goes to a server."""
    return prepare(mask(text.strip()[: 2 * limit]).text, limit)
