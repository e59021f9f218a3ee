"""An HTTP/1.1 client for a reverse proxy (RFC 9110, 9112). It sends requests and streams responses unchanged.

It keeps no cookies, follows no redirects and decodes no content. It adds no header except those that frame the body.
"""

from recollect_proxy.upstream.http1.connection import Body, Connection
from recollect_proxy.upstream.http1.pool import Address, Lent, Pool
from recollect_proxy.upstream.http1.response import (
    BrokenOffError,
    BusyError,
    Response,
    SilentError,
    UnreachableError,
    UnsendableError,
)

__all__ = [
    "Address",
    "Body",
    "BrokenOffError",
    "BusyError",
    "Connection",
    "Lent",
    "Pool",
    "Response",
    "SilentError",
    "UnreachableError",
    "UnsendableError",
]
