"""URLs as they may be shown to a person, without secrets. Pure."""

from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit


def without_credentials(url: str) -> str:
    """Return a URL without its user and its passwords, wherever they stand in it."""
    parts = urlsplit(url)
    given = parse_qsl(parts.query, keep_blank_values=True)
    kept = [pair for pair in given if "password" not in pair[0].lower()]
    query = parts.query if kept == given else urlencode(kept)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query=query))
