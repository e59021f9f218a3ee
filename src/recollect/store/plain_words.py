"""Says in plain words why a database could not be opened. Pure. Never: a value of the error's own message, which may quote a secret."""

import socket
import ssl

import asyncpg

_WORDS: tuple[tuple[type[BaseException], str], ...] = (
    (asyncpg.InvalidPasswordError, "it does not take this user's password"),
    (asyncpg.InvalidAuthorizationSpecificationError, "it does not let this user in from here"),
    (asyncpg.InvalidCatalogNameError, "it has no database of this name"),
    (asyncpg.ClientConfigurationError, "its address, or one of its parameters, can't be read"),
    (
        asyncpg.UndefinedObjectError,
        "its address has a parameter that the server does not know, as a mistyped one",
    ),
    (asyncpg.InvalidParameterValueError, "its address has a parameter whose value the server does not take"),
    (asyncpg.CantChangeRuntimeParamError, "its address has a parameter that the server lets nobody set so"),
    (asyncpg.TooManyConnectionsError, "it takes no more connections: see max_connections"),
    (asyncpg.CannotConnectNowError, "it is starting up or shutting down"),
    (asyncpg.AdminShutdownError, "it is shutting down"),
    (
        asyncpg.TargetServerAttributeNotMatched,
        "it takes no writes, as a standby or one that is set to be read-only",
    ),
    (socket.gaierror, "the name of its host is not known here"),
    (ssl.SSLCertVerificationError, "its certificate is not trusted here"),
    (ssl.SSLError, "it does not speak TLS as it was asked to, or a file for TLS can't be used"),
    (ConnectionRefusedError, "nothing listens at its address"),
    (ConnectionResetError, "it broke the connection off"),
    (ConnectionError, "it refused TLS, which its address asks for, or broke off"),
    (FileNotFoundError, "its socket file is not there, or a file that its address names"),
    (IsADirectoryError, "a file that its address names is a folder"),
    (PermissionError, "this account may not open its socket file, or a file that its address names"),
    (TimeoutError, "it did not answer in time"),
    (OverflowError, "its address names a port that there is none of"),
    (ValueError, "its address can't be read; in a password @, / and # are written as %40, %2F and %23"),
)
"""The first class that an error is of counts: those that say more stand before what they are kinds of."""


def why(error: BaseException) -> str:
    """Return a clause that begins with a colon, or "" where the name of the error is all there is to say."""
    return next((f": {words}" for kind, words in _WORDS if isinstance(error, kind)), "")
