"""Reads a database's address: contradictions in it, files that can't be used, and which of its hosts takes writes. It makes no query, and knows no secret."""

import asyncio
import os
import ssl
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import asyncpg

from recollect.errors import ConfigurationError

_Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"
_Connecting: TypeAlias = "asyncio.Task[_Connection]"

_HEAD_START_SECONDS = 0.25
"""How long one host is tried before the next one is tried as well: a dead machine does not answer."""

_WANTED = "target_session_attrs"
_WANTED_BY_ENVIRONMENT = "PGTARGETSESSIONATTRS"


def one_host_each(dsn: str) -> list[str]:
    """Return a URL for each host that a URL names, in order.

    Commas separate hosts before the path (``a:5432,b``) or in ``host=a,b&port=5432,5433``. With several
    ports, but not one for each host, the URL is left as it is: connecting raises the error.

    Raises:
        ValueError: It can't be read.
    """
    parts = urlsplit(dsn)
    who, at, named = parts.netloc.rpartition("@")
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    hosts = (named or query.get("host", "")).split(",")
    ports = query["port"].split(",") if query.get("port") else []
    if len(hosts) < 2 or len(ports) not in {0, 1, len(hosts)}:  # noqa: PLR2004 -- one is none of several
        return [dsn]
    each_port = ports * len(hosts) if len(ports) == 1 else ports
    urls = []
    for number, host in enumerate(hosts):
        own = query | ({"port": each_port[number]} if each_port else {})
        if named:
            netloc = f"{who}{at}{host}"
        else:
            netloc, own["host"] = parts.netloc, host
        urls.append(parts._replace(netloc=netloc, query=urlencode(own)).geturl())
    return urls


class Hosts:
    """Connects to the host of an address that takes writes: after a failover that is another one.

    The host that took writes the last time is asked first. A host that does not answer at once, refuses, or takes no
    writes has the next one asked. A URL that names ``target_session_attrs`` itself is taken at its word.
    """

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._first = 0

    async def connect(self, _dsn: str | None = None, /, **arguments: Any) -> _Connection:
        """Connect as ``asyncpg.connect`` does, whose arguments these are.

        Raises:
            Exception: Of ``asyncpg``, where no host can be connected to.
        """
        urls = one_host_each(self._dsn)
        if _WANTED not in dict(parse_qsl(urlsplit(self._dsn).query)) and not os.environ.get(
            _WANTED_BY_ENVIRONMENT
        ):
            arguments[_WANTED] = "read-write"
        if len(urls) == 1:
            return await asyncpg.connect(urls[0], **arguments)
        order = sorted(range(len(urls)), key=lambda number: number != self._first)
        self._first, connection = await _first_of(order, urls, arguments)
        return connection


