"""The commands that look after the store, as an operator runs them: over a real Postgres, one by one."""

import json
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.recollect_proxy.commands.command_line import Operator, recollect
from tests.scripted.models import WordEmbedder
from tests.support.stores import NOON, store_over
from tests.support.tables import table

from recollect.index_run import Indexer
from recollect.model import Awaits, EmbeddingScope, Exchange, Flags, Formed, Scope, Unread, Wait
from recollect.store import Postgres

CAT = "She has a cat called Minka."
TEA = "She drinks tea."


@pytest.fixture
async def told(own_postgres: Postgres) -> Exchange:
    store = store_over(own_postgres)
    exchange = store.exchange(CAT)
    assert await store.log.append(exchange)
    return exchange


@pytest.fixture
async def _indexed(own_postgres: Postgres, told: Exchange) -> None:
    indexer = Indexer(store_over(own_postgres).index, WordEmbedder(), WordEmbedder(), EmbeddingScope.ALL)
    await indexer.index_user(told.turn.scope.user_id)


@pytest.mark.usefixtures("_indexed")
def test_an_index_is_rebuilt_by_a_worker_that_is_waited_for(operator: Operator) -> None:
    alone = recollect("reindex", "--patience", "1", **operator.variables)

    assert (alone.exit_code, "1 are left" in alone.stdout) == (1, True)
    assert alone.stderr.endswith("Nothing was done for 1 seconds: does a worker run?\n")
    assert "1 are left" in operator("reindex", "--no-wait")


_REASONS = [each for each in Awaits if each is not Awaits.GIVEN_UP]


@pytest.fixture
async def _unformed(own_postgres: Postgres) -> None:
    """Of each of some users one exchange, and how formation left it is the user's name."""
    store = store_over(own_postgres)
    names = (*_REASONS, "failed", "unread", "formed")
    said = {name: store.exchange(name, Scope(name, "chat")) for name in names}
    for each in said.values():
        await store.log.append(each)
    for reason in _REASONS:
        wait = Wait(reason, "", None, counts=reason is Awaits.UNREADABLE)
        await store.inbox.wait([said[reason]], wait)
    await store.inbox.postpone(said["failed"], error="", until=None)
    await store.inbox.complete([Formed(said["unread"], unread=Unread.OFF)], at=NOON)
    await store.inbox.complete([Formed(said["formed"])], at=NOON)


@pytest.mark.usefixtures("_unformed")
def test_what_waits_failed_or_was_read_by_no_model_is_tried_again(operator: Operator) -> None:
    assert operator.json("retry") == {"retried": 1, "users": len(_REASONS) + 1}

    pending = {each["id"] for each in operator.json("users")["users"] if each["pending"]}
    assert pending == {*_REASONS, "failed"}, "what was read by none is put back by the worker"


def test_projects_are_written_listed_moved_from_and_erased(operator: Operator) -> None:
    [cat] = operator.json("memories", "add", "anna", CAT, "--project", "cats")["memories"]
    operator("memories", "add", "anna", TEA)
    operator("projects", "change", "anna", "cats", "--title", "Our cats", "--alone")

    [listed] = operator.json("projects", "list", "anna")["projects"]

    assert listed == {"name": "cats", "title": "Our cats", "alone": True, "memories": 1, "chats": 0}
    assert [each["content"] for each in operator.json("memories", "list", "anna")["memories"]] == [TEA]
    [known] = operator.json("users")["users"]
    assert (known["id"], known["memories"]) == ("anna", 2)
    operator("memories", "move", "anna", cat["id"], "--project", "cats", status=0)
    assert {each["content"] for each in operator.json("memories", "list", "anna")["memories"]} == {CAT, TEA}
    operator("projects", "erase", "anna", "cats", "--yes")
    operator("projects", "erase", "anna", "cats", "--yes", status=1)
    assert operator.json("projects", "list", "anna") == {"projects": []}


def test_a_team_is_made_written_in_read_left_and_erased(operator: Operator) -> None:
    operator("teams", "make", "home", "--title", "Our home")
    operator("teams", "member", "home", "anna", "--role", "owner", "--name", "Anna")
    operator("teams", "member", "home", "ben")
    operator("memories", "add", "anna", CAT, "--project", "team:home")

    [team] = operator.json("teams", "list")["teams"]
    [seen] = operator.json("memories", "list", "ben", "--project", "team:home")["memories"]
    operator("memories", "list", "carl", "--project", "team:home", status=1)
    [left] = operator.json("teams", "leave", "home", "ben")["teams"]

    assert (team["id"], team["title"]) == ("home", "Our home")
    assert [each["name"] for each in team["members"]] == ["Anna", "ben"]
    assert seen["content"] == CAT
    assert [each["role"] for each in left["members"]] == ["owner", "former"]
    operator("memories", "list", "ben", "--project", "team:home", status=1)
    assert len(operator.json("teams", "erase", "home", "--yes")["parts"]) == 2
    assert operator("teams", "list") == ""
    operator("teams", "erase", "home", "--yes", status=1)
    operator("teams", "make", "x" * 60, status=2)


