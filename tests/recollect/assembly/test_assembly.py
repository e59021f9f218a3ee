"""Settings become an engine: the right parts, opened and closed again."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields
from datetime import timedelta
from pathlib import Path
from threading import Event
from time import sleep
from typing import Any

import httpx
import pytest
from pydantic import SecretStr
from structlog.testing import capture_logs
from tests.recollect.store.embedded.servers import durability, postmaster
from tests.scripted.mistral import running_mistral
from tests.scripted.models import WordEmbedder
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.folders import database_folder
from tests.servers.running_proxy import extract_statements
from tests.servers.served_process import environment
from tests.support.recollections import NOON, turn
from tests.support.tables import table
from tests.support.waiting import until
from uuid_utils.compat import uuid7

from recollect.assembly import host_engine, lifecycle
from recollect.assembly import models_from_settings as models_module
from recollect.assembly.data_folder import file_of_global_memories
from recollect.assembly.earlier_embedders import LiveGenerations, TodaysEmbedder
from recollect.assembly.host_engine import live_engine, shared_engine
from recollect.assembly.lifecycle import (
    LazyTransport,
    _tell_of_failure,
    open_backends,
    open_engine,
    warm_up_search,
)
from recollect.assembly.models_from_settings import (
    load_embedder,
    make_earlier_embedder,
    make_log_embedder,
    make_models,
)
from recollect.assembly.policy_from_settings import make_policy
from recollect.backends import Backends
from recollect.composition import Bounds
from recollect.engine.live.live_engine import LiveEngine
from recollect.engine.live.log_writer import LogWriter
from recollect.engine.policy import Batching, Policy, Summarizing, Yields
from recollect.errors import ConfigurationError, EmbedderError, StoreUnavailableError
from recollect.formation import FormationRules, TokenBudget
from recollect.model import (
    Caps,
    EmbedderInUse,
    EmbedderPlace,
    EmbeddingScope,
    Exchange,
    Kind,
    Placement,
    Scope,
    Stage,
    Strategy,
)
from recollect.model.local_time import server_zone
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder
from recollect.models.embedders.served import OpenAIEmbedder
from recollect.models.extractors import ModelExtractor
from recollect.ports import Asker
from recollect.recall import Gate, Reach, SelectionLimits
from recollect.settings.engine_settings import NOWHERE, EngineSettings
from recollect.settings.upstream_policies import UpstreamSettings
from recollect.store import start_embedded
from recollect.store.embedded_database import EmbeddedServer
from recollect.store.log_index import EmbedderGenerations
from recollect.store.pool import connections

SAID = "I drink tea."


def settings(**given: Any) -> EngineSettings:
    return EngineSettings(**{"worker": "within"} | given)


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient() as client:
        yield client


@pytest.fixture
async def model() -> AsyncIterator[ScriptedUpstream]:
    """An LLM that takes every statement for a fact."""
    async with ScriptedUpstream(extract_statements) as model:
        yield model


@pytest.fixture
def opened(own_dsn: str, data_dir: Path) -> EngineSettings:
    """Settings that an engine can be opened with."""
    return settings(database_url=own_dsn, data_dir=data_dir, formation="qa_turn")


async def test_the_first_recall_does_not_wait_for_connections_that_take_long_to_open(
    opened: EngineSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_engine(opened) as engine:
        said = turn("I have a dog called Rex.", scope=Scope("anna", "monday"))
        await engine.remember(said, "Noted!")

        async def is_formed() -> bool:
            return await engine.drain("anna") is None

        await until(is_formed)
    register = connections._register_vectors

    async def slowly(*arguments: Any, **named: Any) -> None:
        await asyncio.sleep(opened.recall_deadline_ms / 1000)  # as on a machine that is busy
        await register(*arguments, **named)

    monkeypatch.setattr(connections, "_register_vectors", slowly)
    with capture_logs() as lines:
        async with open_engine(opened) as engine:
            recall = await engine.recall(turn("What is my dog called?", scope=Scope("anna", "tuesday")))

    assert "search_warm_up_failed" not in {line["event"] for line in lines}
    assert Stage.SEARCH not in recall.degraded
    assert Stage.SEARCH in recall.stages
    assert any("Rex" in each.item.content for each in recall.recollections)


async def test_an_opening_does_not_fail_where_it_can_not_search_for_nobody() -> None:
    class Away:
        name = "none"

        def __getattr__(self, name: str) -> Any:
            raise StoreUnavailableError

    with capture_logs() as lines:
        await warm_up_search(Backends(**dict.fromkeys((each.name for each in fields(Backends)), Away())))  # type: ignore[arg-type]

    assert [(line["event"], line["error"]) for line in lines] == [
        ("search_warm_up_failed", "StoreUnavailableError")
    ]


@pytest.fixture(autouse=True)
def _nothing_shared(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Take our settings out of the environment, and forget the engines of each test."""
    for name in set(os.environ) - set(environment()):
        monkeypatch.delenv(name)
    yield
    host_engine._shared.clear()


