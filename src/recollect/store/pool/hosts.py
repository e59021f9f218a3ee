"""Finds, of the hosts that a database's URL names, the one that takes writes. Never: the queries."""

import asyncio
import os
from collections.abc import Sequence
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, urlencode, urlsplit

import asyncpg

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
    """Connects to the host that takes writes: after a failover that is another one.

    The host that took writes the last time is asked first. A host that does not answer at once, refuses, or takes no
    writes has the next one asked. A URL that names ``target_session_attrs`` itself is taken at its word.

    Args:
        dsn: The database's address, with one host or several.
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
                if not is_last:
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
