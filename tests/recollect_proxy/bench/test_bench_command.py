"""`recollect bench` as a person runs it."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.recollect_proxy.bench.conversations import FRIENDS, TEA, conversation, fact, turn, write

from recollect_proxy.settings import ProxySettings

RECOLLECT = str(Path(sys.executable).with_name("recollect"))


def run(*arguments: str | Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    clean = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
    return subprocess.run(
        [RECOLLECT, "bench", *map(str, arguments)],
        env=clean | {"COLUMNS": "80"} | environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_json_is_all_that_goes_to_stdout(operator_settings: ProxySettings, tmp_path: Path) -> None:
    data = write(tmp_path / "two.jsonl", TEA, FRIENDS)

    ended = run(
        *("recall", "--data", data, "--json", "--limit-conversations", "1", "--questions", "2"),
        RECOLLECT_DATA_DIR=str(operator_settings.data_dir),
        RECOLLECT_DATABASE_URL="postgresql://nobody@127.0.0.1:9/never-touched",
    )

    assert (ended.returncode, ended.stderr) == (0, "")
    figures = json.loads(ended.stdout)
    assert figures["counts"]["conversations"] == 1
    assert figures["counts"]["questions"] == 2
    assert not (operator_settings.data_dir / "postgres").exists()


def test_without_json_a_table_is_printed(operator_settings: ProxySettings, tmp_path: Path) -> None:
    data = write(tmp_path / "one.jsonl", FRIENDS)

    ended = run("recall", "--data", data, RECOLLECT_DATA_DIR=str(operator_settings.data_dir))

    assert (ended.returncode, ended.stderr) == (0, "")
    assert "What retrieval ranks" in ended.stdout
    assert "conversations 1, turns 3" in ended.stdout


def test_facts_are_measured_in_place_of_what_was_said(
    operator_settings: ProxySettings, tmp_path: Path
) -> None:
    data = write(tmp_path / "one.jsonl", TEA)
    facts = write(tmp_path / "facts.jsonl", fact("anna", "Anna drinks green tea every morning.", "t1"))

    ended = run(
        *("recall", "--data", data, "--facts", facts, "--json"),
        RECOLLECT_DATA_DIR=str(operator_settings.data_dir),
    )

    assert (ended.returncode, ended.stderr) == (0, "")
    assert json.loads(ended.stdout)["facts"]["facts"] == 1


def test_code_names_are_measured(operator_settings: ProxySettings, tmp_path: Path) -> None:
    data = write(tmp_path / "one.jsonl", conversation([turn("t1", "Call fetchOrders() once.")]))

    ended = run("code", "--data", data, RECOLLECT_DATA_DIR=str(operator_settings.data_dir))

    assert (ended.returncode, ended.stderr) == (0, "")
    assert "identifiers: 1" in ended.stdout


def test_abstention_and_cache_print_one_document_each(
    operator_settings: ProxySettings, tmp_path: Path
) -> None:
    data = write(tmp_path / "one.jsonl", TEA)
    folder = str(operator_settings.data_dir)

    abstention = run("abstention", "--data", data, "--unrelated", "2", "--json", RECOLLECT_DATA_DIR=folder)
    cache = run("cache", "--data", data, "--placement", "off", "--json", RECOLLECT_DATA_DIR=folder)

    assert (abstention.returncode, abstention.stderr) == (0, "")
    assert json.loads(abstention.stdout)["unrelated_questions"] == 2
    assert (cache.returncode, cache.stderr) == (0, "")
    assert list(json.loads(cache.stdout)["placements"]) == ["off"]


def test_a_mistake_in_the_file_is_told_with_its_line_before_anything_is_started(tmp_path: Path) -> None:
    data = write(tmp_path / "bad.jsonl", TEA, {"id": "x", "turns": []})

    ended = run("recall", "--data", data, "--json")

    assert (ended.returncode, ended.stdout) == (2, "")
    assert "bad.jsonl, line 2: Object missing required field `questions`" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_setting_that_makes_no_sense_is_told(tmp_path: Path) -> None:
    data = write(tmp_path / "one.jsonl", TEA)

    ended = run("recall", "--data", data, RECOLLECT_RECALL_LIMIT="many")

    assert (ended.returncode, ended.stdout) == (2, "")
    assert "RECOLLECT_RECALL_LIMIT" in ended.stderr


def test_an_embedder_that_is_not_there_is_told(tmp_path: Path) -> None:
    data = write(tmp_path / "one.jsonl", TEA)

    ended = run(
        "recall",
        "--data",
        data,
        RECOLLECT_EMBEDDER="local:/no/such/folder",
        RECOLLECT_DATA_DIR=str(tmp_path),
    )

    assert (ended.returncode, ended.stdout) == (1, "")
    assert "/no/such/folder" in ended.stderr
    assert "Traceback" not in ended.stderr
