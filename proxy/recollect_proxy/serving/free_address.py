"""Whether an address can be served on, asked before anything else is started. Never: serves."""

import errno
import os
import socket


def why_not_free(host: str, port: int) -> str | None:
    """Return why an address can't be bound, in one line; None if it seems free, or the port is 0: any free one.

    It is asked before the database and the models are started, which takes seconds. If the port is taken in between,
    the server reports that. For a name, each of its addresses is tried: the server binds them all.
    """
    if port == 0:
        return None
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        return f"RECOLLECT_HOST: {host} is no address of this machine ({_system_text(error)})."
    for family, kind, protocol, _, address in dict.fromkeys(found):
        try:
            with socket.socket(family, kind, protocol) as trying:
                trying.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does
                if family == socket.AF_INET6:
                    trying.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)  # as well
                trying.bind(address)
        except OSError as error:
            if error.errno in {errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL} and len(found) > 1:
                continue  # a name may have an IPv6 address where the machine has no IPv6
            return _describe_failure(host, port, error)
    return None


def _describe_failure(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} on {host} is taken ({_system_text(error)}): another Recollect may be running, or another program is there. "
            f"RECOLLECT_PORT or --port names another."
        )
    return f"Nothing can be served on {host}, port {port}: {_system_text(error)}. See RECOLLECT_HOST and RECOLLECT_PORT."


def _system_text(error: Exception) -> str:
    """Return the system's text of an error, without its number."""
    number = error.errno if isinstance(error, OSError) else None
    known = number is not None and number > 0 and not isinstance(error, socket.gaierror)
    said = (
        os.strerror(number)
        if known and number is not None
        else str(getattr(error, "strerror", None) or error)
    )
    return said[:1].lower() + said[1:]