async def test_who_names_a_server_for_the_log_has_two_embedders_and_else_one(
    opened: EngineSettings, model: ScriptedUpstream
) -> None:
    served = {"embedder": "openai:e", "embedder_base_url": model.base_url}

    for given, names in (({}, {"local"}), (served, {"local", "openai"})):
        async with open_backends(opened.model_copy(update=given)) as backends:
            assert backends.embedder.name.startswith("local:multilingual-e5-small@")
            assert {each.name.split(":")[0] for each in (backends.embedder, backends.log_embedder)} == names
            assert len(backends.caches) == len(names)
    assert model.begun == []


NOW, BEFORE_NOW = "https://now/v1", "https://before/v1"


@table(
    ("base_url", "previous", "sent"),
    [
        (NOW, None, "Bearer sk-now"),
        (NOW, "sk-before", "Bearer sk-before"),
        (BEFORE_NOW, None, None),
        (BEFORE_NOW, "sk-before", "Bearer sk-before"),
    ],
)
def test_no_server_is_sent_anothers_key(base_url: str, previous: str | None, sent: str | None) -> None:
    given = settings(
        embedder="openai:e",
        embedder_base_url=NOW,
        embedder_api_key="sk-now",
        previous_embedder_api_key=previous,
    )

    made = make_earlier_embedder(
        given, httpx.AsyncClient(), {"embedder": "openai:before", "base_url": base_url}
    )

    assert isinstance(made, OpenAIEmbedder)
    assert (made.name, made._headers.get("Authorization")) == ("openai:before", sent)


