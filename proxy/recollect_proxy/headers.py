"""Which headers go on, either way (RFC 9110, section 7.6.1). Pure. Never: who they tell of."""

import re
from collections.abc import Callable, Iterable

from recollect_proxy.asgi import Headers

HOP_BY_HOP = frozenset(
    {
        b"connection",  # RFC 9110 section 7.6.1: each hop has its own
        b"keep-alive",
        b"proxy-connection",  # not standard, but sent
        b"proxy-authenticate",
        b"proxy-authorization",
        b"te",
        b"trailer",  # trailers are not relayed
        b"transfer-encoding",  # each hop frames for itself
        b"upgrade",
    }
)
_NOT_FORWARDED = HOP_BY_HOP | {
    b"host",  # the upstream's own
    b"expect",  # our server has answered 100 already
}
BOUND_TO_THE_BODY = frozenset(
    {
        b"content-length",
        b"content-encoding",  # what is changed is sent plain
        b"content-md5",
        b"content-digest",  # RFC 9530
        b"repr-digest",
        b"digest",
        b"signature",  # RFC 9421: may cover a digest
        b"signature-input",
    }
)
OWN_KEY = b"recollect-"
"""What the API keys of our making begin with: nobody else's, and so never sent on."""

_WHOLE_OWN_KEY = re.compile(rb"recollect-[A-Za-z0-9_-]{43}")  # as ``identity.api_key`` makes them
_KEYS = frozenset({b"authorization", b"x-api-key", b"api-key"})
CREDENTIALS = _KEYS | {b"cookie"}
"""What tells a server who asks: for the server alone that it was given for."""

_BODILESS = frozenset({204, 304})


def forwardable(headers: Iterable[tuple[bytes, bytes]], *, without: Callable[[bytes], bool]) -> Headers:
    """Return a request's end-to-end headers, in order, duplicates kept.

    Hop-by-hop headers go, those that ``Connection`` lists too (RFC 9110 section 7.6.1), and those
    whose lower-case name ``without`` says yes to.
    """
    kept = list(headers)
    dropped = _NOT_FORWARDED | _listed(kept)
    return [
        (name, value) for name, value in kept if name.lower() not in dropped and not without(name.lower())
    ]


def rewritable(headers: Headers, *, body: bool, answer: bool) -> Headers:
    """Return a request's headers without those that no longer hold.

    Args:
        headers: As ``forwardable`` returns them.
        body: Whether the request's body was changed: its length and digests go.
        answer: Whether the answer's body will be changed: it must not come compressed.
    """
    dropped = (BOUND_TO_THE_BODY if body else frozenset()) | ({b"accept-encoding"} if answer else frozenset())
    return [(name, value) for name, value in headers if name.lower() not in dropped]


def relayable(headers: Iterable[tuple[bytes, bytes]], *, status: int) -> Headers:
    """Return an answer's end-to-end headers, in order, duplicates kept.

    Of one that has no body, its length goes too: RFC 9110 section 8.6 lets a 304 do without, and
    our server waits for as many bytes as are promised.
    """
    kept = list(headers)
    dropped = (
        HOP_BY_HOP | _listed(kept) | (frozenset({b"content-length"}) if status in _BODILESS else frozenset())
    )
    return [(name, value) for name, value in kept if name.lower() not in dropped]


def keyed(headers: Headers, api_key: bytes | None) -> Headers:
    """Return a request's headers with the upstream's own key in place of the client's.

    Args:
        headers: As ``forwardable`` returns them.
        api_key: The upstream's own; None: the client's is left, unless it is one that we made.
    """
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
    """Whether a header carries an API key of our making: a whole one anywhere, or what begins as one where keys stand."""
    if _WHOLE_OWN_KEY.search(value):
        return True
    if name.lower().replace(b"_", b"-") not in _KEYS:  # some servers take the one for the other
        return False
    words = value.split(None, 1)  # a scheme and the key, or the key alone
    return bool(words) and words[-1].startswith(OWN_KEY)


def _in_place(name: bytes, value: bytes, api_key: bytes) -> bytes:
    if name.lower() not in _KEYS:
        return value
    return b"Bearer " + api_key if name.lower() == b"authorization" else api_key


def _listed(headers: Headers) -> frozenset[bytes]:
    return frozenset(
        item.strip().lower()
        for name, value in headers
        if name.lower() == b"connection"
        for item in value.split(b",")
    )
