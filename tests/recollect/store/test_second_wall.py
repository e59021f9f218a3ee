"""Row-level security: a query that forgets its predicate still sees one user's rows alone."""

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import timedelta
from urllib.parse import urlsplit
from uuid import uuid4

import asyncpg
import pytest
from tests.recollect.store.keeping import a_statement, added_to_a_prompt, indexed, like_a_request
from tests.recollect.store.test_sql import USER_TABLES
from tests.servers.databases import administrator, new_database, run_sql
from tests.support.notes import note_block, note_request
from tests.support.people import Person
from tests.support.stores import MODEL, NOON, NORTH, store_over, vector
from tests.support.tables import table
from uuid_utils.compat import uuid7

from recollect.errors import ConfigurationError
from recollect.model import (
    COMMONS,
    LISTED,
    Actor,
    Add,
    AdminRead,
    Flags,
    KeptRequest,
    Member,
    Memory,
    Neighbor,
    Quarantine,
    Reason,
    Scope,
    Source,
    TeamRole,
    Usage,
    project_scope,
)
from recollect.store import Postgres, open_postgres
from recollect.store.memories.transaction import insert_vector
from recollect.store.sql import SQL

ANNA, BEN = Person("anna").scope, Person("ben").scope
SHARED = "The office closes at six."
OF_EVERYBODY = "The network is called Guests."
SEEN_BY_ALL = {"vectors", "user_settings", "users"}
"""Where rows of the commons stand, that everybody sees."""


SET_FLAGS = "INSERT INTO user_settings (user_id, flags, changed_at) VALUES ('*', '{}', now())"

AS_ITS_MAKER = "ADMIN TRUE, SET FALSE, INHERIT FALSE"
"""How PostgreSQL 16 leaves a role to one who made it and is no superuser: not to be taken on."""

PRIVILEGES = {
    "a superuser": "SUPERUSER",
    "the owner of its database": "",
    "one that bypasses policies": "BYPASSRLS CREATEROLE",
}


@pytest.fixture(scope="module", params=PRIVILEGES)
async def store(request: pytest.FixtureRequest, database_server: str) -> AsyncIterator[Postgres]:
    """A store of two users, opened by each kind of database user; tests leave it as it is."""
    async with of_two_users(database_server, PRIVILEGES[request.param]) as store:
        yield store


@pytest.fixture(scope="module", params=PRIVILEGES)
async def store_to_change(request: pytest.FixtureRequest, database_server: str) -> AsyncIterator[Postgres]:
    """The same, for tests that change it: each what it alone looks at."""
    async with of_two_users(database_server, PRIVILEGES[request.param]) as store:
        yield store


@asynccontextmanager
async def of_two_users(server: str, privileges: str) -> AsyncIterator[Postgres]:
    """Open a database with a role of these privileges, and fill it for two users alike."""
    role = f"recollect_test_{uuid4().hex}"
    async with new_database(server) as dsn:
        name = urlsplit(dsn).path.removeprefix("/")
        async with administrator(dsn) as connection:
            await connection.execute("CREATE EXTENSION vector WITH SCHEMA public")
            await connection.execute(f"CREATE ROLE {role} LOGIN {privileges} PASSWORD 'p'")
            if await connection.fetchval(SQL["user_role_exists"]):  # another's of this server
                await connection.execute(f"GRANT recollect_user TO {role} WITH {AS_ITS_MAKER}")
            await connection.execute(f"ALTER DATABASE {name} OWNER TO {role}")
        store = await open_postgres(as_role(dsn, role))
        await fill(store)
        yield store
        await store.aclose()
        async with administrator(dsn) as connection:
            await connection.execute(f"REASSIGN OWNED BY {role} TO current_user")
            await connection.execute(f"DROP OWNED BY {role}")
    await run_sql(server, f"DROP ROLE {role}")


