"""A database's address is read as it is meant, or refused with what to do."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import asyncpg
import pytest
from tests.servers.certificates import write_certificate
from tests.servers.external_servers import free_port
from tests.support.tables import table

from recollect.errors import ConfigurationError, StoreUnavailableError
from recollect.store import Postgres, open_postgres
from recollect.store.pool.addresses import Hosts, one_host_each, places, require_sound, unusable_files

AUTHORITIES = "sslrootcert=/etc/ssl/certs/ca-certificates.crt"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without files for TLS, and an environment that says nothing of a database."""
    for name in ("PGSSLMODE", "PGSSLROOTCERT", "PGSSLCERT", "PGSSLKEY", "PGSSLCRL", "PGHOST", "PGPORT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home" / ".postgresql").mkdir(parents=True)
    return tmp_path / "home"


@table(
    "dsn",
    [
        "postgresql://recollect:hush@/#x@db.example.org:19432/recollect",
        "postgresql://recollect:123#hush@db.example.org/recollect",
        "postgresql://recollect:123/hush@db.example.org/recollect",
        "postgresql://recollect:123?hush=1@db.example.org/recollect",
        "postgresql://recollect:hush@1@db.example.org/recollect",
        "postgresql://recollect@db.example.org/recollect#",
        "postgresql://localhost:5432/hu?sh=hush@db.example.org/d?sslmode=disable",
        "postgresql://localhost:5432/hu?hush@db.example.org/d",
        "postgresql://localhost:5432?sslmode=hush&x@db.example.org/d",
        "postgresql://localhost:5432?hush=1&host=x@db.example.org/d",
        "postgresql://recollect:hush@1?x=2@db.example.org/d",
        "postgresql://recollect:hush@1/x?y@db.example.org/d",
    ],
)
def test_an_address_that_a_password_cuts_short_is_refused_and_not_quoted(dsn: str) -> None:
    with pytest.raises(ConfigurationError, match="Write them as %23, %2F, %3F and %40") as raised:
        require_sound(dsn)

    assert "hush" not in str(raised.value)
    assert places(dsn) == ""


@table(
    "dsn",
    [
        "postgresql://recollect:S3cret%40%2F%23x@db.example.org:19432/recollect",
        "postgresql://u:p@a:1,b:2/db",
        "postgresql:///db?host=/run/postgresql&user=u@server",
        "postgresql://h/db?user=u@server&password=p@",
        "postgresql://?host=/run/pg&user=u@server&dbname=x",
        "postgresql://h:5432?user=u@server&dbname=d",
        "postgresql://h:5432/d?password=p@/?&host=/run/p@g",
        "postgresql://u:p@h/db?application_name=a%40b",
        "postgresql://u:p@h/db?sslmode=verify_ca&" + AUTHORITIES,
        "postgresql://u:p@h/db?sslmode=verify-full&" + AUTHORITIES,
        "postgresql://u:p@h/db?sslmode=require",
        "postgresql://u:p@h/db?sslmode=verify-full&service=ours",
    ],
)
def test_one_that_can_be_meant_is_taken(dsn: str) -> None:
    require_sound(dsn)


@pytest.mark.parametrize("mode", ["verify-ca", "verify-full"])
def test_verifying_needs_somebody_trusted(mode: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dsn = f"postgresql://u:hush@h/db?sslmode={mode}"
    with pytest.raises(ConfigurationError, match=f"its sslmode is {mode}, and no file says whose") as raised:
        require_sound(dsn)
    assert "hush" not in str(raised.value)

    write_certificate(home / ".postgresql" / "root.crt")
    require_sound(dsn)

    (home / ".postgresql" / "root.crt").unlink()
    monkeypatch.setenv("PGSSLROOTCERT", str(home / "ca.pem"))
    require_sound(dsn)


def test_a_mode_of_tls_that_there_is_none_of_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match=r"sslmode is none of disable, allow, .* and verify-full"):
        require_sound("postgresql://u@h/db?sslmode=nonsense")
    monkeypatch.setenv("PGSSLMODE", "nonsense")
    with pytest.raises(ConfigurationError, match="sslmode is none of"):
        require_sound("postgresql://u@h/db")
    require_sound("postgresql://u@h/db?sslmode=prefer")


