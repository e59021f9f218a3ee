"""The design's directions, sizes, depths and words hold in the whole tree, and what checks the directions can fail."""

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.architecture import ASKING, PROGRAMS, PURE, ROOTS, Module, modules, violations

REPOSITORY = Path(__file__).parents[1]

FORBIDDEN_IMPORTS = [
    ("src/recollect/engine/__init__.py", "from recollect.store.pool import Database"),
    ("src/recollect/wire/reply.py", "from recollect.store.memories import Memories"),
    (
        "src/recollect/engine/turns/recall.py",
        "def later():\n    from recollect.settings.engine_settings import EngineSettings",
    ),
    ("src/recollect/engine/live/log_writer.py", "from ..assembly import open_engine"),
    ("src/recollect/models/embedders/multilingual_e5.py", "import recollect.models.extractors as it"),
    ("src/recollect/store/memories/memories.py", "from recollect.engine import Engine"),
    ("src/recollect/composition/block.py", "if TYPE_CHECKING:\n    from recollect.ports import Embedder"),
    ("src/recollect/formation/verification.py", "from recollect.ports import Asker"),
    ("src/recollect/wire/turn.py", "import asyncpg"),
    ("proxy/recollect_proxy/upstream/upstream.py", "from recollect.wire import hear"),
    (
        "proxy/recollect_proxy/chat/application.py",
        "from recollect_proxy.settings.proxy_settings import ProxySettings",
    ),
    ("proxy/recollect_proxy/commands/cli.py", "from bench.report import table"),
    ("openwebui_filter/recollect_filter.py", "import open_webui"),
]
"""What the design forbids, however it is written."""

CONTRACTS = [
    each["name"]
    for each in tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
]

LIBRARIES = {
    "recollect.api": "msgspec",
    "recollect.assembly": "httpx msgspec pydantic structlog uuid_utils",
    "recollect.webhook": "httpx",
    "recollect.wire": "brotli msgspec numpy re2 zstandard",
    "recollect.client": "httpx msgspec",
    "recollect.engine": "cachetools msgspec structlog uuid_utils",
    "recollect.formation": "rapidfuzz structlog",
    "recollect.index_run": "structlog",
    "recollect.runtime": "structlog",
    "recollect.model": "numpy",
    "recollect.models": "cachetools httpx httpx2 marisa_trie mistralai msgspec numpy onnxruntime pydantic structlog",
    "recollect.store": "asyncpg msgspec numpy pgqueuer pgvector structlog uuid_utils",
    "recollect.index": "numpy",
    "recollect.recall": "cachetools numpy structlog",
    "recollect.settings": "platformdirs pydantic pydantic_settings",
    "recollect.spool": "structlog",
    "recollect.spool_segments": "msgspec uuid_utils",
    "recollect.text": "Stemmer rapidfuzz re2",
    "recollect.worker": "cachetools msgspec structlog",
    "recollect_events": "httpx pydantic",
    "recollect_filter": "pydantic",
    "recollect_memories": "httpx pydantic",
    "recollect_off": "pydantic",
    "recollect_openwebui": "msgspec structlog",
    "recollect_undo": "httpx pydantic",
    "recollect_weights": "marisa_trie numpy onnx",
    "recollect_proxy": "aiohappyeyeballs asyncpg cachetools httptools httpx httpx2 jinja2 jwt litestar mcp mcp_types msgspec opentelemetry "
    "prometheus_client pydantic pydantic_settings rich structlog typer uuid_utils uvicorn uvloop websockets",
}
"""What each package imports of others' libraries."""


def test_the_tree_keeps_to_its_sizes_words_and_depths(ours: Sequence[Module]) -> None:
    assert violations(REPOSITORY, ours) == []


def test_a_name_of_ten_functions_is_found_unless_a_protocol_has_it(tmp_path: Path) -> None:
    classes = "".join(f"class A{n}:\n    def note(self): ...\n    def aclose(self): ...\n" for n in range(10))
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "notes.py").write_text(classes)

    assert [each.partition(",")[0] for each in violations(tmp_path, modules(tmp_path))] == [
        "10 functions are named note"
    ]


def test_what_is_said_to_be_pure_exists(ours: Sequence[Module]) -> None:
    assert {*PURE, *ASKING} <= {module.name for module in ours}


