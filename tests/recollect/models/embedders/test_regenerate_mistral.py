"""The file that stands in for mistral-embed, and the script that writes it anew."""

from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
from tests.mistral_server import MistralStandIn, embeds, refuses, running_mistral
from tests.recollect.models.embedders.regenerate_mistral import (
    DIMENSIONS,
    MODEL,
    find_threshold,
    labelled,
    main,
    read,
    texts,
    topics,
)


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
