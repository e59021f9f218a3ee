"""What lets the schema grow: replicas of two versions on one database, and tables that are distributed by user."""

import re
import subprocess
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from tests.recollect.store.test_sql import OVER_ALL_USERS, QUERIES, USER_TABLES
from tests.servers.databases import administrator, run_sql, sql_rows
from tests.servers.external_servers import programs_of
from tests.support.tables import table

from recollect.store.sql import Migration, load_migrations

DISTRIBUTION = Path(__file__).parents[4] / "deploy" / "citus" / "distribute.sql"

SCHEMA = {"memories", "log", "upkeep", "versions", "recall_state", "writing"}
"""The migrations that make the schema of 0.1.0. Old replicas serve on while a later one runs: each of those is read."""

ALLOWED: dict[tuple[int, str], str] = {}
"""What looks as if older replicas would trip over it, and why they do not; a migration may be written after its line here."""

REFERENCE = {
    *("embedders", "erased", "erasures", "schema_migrations", "teams", "untold_erasures", "webhook_turn")
}
"""Tables of nobody: whole on every node."""

EVERYBODYS = {
    # Memories that somebody shared, or that serve everybody, found by a user's links or beside them.
    *("contents_of_memories", "count_unembedded", "current_memories", "expired_memories", "export_memories"),
    *("is_unwanted", "known_of_hashes", "memories_as_of", "memories_over_cap", "memories_said_last"),
    *("nearest_memories", "one_memory", "page_of_memories", "profile_entries", "restore_memories"),
    *("snapshot_memories", "some_memories", "todos", "unembedded_memories", "unlinked_memory"),
    *(
        "flags_of",
        "copy_to_commons",
    ),  # the operator's settings beside the user's own; what is written of a user's row
}
"""Queries of one user that reach rows of nobody (owner `*`), so two nodes: each reads a table that is whole on every node before it
can be distributed (docs/explanation/scaling.md). A new one is a conscious change."""

COORDINATED = {"pgqueuer", "pgqueuer_log", "pgqueuer_statistics", "pgqueuer_schedules"}
"""The queue's: on the coordinator alone, as a job is found whoever's it is."""


_TOKEN = re.compile(
    r"--[^\n]*|/\*.*?\*/|\$(\w*)\$.*?\$\1\$|'(?:[^']|'')*'|\"[^\"]+\"|[\w.]+|[^\s\w]", re.DOTALL
)
_LEFT_OUT = re.compile(r"\b(?:if not exists|if exists|only|concurrently|column) |\brecollect\.")
_HARMLESS = re.compile(r"(?:comment|copy|delete|grant|insert|select|set|update|with) ")
_CREATED = re.compile(r"create (or replace |unique )?(\w+) (\S+) (?:.*?\bon (\S+) )?")
_HARMLESS_TO_CREATE = {"extension", "index", "schema", "sequence", "statistics", "table", "type", "view"}
_SET = re.compile(r"(?:alter \S+ set (?:default|statistics|storage)|set \(|validate|attach|cluster) ")
_BINDS = re.compile(r"\b(?:constraint|primary|unique|check|foreign|exclude|references) ")


def statements(text: str) -> list[str]:
    """Return each statement as a line in lower case but for quotes, without comments and words that may be left out."""
    found: list[list[str]] = [[]]
    for token in (each[0] for each in _TOKEN.finditer(text)):
        if token == ";":
            found.append([])
        elif not token.startswith(("--", "/*")):
            found[-1].append(token if token[0] in "$'\"" else token.lower())
    return [_LEFT_OUT.sub("", " ".join(words) + " ") for words in found if words]


def actions(text: str) -> list[str]:
    """Return the actions of an ALTER TABLE: they stand between commas that are within no brackets."""
    depth, found = 0, [""]
    for word in text.split():
        depth += (word == "(") - (word == ")")
        found = [*found, ""] if word == "," and not depth else [*found[:-1], f"{found[-1]}{word} "]
    return found


