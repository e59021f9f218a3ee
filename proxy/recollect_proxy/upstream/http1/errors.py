"""The ways in which a request to a server can fail."""


class UnreachableError(Exception):
    """No connection could be made: refused, unknown host, or untrusted certificate."""


class BusyError(Exception):
    """All connections of the pool were in use for too long."""


class SilentError(Exception):
    """A timeout: the server did not connect, send or accept data in time."""


class BrokenOffError(Exception):
    """The server closed the connection, or sent invalid HTTP, before its response was complete."""


class UnsendableError(Exception):
    """HTTP can't carry the request as it is: for example a header holds a line break."""