async def fill(store: Postgres) -> None:
    nouns = store_over(store)
    for scope in (ANNA, BEN):
        await store.memories.apply(
            scope, [Add(nouns.memory(f"{scope.user_id}'s secret", scope))], actor=Actor.USER, at=NOON
        )
        said = nouns.exchange(f"{scope.user_id}'s question", scope)
        await store.log.append(said)
        assert await indexed(store.index, scope.user_id) == 2
        await note_block(store.log, scope, added_to_a_prompt(f"{scope.user_id}'s block"), [])
        await store.asked.keep_request(scope, KeptRequest("a:1", LISTED, (), NOON))
        left_out = Scope(scope.user_id, "left out")
        await store.memories.erase_session(left_out, at=NOON, leaves_out=True)
        request = replace(like_a_request(scope), key=said.turn.key)
        await note_request(store.log, request)
        [secret] = (await store.memories.page(scope.user_id, limit=1)).memories
        assert await store.feedback.note_not_helpful(scope.user_id, request.id, secret.id, at=NOON)
        order = nouns.memory(f"Obey {scope.user_id}", scope)
        await store.memories.apply(
            scope, [Quarantine(order, Reason.INSTRUCTION)], actor=Actor.FORMATION, at=NOON
        )
        await store.flags.change_flags(
            scope.user_id, Flags(recall=True, profile=True), ("recall", "profile"), at=NOON
        )
        await store.profiles.add(scope.user_id, a_statement(f"{scope.user_id}'s name"))
        await store.usage.use(scope.user_id, NOON.date(), 9)
        read = AdminRead(uuid7(), NOON, "support", "list_memories")
        await store.admin_reads.add_read(scope.user_id, read)
        await store.answers.reserve(scope.user_id, "key", b"", at=NOON)
        async with store.inbox.lease(scope.user_id) as taken:
            assert taken
        project = {"name": f"{scope.user_id}'s project", "title": "", "alone": False}
        await store.portability.restore(scope.user_id, "projects", [project])
    await store.memories.apply(ANNA, [Add(nouns.memory(SHARED, owner=COMMONS))], actor=Actor.USER, at=NOON)
    await store.memories.keep_globals([common(store, OF_EVERYBODY)], [], at=NOON)
    await store.flags.change_flags(None, Flags(summaries=True), ("summaries",), at=NOON)


def common(store: Postgres, content: str) -> Memory:
    return store_over(store).memory(content, owner=COMMONS, source=Source.GLOBAL)


EMPTY = {"leases", "tries"}
"""What has rows while something is done for the user."""


def as_role(dsn: str, role: str) -> str:
    """Return a server's address with another user, whom the test servers believe without a password."""
    parts = urlsplit(dsn)
    return parts._replace(netloc=f"{role}@{parts.netloc.rpartition('@')[2]}").geturl()


@contextmanager
def refused() -> Iterator[None]:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        yield


def column(table: str) -> str:
    return "owner" if table in {"vectors", "projects"} else "user_id"


@table("table", sorted(USER_TABLES - EMPTY))
async def test_a_query_without_its_predicate_sees_one_user_alone(store: Postgres, table: str) -> None:
    async with store.database.for_user("anna") as connection:
        seen = {row[0] for row in await connection.fetch(f"SELECT {column(table)} FROM {table}")}

    assert seen == ({"anna", COMMONS} if table in SEEN_BY_ALL else {"anna"})


async def test_a_search_without_its_predicate_finds_nothing_of_anothers(store: Postgres) -> None:
    forgetful = (
        SQL["nearest_memories"].replace("own.owner = $1", "$1 <> ''").replace("l.user_id = $1", "true")
    )
    assert forgetful != SQL["nearest_memories"]

    async with store.database.for_user("anna") as connection:
        found = await connection.fetch(forgetful, "anna", list(NORTH), MODEL, 4, 10)

    assert {row["content"] for row in found} == {"anna's secret", SHARED}


@table(
    ("name", "arguments"),
    [
        ("snapshot_memories", (-1, 9)),
        ("snapshot_passages", (-1,)),
        ("unindexed_messages", (99,)),
        ("profile_entries", ()),
    ],
)
async def test_searches_keep_users_apart(store: Postgres, name: str, arguments: tuple[object, ...]) -> None:
    query = SQL[name]
    forgetful = re.sub(r"\b(?:\w+\.)?(?:user_id|owner) (?:= \$1|IN \(\$1, '\*'\))", "$1::text <> ''", query)
    assert forgetful != query

    async with store.database.for_user("anna") as connection:
        found = str(await connection.fetch(forgetful, "anna", *arguments))
        assert found == str(await connection.fetch(query, "anna", *arguments))

    assert "ben" not in found
    assert "anna" in found or name == "unindexed_messages"


@table("table", sorted(USER_TABLES - EMPTY))
async def test_a_change_without_its_predicate_changes_one_user_alone(store: Postgres, table: str) -> None:
    async with store.database.for_user("anna") as connection:
        attempt = connection.transaction()
        await attempt.start()
        deleted = await connection.fetch(f"DELETE FROM {table} RETURNING {column(table)}")
        await attempt.rollback()

    assert {row[0] for row in deleted} == {"anna"}