def only_adds(action: str) -> bool:
    """Whether an action leaves older replicas as they are: a new column needs no value of theirs."""
    if not action.startswith("add "):
        return bool(_SET.match(action))
    has_value = " default " in action or " generated " in action
    return not _BINDS.search(action) and (has_value or " not null " not in action)


def taken_away(migration: Migration, functions: set[str]) -> list[str]:
    """Return the first words of all that an older replica may trip over: all that is not known to be harmless.

    What is done to tables that the migration makes itself is none of it. ``functions`` were there before.
    """
    made, found = set[str](), list[str]()
    for text in statements(migration.text):
        created = _CREATED.match(text)
        if text.startswith("alter table "):
            _, _, name, rest = text.split(" ", 3)
            found += [each for each in actions(rest) if name not in made and not only_adds(each)]
        elif created:
            how, kind, name, on = created.groups()
            is_known = {"function": name not in functions - made}.get(kind, kind in _HARMLESS_TO_CREATE)
            if on not in made and (not is_known or (how is not None and kind != "function")):
                found.append(text)
            made.add(name)
        elif not _HARMLESS.match(text):
            found.append(text)
    return [" ".join(each.split()[:2]) for each in found]


def indexed_under_lock(migration: Migration) -> list[str]:
    """Return the older tables of which a migration builds an index while the change of another one keeps that locked."""
    made, changed, found = set[str](), set[str](), list[str]()
    for text in statements(migration.text):
        created, name = _CREATED.match(text), text.split()[2:3]
        if text.startswith("create table "):
            made.update(name)
        elif text.startswith("alter table "):
            changed.update(name)
        elif created and created[2] == "index":
            found += [created[4]] if created[4] not in made and changed - made - {created[4]} else []
    return found


def test_older_replicas_go_on_with_each_migration_or_it_says_that_it_takes_away() -> None:
    functions: set[str] = set()
    for migration in load_migrations():
        if migration.name not in SCHEMA and not migration.contracts:
            unsaid = [
                key for key in taken_away(migration, functions) if (migration.version, key) not in ALLOWED
            ]
            assert unsaid == [], (
                f"{migration.version}: begin it with `-- contract: WHY`, a version later, or name it in ALLOWED with a reason"
            )
        functions |= {*re.findall(r"CREATE (?:OR REPLACE )?FUNCTION (?:recollect\.)?(\w+)", migration.text)}
    assert {"recall_state", "raise_version"} <= functions