@table(
    ("dsn", "where"),
    [
        ("postgresql://u:hush@db.example.org:19432/d", "db.example.org:19432"),
        ("postgresql://u:hush@db.example.org/d", "db.example.org:5432"),
        ("postgres://u:hush@a:1,b/d", "a:1, b:5432"),
        ("postgresql://u:hush@[::1]:7/d", "[::1]:7"),
        ("postgresql://u:hush@/d?host=a,/run/pg&port=1,2", "a:1, /run/pg/.s.PGSQL.2"),
        ("postgresql://u:hush@%2Frun%2Fpg/d", "/run/pg/.s.PGSQL.5432"),
        ("postgresql:///d", "a socket of this machine, or localhost:5432"),
        ("postgresql://recollect:12/x?hush=y@h/d", ""),
        ("postgresql://u@h:hush/d", ""),
        ("postgresql://u@[hush/d", ""),
        ("hush", ""),
    ],
)
def test_it_is_told_where_an_address_leads_without_its_secrets(dsn: str, where: str) -> None:
    assert places(dsn) == where


def test_a_file_for_tls_is_named(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good, other = write_certificate(tmp_path / "good.pem"), write_certificate(tmp_path / "other.pem")
    garbage = tmp_path / "garbage.pem"
    garbage.write_text("garbage")
    address = "postgresql://u:hush@h/db?sslmode=require&"

    def named(**files: Path) -> list[str]:
        return unusable_files(address + "&".join(f"{name}={path}" for name, path in files.items()))

    assert named(sslrootcert=good, sslcert=good, sslkey=good) == []
    assert named(sslcert=good) == []
    assert named(sslrootcert=garbage) == [
        "The file that it names for sslrootcert holds no certificate in PEM."
    ]
    assert named(sslrootcert=tmp_path) == [
        "The file that it names for sslrootcert can't be read by this account."
    ]
    assert named(sslrootcert=Path("~/good.pem")) == ["The file that it names for sslrootcert is not there."]
    assert named(sslcert=good, sslkey=tmp_path / "none") == [
        "The file that it names for sslkey is not there."
    ]
    [mismatch] = named(sslcert=good, sslkey=other)
    assert mismatch.startswith(
        "The file that it names for sslcert holds no certificate in PEM, or none that its key fits"
    )
    [list_of_revoked] = named(sslcrl=garbage)
    assert "sslcrl holds no list of revoked certificates" in list_of_revoked
    monkeypatch.setenv("PGSSLROOTCERT", str(garbage))
    assert named() == ["The file that PGSSLROOTCERT names holds no certificate in PEM."]
    monkeypatch.delenv("PGSSLROOTCERT")
    (home / ".postgresql" / "root.crt").write_text("garbage")
    assert named() == ["The file ~/.postgresql/root.crt holds no certificate in PEM."]


def test_a_file_that_the_mode_does_not_read_does_not_count(tmp_path: Path) -> None:
    assert unusable_files(f"postgresql://u@h/db?sslmode=prefer&sslrootcert={tmp_path / 'none'}") == []


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


async def test_what_waiting_would_mend_is_told_before_what_it_would_not(own_dsn: str) -> None:
    missing = own_dsn.replace("recollect_test_", "no_such_")
    with pytest.raises(StoreUnavailableError):
        await open_postgres(beside(missing, "127.0.0.1", free_port(), first=False))
    with pytest.raises(ConfigurationError, match="InvalidCatalogName"):
        await open_postgres(missing)


async def test_connections_to_what_takes_no_writes_any_more_are_replaced(own_postgres: Postgres) -> None:
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