def lint_imports(root: Path) -> subprocess.CompletedProcess[str]:
    paths = [str(root / each) for each in (*ROOTS, "")]
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-logo", "--no-cache"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def contracts_broken(linted: subprocess.CompletedProcess[str]) -> list[str]:
    """Return the names of the contracts that broke, in the order of `pyproject.toml`."""
    lines = linted.stdout.splitlines()
    return [line.removesuffix(" BROKEN") for line in lines if line.endswith(" BROKEN")]


def what_broke(linted: subprocess.CompletedProcess[str]) -> str:
    """Return what is said of the contracts that broke: each by its name, with the imports that it forbids."""
    return linted.stdout.partition("Broken contracts\n")[2] or linted.stdout + linted.stderr


@pytest.fixture(scope="module")
def ours() -> Sequence[Module]:
    return modules(REPOSITORY)


@pytest.fixture
def tree(ours: Sequence[Module], tmp_path: Path) -> Path:
    """Return a folder with all of our modules, and with what `lint-imports` knows of them."""
    shutil.copy(REPOSITORY / "pyproject.toml", tmp_path)
    for module in ours:
        (tmp_path / module.path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / module.path).write_text(module.text, "utf-8")
    return tmp_path


def test_who_imports_whom_keeps_to_the_contracts_and_a_planted_import_breaks_one(
    ours: Sequence[Module], tree: Path
) -> None:
    kept = lint_imports(tree)
    for path, statement in FORBIDDEN_IMPORTS:
        with (tree / path).open("a", encoding="utf-8") as module:
            module.write(f"\n{statement}\n")

    broken = lint_imports(tree)

    assert contracts_broken(kept) == [], what_broke(kept)
    assert kept.returncode == 0, kept.stdout + kept.stderr
    assert broken.returncode == 1
    names = {module.path: module.name for module in ours}
    found = broken.stdout.replace("openwebui_filter.recollect_filter", "recollect_filter")
    assert [path for path, _ in FORBIDDEN_IMPORTS if f"{names[path]} -> " not in found] == []
    assert set(contracts_broken(broken)) <= set(CONTRACTS)
    assert all(f"\n{name}\n" in what_broke(broken) for name in contracts_broken(broken))


def test_a_module_that_no_contract_speaks_of_is_found(tree: Path) -> None:
    (tree / "src/recollect/telepathy.py").touch()

    linted = lint_imports(tree)

    assert linted.returncode == 1
    assert contracts_broken(linted) == [
        "The engine's packages: assembly, engine, stages, store and models, nouns"
    ]
    assert "- recollect.telepathy\n" in what_broke(linted)


def libraries_of(ours: Sequence[Module]) -> dict[str, str]:
    """Return which libraries each package of the engine imports, and each host, wherever in a module that is."""
    found: dict[str, set[str]] = {}
    for module in ours:
        parts = module.name.split(".")
        imported = {name.partition(".")[0] for name in imported_names(module)}
        others = imported - sys.stdlib_module_names - {each.name.partition(".")[0] for each in ours}
        if others and parts[0] not in PROGRAMS:
            found.setdefault(".".join(parts[: 2 if parts[0] == "recollect" else 1]), set()).update(others)
    return {package: " ".join(sorted(names)) for package, names in found.items()}


def imported_names(module: Module) -> Iterator[str]:
    """Yield the names that a module imports by statements, but those relative to itself."""
    for node in module.nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module


def test_each_package_imports_the_libraries_that_are_named_here_and_no_other(ours: Sequence[Module]) -> None:
    assert libraries_of(ours) == LIBRARIES


def imported_by_text(module: Module) -> list[str]:
    return [
        argument.value
        for node in module.nodes
        if isinstance(node, ast.Call)
        and {"import_module", "__import__"} & {getattr(each, "id", "") for each in (node.func, *node.args)}
        for argument in node.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]


def test_what_no_contract_can_see_is_imported_by_its_text_where_a_host_opens_the_engine(
    ours: Sequence[Module],
) -> None:
    assert {module.name: texts for module in ours if (texts := imported_by_text(module))} == {
        "recollect.assembly.host_engine": ["recollect.assembly.lifecycle"],
        "recollect_events": ["recollect_openwebui"],
        "recollect_filter": ["recollect_openwebui"],
        "recollect_memories": ["recollect_openwebui"],
        "recollect_undo": ["recollect_openwebui"],
    }
