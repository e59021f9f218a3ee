"""Removes secrets from URLs before they are shown to a person. Pure."""

from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

from recollect.text.patterns import linear

CHAT = "{chat}"
"""The place of a chat's id in the address of its page."""

HIDDEN = "(hidden)"
NOT_SHOWN = "(a URL in which a password can't be told from the rest)"

_HOST = r"[a-zA-Z0-9._-]+(?::[0-9]+)?"
_SEVERAL_HOSTS = linear(rf"(?:{_HOST})(?:,{_HOST})+", captures=False)


def without_credentials(url: str) -> str:
    """Return a URL without its user and its passwords, also those in its query.

    An unescaped ``#``, ``?`` or ``/`` in a password ends the host's part early, and leaves a fragment or an ``@`` behind it. A URL
    with either, or one that can't be parsed, is not shown at all.
    """
    try:
        parts = urlsplit(url)
        address = _address(parts)
    except ValueError:
        return NOT_SHOWN
    if "://" not in url or parts.fragment or "@" in f"{parts.path}{parts.query}":
        return NOT_SHOWN
    query = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if _is_shown(pair[0])]
    return f"{parts.scheme}://{address}{parts.path}{'?' if query else ''}{urlencode(query, safe='/')}"


def without_path(url: str) -> str:
    """Return the scheme and the host of a URL whose path or query may be its secret, as those of webhooks are."""
    shown = without_credentials(url)
    parts = urlsplit(shown)
    is_bare = shown == NOT_SHOWN or not (parts.path.strip("/") or parts.query)
    return shown if is_bare else f"{parts.scheme}://{parts.netloc}/{HIDDEN}"


def _address(parts: SplitResult) -> str:
    """Return the host, or the hosts that a database's URL may name, with their ports. Raises ValueError."""
    named = parts.netloc.rpartition("@")[2]
    if _SEVERAL_HOSTS.fullmatch(named):
        return named.lower()
    port = f":{parts.port}" if parts.port is not None else ""
    return f"{parts.hostname or ''}{port}"


def _is_shown(name: str) -> bool:
    return "password" not in name.lower() and name.lower() != "user"
