"""Filters the headers that the proxy forwards, in both directions (RFC 9110, section 7.6.1), and its keys in queries. Pure."""

import re
from collections.abc import Callable, Iterable

from recollect_proxy.web.asgi import Headers

HOP_BY_HOP = frozenset(
    {
        b"connection",  # RFC 9110 section 7.6.1: each hop has its own
        b"keep-alive",
        b"proxy-connection",  # not standard, but sent
        b"proxy-authenticate",
        b"proxy-authorization",
        b"te",
        b"trailer",  # trailers are not relayed
        b"transfer-encoding",  # each hop frames its messages itself
        b"upgrade",
    }
)
_NOT_FORWARDED = HOP_BY_HOP | {
    b"host",  # replaced by the upstream's
    b"expect",  # our server has sent 100 Continue already
}
BOUND_TO_THE_BODY = frozenset(
    {
        b"content-length",
        b"content-encoding",  # a changed body is sent uncompressed
        b"content-md5",
        b"content-digest",  # RFC 9530
        b"repr-digest",
        b"digest",
        b"signature",  # RFC 9421: may cover a digest
        b"signature-input",
    }
)
OWN_KEY = b"recollect-"
"""The prefix of the proxy's own API keys and tokens, which are never forwarded."""

# As ``identity.api_key`` and ``access.person_tokens`` make them.
_WHOLE_OWN_KEY = re.compile(rb"recollect-(?:[A-Za-z0-9_-]{43}|eyJ[A-Za-z0-9_-]+\.)")
_KEYS = frozenset({b"authorization", b"x-api-key", b"api-key"})
COOKIE = b"cookie"
CREDENTIALS = _KEYS | {COOKIE}
"""The headers that identify a client to a server; they go to no other server."""

_BODILESS = frozenset({204, 304})


def forwardable(headers: Iterable[tuple[bytes, bytes]], *, without: Callable[[bytes], bool]) -> Headers:
    """Return the request headers to forward, in order, duplicates kept.

    Removed are hop-by-hop headers, those that ``Connection`` lists (RFC 9110, section 7.6.1), and those for whose
    lower-case name ``without`` returns True.
    """
    kept = list(headers)
    dropped = _NOT_FORWARDED | _connection_headers(kept)
    return [
        (name, value) for name, value in kept if name.lower() not in dropped and not without(name.lower())
    ]


def rewritable(headers: Headers, *, body: bool, answer: bool) -> Headers:
    """Remove the request headers that a change of its body or of the answer's invalidates.

    The headers of a body are its length, content coding, digests and signatures. Without ``Accept-Encoding`` an answer
    comes uncompressed.
    """
    dropped = (BOUND_TO_THE_BODY if body else frozenset()) | ({b"accept-encoding"} if answer else frozenset())
    return [(name, value) for name, value in headers if name.lower() not in dropped]


def relayable(headers: Iterable[tuple[bytes, bytes]], *, status: int) -> Headers:
    """Return the response headers to relay, in order, duplicates kept, without hop-by-hop headers."""
    kept = list(headers)
    # RFC 9110, section 8.6, requires no length of a 204 or 304, and our server would wait for so many bytes of body.
    dropped = (
        HOP_BY_HOP
        | _connection_headers(kept)
        | (frozenset({b"content-length"}) if status in _BODILESS else frozenset())
    )
    return [(name, value) for name, value in kept if name.lower() not in dropped]


def keyed(headers: Headers, api_key: bytes | None) -> Headers:
    """Replace the client's API key by the upstream's own; None keeps it, unless it is one of the proxy's own."""
    if api_key is None:
        return [(name, value) for name, value in headers if not is_own_key(name, value)]
    keyed = [
        (name, _in_place(name, value, api_key))
        for name, value in headers
        if name.lower() in _KEYS or not is_own_key(name, value)
    ]
    if any(name.lower() in _KEYS for name, _ in headers):
        return keyed
    return [*keyed, (b"authorization", b"Bearer " + api_key)]


def is_own_key(name: bytes, value: bytes) -> bool:
    """Whether a header carries one of the proxy's own API keys: a whole key in any header, or its prefix in a key header."""
    if _WHOLE_OWN_KEY.search(value):
        return True
    if name.lower().replace(b"_", b"-") not in _KEYS:  # some servers treat underscores and hyphens as equal
        return False
    words = value.split(None, 1)  # a scheme and the key, or the key alone
    return bool(words) and words[-1].startswith(OWN_KEY)


def without_own_keys(query: bytes) -> bytes:
    """Return a query without the parameters that hold one of the proxy's own API keys."""
    return b"&".join(each for each in query.split(b"&") if not _WHOLE_OWN_KEY.search(each))


def _in_place(name: bytes, value: bytes, api_key: bytes) -> bytes:
    if name.lower() not in _KEYS:
        return value
    return b"Bearer " + api_key if name.lower() == b"authorization" else api_key


def _connection_headers(headers: Headers) -> frozenset[bytes]:
    return frozenset(
        item.strip().lower()
        for name, value in headers
        if name.lower() == b"connection"
        for item in value.split(b",")
    )
