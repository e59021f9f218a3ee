"""`python -m bench` as a person runs it: once as a process, and what each of its commands prints."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.bench.command_line import bench
from tests.bench.conversations import FRIENDS, TEA, fact, labelled, write
from tests.recollect_proxy.settings import proxy_settings
from tests.served_process import environment, temporary_files

from bench import command
from bench.recall.prefix_cache import Placement, SessionCaps
from bench.recall.replay import Tally
from bench.recall.summary import summarize
from recollect_proxy.settings.proxy_settings import ProxySettings

REPOSITORY = Path(__file__).parents[2]


def told(monkeypatch: pytest.MonkeyPatch, bench: str, figures: dict[str, Any]) -> dict[str, Any]:
    """Have a command print these figures without measuring, and return what it gave to what measures."""
    given: dict[str, Any] = {}

    async def measured(*arguments: Any, **named: Any) -> dict[str, Any]:
        given.update(named, arguments=arguments, settings=arguments[-1])
        return figures

    monkeypatch.setattr(command, bench, measured)
    return given


@pytest.mark.process
def test_json_is_all_that_goes_to_stdout(operator_settings: ProxySettings, tmp_path: Path) -> None:
    data = write(tmp_path / "two.jsonl", TEA, FRIENDS)

    given = environment(
        data_dir=operator_settings.data_dir,
        database_url="postgresql://nobody@127.0.0.1:9/never-touched",
    )
    with temporary_files() as folder:
        ended = subprocess.run(
            [
                *(sys.executable, "-m", "bench", "recall", "--data", data),
                *("--json", "--limit-conversations", "1", "--questions", "2"),
            ],
            cwd=REPOSITORY,
            env=given | {"TMPDIR": str(folder), "ORT_DISABLE_TELEMETRY": "1"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        left = list(folder.iterdir())

    assert (ended.returncode, ended.stderr) == (0, "")
    figures = json.loads(ended.stdout)
    assert figures["counts"]["conversations"] == 1
    assert figures["counts"]["questions"] == 2
    assert not (operator_settings.data_dir / "postgres").exists()
    assert left == []


def test_without_json_a_table_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = write(tmp_path / "two.jsonl", TEA, FRIENDS)
    figures = summarize("two.jsonl", [], Tally(conversations=1, turns=3), proxy_settings())
    given = told(monkeypatch, "bench_recall", figures)

    ended = bench(
        *("recall", "--data", data, "--limit-conversations", "1", "--questions", "2"),
        RECOLLECT_MEMORY_TOKENS="300",
    )

    assert (ended.exit_code, ended.stderr) == (0, "")
    assert "What retrieval ranks" in ended.stdout
    assert "conversations 1, turns 3" in ended.stdout
    assert given["arguments"][:2] == ("two.jsonl", [labelled(TEA)])
    assert (given["settings"].memory_tokens, given["questions"]) == (300, 2)


def test_facts_are_measured_in_place_of_what_was_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = write(tmp_path / "one.jsonl", TEA)
    facts = write(tmp_path / "facts.jsonl", fact("anna", "Anna drinks green tea every morning.", "t1"))
    given = told(monkeypatch, "bench_facts", {"facts": {"facts": 1}})

    ended = bench("recall", "--data", data, "--facts", facts, "--json")

    assert (ended.exit_code, ended.stderr) == (0, "")
    assert json.loads(ended.stdout) == {"facts": {"facts": 1}}
    name, conversations, read, _ = given["arguments"]
    assert (name, conversations) == ("one.jsonl", [labelled(TEA)])
    assert [each.text for each in read.of["anna"]] == ["Anna drinks green tea every morning."]


def test_cache_prints_one_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = write(tmp_path / "two.jsonl", TEA, FRIENDS)
    given = told(monkeypatch, "bench_cache", {"placements": {"off": {}}})

    ended = bench(
        *("cache", "--data", data, "--placement", "off", "--json"),
        *("--session-turns", "7", "--session-bytes", "900", "--limit-conversations", "1"),
    )

    assert (ended.exit_code, ended.stderr) == (0, "")
    assert json.loads(ended.stdout) == {"placements": {"off": {}}}
    assert given["arguments"][:2] == ("two.jsonl", [labelled(TEA)])
    assert given["placements"] == (Placement.OFF,)
    assert given["caps"] == SessionCaps(turns=7, text_bytes=900)


def test_a_mistake_in_the_file_is_told_with_its_line_before_anything_is_started(tmp_path: Path) -> None:
    data = write(tmp_path / "bad.jsonl", TEA, {"id": "x", "turns": []})

    ended = bench("recall", "--data", data, "--json")

    assert (ended.exit_code, ended.stdout) == (2, "")
    assert "bad.jsonl, line 2: Object missing required field `questions`" in ended.stderr


def test_a_setting_that_makes_no_sense_is_told(tmp_path: Path) -> None:
    data = write(tmp_path / "one.jsonl", TEA)

    ended = bench("recall", "--data", data, RECOLLECT_MEMORY_TOKENS="many")

    assert (ended.exit_code, ended.stdout) == (2, "")
    assert "RECOLLECT_MEMORY_TOKENS" in ended.stderr


@pytest.mark.usefixtures("ready_server")
def test_an_embedder_that_is_not_there_is_told(tmp_path: Path) -> None:
    data = write(tmp_path / "one.jsonl", TEA)

    ended = bench(
        *("recall", "--data", data),
        RECOLLECT_EMBEDDER="local:/no/such/folder",
        RECOLLECT_DATA_DIR=str(tmp_path),
    )

    assert (ended.exit_code, ended.stdout) == (1, "")
    assert "/no/such/folder" in ended.stderr