def test_memories_are_written_listed_corrected_taken_back_and_found(operator: Operator) -> None:
    [cat] = operator.json("memories", "add", "anna", CAT, "--kind", "entity")["memories"]
    operator("memories", "add", "anna", TEA)
    operator("memories", "add", "anna", TEA, status=1)

    found = operator.json("memories", "search", "anna", "What is my cat called?", "--limit", "1")["memories"]
    operator("memories", "correct", "anna", cat["id"], "--content", "She has a cat called Mina.")
    operator("memories", "forget", "anna", cat["id"][-8:])
    left = operator.json("memories", "list", "anna")["memories"]
    removed, edited, *_ = operator.json("memories", "changes", "anna", cat["id"][-8:])["changes"]
    operator("memories", "undo", "anna", removed["id"][-8:])
    operator("memories", "undo", "anna", edited["id"])
    operator("memories", "undo", "anna", edited["id"], status=1)

    assert [each["content"] for each in found] == [CAT]
    assert [each["content"] for each in left] == [TEA]
    assert (removed["action"], edited["action"]) == ("retire", "edit")
    assert {line.split("\t")[-1] for line in operator("memories", "list", "anna").splitlines()} == {CAT, TEA}
    assert operator("memories", "list", "ben") == ""


def test_memories_are_tagged_and_listed_by_their_tags(operator: Operator) -> None:
    [cat] = operator.json("memories", "add", "anna", CAT, "--tag", "Pets", "--tag", "home")["memories"]
    operator("memories", "add", "anna", TEA)

    listed = operator("memories", "list", "anna", "--tag", "pets").splitlines()
    operator("memories", "correct", "anna", cat["id"], "--tag", "cats")
    operator("memories", "add", "anna", "Too long", "--tag", "x" * 41, status=2)
    operator("memories", "add", "anna", "Too early", "--expires", "0001-01-01", status=2)

    [day] = operator.json("memories", "correct", "anna", cat["id"], "--expires", "2030-03-15")["memories"]
    assert day["expires_at"] == "2030-03-15T00:00:00Z"
    assert cat["tags"] == ["pets", "home"]
    assert [line.split("\t")[-2:] for line in listed] == [["pets, home", CAT]]
    [kept] = operator.json("memories", "list", "anna", "--tag", "cats")["memories"]
    assert kept["tags"] == ["cats"]


@table(
    "arguments",
    [
        *(("memories", "list", "*"), ("memories", "forget", "anna", "the cat"), ("memories", "tell", "anna")),
        ("memories", "correct", "anna", "01980f6e-52f2-7d68-9d3f-0b6c2f6f2a10"),
        *(("memories", "add", "anna", "  "), ("memories", "add", "anna", CAT, "--importance", "2")),
        *(("teams", "make", "home", "--title", "  "), ("erase",)),
        ("projects", "change", "anna", "cats", "--title", "x" * 101),
    ],
)
def test_what_is_asked_for_wrongly_ends_it_with_2(operator: Operator, arguments: tuple[str, ...]) -> None:
    operator(*arguments, status=2)


def test_who_is_known_is_listed_with_counts(operator: Operator, told: Exchange) -> None:
    anna = told.turn.scope.user_id
    operator("memories", "add", "ben", TEA)

    listed = {each["id"]: each for each in operator.json("users")["users"]}

    assert listed.keys() == {anna, "ben"}
    counts = {name: listed[anna][name] for name in ("memories", "sessions", "exchanges", "pending")}
    assert counts == {"memories": 0, "sessions": 1, "exchanges": 1, "pending": 1}
    assert listed[anna]["last_seen"].startswith(f"{told.turn.at:%Y-%m-%dT%H:%M}")
    assert listed["ben"]["memories"] == 1
    assert operator("users").splitlines()[0].count("\t") == 6


@pytest.fixture
async def _paid(own_postgres: Postgres, told: Exchange) -> None:
    """A background call for Anna, for two people of the same name, and for one who bears the id of one of them."""
    store, today = store_over(own_postgres), datetime.now(UTC).date()
    await store.usage.use(told.turn.scope.user_id, today, 250_000)
    for user in ("ben-1", "ben-2"):
        await store.log.append(store.exchange(TEA, Scope(user, "chat")))
        await store.usage.use(user, today, 10)
    names = {told.turn.scope.user_id: "Anna Berg", "ben-1": "Ben", "ben-2": "Ben", "carl": "ben-1"}
    await store.log.append(store.exchange(TEA, Scope("carl", "chat")))
    await store.usage.use("carl", today, 5)
    for user, name in names.items():
        await store.flags.change_flags(user, Flags(told_name=name), ["told_name"], at=NOON)


