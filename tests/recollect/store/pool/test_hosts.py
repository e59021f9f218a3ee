import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, quote, urlsplit

import asyncpg
import pytest
from tests.servers.databases import administrator
from tests.servers.external_servers import free_port
from tests.support.tables import table

from recollect.errors import ConfigurationError, StoreUnavailableError
from recollect.store import Postgres, open_postgres
from recollect.store.pool.addresses import Hosts, one_host_each


@table(
    ("dsn", "urls"),
    [
        ("postgresql://u:p@a/db", ["postgresql://u:p@a/db"]),
        ("postgresql://u:p@a:1,b:2/db?x=y", ["postgresql://u:p@a:1/db?x=y", "postgresql://u:p@b:2/db?x=y"]),
        ("postgresql://a,b/db", ["postgresql://a/db", "postgresql://b/db"]),
        ("postgresql://a,b/db?port=7", ["postgresql://a/db?port=7", "postgresql://b/db?port=7"]),
        (
            "postgresql://u@/db?host=a,/b%20c&port=1,2",
            ["postgresql://u@/db?host=a&port=1", "postgresql://u@/db?host=%2Fb+c&port=2"],
        ),
        ("postgresql://u@/db?host=a,b&port=1,2,3", ["postgresql://u@/db?host=a,b&port=1,2,3"]),
        ("postgresql:///db", ["postgresql:///db"]),
        ("not an address", ["not an address"]),
    ],
)
def test_each_host_has_a_url_of_its_own(dsn: str, urls: list[str]) -> None:
    assert one_host_each(dsn) == urls


def beside(dsn: str, host: str, port: int, *, first: bool) -> str:
    """Return the URL of a database with another host in it, before or after its own."""
    parts = urlsplit(dsn)
    query = parse_qs(parts.query)
    own = query.get("host", [parts.hostname or ""])[0], query.get("port", [str(parts.port or 5432)])[0]
    hosts = [(host, str(port)), own] if first else [own, (host, str(port))]
    names, ports = (",".join(quote(each, safe="/") for each in named) for named in zip(*hosts, strict=True))
    user = parts.netloc.rpartition("@")[0]
    return f"postgresql://{user}@{parts.path}?host={names}&port={ports}"


@asynccontextmanager
async def silent() -> AsyncIterator[int]:
    """Serve what takes every connection and says nothing, as a machine does that hangs; yield its port."""
    taken: list[asyncio.StreamWriter] = []
    server = await asyncio.start_server(lambda _, writer: taken.append(writer), "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1]
    server.close()
    for each in taken:
        each.close()


async def pending(dsn: str) -> int:
    store = await open_postgres(dsn)
    try:
        return (await store.inbox.backlog()).pending
    finally:
        await store.aclose()


@pytest.mark.parametrize("first", [False, True])
async def test_a_host_that_is_not_there_is_passed_over(own_dsn: str, *, first: bool) -> None:
    assert await pending(beside(own_dsn, "127.0.0.1", free_port(), first=first)) == 0


async def test_a_host_that_says_nothing_is_not_waited_for_and_asked_last_from_then_on(own_dsn: str) -> None:
    async with silent() as port:
        hosts = Hosts(beside(own_dsn, "127.0.0.1", port, first=True) + "&sslmode=disable")
        for _ in range(2):
            connection = await hosts.connect(timeout=60)
            assert await connection.fetchval("SELECT 1") == 1
            await connection.close()

    assert hosts._first == 1


async def test_where_no_host_is_there_the_store_is_unavailable() -> None:
    with pytest.raises(StoreUnavailableError):
        await open_postgres(f"postgresql://x@127.0.0.1:{free_port()},127.0.0.1:{free_port()}/x")


async def test_what_waiting_would_mend_is_told_before_what_it_would_not(own_dsn: str) -> None:
    missing = own_dsn.replace("recollect_test_", "no_such_")
    with pytest.raises(StoreUnavailableError):
        await open_postgres(beside(missing, "127.0.0.1", free_port(), first=False))
    with pytest.raises(ConfigurationError, match="InvalidCatalogName"):
        await open_postgres(missing)


async def takes_no_writes(dsn: str, *, on: bool) -> None:
    """Set a database so that it takes no writes any more, as an old primary is set; or so that it does."""
    async with administrator(dsn) as connection:
        name = await connection.fetchval("SELECT current_database()")
        await connection.execute("SET default_transaction_read_only = off")
        await connection.execute(
            f"ALTER DATABASE {name} SET default_transaction_read_only = {'on' if on else 'off'}"
        )


async def test_a_server_that_takes_no_writes_is_not_taken_and_can_be_asked_for(own_dsn: str) -> None:
    await takes_no_writes(own_dsn, on=True)
    try:
        with pytest.raises(StoreUnavailableError, match="TargetServerAttributeNotMatched"):
            await open_postgres(own_dsn)
        asked = own_dsn + ("&" if "?" in own_dsn else "?") + "target_session_attrs=any"
        connection = await Hosts(asked).connect()
        assert await connection.fetchval("SELECT 1") == 1
        await connection.close()
    finally:
        await takes_no_writes(own_dsn, on=False)


async def test_connections_to_a_server_that_takes_no_writes_any_more_are_replaced(
    own_postgres: Postgres,
) -> None:
    async with own_postgres.database.over_all_users() as connection:
        before = connection.get_server_pid()

    async def write_to_a_standby() -> None:
        async with own_postgres.database.over_all_users() as connection:
            await connection.execute("SET TRANSACTION READ ONLY")
            await connection.execute("DELETE FROM leases")

    with pytest.raises(StoreUnavailableError, match="ReadOnlySQLTransaction"):
        await write_to_a_standby()
    async with own_postgres.database.over_all_users() as connection:
        assert connection.get_server_pid() != before


async def test_a_lost_race_leaves_no_connection(own_dsn: str) -> None:
    twice = beside(own_dsn, *_place(own_dsn), first=True)
    connection = await Hosts(twice).connect()
    others = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )

    assert isinstance(connection, asyncpg.Connection)
    assert await connection.fetchval(others) == 0
    await connection.close()


def _place(dsn: str) -> tuple[str, int]:
    parts = urlsplit(dsn)
    query = parse_qs(parts.query)
    return query.get("host", [parts.hostname or ""])[0], int(query.get("port", [parts.port or 5432])[0])
