"""`recollect import openwebui` brings what people have in the real Open WebUI, from wherever that keeps it, once."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.e2e.openwebui.commands import Recollect
from tests.e2e.openwebui.hosts import Host
from tests.e2e.openwebui.language_model import REPLY, LanguageModel, prompt
from tests.e2e.openwebui.lived_in import (
    ALLERGY,
    CHOIR,
    HEADERS,
    KAYAK,
    OSLO,
    SECRET,
    SIGNED,
    SISTER,
    TROMBONE,
    LivedIn,
    connect,
    lived_in,
)
from tests.e2e.openwebui.people import LISBON, LOCKER, QUILL, WHERE, Conversation
from tests.e2e.openwebui.server import served_openwebui
from tests.recollect_proxy.settings import proxy_settings
from tests.servers.databases import Database, new_database
from tests.servers.running_proxy import running_proxy

_MEMORIES = {LISBON, ALLERGY, f"family/sister: {SISTER}"}
_SAID = [LOCKER, CHOIR, QUILL, TROMBONE]
SCHEMAS = "SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%'"


@asynccontextmanager
async def _keeping_a_file(folder: Path, _: str) -> AsyncIterator[tuple[str, dict[str, str]]]:
    yield str(folder / "webui.db"), {}


@asynccontextmanager
async def _keeping_a_postgres(_: Path, database_server: str) -> AsyncIterator[tuple[str, dict[str, str]]]:
    """Yield a database for Open WebUI; its own dependencies have psycopg, and not what `postgresql://` alone means."""
    async with new_database(database_server) as dsn:
        url = urlsplit(dsn)._replace(scheme="postgresql+psycopg").geturl()
        yield url, {"DATABASE_URL": url}


_KEEPING = {"sqlite": _keeping_a_file, "postgres": _keeping_a_postgres}


@pytest.fixture(scope="module", params=_KEEPING)
async def past(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, database_server: str
) -> AsyncIterator[LivedIn]:
    """An Open WebUI that goes on running, and speaks with the LLM without Recollect."""
    folder, model = tmp_path_factory.mktemp(request.param), LanguageModel()
    async with (
        model.upstream,
        _KEEPING[request.param](folder, database_server) as (source, environ),
        served_openwebui(
            folder,
            connection=model.upstream.base_url,
            connection_headers={},
            model=model.upstream.base_url,
            **SIGNED | {"ENABLE_MEMORIES": "true"} | environ,
        ) as server,
    ):
        yield await lived_in(server, model, source)


@pytest.fixture
def recollect(empty_dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Recollect:
    """A Recollect that was never started."""
    return Recollect(empty_dsn, tmp_path_factory.getbasetemp() / "data")


@asynccontextmanager
async def behind(past: LivedIn, recollect: Recollect, folder: Path) -> AsyncIterator[Host]:
    """Serve the proxy, and have Open WebUI speak with it as our README says."""
    quick = {"recall_deadline_ms": 30_000}
    settings = proxy_settings(
        upstream=past.model.upstream.base_url,
        database_url=recollect.dsn,
        data_dir=recollect.data_dir,
        identity="openwebui-jwt",
        openwebui_jwt_secret=SECRET,
        extraction_base_url=past.model.upstream.base_url,
        extraction_model="extractor",
        **quick,
    )
    database = Database(folder)
    database.dsn = recollect.dsn
    async with running_proxy(settings) as proxy:
        await connect(past.administrator, f"http://127.0.0.1:{proxy.port}/v1", headers=HEADERS)
        yield Host("proxy", past.server, past.administrator, past.model, database, lambda: nullcontext(proxy))


async def test_what_a_dry_run_says_comes_once_and_a_second_time_nothing(
    past: LivedIn, recollect: Recollect
) -> None:
    before = await recollect.column(SCHEMAS)

    told = await recollect.imports(past.source, "--chats", "--dry-run")

    assert (told.status, told.errors) == (0, "")
    assert told.lines[1] == "Dry run: nothing was written. This would come:"
    assert await recollect.column(SCHEMAS) == before

    came = await recollect.imports(past.source, "--chats")

    assert (came.status, came.errors) == (0, "")
    assert came.lines == [told.lines[0], *told.lines[2:]]
    assert came.lines[1:5] == [
        "users:     2",
        "memories:  4 new, 0 there already, 1 refused (nothing but a secret)",
        "chats:     4 new or longer, 0 there already",
        "exchanges: 5 new, 0 there already",
    ]
    assert await recollect.memories(past.alice.id) == _MEMORIES
    assert await recollect.memories(past.bob.id) == {OSLO}
    assert sorted(await recollect.said(past.alice.id)) == sorted(_SAID)
    assert await recollect.said(past.bob.id) == [KAYAK]
    kept = await recollect.everything()

    for arguments in ((), ("--dry-run",)):
        again = await recollect.imports(past.source, "--chats", *arguments)
        assert again.status == 0
        assert again.lines[-4:] == [
            "users:     2",
            "memories:  0 new, 4 there already, 1 refused (nothing but a secret)",
            "chats:     0 new or longer, 4 there already",
            "exchanges: 0 new, 5 there already",
        ]
        assert await recollect.everything() == kept


async def test_who_looks_on_sees_how_far_it_is(past: LivedIn, recollect: Recollect) -> None:
    status, drawn = await recollect.imports_on_a_terminal(past.source, "--chats")

    assert status == 0
    assert "memories" in drawn
    assert "chats" in drawn
    assert "100%" in drawn
    assert "Lisbon" not in drawn


async def test_what_open_webui_exports_is_as_good_as_its_database(
    past: LivedIn, recollect: Recollect, tmp_path: Path
) -> None:
    memories, everybodys = tmp_path / "memories.json", tmp_path / "all-chats-export.json"
    lines, chats = tmp_path / "chats.ndjson", tmp_path / "chat-export.json"
    memories.write_text(json.dumps(await past.alice.call("GET", "/api/v1/memories/")))
    everybodys.write_text(json.dumps(await past.administrator.call("GET", "/api/v1/chats/all/db")))
    lines.write_bytes((await past.alice.client.get("/api/v1/chats/all")).raise_for_status().content)
    # The page reads the lines, and saves a list of them.
    chats.write_text(json.dumps([json.loads(line) for line in lines.read_text().splitlines()]))

    assert (await recollect.imports(str(memories))).lines[1:] == [
        "users:     1",
        "memories:  3 new, 0 there already, 1 refused (nothing but a secret)",
    ]
    assert (await recollect.imports(str(chats), "--chats")).lines[3:5] == [
        "chats:     3 new or longer, 0 there already",
        "exchanges: 4 new, 0 there already",
    ]
    kept = await recollect.everything()
    assert await recollect.memories(past.alice.id) == _MEMORIES
    assert sorted(await recollect.said(past.alice.id)) == sorted(_SAID)

    assert (await recollect.imports(str(lines), "--chats")).lines[3:5] == [
        "chats:     0 new or longer, 3 there already",
        "exchanges: 0 new, 4 there already",
    ]
    same = await recollect.imports(past.source, "--chats", "--user", past.alice.id)
    assert (same.status, same.errors) == (0, "")
    assert same.lines[1:] == [
        "users:     1",
        "memories:  0 new, 3 there already, 1 refused (nothing but a secret)",
        "chats:     0 new or longer, 3 there already",
        "exchanges: 0 new, 4 there already",
    ]
    assert await recollect.everything() == kept
    assert (await recollect.imports(str(everybodys), "--chats")).lines[3:5] == [
        "chats:     1 new or longer, 3 there already",
        "exchanges: 1 new, 4 there already",
    ]


async def test_what_was_imported_is_recalled_and_a_chat_goes_on_as_the_same_session(
    past: LivedIn, recollect: Recollect, tmp_path: Path
) -> None:
    await recollect.imports(past.source, "--chats")
    chat = past.regenerated
    async with behind(past, recollect, tmp_path) as host:
        assert await Conversation(past.bob).says(WHERE) == REPLY
        assert await Conversation(past.alice).says(WHERE) == REPLY
        bobs, alices = (prompt(each) for each in past.model.chats(WHERE))
        await host.learned(past.alice, *sorted(_MEMORIES | set(_SAID)))
        await host.learned(past.bob, OSLO, KAYAK)

        assert await chat.regenerates() == REPLY
        told = await recollect.said(chat.person.id, chat.id)
        assert await chat.says("I lost my towel.") == REPLY
        await host.learned(past.alice, *_MEMORIES, *_SAID, "I lost my towel.")
        later = await recollect.said(chat.person.id, chat.id)

    assert LISBON in alices
    assert "Lisbon" not in bobs
    assert told == [LOCKER, CHOIR]
    assert later == [LOCKER, CHOIR, "I lost my towel."]
    again = await recollect.imports(past.source, "--chats", "--dry-run")
    assert again.lines[-1].startswith("exchanges: 0 new, "), again.out