async def _first_of(
    order: Sequence[int], urls: Sequence[str], arguments: dict[str, Any]
) -> tuple[int, _Connection]:
    """Return the first connection that comes about, and to which host."""
    trying: dict[_Connecting, int] = {}
    failures: list[BaseException] = []
    try:
        for number in order:
            trying[asyncio.create_task(asyncpg.connect(urls[number], **arguments))] = number
            is_last = len(trying) + len(failures) == len(order)
            while trying:
                seconds = None if is_last else _HEAD_START_SECONDS
                ended, _ = await asyncio.wait(trying, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
                for task in ended:
                    number_of_task = trying.pop(task)
                    if (error := task.exception()) is None:
                        return number_of_task, task.result()
                    failures.append(error)
                if not is_last:  # its head start is over, or it failed
                    break
    finally:
        for task in trying:
            task.cancel()
            task.add_done_callback(_left)
    # An error that waiting may mend comes before others: one host may be starting, another be outdated.
    raise min(failures, key=_is_refusal)


def _is_refusal(error: BaseException) -> bool:
    return isinstance(error, asyncpg.InvalidAuthorizationSpecificationError | asyncpg.InvalidCatalogNameError)


def _left(task: _Connecting) -> None:
    """Close a connection that came about after another one had."""
    if not task.cancelled() and task.exception() is None:
        task.result().terminate()


_SCHEMES = frozenset({"postgresql", "postgres"})
_PORT = "5432"

_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
"""How TLS may be asked for, by ``sslmode``; the laxer first."""

_VERIFYING = frozenset({"verify-ca", "verify-full"})
"""The modes of TLS that need a trusted authority."""

_READING_AUTHORITIES = _VERIFYING | {"require"}
"""The modes of TLS that read the authority's file."""

_AT_HOME = {
    "sslrootcert": "root.crt",
    "sslcrl": "root.crl",
    "sslcert": "postgresql.crt",
    "sslkey": "postgresql.key",
}
"""The parameters that name a file for TLS, each with the default file in ``~/.postgresql``."""

_WITH_AT = frozenset({"user", "password"})
"""Parameters whose values have an @ now and then. In others it is where a host begins, behind a password that was cut short."""

_LACKING = {
    "sslrootcert": "holds no certificate in PEM",
    "sslcrl": "holds no list of revoked certificates in PEM",
    "sslcert": "holds no certificate in PEM, or none that its key fits, or sslpassword does not open the key",
}


@dataclass(frozen=True, slots=True)
class _File:
    """A file for TLS, and how a sentence calls it."""

    path: Path
    named: str

    def unread(self) -> str:
        """Return why it can't be read; "" if it can."""
        try:
            self.path.open("rb").close()
        except (FileNotFoundError, NotADirectoryError):
            return f"The file {self.named} is not there."
        except OSError:
            return f"The file {self.named} can't be read by this account."
        return ""


def require_sound(dsn: str) -> None:
    """Refuse an address that would lead elsewhere than is meant, or can lead nowhere.

    Raises:
        ConfigurationError: With a remedy; it quotes only the name of a mode of TLS.
    """
    with suppress(ValueError):  # the connecting driver says what can't be read
        if _is_cut_short(dsn):
            raise ConfigurationError(
                "The database can't be opened: a # cuts its address short, or a /, ? or @ of a password. Write them as %23, %2F, %3F and %40."
            )
        query = _parameters(dsn)
        mode = _mode(query)
        if mode not in {"", *_MODES}:
            raise ConfigurationError(
                f"The database can't be opened: its sslmode is none of {', '.join(_MODES[:-1])} and {_MODES[-1]}."
            )
        if mode in _VERIFYING and not query.get("service") and _file(query, "sslrootcert") is None:
            raise ConfigurationError(
                f"The database can't be opened: its sslmode is {mode}, and no file says whose certificates to trust. Name one in its address, "
                "as sslrootcert=/etc/ssl/certs/ca-certificates.crt, or put one at ~/.postgresql/root.crt."
            )


def places(dsn: str) -> str:
    """Return where an address leads: hosts with their ports, or sockets; "" where a password might be taken for one."""
    try:
        if urlsplit(dsn).scheme not in _SCHEMES or _is_cut_short(dsn) or "@" in urlsplit(dsn).query:
            return ""
        return ", ".join(_place(url) for url in one_host_each(dsn))
    except ValueError:
        return ""


def unusable_files(dsn: str) -> list[str]:
    """Return the faults of an address's files for TLS, a sentence each.

    Unlike a server that is away, they do not come or mend by themselves.
    """
    query = _parameters(dsn)
    names = ("sslrootcert", "sslcrl", "sslcert") if _mode(query) in _READING_AUTHORITIES else ("sslcert",)
    return [complaint for name in names if (complaint := _complaint(query, name))]


def _is_cut_short(dsn: str) -> bool:
    """Whether a password may end early, and the rest of it be taken for a host, a port, a database, a parameter or nothing."""
    parts = urlsplit(dsn)
    may_be_of_a_password = any(not _may_hold_an_at(each) for each in parts.query.split("&") if "@" in each)
    return "#" in dsn or parts.netloc.count("@") > 1 or "@" in parts.path or may_be_of_a_password


def _may_hold_an_at(parameter: str) -> bool:
    """Return whether a parameter may hold an unescaped @: only the values of some may, and no name."""
    name, _, value = parameter.partition("=")
    return name in _WITH_AT or (name == "host" and value.startswith("/"))  # a socket's folder


def _parameters(dsn: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(dsn).query))


def _mode(query: Mapping[str, str]) -> str:
    """Return how TLS is asked for; "": in no way."""
    return (query.get("sslmode") or os.environ.get("PGSSLMODE", "")).replace("_", "-")


def _file(query: Mapping[str, str], name: str) -> _File | None:
    """Return the file for TLS that counts: of the address, of the environment, or of the account's home."""
    if path := query.get(name):
        return _File(Path(path), f"that it names for {name}")
    if path := os.environ.get(f"PG{name.upper()}"):
        return _File(Path(path), f"that PG{name.upper()} names")
    with suppress(RuntimeError):  # there is no home
        at_home = Path.home() / ".postgresql" / _AT_HOME[name]
        try:
            at_home.stat()
        except PermissionError:
            pass  # it may be there: the driver stops at it
        except OSError:
            return None
        return _File(at_home, f"~/.postgresql/{_AT_HOME[name]}")
    return None


def _place(dsn: str) -> str:
    parts, query = urlsplit(dsn), _parameters(dsn)
    host = unquote(parts.hostname or "") or query.get("host") or os.environ.get("PGHOST", "")
    port = str(parts.port or "") or query.get("port") or os.environ.get("PGPORT", _PORT)
    if not host:
        return f"a socket of this machine, or localhost:{port}"
    if host.startswith("/"):
        return f"{host.rstrip('/')}/.s.PGSQL.{port}"
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _complaint(query: Mapping[str, str], name: str) -> str:
    """Return the fault of a file, or of a certificate's file and its key's; "" for none."""
    if (file := _file(query, name)) is None:
        return ""
    key = _file(query, "sslkey") if name == "sslcert" else None
    if why := file.unread() or (key.unread() if key else ""):
        return why
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        if name == "sslcert":
            password = query.get("sslpassword", "")
            context.load_cert_chain(file.path, key.path if key else None, lambda: password)
        else:
            context.load_verify_locations(cafile=file.path)
    except (OSError, ValueError):
        return f"The file {file.named} {_LACKING[name]}."
    return ""
