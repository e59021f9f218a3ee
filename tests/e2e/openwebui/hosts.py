"""Recollect in Open WebUI, in both ways: the proxy behind it, and the filter inside it."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import asyncpg
import pytest
from tests.e2e.openwebui.language_model import MARKS, LanguageModel
from tests.e2e.openwebui.lived_in import HEADERS, SECRET, SIGNED
from tests.e2e.openwebui.people import Person, signed_in
from tests.e2e.openwebui.server import REPOSITORY, Server, served_openwebui
from tests.recollect_proxy.settings import proxy_settings
from tests.servers.databases import Database, administrator, running_database
from tests.servers.internals import variables
from tests.servers.running_proxy import RunningProxy, running_proxy
from tests.support.waiting import until

from recollect_proxy.access.access_keys import KeyRole, add_access_key
from recollect_proxy.settings.proxy_settings import ProxySettings

FILTER = REPOSITORY / "openwebui_filter" / "recollect_filter.py"
FILTER_NAME = "recollect"
UNDO = "recollect_undo"
BESIDE = ("recollect_off", UNDO)
"""The functions that may be installed beside the filter."""

MEMORIES = "recollect_memories"
"""That which shows people their memories, with the filter or with the proxy."""

HINT = " See and change it: My memories, the bookmark below."
"""The end of the line about a person's first memories."""

EVENTS = "recollect_events"
"""That which erases what is deleted, with the filter or with the proxy."""

_SECONDS = 150.0
"""A package that Open WebUI installs itself has no internals of ours: it forms what was said a minute after the chat."""
_LEFT = {"pending", "failed"}
_PATIENT = {
    "recall_deadline_ms": 30_000  # the machine may be busy with other tests
}
_QUICK = {"formation_quiet_seconds": 0, "formation_batch_turns": 1, "summary_turns": 0, "summary_tokens": 0}

MemoryApi: TypeAlias = Callable[[], AbstractAsyncContextManager[RunningProxy]]


@dataclass(frozen=True)
class Host:
    """Open WebUI with Recollect."""

    name: str
    server: Server
    administrator: Person
    model: LanguageModel
    database: Database
    memory_api: MemoryApi

    async def rows(self, query: str, *arguments: Any) -> list[asyncpg.Record]:
        """Return what its database answers: nothing while no engine has made its tables yet."""
        async with administrator(self.database.dsn) as connection:
            with suppress(asyncpg.InvalidSchemaNameError, asyncpg.UndefinedTableError):
                return await connection.fetch(query, *arguments)
        return []

    async def learned(self, person: Person, *memories: str) -> None:
        """Wait until nothing of a person's is left to form, and their memories are these."""
        states, found = ["pending"], [""]

        async def so_far() -> bool:
            nonlocal states, found
            states, found = await self.states(person), await self.memories(person)
            return not _LEFT & set(states) and found == sorted(memories)

        with suppress(TimeoutError):
            await until(so_far, seconds=_SECONDS)
        assert found == sorted(memories), f"{found} are remembered"
        assert not _LEFT & set(states), f"not all is formed: {states}"

    async def states(self, person: Person) -> list[str]:
        """Return how far each exchange of a person is, also in their projects."""
        query = "SELECT state FROM recollect.exchanges WHERE split_part(user_id, chr(31), 1) = $1"
        return [row["state"] for row in await self.rows(query, person.id)]

    async def logged(self, person: Person) -> list[str]:
        """Return what is kept of a person's own words, in order."""
        query = "SELECT content FROM recollect.messages WHERE user_id = $1 AND role = 'user' ORDER BY id"
        return [row["content"] for row in await self.rows(query, person.id)]

    async def memories(self, person: Person) -> list[str]:
        query = (
            "SELECT content FROM recollect.vectors JOIN recollect.users_vectors "
            "ON vector_id = vectors.id AND users_vectors.owner = vectors.owner "
            "WHERE user_id = $1 AND valid_to IS NULL"
        )
        return sorted(row["content"] for row in await self.rows(query, person.id))


