"""How an exchange with a server can fail. Never: what a client is told of it."""


class UnreachableError(Exception):
    """No connection could be made: refused, no such host, no trust."""


class BusyError(Exception):
    """As many exchanges are under way as there may be."""


class SilentError(Exception):
    """The server kept silent for too long."""


class BrokenOffError(Exception):
    """The server closed the connection, or said what is no HTTP, before its answer was whole."""


class UnsendableError(Exception):
    """The request can't be said in HTTP without another meaning."""