@table("embedder, said", [("openai:e", "RECOLLECT_EMBEDDER_BASE_URL"), ("magic:e", "magic:e")])
def test_an_embedder_of_no_sense_is_named(client: httpx.AsyncClient, embedder: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        make_log_embedder(settings(embedder=embedder), client)


class Noted(EmbedderGenerations):
    """The noted embedders; the one of this process is noted, too."""

    def __init__(self, *noted: EmbedderInUse) -> None:
        self.noted = list(noted)

    async def note_in_use(self, place: EmbedderPlace, model: str, made_by: Mapping[str, str]) -> None:
        """Note nothing."""

    async def known(self) -> list[EmbedderInUse]:
        """Return all that is noted."""
        return self.noted


@table("minutes, is_used, is_today", [(1, True, False), (1, False, True), (-1, True, True), (0, True, True)])
async def test_an_embedder_is_todays_unless_a_process_uses_one_that_was_chosen_later(
    minutes: int, *, is_used: bool, is_today: bool
) -> None:
    own, other = (
        EmbedderInUse(EmbedderPlace.LOG, model, {}, NOON + timedelta(minutes=late), NOON, None, used)
        for model, late, used in (("own", 0, True), ("other", minutes, is_used))
    )
    today = {EmbedderPlace.LOG: TodaysEmbedder("own", {})}
    generations = LiveGenerations(Noted(own, other), today, WordEmbedder(), lambda _: None)

    await generations.look()

    assert (generations.is_today, generations.changing) == (is_today, True)


def exchange() -> Exchange:
    return Exchange(
        uuid7(), turn(SAID), "Good.", uuid7(), uuid7(), authorized=True, credential="Bearer of-the-request"
    )


@pytest.mark.parametrize(
    ("given", "upstream"),
    [
        ({}, None),
        ({"formation": "qa_turn", "extraction_base_url": "http://other/v1"}, "http://u/v1"),
        ({"formation": "off", "extraction_base_url": "http://other/v1"}, None),
    ],
)
async def test_where_there_is_no_model_to_ask_there_are_no_models(
    client: httpx.AsyncClient, given: dict[str, str], upstream: str | None
) -> None:
    assert make_models(settings(**given), client, upstream) is None


async def test_the_chats_model_gets_its_key(client: httpx.AsyncClient, model: ScriptedUpstream) -> None:
    models = make_models(settings(), client, model.base_url)

    assert models is not None
    [candidate] = (await models.extractor.extract([exchange()], [])).candidates

    assert (candidate.content, model.last.values(b"authorization")) == (SAID, [b"Bearer of-the-request"])
    assert model.last.json["model"] == "scripted"


async def test_an_upstream_is_asked_for_hints_of_kinds_it_may_see_alone(client: httpx.AsyncClient) -> None:
    cloud = UpstreamSettings(name="cloud", url="http://cloud/v1", models=("gpt-*",), memories=(Kind.FACT,))
    own = {"extraction_base_url": "http://own/v1", "extraction_model": "m"}
    for given, kinds in ({}, {Kind.FACT}), (own, None):
        models = make_models(settings(chat_upstreams=(cloud,), **given), client, "http://upstream/v1")

        assert models is not None
        assert models.hinter.told(Asker("anna", "gpt-5", upstream="cloud")).kinds == kinds


async def test_another_servers_model_is_asked_with_its_own_key_and_never_with_the_requests(
    client: httpx.AsyncClient, model: ScriptedUpstream
) -> None:
    own = {"extraction_base_url": model.base_url, "extraction_model": "m"}
    keyed = make_models(settings(**own, extraction_api_key="sk-x"), client, "http://upstream/v1")
    keyless = make_models(settings(**own), client, "http://upstream/v1")

    assert keyed is not None
    await keyed.extractor.extract([exchange()], [])
    assert model.last.values(b"authorization") == [b"Bearer sk-x"]
    assert keyless is not None
    await keyless.extractor.extract([exchange()], [])
    assert model.last.values(b"authorization") == []


@pytest.mark.parametrize("upstream", ["http://upstream/v1", None])
def test_another_server_without_a_model_is_refused(client: httpx.AsyncClient, upstream: str | None) -> None:
    with pytest.raises(ConfigurationError, match="RECOLLECT_EXTRACTION_MODEL"):
        make_models(settings(extraction_base_url="http://other/v1"), client, upstream)


def test_a_trailing_slash_makes_no_other_server(client: httpx.AsyncClient) -> None:
    given = settings(extraction_base_url="http://upstream/v1/")

    assert make_models(given, client, "http://upstream/v1") is not None


async def test_the_operators_files_are_in_the_data_folder(client: httpx.AsyncClient, tmp_path: Path) -> None:
    given = settings(data_dir=tmp_path)
    assert make_models(given, client, "http://upstream/v1") is not None
    assert file_of_global_memories(given) is None

    (tmp_path / "instructions.toml").write_text("no TOML")
    (tmp_path / "global-memories.txt").write_text("Lunch is at noon.")

    with pytest.raises(ConfigurationError, match=r"instructions\.toml"):
        make_models(given, client, "http://upstream/v1")
    assert file_of_global_memories(given) == tmp_path / "global-memories.txt"
    assert file_of_global_memories(settings(data_dir=tmp_path, database_url="memory:")) is None


@table(("base_url", "seconds"), [("http://192.168.1.20:8000/v1", 600), ("https://llm.example.com/v1", 120)])
def test_a_server_that_is_near_is_waited_for_longer(base_url: str, seconds: float) -> None:
    assert models_module._timeout(settings(), base_url).total_seconds() == seconds
    assert models_module._timeout(settings(extraction_timeout_seconds=3), base_url).total_seconds() == 3


async def test_who_gives_up_a_loading_embedder_waits_for_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it goes on in its thread, and the process's end waits for it."""
    begun, ended = Event(), Event()

    def load_slowly(_: MultilingualE5Embedder) -> None:
        begun.set()
        sleep(0.1)
        ended.set()

    monkeypatch.setattr(MultilingualE5Embedder, "_loaded", load_slowly)
    loading = asyncio.create_task(load_embedder())
    await until(begun.is_set)

    loading.cancel()
    await asyncio.wait({loading})

    assert loading.cancelled()
    assert ended.is_set()


async def test_mistral_is_asked_by_its_own_sdk(client: httpx.AsyncClient) -> None:
    mistral = settings(extraction_base_url="https://api.mistral.ai/v1", extraction_api_key="k")
    asking = make_models(mistral, client, None)
    given = settings(embedder="mistral:mistral-embed", embedder_api_key="k")
    embedder = make_log_embedder(given, client)

    assert asking is not None
    assert isinstance(asking.extractor, ModelExtractor)
    assert embedder is not None
    assert (embedder.name, embedder.gate) == ("mistral:mistral-embed", 0.8)
    await asking.extractor.aclose()
    await embedder.aclose()


def test_mistral_without_a_key_is_refused_before_any_word_goes_there(client: httpx.AsyncClient) -> None:
    with pytest.raises(ConfigurationError, match="RECOLLECT_EXTRACTION_API_KEY"):
        make_models(settings(extraction_base_url="https://api.mistral.ai"), client, "http://upstream/v1")


async def test_the_requests_own_key_goes_to_mistral_only_as_the_upstream(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_mistral() as server:
        monkeypatch.setattr(models_module, "_MISTRAL", server.base_url)
        address = f"{server.base_url.removesuffix('/v1')}/v1"
        for upstream, key in ((address, None), ("http://elsewhere/v1", "k")):
            given = settings(extraction_base_url=server.base_url, extraction_api_key=key)
            models = make_models(given, client, upstream)
            assert models is not None
            await models.extractor.extract([exchange()], [])
            await models.extractor.aclose()

    assert [each.headers.get("authorization") for each in server.requests] == [
        "Bearer of-the-request",
        "Bearer k",
    ]


def test_the_policy_is_what_the_settings_say() -> None:
    given = settings(
        recall_deadline_ms=240,
        recall_limit=3,
        recall_gate=0.4,
        recall_gate_threshold=0.7,
        embed="marked",
        placement="user",
        memory_tokens=500,
        chat_memory_tokens=1500,
        history_tokens=0,
        formation="qa_turn",
        formation_quiet_seconds=3,
        formation_batch_turns=7,
        memories_per_hour=9,
        session_cap=11,
        user_cap=12,
        summary_turns=6,
        summary_tokens=900,
        user_tokens_per_day=1_000,
        tokens_per_day=2_000,
        minimum_importance=0.2,
        formation_attempts=5,
    )

    policy = make_policy(given)
    assert policy == Policy(
        reader=policy.reader,
        zone=server_zone(),
        deadline=0.24,
        reach=Reach(verbatim=True, log_embedding_seconds=0.12),
        gate=Gate(cosine=0.4, threshold=0.7),
        selecting=SelectionLimits(limit=3),
        bounds=Bounds(Placement.USER, memory_tokens=500, chat_memory_tokens=1500, history_tokens=0),
        embedded=EmbeddingScope.MARKED,
        strategy=Strategy.QA_TURN,
        rules=FormationRules(minimum_importance=0.2, hourly=9),
        batching=Batching(7, timedelta(seconds=3), grown=14),
        yields=Yields(to_chats=False, idle=3),
        caps=Caps(session=11, user=12),
        summarizing=Summarizing(turns=6, tokens=900),
        budget=TokenBudget(user=1_000, everybody=2_000),
        attempts=5,
    )
    assert make_policy(settings()).strategy is Strategy.EXTRACT
    assert make_policy(settings(formation="off")).strategy is Strategy.OFF
    assert (make_policy(settings()).gate, make_policy(settings()).reach) == (Gate(), Reach())
    assert make_policy(settings()).bounds == Bounds()
    assert make_policy(settings(memory_tokens=500)).bounds.chat_memory_tokens == 4_000


def test_another_server_or_prompt_asks_otherwise_and_another_chat_limit_does_not() -> None:
    plain = make_policy(settings(), upstream="http://one/v1").asked("llama")

    assert plain.startswith("llama #")
    assert make_policy(settings(recall_limit=3), upstream="http://one/v1").asked("llama") == plain
    assert make_policy(settings(), upstream="http://two/v1").asked("llama") != plain
    other = settings(extraction_base_url="http://two/v1")
    assert make_policy(other, upstream="http://one/v1").asked("llama") != plain


def test_a_chat_has_room_for_the_memories_of_one_turn_at_least() -> None:
    bounds = make_policy(settings(memory_tokens=5000, chat_memory_tokens=1000)).bounds

    assert (bounds.memory_tokens, bounds.chat_memory_tokens) == (5000, 5000)


@table("tokens, stands, most", [(0, False, 120), (90, True, 90)])  # who has it switched on has it as shipped
def test_no_tokens_for_the_standing_part_switch_it_off(tokens: int, most: int, *, stands: bool) -> None:
    policy = make_policy(settings(standing_tokens=tokens))

    assert (policy.stands, policy.bounds.standing_tokens) == (stands, most)


@pytest.mark.process
async def test_without_an_address_the_database_is_embedded_and_durable_and_there_again_once_it_dies() -> None:
    with database_folder() as folder:
        own = settings(data_dir=folder, embedder="openai:e", embedder_base_url="http://127.0.0.1:9/v1")
        async with open_engine(own) as engine:
            assert (await engine.backlog()).pending == 0
            joined = await asyncio.to_thread(start_embedded, folder)
            assert await durability(joined.dsn) == {"on"}
            await asyncio.to_thread(joined.stop)
            os.kill(postmaster(folder), signal.SIGKILL)
            with suppress(StoreUnavailableError):
                await engine.remember(turn(SAID), "Good.")

            async def is_there() -> bool:
                with suppress(StoreUnavailableError):
                    await engine.backlog()
                    return True
                return False

            await until(is_there, seconds=30)
            assert await engine.remember(turn("I drink coffee."), "Good.")


async def test_what_makes_no_sense_is_told_even_while_the_database_is_away() -> None:
    away = settings(database_url="postgresql://127.0.0.1:9/x", embedder="local:no-such-model")

    with pytest.raises(ConfigurationError, match="no-such-model"):
        async with open_engine(away):
            pass


async def test_an_embedder_is_closed_when_the_database_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[OpenAIEmbedder] = []

    async def aclose(self: OpenAIEmbedder) -> None:
        closed.append(self)

    monkeypatch.setattr(OpenAIEmbedder, "aclose", aclose)
    away = settings(
        database_url="postgresql://127.0.0.1:9/x",
        embedder="openai:e",
        embedder_base_url="http://127.0.0.1:9/v1",
    )

    with pytest.raises(StoreUnavailableError):
        async with open_engine(away):
            pass
    assert len(closed) == 1


async def test_damaged_embedders_are_told_and_leave_nothing(opened: EngineSettings, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("recollect.models.embedders.multilingual_e5.installed_model", lambda _: tmp_path)
        with pytest.raises(EmbedderError, match=str(tmp_path)):
            async with open_engine(opened):
                pass
    async with open_engine(opened) as engine:
        assert (await engine.backlog()).pending == 0
    with pytest.raises(StoreUnavailableError):
        await engine.backlog()


async def closed(live: LiveEngine) -> None:
    """Wait until an engine is closed."""
    await until(lambda: live.engine is None and not host_engine._closing)


async def test_all_share_one_engine_until_other_settings_make_another(opened: EngineSettings) -> None:
    old, shared = await asyncio.gather(shared_engine(opened), shared_engine(opened))
    assert shared is old
    assert await old.ready(60)
    changed = EngineSettings(**opened.model_dump() | {"recall_limit": 3})

    new, again = await asyncio.gather(shared_engine(changed), shared_engine(changed))

    assert new is again
    assert new is not old
    assert await new.ready(60)
    await closed(old)
    await new.aclose()


async def test_an_engines_broken_end_is_told(opened: EngineSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(*_: object) -> None:
        raise OSError(5, "my secret words")

    old = await shared_engine(opened)
    assert await old.ready(60)
    monkeypatch.setattr(LogWriter, "take", fails)

    with capture_logs() as lines:
        new = await shared_engine(EngineSettings(**opened.model_dump() | {"recall_limit": 3}))
        await closed(old)

    [told] = [line for line in lines if line["event"] == "engine_close_failed"]
    assert told["error"] == "OSError"
    assert "secret" not in str(lines)
    await new.aclose()


def test_an_engine_of_a_loop_that_has_ended_is_not_shared(opened: EngineSettings) -> None:
    async def begin() -> LiveEngine:
        live = await shared_engine(opened)
        await live.ready(60)
        await live.aclose()
        return live

    with asyncio.Runner() as runner:
        first = runner.run(begin())
    with asyncio.Runner() as runner:
        second = runner.run(begin())

    assert first is not second


async def test_formation_that_a_bug_ends_is_told_at_once_without_its_words() -> None:
    async def broken() -> None:
        raise KeyError("my secret words")

    with capture_logs() as lines:
        forming = asyncio.create_task(broken())
        forming.add_done_callback(_tell_of_failure)
        await asyncio.wait({forming})
        await asyncio.sleep(0)

    [line] = lines
    assert (line["event"], line["error"]) == ("formation_stopped", "KeyError")
    assert "secret" not in str(line)


# -- The embedded server begins to start before all else is imported, and is not left behind by an opening that fails --


@pytest.mark.database
async def test_a_server_that_nobody_came_to_use_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[EmbeddedServer] = []

    def starting(folder: Path) -> EmbeddedServer:
        started.append(start_embedded(folder, durable=False))
        return started[0]

    def refuse(*_: object, **__: object) -> None:
        raise ConfigurationError("No such policy.")

    monkeypatch.setattr(host_engine, "start_embedded", starting)
    monkeypatch.setattr(lifecycle, "make_policy", refuse)
    with database_folder(created=True) as folder:
        live = live_engine(EngineSettings(data_dir=folder))
        with pytest.raises(ConfigurationError, match="No such policy"):
            await live.start()

        await until(lambda: bool(started) and not (folder / "postgres" / "data" / "postmaster.pid").exists())


async def test_a_database_elsewhere_starts_no_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def starting(_: Path) -> EmbeddedServer:
        raise AssertionError

    monkeypatch.setattr(host_engine, "start_embedded", starting)
    settings = EngineSettings(data_dir=tmp_path, database_url=SecretStr("postgresql://127.0.0.1:9/none"))

    assert host_engine._starting(settings) is None
    assert host_engine._starting(EngineSettings(data_dir=NOWHERE)) is None


# -- The client that an engine opens with asks as httpx's own does --


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")
    await writer.drain()
    writer.close()


async def test_it_is_made_at_the_first_request_and_closed_with_the_client() -> None:
    server = await asyncio.start_server(_answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    transport = LazyTransport()
    async with server, httpx.AsyncClient(transport=transport) as client:
        answers = [await client.get(f"http://127.0.0.1:{port}/") for _ in range(2)]

    assert [each.text for each in answers] == ["hi", "hi"]


async def test_it_checks_certificates() -> None:
    transport = LazyTransport()
    async with httpx.AsyncClient(transport=transport) as client:
        with pytest.raises(httpx.ConnectError):
            await client.get("http://127.0.0.1:9/")

    assert transport._made is not None
    context = transport._made._pool._ssl_context
    assert context is not None
    assert context.check_hostname


async def test_it_is_closed_without_ever_having_been_asked() -> None:
    async with httpx.AsyncClient(transport=LazyTransport()):
        pass