@asynccontextmanager
async def with_proxy(folder: Path) -> AsyncIterator[Host]:
    """Serve Open WebUI before the proxy before the LLM, as our README says."""
    model = LanguageModel()
    async with model.upstream, running_database() as database:
        # It signs its chats and their tasks; the list of models is for everybody.
        signed = {"identity": "openwebui-jwt", "openwebui_jwt_secret": SECRET, "require_identity": True}
        settings = _settings(model, database, folder, **signed)
        settings.access_key_file.parent.mkdir(parents=True, exist_ok=True)
        key = add_access_key(settings.access_key_file, KeyRole.ACTING, "openwebui")
        async with (
            running_proxy(settings) as proxy,
            served_openwebui(
                folder,
                connection=f"http://127.0.0.1:{proxy.port}/v1",
                connection_headers=HEADERS | MARKS,
                model=model.upstream.base_url,
                **SIGNED,
            ) as server,
        ):
            administrator = await signed_in(server)
            await administrator.add_function(EVENTS, _function(EVENTS))
            await administrator.change_valves(
                EVENTS,
                memory_api=f"http://127.0.0.1:{proxy.port}/memory",
                key=key,
                show_remembered=False,  # so that it is seen what the proxy shows by itself
            )
            await administrator.add_filter("recollect_off", _function("recollect_off"), proxy=True)
            for name in (MEMORIES, UNDO):
                await administrator.add_function(name, _function(name))
                await administrator.change_valves(
                    name, memory_api=f"http://127.0.0.1:{proxy.port}/memory", key=key
                )
            yield Host("proxy", server, administrator, model, database, lambda: nullcontext(proxy))


@asynccontextmanager
async def with_ollama_and_a_proxy_nobody_uses(folder: Path) -> AsyncIterator[Host]:
    """Serve Open WebUI as it finds Ollama by itself, and the proxy as it starts by itself, not yet connected."""
    model = LanguageModel()
    async with model.upstream, running_database() as database:
        settings = _settings(model, database, folder, upstream=model.ollama_url)
        async with running_proxy(settings) as proxy, _ollama_alone(folder, model, model.ollama_url) as server:
            administrator = await signed_in(server)
            yield Host("ollama", server, administrator, model, database, lambda: nullcontext(proxy))


def _ollama_alone(folder: Path, model: LanguageModel, url: str) -> AbstractAsyncContextManager[Server]:
    """Serve Open WebUI with one connection, which speaks Ollama's API."""
    return served_openwebui(
        folder,
        connection="",
        connection_headers={},
        model=model.upstream.base_url,
        ENABLE_OPENAI_API="false",
        ENABLE_OLLAMA_API="true",
        OLLAMA_BASE_URLS=url,
    )


@asynccontextmanager
async def with_filter(folder: Path) -> AsyncIterator[Host]:
    """Serve Open WebUI with the filter before the LLM, as the filter's README says."""
    model = LanguageModel()
    async with (
        model.upstream,
        running_database() as database,
        plain_openwebui(folder, model, **variables(_PATIENT)) as server,
    ):
        administrator = await signed_in(server)
        await administrator.add_filter(
            FILTER_NAME,
            FILTER.read_text(),
            database_url=database.dsn,
            data_dir=str(folder / "recollect"),
            **learning_from(model),
        )
        for name in (*BESIDE, EVENTS, MEMORIES):
            await administrator.add_function(name, _function(name))
        settings = _settings(model, database, folder)
        yield Host("filter", server, administrator, model, database, lambda: running_proxy(settings))


def _function(name: str) -> str:
    return FILTER.with_name(f"{name}.py").read_text()


def _settings(model: LanguageModel, database: Database, folder: Path, **own: Any) -> ProxySettings:
    given = {"upstream": model.upstream.base_url} | own
    return proxy_settings(
        database_url=database.dsn,
        data_dir=folder / "recollect",
        extraction_base_url=model.upstream.base_url,
        extraction_model="extractor",
        **_PATIENT,
        **_QUICK,
        **given,
    )


@asynccontextmanager
async def plain_openwebui(folder: Path, model: LanguageModel, **environ: str) -> AsyncIterator[Server]:
    """Serve Open WebUI before the LLM, without any function, in surroundings where memories form at once."""
    settings = variables(_QUICK)
    async with served_openwebui(
        folder,
        connection=model.upstream.base_url,
        connection_headers=MARKS,
        model=model.upstream.base_url,
        **(settings | environ),
    ) as server:
        yield server


def learning_from(model: LanguageModel) -> dict[str, Any]:
    """Return the valves of a filter whose extraction model is this one, and that waits for a slow machine."""
    return {
        "extraction_base_url": model.upstream.base_url,
        "extraction_model": "extractor",
        "recall_deadline_ms": _PATIENT["recall_deadline_ms"],
    }


def filter_host(server: Server, administrator: Person, model: LanguageModel, database: Database) -> Host:
    """Return such an Open WebUI as a host of the filter, whose memories nobody looks at from outside."""
    return Host("filter", server, administrator, model, database, _no_memory_api)


def _no_memory_api() -> AbstractAsyncContextManager[RunningProxy]:
    pytest.fail("this test serves no memory API")
