"""The file that stands in for mistral-embed, and the script that writes it anew."""

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from tests.mistral_server import MistralStandIn, embeds, refuses, running_mistral
from tests.recollect.models.embedders import regenerate_mistral
from tests.recollect.models.embedders.regenerate_mistral import (
    DIMENSIONS,
    MODEL,
    STAND_IN,
    find_threshold,
    labelled,
    main,
    read,
    stand_in,
    texts,
    topics,
)

from recollect.models.embedders.cache import CachedEmbedder
from recollect.models.embedders.local import LocalEmbedder


@pytest.fixture
async def server() -> AsyncIterator[MistralStandIn]:
    async with running_mistral(key="a-key", replies=[embeds(read().by_text)]) as running:
        yield running


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_the_file_holds_unit_vectors_of_the_right_dimensions_for_texts_in_several_languages() -> None:
    stored = read()

    assert stored.vectors.shape == (len(texts()), DIMENSIONS) == (60, 1024)
    assert np.linalg.norm(stored.vectors, axis=1) == pytest.approx(np.ones(60), abs=1e-5)
    assert len({topic.language for topic in topics()}) >= 5
    assert len(set(texts())) == 60


def test_the_file_says_what_made_it() -> None:
    assert read().source in {STAND_IN, MODEL}


def test_the_files_threshold_is_that_of_its_vectors_and_parts_related_from_unrelated() -> None:
    stored = read()

    found = find_threshold(*labelled(stored.vectors))

    assert found.cosine == pytest.approx(stored.threshold.cosine, abs=1e-3)
    assert min(stored.threshold.related_above, stored.threshold.unrelated_below) > 0.95


def test_a_threshold_lies_in_the_widest_of_the_gaps_that_part_the_pairs_best() -> None:
    related = np.array([0.9, 0.8, 0.3], dtype=np.float32)
    unrelated = np.array([0.5, 0.2, 0.1, 0.1], dtype=np.float32)

    found = find_threshold(related, unrelated)

    assert found.cosine == pytest.approx(0.25)
    assert (found.related_above, found.unrelated_below) == (1, 0.75)
    assert find_threshold(related[:2], unrelated).cosine == pytest.approx(0.65)


def test_pairs_are_labelled_by_topic() -> None:
    first, second = np.eye(2, dtype=np.float32)

    related, unrelated = labelled(np.array([first] * 3 + [second] * 3))

    assert related.tolist() == [1] * 4
    assert unrelated.tolist() == [0] * 9


class Kept(CachedEmbedder):
    """The local embedder, loaded already, which embeds each text once."""

    async def load(self) -> None:
        """Nothing is left to load."""

    async def aclose(self) -> None:
        """Leave it to others."""


@pytest.fixture(scope="module")
def local(minilm: LocalEmbedder) -> Kept:
    return Kept(minilm, size=100, ttl=timedelta(hours=1))


async def test_a_stand_in_has_the_cosines_of_the_model_it_is_made_of(local: Kept) -> None:
    original = np.array(await local.embed(texts()))

    made = np.array(await stand_in(local))

    assert made.shape == (60, DIMENSIONS)
    assert made @ made.T == pytest.approx(original @ original.T, abs=1e-5)


async def test_a_key_makes_the_file_anew_in_few_calls_and_tells_the_threshold(
    server: MistralStandIn,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "a-key")
    file = tmp_path / "embeddings.npz"

    assert await main(["--base-url", server.base_url, "--file", str(file)]) == 0

    written = read(file)
    assert written.source == MODEL
    assert written.vectors == pytest.approx(read().vectors, abs=1e-3)
    assert f"threshold {written.threshold.cosine:.3f}" in capsys.readouterr().out
    assert [body["model"] for body in server.bodies] == [MODEL] * 2
    assert names(tmp_path) == [file.name]


async def test_without_a_key_it_says_so_and_calls_nobody(
    server: MistralStandIn,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("MISTRAL_API_KEY", raising=False)

    assert await main(["--base-url", server.base_url, "--file", str(tmp_path / "x.npz")]) == 2

    assert "MISTRAL_API_KEY" in capsys.readouterr().err
    assert server.bodies == []
    assert names(tmp_path) == []


async def test_what_mistral_refuses_leaves_the_file_as_it_was(
    server: MistralStandIn,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "a-key")
    server.replies = [*server.replies, refuses(400)]
    file = tmp_path / "embeddings.npz"
    file.write_bytes(b"as it was")

    assert await main(["--base-url", server.base_url, "--file", str(file)]) == 1

    assert "status 400" in capsys.readouterr().err
    assert file.read_bytes() == b"as it was"


async def test_the_stand_in_needs_no_key(
    local: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("MISTRAL_API_KEY", raising=False)
    monkeypatch.setattr(regenerate_mistral, "LocalEmbedder", lambda *_, **__: local)
    file = tmp_path / "embeddings.npz"

    assert await main(["--stand-in", "--file", str(file)]) == 0

    assert read(file).source == STAND_IN
    with np.load(file) as stored:
        assert json.loads(str(stored["metadata"]))["dimensions"] == DIMENSIONS
    assert "60 vectors of 1024 dimensions" in capsys.readouterr().out
