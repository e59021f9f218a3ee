import asyncio
import json
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from tests.support.tiny_bert import finish_tiny_bert, write_tiny_bert

from recollect.errors import ConfigurationError, EmbedderError
from recollect.models.embedders.local import LocalEmbedder
from recollect.ports import Embedder
from recollect_weights.building.finishing import finish_bert

LONG = "The garden needs a fence, the roof leaks, and Uncle Bernard will visit us in May. " * 20


async def test_related_texts_are_nearer_than_unrelated_ones(minilm: LocalEmbedder) -> None:
    embedder: Embedder = minilm
    vectors = await embedder.embed(
        ["I am allergic to peanuts.", "Which foods must I avoid?", "The train is late."]
    )

    assert [(vector.shape, vector.dtype.name) for vector in vectors] == [((384,), "float32")] * 3
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(3), abs=1e-5)
    assert vectors[0] @ vectors[1] > embedder.gate > vectors[0] @ vectors[2]
    assert (embedder.name, embedder.gate) == ("local:all-MiniLM-L6-v2", 0.30)


async def test_a_text_has_the_same_vector_alone_and_among_others(minilm: LocalEmbedder) -> None:
    (alone,) = await minilm.embed(["I like tea."])

    among = await minilm.embed([LONG, "I like tea.", "", "I like tea."])

    np.testing.assert_array_equal(among[1], alone)
    np.testing.assert_array_equal(among[3], alone)


async def test_no_text_is_too_odd_to_embed(minilm: LocalEmbedder) -> None:
    texts = ["", "   ", "\x00", "half a pair: \ud83d", "word " * 200_000, "x" * 1_000_000, "\U0010ffff"]

    vectors = await minilm.embed(texts)

    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(texts)), abs=1e-5)
    assert await minilm.embed([]) == []


async def test_the_event_loop_turns_while_texts_are_embedded(minilm: LocalEmbedder) -> None:
    bulk = asyncio.create_task(minilm.embed([LONG] * 5))
    turns = 0
    while not bulk.done():
        await asyncio.sleep(0)
        turns += 1

    # On the loop's own thread there would be a turn or two a text.
    assert turns > 50


async def test_a_short_question_is_read_in_another_thread_than_a_long_one(
    minilm: LocalEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(minilm, "_vector", lambda _: threading.current_thread().name)
    short, long = [await minilm.embed_question(text) for text in ("Where do I live?", "a log line " * 40)]
    assert str(short) != str(long)


async def test_a_cancelled_list_stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = LocalEmbedder(str(finish_tiny_bert(tmp_path / "model")))
    embedded: list[str] = []
    begun, loop = asyncio.Event(), asyncio.get_running_loop()
    vector = embedder._vector

    def counted(text: str) -> object:
        embedded.append(text)
        loop.call_soon_threadsafe(begun.set)
        return vector(text)

    monkeypatch.setattr(embedder, "_vector", counted)
    bulk = asyncio.create_task(embedder.embed(["tea"] * 100_000))
    await begun.wait()
    bulk.cancel()
    with pytest.raises(asyncio.CancelledError):
        await bulk
    await embedder.aclose()

    assert len(embedded) < 100_000


async def test_a_closed_embedder_says_so(tmp_path: Path) -> None:
    embedder = LocalEmbedder(str(finish_tiny_bert(tmp_path / "model")))
    bulk = asyncio.create_task(embedder.embed(["tea"] * 100_000))
    await embedder.embed(["tea"])
    await embedder.aclose()

    with pytest.raises(EmbedderError, match="closed"):
        await bulk
    with pytest.raises(EmbedderError, match="closed"):
        await embedder.embed(["tea"])
    await embedder.aclose()


async def test_a_folder_is_named_after_itself_and_its_weights(tmp_path: Path) -> None:
    one = LocalEmbedder(str(finish_tiny_bert(tmp_path / "a" / "tiny")))
    same = LocalEmbedder(str(finish_tiny_bert(tmp_path / "b" / "tiny")), gate=0.5)
    other = LocalEmbedder(str(finish_tiny_bert(tmp_path / "d" / "tiny", seed=1)))

    assert one.name.startswith("local:tiny@")
    assert len(one.name) == len("local:tiny@") + 12
    assert one.name == same.name != other.name
    assert (one.gate, same.gate) == (0.30, 0.5)
    for embedder in (one, same, other):
        await embedder.aclose()


async def test_a_tokenizer_without_special_pieces_makes_a_vector_of_nothing(tmp_path: Path) -> None:
    embedder = LocalEmbedder(str(finish_tiny_bert(tmp_path / "m", special=False)))

    (vector,) = await embedder.embed([""])

    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    await embedder.aclose()


async def test_a_failing_model_is_reported_without_the_text(tmp_path: Path) -> None:
    folder = finish_tiny_bert(tmp_path / "model")
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    tokenizer["model"]["vocab"]["secret"] = 99
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    embedder = LocalEmbedder(str(folder))

    with pytest.raises(EmbedderError, match="local model failed: InvalidArgument") as failure:
        await embedder.embed(["secret"])

    assert "secret" not in str(failure.value)
    assert failure.value.__cause__ is None
    await embedder.aclose()


async def test_a_vector_that_is_not_finite_is_refused(tmp_path: Path) -> None:
    source = write_tiny_bert(tmp_path / "source")
    weights = load_file(source / "model.safetensors")
    weights["embeddings.position_embeddings.weight"][3] = np.nan
    save_file(weights, source / "model.safetensors")
    finish_bert(source, tmp_path / "model")
    embedder = LocalEmbedder(str(tmp_path / "model"))

    assert len(await embedder.embed(["tea"])) == 1
    with pytest.raises(EmbedderError, match="not finite"):
        await embedder.embed(["green tea"])
    await embedder.aclose()


async def test_a_broken_tokenizer_is_named(tmp_path: Path) -> None:
    folder = finish_tiny_bert(tmp_path / "model")
    (folder / "tokenizer.json").write_text("{}")
    embedder = LocalEmbedder(str(folder))

    with pytest.raises(EmbedderError, match=r"tokenizer\.json can't be read"):
        await embedder.load()
    await embedder.aclose()


def test_an_unknown_model_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="neither all-MiniLM-L6-v2 nor an existing folder"):
        LocalEmbedder("all-mpnet-base-v2")


def test_a_folder_without_a_finished_model_is_refused_with_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match="python -m recollect_weights"):
        LocalEmbedder(str(write_tiny_bert(tmp_path / "source")))


START = """
import asyncio, sys
from recollect.models.embedders.local import LocalEmbedder

async def main():
    embedder = LocalEmbedder("all-MiniLM-L6-v2")
    await embedder.embed(["tea"])
    await embedder.aclose()

asyncio.run(main())
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


@pytest.mark.process
def test_a_start_imports_nothing_that_models_are_made_with() -> None:
    started = subprocess.run([sys.executable, "-c", START], capture_output=True, text=True, check=False)

    assert started.stderr == ""
    assert {"onnx", "safetensors", "torch"}.isdisjoint(started.stdout.split())
    assert "onnxruntime" in started.stdout.split()