@table(
    ("text", "found"),
    [
        ("ALTER TABLE a DROP COLUMN b;", ["drop b"]),
        ("alter table if exists only recollect.a drop column if exists b, ADD COLUMN c text;", ["drop b"]),
        ("ALTER TABLE a RENAME TO b;", ["rename to"]),
        ("ALTER TABLE a RENAME COLUMN b TO c;", ["rename b"]),
        ("ALTER TABLE a ALTER COLUMN b TYPE text;", ["alter b"]),
        ("ALTER TABLE a ALTER b SET DATA TYPE text USING (b, 'x''y');", ["alter b"]),
        ("ALTER TABLE a ALTER b SET NOT NULL, ALTER c DROP DEFAULT;", ["alter b", "alter c"]),
        ("ALTER TABLE a ADD COLUMN b text NOT NULL;", ["add b"]),
        ("ALTER TABLE a ADD b text CHECK (b <> 'DEFAULT');", ["add b"]),
        ("ALTER TABLE a ADD COLUMN b text UNIQUE;", ["add b"]),
        ("ALTER TABLE a ADD CONSTRAINT c CHECK (b > 0) NOT VALID;", ["add constraint"]),
        ("ALTER TABLE a ADD PRIMARY KEY (b, c) INCLUDE (d);", ["add primary"]),
        (
            "ALTER TABLE a DROP CONSTRAINT c, ADD FOREIGN KEY (b) REFERENCES d;",
            ["drop constraint", "add foreign"],
        ),
        ("ALTER TABLE a DETACH PARTITION b;", ["detach partition"]),
        ("ALTER TABLE a ENABLE ROW LEVEL SECURITY;", ["enable row"]),
        ("ALTER TABLE a SET SCHEMA b;", ["set schema"]),
        ("ALTER TYPE kind ADD VALUE 'x';", ["alter type"]),
        ("DROP INDEX a; DROP TABLE b; TRUNCATE c;", ["drop index", "drop table", "truncate c"]),
        ("REVOKE ALL ON d FROM e; LOCK TABLE a;", ["revoke all", "lock table"]),
        ("CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS a ON b (c);", ["create unique"]),
        ("CREATE TRIGGER a BEFORE INSERT ON b FOR EACH ROW EXECUTE FUNCTION c();", ["create trigger"]),
        ("CREATE POLICY a ON b AS RESTRICTIVE USING (true);", ["create policy"]),
        ("CREATE OR REPLACE FUNCTION known(a text) RETURNS text AS $$ SELECT a $$;", ["create or"]),
        ("CREATE FUNCTION known(a int, b int) RETURNS int AS $$ SELECT a $$;", ["create function"]),
        ("CREATE OR REPLACE VIEW a AS SELECT 1;", ["create or"]),
        ("DO $x$ BEGIN EXECUTE format('DROP TABLE %I', 'a'); END $x$;", ["do $x$"]),
    ],
)
def test_what_older_replicas_trip_over_is_seen(text: str, found: list[str]) -> None:
    assert taken_away(Migration(99, "m", text), {"known"}) == found


@table(
    "text",
    [
        "ALTER TABLE a ADD COLUMN b text, ADD COLUMN IF NOT EXISTS c boolean NOT NULL DEFAULT false;",
        "ALTER TABLE a ADD COLUMN b halfvec(4) GENERATED ALWAYS AS (c::halfvec(4)) STORED NOT NULL;",
        "ALTER TABLE a ALTER COLUMN b SET DEFAULT 'NOT NULL', ALTER b SET STORAGE PLAIN, SET (fillfactor = 50);",
        "CREATE TABLE a (b text NOT NULL); ALTER TABLE a ADD PRIMARY KEY (b); CREATE UNIQUE INDEX c ON a (b); -- DROP TABLE a",
        "CREATE INDEX a ON b (c); /* DROP INDEX a; */ COMMENT ON TABLE a IS 'DROP TABLE a; DROP TABLE b';",
        "CREATE FUNCTION a() RETURNS void LANGUAGE plpgsql AS $$ BEGIN DROP TABLE b; END $$;",
        "WITH c AS (DELETE FROM a RETURNING b) INSERT INTO d SELECT * FROM c; UPDATE a SET b = 1; GRANT SELECT ON a TO b;",
    ],
)
def test_what_only_adds_is_let_through(text: str) -> None:
    assert taken_away(Migration(99, "m", text), {"known"}) == []


def test_no_index_is_built_while_another_table_is_locked() -> None:
    found = {each.version: indexed_under_lock(each) for each in load_migrations() if each.name not in SCHEMA}
    assert not any(found.values()), "build the index first, or in a migration of its own"


@table(
    ("text", "found"),
    [
        ("ALTER TABLE a ADD b text; CREATE INDEX c ON d (e);", ["d"]),
        ("alter table only recollect.a ADD b text; CREATE UNIQUE INDEX c ON d (e);", ["d"]),
        ("CREATE INDEX c ON d (e); ALTER TABLE a ADD b text;", []),
        ("ALTER TABLE a ADD b text; CREATE INDEX c ON a (b);", []),
        ("CREATE TABLE d (e text); ALTER TABLE a ADD b text; CREATE INDEX c ON d (e);", []),
        ("CREATE TABLE a (e text); ALTER TABLE a ADD b text; CREATE INDEX c ON d (e);", []),
    ],
)
def test_an_index_that_is_built_under_a_lock_is_seen(text: str, found: list[str]) -> None:
    assert indexed_under_lock(Migration(99, "m", text)) == found


