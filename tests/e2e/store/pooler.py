"""A real PgBouncer in transaction mode before a server, for tests."""

import asyncio
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
from tests.servers.external_servers import free_port, pgbouncer
from tests.servers.folders import quick_folder

from recollect.store.embedded_server_process import account_for

_CONFIGURATION = """
[databases]
* = host=127.0.0.1 port={server} user=postgres

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {size}
max_client_conn = 200
logfile = {folder}/log
pidfile = {folder}/pid
"""


@contextmanager
def transaction_pooler(dsn: str, *, size: int = 3) -> Iterator[str]:
    """Run PgBouncer before a server, and yield the dsn of the same database through it.

    Args:
        dsn: Of a server that is reached over TCP and asks for no password.
        size: Connections to the server for each database and user: fewer than there are clients, so that they change.
    """
    program = pgbouncer()
    assert program is not None
    folder, port, parts = quick_folder(), free_port(), urlsplit(dsn)
    account = account_for(folder.path / "none")
    own = folder.path / "pooler"
    own.mkdir()
    account.own(own)
    file = own / "pgbouncer.ini"
    file.write_text(_configuration(parts.port or 5432, port, own, size))
    account.own(file)
    try:
        with subprocess.Popen(
            [program, str(file)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **account.program_arguments(),
        ) as running:
            try:
                yield parts._replace(netloc=f"postgres@127.0.0.1:{port}").geturl()
            finally:
                running.terminate()
                running.wait()
    finally:
        folder.remove()


def _configuration(server: int, port: int, folder: Path, size: int) -> str:
    return _CONFIGURATION.format(server=server, port=port, folder=folder, size=size)


async def answering(dsn: str) -> str:
    """Wait until a dsn can be connected to, and return it."""
    until = time.monotonic() + 30
    while True:
        try:
            connection = await asyncpg.connect(dsn, statement_cache_size=0)
        except (OSError, asyncpg.PostgresError):
            if time.monotonic() > until:
                raise
            await asyncio.sleep(0.05)
        else:
            await connection.close()
            return dsn
