"""Looks at a database as a start would, without changing anything in it. It takes no lock, makes no migration, and reads no row of a user's.

The address, the connection and the encoding are checked in this order, and the first fault ends the check. Then it reports all
others: no writes, no pgvector, missing rights of the database's user, migrations, and settings that only cost speed or safety.
"""

import asyncio
import ssl
from collections.abc import Iterator
from dataclasses import dataclass, field

import asyncpg

from recollect.errors import ConfigurationError, RecollectError, StoreUnavailableError
from recollect.store.migration import (
    NOT_BOUND,
    PGVECTOR,
    UNCHECKED,
    is_older,
    require_fitting,
    wrong_encoding,
    wrong_vector,
)
from recollect.store.pool import Access, store_errors
from recollect.store.pool.addresses import places, require_sound, unusable_files
from recollect.store.sql import SQL, load_migrations

_TESTED = 16
"""The oldest major version of Postgres that the tests run on."""

_CONNECTIONS_OF_A_PAIR = 21
"""The most connections that a proxy and its worker open."""

_OF_FILES = (FileNotFoundError, PermissionError, NotADirectoryError, IsADirectoryError, ssl.SSLError)
"""Errors of an unusable file for TLS; also raised for a socket's file and a server's TLS."""


@dataclass(slots=True)
class DatabaseReport:
    """The findings.

    Attributes:
        mistakes: A start would end with them, or never have a database; a line each, without secrets.
        remarks: A start would go on, as it does while no server answers; a line each, without secrets.
        found: Versions of the server, of pgvector and of the schema; "" if the database could not be asked.
    """

    mistakes: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    found: str = ""


async def check_postgres(dsn: str, *, seconds: float) -> DatabaseReport:
    """Check the database at an address as a start would; the whole check takes so many ``seconds`` at most."""
    report = DatabaseReport()
    try:
        require_sound(dsn)
    except ConfigurationError as error:
        report.mistakes.append(str(error))
        return report
    try:
        with store_errors():
            async with asyncio.timeout(seconds):
                await _ask(Access(dsn, seconds, seconds, pooled=True), report)
    except StoreUnavailableError as error:
        if isinstance(error.__context__, _OF_FILES) and (unusable := unusable_files(dsn)):
            report.mistakes += unusable
            return report
        report.remarks.append(
            f"{error}{_looked_for(dsn)} A start goes on: chats pass without memory until the database is there."
        )
    except RecollectError as error:
        report.mistakes.append(f"{error}{'' if report.found else _looked_for(dsn)}")
    return report


def _looked_for(dsn: str) -> str:
    """Return a sentence that names the host, so that a mistyped address is seen."""
    where = places(dsn)
    return f" It was looked for at {where}." if where else ""


async def _ask(access: Access, report: DatabaseReport) -> None:
    async with access.connection() as connection, connection.transaction(readonly=True):
        encoding = await connection.fetchval(SQL["encoding"])
        if complaint := wrong_encoding(encoding):
            report.mistakes.append(complaint)
            return  # another database is needed, so what else this one lacks does not matter
        [seen] = await connection.fetch(SQL["look_before_start"])
        known = load_migrations()
        applied = await connection.fetch(SQL["applied_migrations"]) if seen["may_read_migrations"] else []
        versions = [row["version"] for row in applied]
        pending = [migration for migration in known if migration.version not in versions]
        report.found = (
            f"Postgres {seen['server']}, pgvector {seen['vector'] or 'not in this database yet'}, "
            f"schema {max(versions, default='none yet')} (this Recollect knows {known[-1].version})"
        )
        report.mistakes += [*_of_server(seen), *_of_vector(seen), *_of_rights(seen, pending=bool(pending))]
        report.remarks += [*_of_encoding(encoding), *_remarks(seen)]
        newer = require_fitting(applied, known)
    if newer:
        report.remarks.append(
            f"The database's schema is {newer}, newer than the {known[-1].version} that this Recollect knows. It can work with it."
        )
    if pending and versions:
        report.remarks.append(f"A start brings the schema up to date: {len(pending)} migrations.")


def _of_server(seen: asyncpg.Record) -> Iterator[str]:
    if seen["is_read_only"]:
        yield "The database takes no writes, as a standby or one that is set to be read-only: name the server that does."


def _of_vector(seen: asyncpg.Record) -> Iterator[str]:
    needed = ".".join(map(str, PGVECTOR))
    if seen["vector"] is not None:
        if complaint := wrong_vector(seen["vector"]):
            yield complaint
    elif seen["vector_offered"] is None:
        yield f"The server has no pgvector: install {needed} or newer on it (the extension vector)."
    elif is_older(seen["vector_offered"]):
        yield f"The server's pgvector is {seen['vector_offered']}, and Recollect needs {needed}: install a newer one on it."
    elif not seen["may_create_vector"]:
        yield (
            "The database lacks pgvector, and this user can't create it: as a superuser, add the extension vector to this database."
        )


def _of_rights(seen: asyncpg.Record, *, pending: bool) -> Iterator[str]:
    """Yield the rights that the database's user lacks; migrations that are ``pending`` need the owner of the tables."""
    if not seen["has_schema"]:
        if not seen["may_create_schema"]:
            yield (
                "The database user may not create the schema recollect: grant it CREATE on the database, or let its owner "
                "run `recollect migrate`."
            )
    elif not seen["may_write_schema"] or (seen["has_migrations"] and not seen["may_read_migrations"]):
        yield (
            "The database user may not use the schema recollect, or not create in it: grant it USAGE and CREATE on the schema "
            "and all on its tables, or take the user who owns them."
        )
    elif pending and seen["foreign_tables"]:
        yield (
            "The database user does not own the tables of the schema recollect, so it can't bring them up to date: let their "
            "owner run `recollect migrate` first."
        )
    if not seen["can_be_bound"]:
        yield NOT_BOUND


def _of_encoding(encoding: str) -> Iterator[str]:
    if encoding == UNCHECKED:
        yield (
            f"The database's encoding is {encoding}: nothing ensures that what is stored is UTF-8, a text that is shortened may be cut within "
            "a letter, and JSON with other letters than ASCII's may be refused: what needs it fails then. Move to a database in UTF8, "
            "by a backup and its restore."
        )


def _remarks(seen: asyncpg.Record) -> Iterator[str]:
    """Yield a line for an untested server, for a locale that knows only ASCII's letters, and for too few connections."""
    if seen["server_number"] // 10_000 < _TESTED:
        yield f"The server is Postgres {seen['server']}; Recollect is tested with {_TESTED} and newer."
    if not seen["knows_letters"]:
        yield (
            "The database's locale knows the letters of ASCII alone: who looks for words among memories finds others only in the same case. "
            "Make the database with a locale of UTF-8, as C.UTF-8."
        )
    if seen["connections"] < _CONNECTIONS_OF_A_PAIR:
        yield (
            f"The server takes {seen['connections']} connections of everybody, and a proxy with its worker opens up to "
            f"{_CONNECTIONS_OF_A_PAIR}: raise max_connections."
        )