async def test_every_unique_key_of_a_users_table_begins_with_the_user(shared_dsn: str) -> None:
    rows = await sql_rows(
        shared_dsn,
        """
        SELECT c.relname AS table, i.indexrelid::regclass::text AS index, a.attname AS first
        FROM pg_index AS i
        JOIN pg_class AS c ON c.oid = i.indrelid AND NOT c.relispartition
        JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
        WHERE i.indisunique AND c.relnamespace = 'recollect'::regnamespace
        """,
    )
    keyed = {row["table"] for row in rows}
    wrong = {
        row["index"]
        for row in rows
        if row["table"] in USER_TABLES and row["first"] not in {"user_id", "owner"}
    }

    assert keyed >= USER_TABLES, "each has a key"
    assert wrong == set()


async def test_no_foreign_key_leaves_its_user(shared_dsn: str) -> None:
    found = await sql_rows(
        shared_dsn,
        "SELECT conname FROM pg_constraint WHERE contype = 'f' AND connamespace = 'recollect'::regnamespace",
    )
    assert found == []


_JOIN = re.compile(
    r"\bJOIN (\w+) AS (\w+) ON (.*?)(?=\b(?:LEFT|JOIN|WHERE|GROUP|ORDER|UNION|LIMIT|CROSS|RETURNING)\b|;|\Z)",
    re.DOTALL,
)


def test_every_join_of_users_tables_is_of_one_user() -> None:
    """Rows of one user stand on one node: a join that names the user of both sides never leaves it."""
    looked_at = 0
    for name, text in QUERIES.items():
        if name in OVER_ALL_USERS:
            continue
        for joined, alias, condition in _JOIN.findall(text):
            if joined not in USER_TABLES:
                continue
            looked_at += 1
            assert re.search(rf"\b{alias}\.(?:user_id|owner) (?:=|IN) ", condition) or re.search(
                rf"\b{alias}\.(?:user_id|owner) (?:=|IN) ", text
            ), f"{name}: {joined} AS {alias} ON {condition.strip()}"
    assert looked_at > 30


async def test_the_distribution_names_every_table_once(shared_dsn: str) -> None:
    text = DISTRIBUTION.read_text("utf-8")
    by_user = re.findall(r"create_distributed_table\('recollect\.(\w+)', '(\w+)'", text)
    whole = re.findall(r"create_reference_table\('recollect\.(\w+)'", text)
    async with administrator(shared_dsn) as connection:
        rows = await connection.fetch(
            "SELECT relname FROM pg_class WHERE relnamespace = 'recollect'::regnamespace AND relkind IN ('r', 'p') "
            "AND NOT relispartition"
        )
        columns = await connection.fetch(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'recollect'"
        )
    known = {(row["table_name"], row["column_name"]) for row in columns}

    assert {table for table, _ in by_user} == USER_TABLES
    assert len(by_user) == len(USER_TABLES)
    assert set(by_user) <= known
    assert sorted(whole) == sorted(REFERENCE)
    assert {row["relname"] for row in rows} == USER_TABLES | REFERENCE | COORDINATED


_LINKED = re.compile(r"\bvectors AS (\w+)\b")
_FLAGS = re.compile(r"\buser_settings\b[^;]*?\buser_id (?:= '\*'|IN \('\*')")
_WRITES = re.compile(r"\b(?:INSERT INTO|UPDATE|DELETE FROM) \w+")


def reaches_everybodys(text: str) -> bool:
    """Return whether a query of one user may meet rows of owner `*`: by their owner, or by the owner that a link names."""
    by_owner = any(
        re.search(rf"\b{alias}\.owner (?:= '\*'|IN \(\$1, '\*'\)|= (?:coalesce\()?\w+\.owner)", text)
        for alias in _LINKED.findall(text)
    )
    return by_owner or bool(_FLAGS.search(text)) or "SELECT '*'" in text