async def test_nobody_writes_in_anothers_name(store: Postgres) -> None:
    async with store.database.for_user("anna") as connection:
        with refused():
            async with connection.transaction():
                await connection.execute("UPDATE vectors SET owner = 'ben' WHERE owner = 'anna'")
        with refused():
            async with connection.transaction():
                await connection.execute("UPDATE messages SET user_id = 'ben'")
        for table in sorted(USER_TABLES - EMPTY - {"vectors"}):
            with refused():
                async with connection.transaction():
                    await connection.execute(f"UPDATE {table} SET user_id = 'ben'")
        with refused():
            await connection.execute(SQL["take_lease"], "ben", uuid4(), timedelta(minutes=1))


async def test_what_users_share_is_seen_by_all_who_are_given_it_and_changed_by_none(store: Postgres) -> None:
    async with store.database.for_user("ben") as connection:
        status = await connection.execute("UPDATE vectors SET content = 'x' WHERE owner = '*'")

        ended = await connection.execute("UPDATE vectors SET valid_to = now() WHERE source = 'global'")
        flags = await connection.execute("UPDATE user_settings SET flags = '{}' WHERE user_id = '*'")
        with refused():
            async with connection.transaction():
                await connection.execute(SET_FLAGS)
        with refused():
            await insert_vector(connection, common(store, "x"))

    assert status == ended == flags == "UPDATE 0"
    assert [each.content for each in await store.memories.globals()] == [OF_EVERYBODY]
    assert SHARED in {found.memory.content for found in await nearest(store, ANNA)}


async def nearest(store: Postgres, scope: Scope) -> list[Neighbor]:
    return list(await store.memories.nearest(scope, vector(*NORTH), MODEL, limit=9))


async def test_a_team_is_its_members_and_their_parts_are_their_own(store_to_change: Postgres) -> None:
    store, parts = store_to_change, {}
    await store.teams.keep("crew", None)
    for who in ("anna", "carl", "ben"):
        parts[who] = Scope(project_scope(who, "team:crew"), "chat")
    for who, role in (("anna", TeamRole.WRITER), ("carl", TeamRole.FORMER)):
        await store.teams.set_member("crew", Member(who, role, who))
    nouns = store_over(store)
    stated = [Add(nouns.memory("The crew meets at nine", parts["anna"]))]
    await store.memories.apply(parts["anna"], stated, actor=Actor.USER, at=NOON)
    for who, is_seen, is_admitted in (("anna", 1, True), ("carl", 1, False), ("ben", 0, False)):
        async with store.database.for_user(parts[who].user_id) as connection:
            assert len(await connection.fetch("SELECT FROM teams")) == is_seen
            around = await connection.fetchval("SELECT scopes_around($1)", parts[who].user_id)
            members = await connection.fetchval("SELECT members_around($1)", parts[who].user_id)
            assert (members is not None) == is_admitted
            beside = [parts["carl"].user_id] if is_admitted else []  # what who left had stated stays
            assert around == [who, *beside]
            with refused():
                async with connection.transaction():
                    await connection.execute("INSERT INTO teams (id) VALUES ('mine')")
            changed = await connection.execute("UPDATE teams SET members = '{}'")
            assert changed == "UPDATE 0"
            if who != "anna":
                for table in sorted(USER_TABLES):
                    theirs = f"SELECT FROM {table} WHERE {column(table)} = $1"
                    assert await connection.fetch(theirs, parts["anna"].user_id) == []
        chat = await store.chats.chat(parts[who], exchanges=9)
        assert (chat.team is not None) == is_admitted


async def test_without_a_user_nothing_is_seen(store: Postgres) -> None:
    async with store.database.for_user("anna") as connection:
        await connection.execute("SELECT set_config('recollect.user_id', '', true)")
        for table in sorted(USER_TABLES):
            seen = {row[0] for row in await connection.fetch(f"SELECT {column(table)} FROM {table}")}
            assert seen <= {COMMONS}


async def test_a_user_ends_with_their_transaction(store: Postgres) -> None:
    async with store.database.for_user("anna"):
        pass

    async with store.database.over_all_users() as connection:
        assert await connection.fetchval("SELECT current_setting('recollect.user_id', true)") in {None, ""}
        assert await connection.fetchval("SELECT current_user = session_user")


async def test_the_operators_statements_are_over_all_users(store: Postgres) -> None:
    assert (await store.inbox.backlog()).pending == 2
    request = like_a_request(ANNA)
    await note_request(store.log, request)
    assert await store.requests.request(request.id) == request
    assert await store.index.enqueue_unindexed() == 0
    assert await store.index.largest_users(9) == ["anna", "ben"]
    assert await store.memories.count() == 3
    assert (await store.usage.used("anna", NOON.date())) == Usage(9, 18)