@pytest.mark.usefixtures("_paid")
def test_tokens_are_listed_by_user_and_day_and_priced(operator: Operator) -> None:
    today = datetime.now(UTC).date()

    listed, priced = operator("usage").splitlines(), operator("usage", "--price", "4").splitlines()

    assert listed == [
        f"{today}\tAnna Berg\t0\t0\t250000\t1",
        f"{today}\tben-1\t0\t0\t10\t1",
        f"{today}\tben-2\t0\t0\t10\t1",
        f"{today}\tcarl\t0\t0\t5\t1",
        "total\t4 users\t0\t0\t250025\t4",
    ]
    assert [line.split("\t")[-1] for line in priced] == ["1.00", "0.00", "0.00", "0.00", "1.00"]


def test_a_user_is_erased_after_a_yes_and_an_unknown_one_told_of(operator: Operator, told: Exchange) -> None:
    anna = told.turn.scope.user_id

    operator("erase", anna, status=1, typed="n\n")
    kept = operator.json("chats", "list", anna)["chats"]
    known = recollect("erase", anna, "--yes", **operator.variables)
    slip = recollect("erase", f"{anna}-with-a-slip", "--yes", **operator.variables)
    gone = operator.json("erase", anna, "--yes")

    assert kept == [told.turn.scope.session_id]
    assert (known.exit_code, known.stderr, slip.exit_code) == (0, "", 0)
    assert slip.stderr.startswith(f"Nothing was known of '{anna}-with-a-slip'.")
    assert "0 rows are gone. Tombstone" in slip.stdout
    assert operator.json("users")["users"] == []
    assert (gone["left"], set(gone["rows"].values())) == (0, {0})


def test_a_chat_is_erased_and_one_that_is_not_there_is_told_of(operator: Operator, told: Exchange) -> None:
    anna, chat = told.turn.scope.user_id, told.turn.scope.session_id

    operator("chats", "erase", anna, chat[:-1], status=1, typed="n\n")
    erased = operator.json("chats", "erase", anna, chat[:-1], "--yes")
    operator("chats", "erase", anna, chat, "--yes", status=1)

    assert erased["rows"]["messages"] == 2
    assert operator("chats", "list", anna) == ""


def test_the_schema_is_brought_up_to_date_once(empty_dsn: str, data_dir: Path) -> None:
    operator = Operator(empty_dsn, data_dir)

    first, second = operator.json("migrate"), operator.json("migrate")

    assert first["applied"][0] == "0001_memories"
    assert second["applied"] == []
    assert operator.json("users")["users"] == []
    told = operator("migrate").splitlines()
    assert told == [f"Database {first['database']}", "The schema is up to date."]
    address = urlsplit(empty_dsn)
    assert (address.path in told[0], f"{address.username}:" in told[0]) == (True, False)


def test_where_there_is_no_store_none_is_made(tmp_path: Path) -> None:
    done = recollect("users", RECOLLECT_DATA_DIR=str(tmp_path))
    nowhere = recollect("users", RECOLLECT_DATA_DIR=":memory:")

    assert (done.exit_code, nowhere.exit_code) == (1, 1)
    assert "There is no database" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_does_not_answer_is_told_of_in_one_line(data_dir: Path) -> None:
    away = {"RECOLLECT_DATABASE_URL": "postgresql://me:hush@127.0.0.1:9/none"}
    done = recollect("users", RECOLLECT_DATA_DIR=str(data_dir), **away)

    assert (done.exit_code, len(done.stderr.splitlines()), "hush" in done.output) == (1, 1, False)


def test_what_is_exported_is_imported_again(operator: Operator, told: Exchange, tmp_path: Path) -> None:
    anna, file = told.turn.scope.user_id, tmp_path / "anna.json"
    operator("memories", "add", anna, TEA)
    operator("export", anna, "--output", str(file))
    printed = json.loads(operator("export", anna))
    operator("erase", anna, "--yes")

    dry = operator.json("import", "recollect", str(file), "--user", anna, "--dry-run")
    nobody = operator.json("users")["users"]
    first = operator.json("import", "recollect", str(file), "--user", anna)
    second = operator("import", "recollect", str(file), "--user", anna)

    assert file.stat().st_mode & 0o777 == 0o600
    assert {**json.loads(file.read_text("utf-8")), "exported_at": ""} == {**printed, "exported_at": ""}
    assert nobody == []
    assert dry["new"] == first["new"]
    assert (first["new"]["messages"], first["new"]["memories"], first["there"]["memories"]) == (2, 1, 0)
    assert "memories: 0 new, 1 there already" in second.splitlines()
    assert operator.json("chats", "list", anna)["chats"] == [told.turn.scope.session_id]


def test_a_file_that_is_no_export_is_told_of(operator: Operator, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"format": "recollect-export"')

    for file in (broken, tmp_path / "none"):
        operator("import", "recollect", str(file), "--user", "anna", status=1)
    operator("import", "recollect", str(broken), status=2)
    operator("export", "anna", "--output", str(tmp_path / "none" / "file"), status=1)

    assert operator.json("users")["users"] == []
