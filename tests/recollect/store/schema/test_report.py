"""The report checks a database as a start does, and names each obstacle in plain words."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import asyncpg
import pytest
from tests.servers.certificates import write_certificate
from tests.servers.databases import administrator, new_database, run_sql, sql_value
from tests.support.stores import store_over

from recollect.errors import ConfigurationError, RecollectError, StoreUnavailableError, UnfitDatabaseError
from recollect.store import DatabaseReport, check_postgres, open_postgres
from recollect.store.sql import load_migrations

_SECONDS = 20.0
_LIBC = "LOCALE_PROVIDER libc"
_LATEST = load_migrations()[-1].version
_TABLES = "SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace('recollect')"


async def check(dsn: str) -> DatabaseReport:
    return await check_postgres(dsn, seconds=_SECONDS)


@asynccontextmanager
async def role(dsn: str, *rights: str) -> AsyncIterator[str]:
    """Yield the dsn of a role that may log in and has these rights, of which ``{role}`` and ``{database}`` are filled in."""
    name, database = f"recollect_test_{uuid4().hex}", urlsplit(dsn).path.removeprefix("/")
    async with administrator(dsn) as connection:
        await connection.execute(f"CREATE ROLE {name} LOGIN PASSWORD 'p'")
        for right in rights:
            await connection.execute(right.format(role=name, database=database))
    parts = urlsplit(dsn)
    host = parts.netloc.rpartition("@")[2]
    yield parts._replace(netloc=f"{name}:p@{host}").geturl()
    async with administrator(dsn) as connection:
        await connection.execute(f"REASSIGN OWNED BY {name} TO current_user")
        await connection.execute(f"DROP OWNED BY {name}")
        await connection.execute(f"DROP ROLE {name}")


async def is_refused(dsn: str) -> bool:
    """Whether a start ends."""
    try:
        store = await open_postgres(dsn)
    except RecollectError:
        return True
    await store.aclose()
    return False


async def test_a_database_that_has_nothing_yet_is_taken_and_left_as_it_is(empty_dsn: str) -> None:
    report = await check(empty_dsn)

    assert (report.mistakes, report.remarks) == ([], [])
    assert f"schema none yet (this Recollect knows {_LATEST})" in report.found
    async with administrator(empty_dsn) as connection:
        assert await connection.fetchval(_TABLES) == 0
        assert await connection.fetchval("SELECT to_regnamespace('recollect')") is None


async def test_one_that_is_in_use_tells_its_versions(own_dsn: str) -> None:
    report = await check(own_dsn)

    assert (report.mistakes, report.remarks) == ([], [])
    async with administrator(own_dsn) as connection:
        server = await connection.fetchval("SHOW server_version")
        vector = await connection.fetchval("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
    assert report.found.startswith(f"Postgres {server.split()[0]}, pgvector {vector}, schema {_LATEST} ")


async def test_a_user_without_rights_is_told_which(empty_dsn: str) -> None:
    async with role(empty_dsn) as dsn:
        report = await check(dsn)

        assert [line for line in report.mistakes if "grant it CREATE on the database" in line]
        assert await is_refused(dsn)


async def test_a_user_without_rights_on_the_schema_that_is_there_is_told_so(new_dsn: str) -> None:
    async with role(new_dsn) as dsn:
        report = await check(dsn)

        assert [line for line in report.mistakes if "USAGE and CREATE on the schema" in line]
        assert await is_refused(dsn)


async def test_a_user_who_owns_the_database_is_taken(empty_dsn: str) -> None:
    await run_sql(empty_dsn, "CREATE EXTENSION vector WITH SCHEMA public")
    async with role(empty_dsn, "ALTER DATABASE {database} OWNER TO {role}") as dsn:
        assert (await check(dsn)).mistakes == []
        assert not await is_refused(dsn)


async def test_a_schema_that_others_own_can_not_be_brought_up_to_date(new_dsn: str) -> None:
    await run_sql(
        new_dsn,
        "DELETE FROM recollect.schema_migrations WHERE version = (SELECT max(version) FROM recollect.schema_migrations)",
    )
    rights = ("USAGE, CREATE ON SCHEMA recollect", "ALL ON ALL TABLES IN SCHEMA recollect")
    async with role(new_dsn, *(f"GRANT {right} TO {{role}}" for right in rights)) as dsn:
        report = await check(dsn)

        assert [line for line in report.mistakes if "does not own the tables" in line]
        assert await is_refused(dsn)


@pytest.mark.parametrize("contracts", [False, True])
async def test_a_newer_schema_that_took_away_is_a_mistake(new_dsn: str, *, contracts: bool) -> None:
    async with administrator(new_dsn) as connection:
        later = "INSERT INTO recollect.schema_migrations VALUES ($1, 'later', 'x', now(), $2)"
        await connection.execute(later, _LATEST + 1, contracts)

    report = await check(new_dsn)

    [told] = report.mistakes if contracts else report.remarks
    assert ("Upgrade Recollect" if contracts else "It can work with it") in told
    assert bool(report.mistakes) is await is_refused(new_dsn) is contracts


async def test_a_pgvector_that_is_too_old_is_a_mistake(
    own_dsn: str, empty_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.store.migration.PGVECTOR", (99, 0))

    [of_the_database], [of_the_server] = [(await check(dsn)).mistakes for dsn in (own_dsn, empty_dsn)]

    assert "Recollect needs 99.0" in of_the_database
    assert "ALTER EXTENSION vector UPDATE" in of_the_database
    assert "The server's pgvector is" in of_the_server
    with pytest.raises(ConfigurationError, match=r"pgvector is [0-9.]+, and Recollect needs"):
        await open_postgres(empty_dsn)


async def test_a_database_that_takes_no_writes_is_a_remark_unless_asked_for(empty_dsn: str) -> None:
    async with administrator(empty_dsn) as connection:
        name = urlsplit(empty_dsn).path.removeprefix("/")
        await connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")

    report = await check(empty_dsn)

    [remark] = report.remarks
    assert report.mistakes == []
    assert "takes no writes" in remark
    with pytest.raises(StoreUnavailableError, match="takes no writes"):
        await open_postgres(empty_dsn)
    dsn = f"{empty_dsn}{'&' if '?' in empty_dsn else '?'}target_session_attrs=any"

    [mistake] = (await check(dsn)).mistakes

    assert "takes no writes" in mistake
    assert await is_refused(dsn)


async def test_a_locale_that_knows_ascii_alone_is_a_remark(empty_dsn: str) -> None:
    async with new_database(empty_dsn, "template0", f"LOCALE 'C' {_LIBC}") as dsn:
        [remark] = (await check(dsn)).remarks

    assert "the letters of ASCII alone" in remark


@pytest.mark.parametrize("encoding", ["LATIN1", "ISO_8859_5"])
async def test_an_encoding_that_can_not_hold_every_letter_is_a_mistake(empty_dsn: str, encoding: str) -> None:
    async with new_database(empty_dsn, "template0", f"ENCODING '{encoding}' LOCALE 'C' {_LIBC}") as dsn:
        report = await check(dsn)

        [mistake] = report.mistakes
        assert mistake.startswith(f"The database's encoding is {encoding}, ")
        assert "ENCODING 'UTF8' LOCALE 'C.UTF-8' TEMPLATE template0" in mistake
        assert report.remarks == []
        with pytest.raises(UnfitDatabaseError, match=f"encoding is {encoding}, "):
            await open_postgres(dsn)
        assert await sql_value(dsn, "SELECT to_regnamespace('recollect')") is None


async def test_one_that_looks_at_no_letter_is_a_remark_and_keeps_an_emoji(empty_dsn: str) -> None:
    async with new_database(empty_dsn, "template0", f"ENCODING 'SQL_ASCII' LOCALE 'C' {_LIBC}") as dsn:
        report = await check(dsn)
        postgres = await open_postgres(dsn)
        store = store_over(postgres)
        await store.log.append(store.exchange("Minka keeps bees \U0001f41d.", reply=""))
        await postgres.aclose()
        async with administrator(dsn) as connection:
            kept = await connection.fetchval("SELECT content FROM recollect.messages")
            with pytest.raises(asyncpg.CharacterNotInRepertoireError):  # the remark warns of this
                await connection.fetchval("SELECT left($1, 1)", "\U0001f41d")

    assert report.mistakes == []
    [remark] = [line for line in report.remarks if "SQL_ASCII" in line]
    assert "nothing ensures that what is stored is UTF-8" in remark
    assert kept == "Minka keeps bees \U0001f41d."


async def test_a_database_of_another_name_is_a_mistake(empty_dsn: str) -> None:
    [mistake] = (await check(urlsplit(empty_dsn)._replace(path="/none").geturl())).mistakes

    assert "it has no database of this name" in mistake


async def test_nobody_at_the_address_is_a_remark_as_a_start_goes_on() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # without a listener
        report = await check(f"postgresql://anna:hush@127.0.0.1:{taken.getsockname()[1]}/d")

    [remark] = report.remarks
    assert report.mistakes == []
    assert "nothing listens at its address. It was looked for at 127.0.0.1:" in remark
    assert "A start goes on" in remark
    assert "hush" not in remark


async def test_a_server_that_answers_nothing_is_given_up() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        dsn = f"postgresql://anna:hush@127.0.0.1:{silent.getsockname()[1]}/d?sslmode=disable"
        report = await check_postgres(dsn, seconds=0.2)

    [remark] = report.remarks
    assert "it did not answer in time" in remark


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ((b"N",), "it refused TLS, which its address asks for"),
        ((b"S", b"no handshake of TLS at all"), "it does not speak TLS as it was asked to"),
    ],
)
async def test_one_without_tls_is_no_mistake(tmp_path: Path, answers: tuple[bytes, ...], told: str) -> None:
    async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for each in answers:
            await reader.read(1000)
            writer.write(each)
        await writer.drain()
        writer.close()

    file = write_certificate(tmp_path / "ca.pem")
    server = await asyncio.start_server(babble, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        report = await check(f"postgresql://anna:hush@127.0.0.1:{port}/d?sslmode=require&sslrootcert={file}")

    [remark] = report.remarks
    assert report.mistakes == []
    assert told in remark


async def test_a_missing_file_for_tls_is_a_mistake(tmp_path: Path) -> None:
    there, lacking = tmp_path / "there.pem", tmp_path / "hush.pem"
    write_certificate(there)
    address = "postgresql://anna:hush@127.0.0.1:9/d?sslmode=verify-full&sslrootcert="
    found, missed = await check(f"{address}{there}"), await check(f"{address}{lacking}")
    no_socket = await check(f"postgresql://anna:hush@/d?host={tmp_path}&sslrootcert={there}")

    assert (found.mistakes, len(found.remarks)) == ([], 1)
    assert (missed.mistakes, missed.remarks) == (["The file that it names for sslrootcert is not there."], [])
    assert (no_socket.mistakes, len(no_socket.remarks)) == ([], 1), "a server makes its socket when it starts"


async def test_a_password_that_cuts_its_address_short_is_sent_to_nobody() -> None:
    connections: list[asyncio.StreamWriter] = []
    server = await asyncio.start_server(lambda _, writer: connections.append(writer), "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        dsn = f"postgresql://127.0.0.1:{port}#hush@db.example.org/d"
        report = await check_postgres(dsn, seconds=0.5)
        with pytest.raises(ConfigurationError, match="cuts its address short"):
            await open_postgres(dsn, connect_timeout=0.5)

    [mistake] = report.mistakes
    assert "%23" in mistake
    assert str(port) not in mistake
    assert (report.remarks, connections) == ([], [])


@pytest.mark.parametrize(
    ("parameter", "words"),
    [
        ("sslmodee=require", "a parameter that the server does not know"),
        ("work_mem=hush", "a parameter whose value the server does not take"),
        ("server_encoding=hush", "a parameter that the server lets nobody set so"),
        ("sslmode=hush", "its sslmode is none of disable"),
        ("sslmode=verify-full", "no file says whose certificates to trust"),
    ],
)
async def test_a_parameter_that_is_wrong_is_a_mistake_in_plain_words(
    empty_dsn: str, parameter: str, words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    dsn = f"{empty_dsn}{'&' if '?' in empty_dsn else '?'}{parameter}"

    [mistake] = (await check(dsn)).mistakes

    assert words in mistake
    assert "hush" not in mistake
    with pytest.raises(ConfigurationError, match=words):
        await open_postgres(dsn)


async def test_a_wrong_password_is_a_mistake_that_quotes_none() -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1000)
        fields = b"SFATAL\0C28P01\0Mpassword authentication failed for hush\0\0"
        writer.write(b"E" + (len(fields) + 4).to_bytes(4, "big") + fields)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        report = await check(f"postgresql://anna:hush@127.0.0.1:{port}/d?sslmode=disable")

    [mistake] = report.mistakes
    assert "it does not take this user's password" in mistake
    assert mistake.endswith(f"It was looked for at 127.0.0.1:{port}.")
    assert "hush" not in mistake
    assert report.found == ""


@pytest.mark.parametrize(
    "dsn",
    [
        *("postgresql://anna:hush@127.0.0.1:port/d", "postgresql://anna:hush@127.0.0.1:99999/d"),
        *("postgresql://anna:hu#sh@127.0.0.1/d", "postgresql://anna:hush@127.0.0.1/d?sslmode=hush", "hush"),
    ],
)
async def test_an_address_that_can_not_be_read_is_a_mistake_that_quotes_none(dsn: str) -> None:
    [mistake] = (await check(dsn)).mistakes

    assert "can't be opened" in mistake
    assert "hush" not in mistake