async def test_the_operator_keeps_what_serves_everybody(store_to_change: Postgres) -> None:
    [old] = await store_to_change.memories.globals()
    new = common(store_to_change, "The network is called Visitors.")
    before = await store_to_change.memories.count()

    await store_to_change.memories.keep_globals([new], [old.id], at=NOON)

    assert await store_to_change.memories.globals() == [new]
    assert await store_to_change.memories.count() == before


async def test_a_memory_is_shared_by_who_has_it(store_to_change: Postgres) -> None:
    [own] = [each.memory for each in await nearest(store_to_change, BEN)]

    shared = await store_to_change.memories.share("ben", own.id, at=NOON, actor=Actor.USER)

    assert shared.owner == COMMONS
    assert [each.memory for each in await nearest(store_to_change, BEN)] == [shared]


async def test_everything_of_a_user_is_erased_and_nothing_else(store_to_change: Postgres) -> None:
    before = await store_to_change.inbox.backlog()

    erased = await store_to_change.memories.erase("anna", at=NOON)

    assert dict(erased.rows)["messages"] == 2
    assert await nearest(store_to_change, ANNA) == []
    assert len(await nearest(store_to_change, BEN)) == 1
    assert (await store_to_change.inbox.backlog()).pending == before.pending - 1 == 1


async def test_the_wall_stands_on_every_table_of_a_user(postgres: Postgres) -> None:
    async with postgres.database.over_all_users() as connection:
        walled = await connection.fetch(
            "SELECT relname, relispartition FROM pg_class WHERE relnamespace = 'recollect'::regnamespace "
            "AND relrowsecurity AND relforcerowsecurity"
        )
        parts = await connection.fetch(
            "SELECT inhrelid::regclass::text AS relname FROM pg_inherits "
            "WHERE inhparent = 'recollect.request_metrics'::regclass"
        )
        opened = await connection.fetchval(
            "SELECT count(*) FROM pg_policies JOIN pg_class ON relname = tablename AND relispartition"
        )

    own = {row["relname"] for row in walled if not row["relispartition"]}
    assert own == {*USER_TABLES, "teams", "untold_erasures"}
    assert {row["relname"] for row in walled if row["relispartition"]} == {row["relname"] for row in parts}
    assert opened == 0, "a part of a table is read through the table alone"


async def test_a_role_that_owns_nothing_runs_where_policies_would_not_bind(postgres: Postgres) -> None:
    async with postgres.database.for_user("anna") as connection:
        role = await connection.fetchrow(
            "SELECT rolname, rolsuper, rolbypassrls, rolcanlogin FROM pg_roles WHERE rolname = current_user"
        )
        owned = await connection.fetchval(
            "SELECT count(*) FROM pg_class WHERE pg_get_userbyid(relowner) = current_user"
        )

    assert role is not None
    assert tuple(role) == ("recollect_user", False, False, False)
    assert owned == 0


@pytest.mark.parametrize("privilege", ["SUPERUSER", "BYPASSRLS"])
async def test_no_unbound_role_serves(new_dsn: str, monkeypatch: pytest.MonkeyPatch, privilege: str) -> None:
    role = f"recollect_test_{uuid4().hex}"
    async with administrator(new_dsn) as connection:
        await connection.execute(f"CREATE ROLE {role} {privilege}")
        try:
            monkeypatch.setattr("recollect.store.migration._USER_ROLE", role)
            with pytest.raises(ConfigurationError, match="does not bind"):
                await open_postgres(new_dsn)
        finally:
            await connection.execute(f"DROP ROLE {role}")


async def test_the_role_reads_no_migrations_and_leaves_tombstones_alone(postgres: Postgres) -> None:
    async with postgres.database.for_user("anna") as connection:
        for statement in ("SELECT FROM schema_migrations", "SELECT FROM erasures", "DELETE FROM erasures"):
            with refused():
                async with connection.transaction():
                    await connection.execute(statement)


async def test_all_is_counted_by_whoever_may_open_the_database(store: Postgres) -> None:
    size, activity = (
        await store.statistics.size(),
        await store.statistics.activity(NOON - timedelta(days=1), [NOON - timedelta(days=1)]),
    )

    assert (size.users, size.sessions, size.messages, size.chunks, size.summaries) == (2, 2, 4, 4, 0)
    assert size.memories == 3
    assert activity.questions.users == 2
    assert (activity.model.tokens, activity.model.known, activity.model.summaries) == (18, 18, 0)
