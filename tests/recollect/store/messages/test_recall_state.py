"""All that a turn needs of the store comes in one round trip, and holds nothing of anybody else."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import asyncpg
from tests.recollect.store.keeping import added_to_a_prompt
from tests.servers.databases import administrator
from tests.support.notes import note_block
from tests.support.stores import NOON, Store, store_over

from recollect.model import Actor, Add, Kind, Provenance
from recollect.store import Postgres, open_postgres
from recollect.store.snapshots import PostgresSnapshots
from recollect.store.sql import SQL, load_migrations


async def talk(store: Store, name: str) -> None:
    """Have both people chat, each with a block, a summary and something that was asked for."""
    for scope in (store.anna.scope, store.ben.scope):
        exchange = store.exchange(f"{name} of {scope.user_id}", scope)
        await store.log.append(exchange)
        await note_block(store.log, scope, added_to_a_prompt(f"block of {scope.user_id}"), [])
        summary = store.memory(
            f"summary of {scope.user_id}", scope, kind=Kind.SUMMARY, provenance=Provenance(scope.session_id)
        )
        await store.memories.apply(scope, [Add(summary)], actor=Actor.USER, at=NOON)


async def test_the_state_of_a_chat_is_one_round_trip(own_dsn: str) -> None:
    async with counted_round_trips(own_dsn) as counted:
        postgres = await open_postgres(counted.dsn)
        store = store_over(postgres)
        await talk(store, "Tea")
        turn = store.turn(parent="a:1")
        trips = []
        for exchanges in (9, 9, 0):  # the first finds out the types of what is returned
            before = counted.count
            await store.chats.chat(store.anna.scope, exchanges=exchanges, turn=turn)
            trips.append(counted.count - before)
        await postgres.aclose()

    assert trips[1:] == [1, 1]


async def test_the_state_of_a_chat_has_the_versions_of_its_user(store: Store, postgres: Postgres) -> None:
    before = (await store.chats.chat(store.anna.scope, exchanges=9)).versions

    await talk(store, "Tea")

    chat = await store.chats.chat(store.anna.scope, exchanges=9)
    assert before is not None
    assert (before.epoch.int, before.statements, before.log) == (0, 0, 0)
    assert chat.versions == (await PostgresSnapshots(postgres.database).versions([store.anna]))[store.anna]
    assert (len(chat.injections), len(chat.exchanges)) == (1, 1)


SEEN = "SELECT current_user, coalesce(current_setting('recollect.user_id', true), ''), current_setting('plan_cache_mode')"
CALL = "SELECT * FROM recollect.recall_state($1, 'recollect_user', $2, 9, NULL, NULL, NULL, NULL)"


async def seen_around_a_call(connection: "asyncpg.Connection[asyncpg.Record]", store: Store) -> bool:
    """Call the function, and return whether the connection is as it was."""
    before = await connection.fetchrow(SEEN)
    row = await connection.fetchrow(CALL, store.anna, store.anna.scope.session_id)
    assert row is not None
    assert store.anna in row["summary"]
    return tuple(await connection.fetchrow(SEEN) or ()) == tuple(before or ())


async def test_role_and_user_are_as_before_when_the_function_returns(store: Store, shared_dsn: str) -> None:
    await talk(store, "Tea")

    async with administrator(shared_dsn) as connection:
        alone = await seen_around_a_call(connection, store)
        async with connection.transaction():
            within = await seen_around_a_call(connection, store)
        async with connection.transaction():
            await connection.execute(SQL["as_user"], store.ben, "recollect_user")
            as_another = await seen_around_a_call(connection, store)

    assert (alone, within, as_another) == (True, True, True)


async def test_without_its_predicates_it_holds_nothing_of_anothers(store: Store, shared_dsn: str) -> None:
    """The second wall stands within the function, too."""
    await talk(store, "Tea")
    [text] = [each.text for each in load_migrations() if each.name == "recall_state"]
    text = text[text.index("CREATE FUNCTION") :].replace("FUNCTION recall_state", "FUNCTION forgetful")
    forgetful = re.sub(r"\b\w+\.(?:user_id|owner) = (?:person|someone)\b", "true", text)
    assert "= person" not in forgetful

    async with administrator(shared_dsn) as connection, connection.transaction():
        await connection.execute("SET LOCAL search_path = recollect, public")
        await connection.execute(forgetful)
        row = await connection.fetchrow(
            CALL.replace("recall_state", "forgetful"), store.anna, store.anna.scope.session_id
        )
        await connection.execute("DROP FUNCTION forgetful")

    assert store.anna in str(row)
    assert store.ben not in str(row)


@dataclass
class RoundTrips:
    """The address of a database through a relay, and how many round trips there were."""

    dsn: str
    count: int = 0


@asynccontextmanager
async def counted_round_trips(dsn: str) -> AsyncIterator[RoundTrips]:
    """Relay connections to a database, and count their round trips."""
    parts = urlsplit(dsn)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    counted = RoundTrips("")

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if "host" in query:
            path = f"{query['host']}/.s.PGSQL.{query.get('port', '5432')}"
            from_server, to_server = await asyncio.open_unix_connection(path)
        else:
            from_server, to_server = await asyncio.open_connection(parts.hostname, parts.port)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            await asyncio.gather(_requests(reader, to_server, counted), _answers(from_server, writer))
        to_server.close()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    counted.dsn = f"postgresql://{parts.username}@127.0.0.1:{port}{parts.path}?sslmode=disable"
    try:
        yield counted
    finally:
        server.close()


async def _requests(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, counted: RoundTrips) -> None:
    length = await reader.readexactly(4)  # the first message has no type
    writer.write(length + await reader.readexactly(int.from_bytes(length, "big") - 4))
    while True:
        head = await reader.readexactly(5)
        body = await reader.readexactly(int.from_bytes(head[1:], "big") - 4)
        counted.count += head[:1] in (b"Q", b"S")
        writer.write(head + body)
        await writer.drain()


async def _answers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while chunk := await reader.read(65_536):
        writer.write(chunk)
        await writer.drain()
    writer.close()  # the client waits for it