def test_what_meets_rows_of_everybody_is_known() -> None:
    reaching = {
        name for name, text in QUERIES.items() if name not in OVER_ALL_USERS and reaches_everybodys(text)
    }

    assert reaching == EVERYBODYS
    told = (DISTRIBUTION.parents[2] / "docs" / "explanation" / "scaling.md").read_text("utf-8")
    assert f"{len(EVERYBODYS)} of the named queries" in " ".join(told.split())


def test_what_writes_rows_of_everybody_writes_nothing_of_a_user() -> None:
    """A row that is whole on every node is written on all of them at once, in a statement of its own."""
    writing = {
        name: text
        for name, text in QUERIES.items()
        if re.search(
            r"INSERT INTO vectors [^;]*SELECT '\*'|(?:UPDATE|DELETE FROM) vectors [^;]*owner = '\*'", text
        )
    }

    assert set(writing) == {"copy_to_commons", "erase_shared"}
    for name, text in writing.items():
        assert len(_WRITES.findall(text)) == 1, name


@pytest.mark.parametrize(
    "row",
    [
        "INSERT INTO recollect.user_settings VALUES ('*', '{}', now())",
        (
            "INSERT INTO recollect.users_vectors (user_id, vector_id, owner, content_hash, linked_at) "
            "VALUES ('anna', gen_random_uuid(), '*', '', now())"
        ),
        (
            "INSERT INTO recollect.vectors (owner, id, kind, source, valid_from, content, content_hash, importance, confidence, "
            "observed_at, message_ids, created_at) "
            "VALUES ('*', gen_random_uuid(), 'fact', 'global', now(), 'tea', '', 1, 1, now(), '{}', now())"
        ),
    ],
    ids=["settings", "link", "memory"],
)
async def test_a_store_with_rows_of_everybody_is_not_distributed(own_dsn: str, row: str) -> None:
    before = distribute(own_dsn, "--set=try_it=1")
    await run_sql(own_dsn, row)

    after = distribute(own_dsn, "--set=try_it=1")

    assert NO_CITUS in before, "it goes on to what a plain Postgres does not have"
    assert "Nothing was distributed" in after
    assert "rows of everybody" in after
    assert NO_CITUS not in after


async def test_no_store_is_distributed_by_who_does_not_ask_to_try_it(own_dsn: str) -> None:
    told = distribute(own_dsn)

    assert "Recollect does not run on distributed tables yet" in told
    assert NO_CITUS not in told


async def test_who_is_bound_by_row_level_security_can_not_overlook_rows_of_everybody(new_dsn: str) -> None:
    role = f"recollect_test_{uuid4().hex}"
    async with administrator(new_dsn) as connection:
        await connection.execute(f"CREATE ROLE {role} LOGIN")
        try:
            await connection.execute(f"GRANT USAGE ON SCHEMA recollect TO {role}")
            await connection.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA recollect TO {role}")
            parts = urlsplit(new_dsn)
            bound = parts._replace(netloc=f"{role}@{parts.netloc.rpartition('@')[2]}").geturl()

            told = distribute(bound, "--set=try_it=1")
        finally:
            await connection.execute(f"DROP OWNED BY {role}")
            await connection.execute(f"DROP ROLE {role}")

    assert "would be affected by row-level security" in told
    assert NO_CITUS not in told


NO_CITUS = "function create_distributed_table("


def distribute(dsn: str, *options: str) -> str:
    """Run the script by psql as its head says, and return what it complained of; it has to end with an error."""
    psql = programs_of("18") / "psql"
    program = [str(psql), "--no-psqlrc", *options, f"--file={DISTRIBUTION}", dsn]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr  # psql's own, of a script that failed
    return done.stderr
