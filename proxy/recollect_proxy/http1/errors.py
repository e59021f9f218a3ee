"""How an exchange with a server can fail."""


class UnreachableError(Exception):
    """No connection could be made: refused, no such host, no trust."""


class BusyError(Exception):
    """The limit of concurrent exchanges is reached."""


class SilentError(Exception):
    """The server sent nothing for too long."""


class BrokenOffError(Exception):
    """The server closed the connection, or sent invalid HTTP, before its answer was complete."""


class UnsendableError(Exception):
    """HTTP can't carry the request without a change of its meaning."""
