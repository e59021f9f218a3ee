"""The measures of growth keep up with the store's tables and statements, which they fill and run by name."""

import json
from pathlib import Path

import pytest
from tests.folders import database_folder

from bench.speed import disk, growth

pytestmark = pytest.mark.process


@pytest.mark.slow
async def test_a_small_store_is_filled_and_asked(tmp_path: Path) -> None:
    with database_folder() as folder:
        await growth.measure([30], [1_000], 2, Path(folder), tmp_path, hnsw=True)

    results = json.loads((tmp_path / "growth.json").read_text("utf-8"))
    [alone], [among], [compared] = results["alone"], results["among"], results["nearest"]
    assert (alone["statements"], alone["messages"], alone["total"]) == (30, 30, 30)
    assert among["total"] == 1_000
    for way in ("sketches", "hnsw"):  # of thirty each is found
        assert (compared[f"{way}_found_20"], compared[f"{way}_found_100"]) == (1, 1)
    assert alone["pages"] > 0
    assert "| 1 | 30 | 30 | 30 |" in (tmp_path / "growth.md").read_text("utf-8")
    assert (tmp_path / "growth.svg").read_text("utf-8").startswith("<svg ")


async def test_what_is_said_takes_room_and_is_copied(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = [
        {"session": "1", "text": f"My sister Ida lives in town number {number}, near the lake."}
        for number in range(8)
    ]
    data = tmp_path / "told.jsonl"
    data.write_text(json.dumps({"turns": told}) + "\n", "utf-8")

    with database_folder() as folder:
        await disk.measure([data], 1, 8, 24, Path(folder))

    printed = capsys.readouterr().out
    assert "8 messages of 1 people" in printed
    assert "24 messages of 3 people" in printed
    for part in (
        "**waiting_documents**",
        "posting_pages: posting_pages_pkey",
        "**chunk_vectors**",
        "everything",
    ):
        assert f"| {part} |" in printed
