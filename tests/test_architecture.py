"""The design's directions, sizes, depths and words hold in the whole tree, and what checks the directions can fail."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.architecture import ASKING, PURE, ROOTS, Module, modules, violations

REPOSITORY = Path(__file__).parents[1]

FORBIDDEN_IMPORTS = [
    ("src/recollect/engine/engine.py", "from recollect.postgres import Postgres"),
    ("src/recollect/engine/recall.py", "def later():\n    from recollect.settings import EngineSettings"),
    ("src/recollect/engine/log_writer.py", "from ..assembly import open_engine"),
    ("src/recollect/models/embedders/local.py", "import recollect.models.extractors as it"),
    ("src/recollect/postgres/memories.py", "from recollect.engine import Engine"),
    ("src/recollect/composition/block.py", "if TYPE_CHECKING:\n    from recollect.ports import Embedder"),
    ("src/recollect/formation/verification.py", "from recollect.ports import Asker"),
    ("src/recollect/chat/turn.py", "import asyncpg"),
    ("proxy/recollect_proxy/upstream.py", "from recollect.chat import hear"),
    ("proxy/recollect_proxy/conversation.py", "from recollect_proxy.settings import ProxySettings"),
    ("proxy/recollect_proxy/cli.py", "from bench.command import bench_app"),
    ("openwebui_filter/recollect_filter.py", "import open_webui"),
]
"""What the design forbids, however it is written."""


def test_the_tree_keeps_to_its_sizes_words_and_depths() -> None:
    assert violations(REPOSITORY) == []


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

    assert kept.returncode == 0, kept.stdout
    assert broken.returncode == 1
    names = {module.path: module.name for module in ours}
    found = broken.stdout.replace("openwebui_filter.recollect_filter", "recollect_filter")
    assert [path for path, _ in FORBIDDEN_IMPORTS if f"{names[path]} -> " not in found] == []


def test_a_module_that_no_contract_speaks_of_is_found(tree: Path) -> None:
    (tree / "src/recollect/telepathy.py").touch()

    assert "recollect.telepathy" in lint_imports(tree).stdout
