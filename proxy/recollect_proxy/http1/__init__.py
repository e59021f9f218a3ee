"""An HTTP/1.1 client for a relay (RFC 9110, 9112): it sends what it is told, and hands on what comes.

No cookie, no redirect, no decompression, no header of its own but Host and the framing of the body.
"""

from recollect_proxy.http1.address import Address
from recollect_proxy.http1.connection import Body, Connection
from recollect_proxy.http1.errors import (
    BrokenOffError,
    BusyError,
    SilentError,
    UnreachableError,
    UnsendableError,
)
from recollect_proxy.http1.pool import Lent, Pool
from recollect_proxy.http1.response import Response

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
