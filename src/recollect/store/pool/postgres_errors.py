"""The one place where errors of Postgres become ours, and why a database could not be opened, in plain words.

It never quotes an error's own message, which may have a secret or a person's words.
"""

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg

from recollect.errors import (
    ConfigurationError,
    RecollectError,
    StoreBusyError,
    StoreError,
    StoreUnavailableError,
    UnfitDatabaseError,
)

_UNREACHABLE = (
    OSError,  # refused, reset, no such socket, no such host, TLS
    TimeoutError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,  # shutting down, starting up, cancelled by a statement timeout
    asyncpg.TooManyConnectionsError,
    asyncpg.InterfaceError,  # the connection or the pool was closed under us
    asyncpg.InternalClientError,  # the server's last words arrived between two statements; or no host takes writes
    asyncpg.ReadOnlySQLTransactionError,  # another server takes them now
)
_NOT_LET_IN = (
    asyncpg.InvalidAuthorizationSpecificationError,  # also: a wrong password
    asyncpg.InvalidCatalogNameError,
)
"""Refusals by a server that may pass in a minute, as while a password is changed or the database is restored."""

_REFUSED = (*_NOT_LET_IN, asyncpg.ClientConfigurationError)
_UNREADABLE = (ValueError, OverflowError)
"""The driver's errors about an address that can't be read."""

_SENT_ON = (
    asyncpg.UndefinedObjectError,
    asyncpg.InvalidParameterValueError,
    asyncpg.CantChangeRuntimeParamError,
)
"""The server's refusal, at the beginning of a connection, of a parameter that the driver did not know and sent on."""


@contextmanager
def store_errors() -> Iterator[None]:
    """Raise what asyncpg raises in the body as a StoreError that quotes no data.

    Postgres and asyncpg put values into their messages, so none of a message is kept and the
    original is not chained: class, SQLSTATE and constraint say what happened.
    """
    try:
        yield
    except RecollectError:
        raise
    except (*_UNREACHABLE, *_REFUSED) as error:
        raise StoreUnavailableError(
            f"The memory store can't be reached ({_kind(error)}){_why(error)}."
        ) from None
    except asyncpg.DiskFullError as error:  # for any write: room comes, or is made
        raise StoreUnavailableError(f"The memory store has no room ({_kind(error)}).") from None
    except asyncpg.LockNotAvailableError:
        raise StoreBusyError from None
    except asyncpg.PostgresError as error:
        raise StoreError(f"The memory store failed ({_kind(error)}).") from None


@contextmanager
def connecting() -> Iterator[None]:
    """Translate errors as ``store_errors`` does, but permanent ones to a ConfigurationError: UnfitDatabaseError if the server has to be changed."""
    with store_errors():
        try:
            yield
        except (*_REFUSED, *_SENT_ON, *_UNREADABLE) as error:
            kind = UnfitDatabaseError if isinstance(error, _NOT_LET_IN) else ConfigurationError
            raise kind(
                f"The database can't be opened ({_kind(error)}){_why(error)}. Check its address, name, user and password."
            ) from None


def _kind(error: BaseException) -> str:
    details = [getattr(error, name, None) for name in ("sqlstate", "constraint_name")]
    return ", ".join([type(error).__name__, *(str(detail) for detail in details if detail)])


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
"""An error's first class here counts, so a subclass comes before its base class."""


def _why(error: BaseException) -> str:
    """Return a clause that begins with a colon, or "" where the name of the error is all there is to say."""
    return next((f": {words}" for kind, words in _WORDS if isinstance(error, kind)), "")
