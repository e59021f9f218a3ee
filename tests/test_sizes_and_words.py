"""The check of sizes, depths, banned words, SQL outside of .sql files and of what never waits can fail."""

from pathlib import Path

import pytest
from tests.architecture import modules, violations


def planted(root: Path, path: str, source: str) -> list[str]:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(source, "utf-8")
    return violations(root, modules(root))


@pytest.mark.parametrize(
    ("path", "limit"),
    [
        ("src/recollect/errors.py", 450),
        ("proxy/recollect_proxy/chat/application.py", 100),
        ("openwebui_filter/recollect_filter.py", 190),
    ],
)
def test_a_file_that_grows_too_long_is_found(tmp_path: Path, path: str, limit: int) -> None:
    assert planted(tmp_path, path, "#\n" * limit) == []
    assert planted(tmp_path, path, "#\n" * (limit + 1)) == [
        f"{path}:{limit + 1}: the file has {limit + 1} lines, {limit} at most"
    ]


def test_a_function_that_grows_too_long_is_found_and_its_docstring_does_not_count(tmp_path: Path) -> None:
    path = "src/recollect/errors.py"
    docstring = '    """What it does.\n\n    And more.\n    """\n'

    assert planted(tmp_path, path, "def long():\n" + docstring + "    1\n" * 39) == []
    assert planted(tmp_path, path, "@once\ndef long():\n" + docstring + "    1\n" * 40) == [
        f"{path}:2: long has 41 lines, 40 at most"
    ]
    assert planted(tmp_path, path, "class Small:\n    def long(self):\n" + "        1\n" * 40) == [
        f"{path}:2: long has 41 lines, 40 at most"
    ]


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("class MemoryManager: ...\n", "MemoryManager has the banned word manager"),
        ("class HTTPHandler: ...\n", "HTTPHandler has the banned word handler"),
        ("def make_helper(): ...\n", "make_helper has the banned word helper"),
        ("class A:\n    def text_utils(self): ...\n", "text_utils has the banned word utils"),
        ("def process_turn(): ...\n", "process_turn begins with the banned verb process"),
        ("def _handle_error(): ...\n", "_handle_error begins with the banned verb handle"),
        ("def do_recall(): ...\n", "do_recall begins with the banned verb do"),
    ],
)
def test_a_banned_word_is_found(tmp_path: Path, source: str, what: str) -> None:
    [violation] = planted(tmp_path, "src/recollect/errors.py", source)

    assert violation.endswith(f": {what}")


def test_a_banned_word_in_the_name_of_a_module_is_found(tmp_path: Path) -> None:
    assert planted(tmp_path, "src/recollect/store/utils.py", "") == [
        "src/recollect/store/utils.py:1: the module's name has the banned word utils"
    ]


@pytest.mark.parametrize("source", ["class Handled: ...\n", "def donate(): ...\n", "def do(): ...\n"])
def test_a_word_that_only_resembles_a_banned_one_is_not(tmp_path: Path, source: str) -> None:
    assert planted(tmp_path, "src/recollect/errors.py", source) == []


@pytest.mark.parametrize(
    "text",
    [
        "'SELECT 1'",
        "'select id from vectors'",
        "f'{head} SELECT id FROM {table}'",
        "'INSERT INTO vectors VALUES ($1)'",
        "'\\n  DELETE FROM vectors'",
        "'UPDATE vectors SET content = $1'",
        "'create table vectors (id uuid)'",
        "'WITH old AS (SELECT 1) TABLE old'",
        "'LISTEN changes'",
    ],
)
def test_sql_outside_of_sql_files_is_found(tmp_path: Path, text: str) -> None:
    path = "src/recollect/store/pool.py"

    assert planted(tmp_path, path, f"QUERY = {text}\n") == [f"{path}:1: SQL stands in .sql files"]


@pytest.mark.parametrize(
    "text",
    [
        '"""Select the best from many."""\n',
        "ADVICE = 'As a superuser run CREATE EXTENSION vector.'\n",
        "NAMES = SQL['select_memories_from_page']\n",
        "METHOD = 'DELETE'\n",
    ],
)
def test_prose_about_data_is_not_sql(tmp_path: Path, text: str) -> None:
    assert planted(tmp_path, "src/recollect/store/pool.py", text) == []


def test_a_folder_that_stands_too_deep_is_found(tmp_path: Path) -> None:
    assert planted(tmp_path, "src/recollect/text/dates/spans.py", "") == []
    assert planted(tmp_path, "src/recollect/text/dates/other/spans.py", "") == [
        "src/recollect/text/dates/other: a folder stands 3 deep at most"
    ]


@pytest.mark.parametrize("source", ["async def compose(): ...\n", "async def compose():\n    await it\n"])
def test_what_is_pure_does_not_await(tmp_path: Path, source: str) -> None:
    assert planted(tmp_path, "src/recollect/engine/__init__.py", source) == []
    assert "src/recollect/composition.py:1: recollect.composition is pure and must not await" in planted(
        tmp_path, "src/recollect/composition.py", source
    )
