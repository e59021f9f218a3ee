"""The local embedder, by the weights that are installed with it, and the finished model that it runs."""

import asyncio
import os
import subprocess
import sys
import threading
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table
from tests.support.tiny_encoder import tiny_weights, write_tiny_graph

from recollect.errors import EmbedderError
from recollect.models.embedders import multilingual_e5, onnx_model
from recollect.models.embedders.multilingual_e5 import Lane, MultilingualE5Embedder, bounded_to
from recollect.models.embedders.onnx_model import GRAPH, UnigramTokenizer, installed_model, open_session
from recollect.ports import Embedder
from recollect.text import read_table
from recollect_weights.building.finishing import write_tokenizer

LONG = "The garden needs a fence, the roof leaks, and Uncle Bernard will visit us in May. " * 20
KNOWN = (
    "Lives in Lisbon",
    "Has a dog called Fips",
    "Is allergic to peanuts",
    "Works as a nurse at a hospital",
)


async def test_a_question_has_another_unit_vector_than_a_text(e5: MultilingualE5Embedder) -> None:
    port: Embedder = e5
    [text] = await port.embed(["Where do I live?"])
    question = await port.embed_question("Where do I live?")

    for vector in (text, question):
        assert (vector.dtype, vector.shape) == (np.dtype("float32"), (384,))
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    assert text @ question < 0.99


@table(
    ("asked", "answer"),
    [("Wo wohne ich?", 0), ("¿Cómo se llama mi perro?", 1), ("我对什么过敏？", 2), ("Кем я работаю?", 3)],
)
async def test_any_language_finds_its_answer(e5: MultilingualE5Embedder, asked: str, answer: int) -> None:
    statements = np.stack(await e5.embed(KNOWN))

    assert int(np.argmax(statements @ await e5.embed_question(asked))) == answer


async def test_the_mean_of_each_side_is_taken_away_and_names_the_space(e5: MultilingualE5Embedder) -> None:
    plain = MultilingualE5Embedder(means=np.zeros((2, 384), dtype=np.float32))
    [raw] = await plain.embed(["Lives in Lisbon"])
    [centred] = await e5.embed(["Lives in Lisbon"])
    asked = [await each.embed_question("Where do I live?") for each in (plain, e5)]
    await plain.aclose()

    means = multilingual_e5.committed_means()
    for side, before, after in ((0, asked[0], asked[1]), (1, raw, centred)):
        expected = before - means[side]
        np.testing.assert_allclose(after, expected / np.linalg.norm(expected), atol=1e-5)
    assert plain.name != e5.name
    assert e5.name.startswith("local:multilingual-e5-small@")


def test_other_weights_name_another_space(
    e5: MultilingualE5Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "graph.onnx").write_bytes(b"other weights")
    monkeypatch.setattr(multilingual_e5, "installed_model", lambda _: tmp_path)

    assert MultilingualE5Embedder().name != e5.name


@pytest.mark.parametrize("name", ["relevance_model", "past_heads", "last_chat_heads"])
def test_what_ranking_learned_it_learned_in_this_space(e5: MultilingualE5Embedder, name: str) -> None:
    assert read_table("recollect.recall", f"trained/{name}")["embedder"] == e5.name


async def test_a_text_has_the_same_vector_alone_and_among_others(e5: MultilingualE5Embedder) -> None:
    [alone] = await e5.embed(["Lives in Lisbon"])
    among = await e5.embed([*KNOWN, "x" * 9_000])

    np.testing.assert_array_equal(alone, among[0])


@table("text", ["", " \n", "half \ud83d", "nul \0 within", "x" * 1_000_000, "蜂" * 20_000, "🐝" * 9_000])
async def test_any_text_has_a_vector(e5: MultilingualE5Embedder, text: str) -> None:
    [vector] = await e5.embed([text])

    for each in (vector, await e5.embed_question(text)):
        assert np.linalg.norm(each) == pytest.approx(1, abs=1e-5)


async def test_what_stands_behind_a_nul_is_read_too(e5: MultilingualE5Embedder) -> None:
    one, other = await e5.embed(["tea\0 in the morning", "tea\0 at night"])

    assert one @ other < 0.99


async def test_a_question_that_nobody_waits_for_is_not_embedded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multilingual_e5, "_PATIENCE", 0.0)
    embedder = MultilingualE5Embedder()

    with pytest.raises(EmbedderError, match="overloaded"):
        await embedder.embed_question("Where do I live?")
    assert len(await embedder.embed(KNOWN)) == len(KNOWN), "statements are embedded however late it is"
    await embedder.aclose()


async def test_an_engine_that_fails_is_told_of_without_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_tokenizer: UnigramTokenizer, text: str, limit: int) -> Any:
        raise ValueError(f"{text} {limit}")

    embedder = MultilingualE5Embedder()
    await embedder.load()
    monkeypatch.setattr(UnigramTokenizer, "encode", fail)

    with pytest.raises(EmbedderError) as failed:
        await embedder.embed(["my secret"])
    await embedder.aclose()
    assert "my secret" not in str(failed.value)
    assert failed.value.__cause__ is None


@table("broken", [np.zeros(384, dtype=np.float32), np.full(384, np.nan, dtype=np.float32)])
async def test_a_vector_without_a_direction_is_refused(broken: np.ndarray[Any, np.dtype[np.float32]]) -> None:
    class Session:
        def run(self, *_: object) -> Any:
            return [broken[None]]

    embedder = MultilingualE5Embedder(means=np.zeros((2, 384), dtype=np.float32))
    await embedder.load()
    assert embedder._engine is not None
    embedder._engine = embedder._engine._replace(session=Session())

    with pytest.raises(EmbedderError, match="can't be normalized"):
        await embedder.embed_question("tea")
    await embedder.aclose()


@table("name", ["graph.onnx", "words.npy", "pieces.marisa", "numbers.npy", "scores.npy", "spelling.json"])
async def test_a_damaged_file_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    for file in installed_model(multilingual_e5.MODEL).iterdir():
        if file.name != name:
            (folder / file.name).symlink_to(file)
        else:
            (folder / name).write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    monkeypatch.setattr(multilingual_e5, "installed_model", lambda _: folder)
    embedder = MultilingualE5Embedder()

    with pytest.raises(EmbedderError, match=r"can't be (read|loaded)"):
        await embedder.load()
    await embedder.aclose()


@table(
    ("text", "bounded"),
    [
        ("short", "short"),
        (" outer \n", "outer"),
        ("a\0b", "a\0b"),
        ("a" * 10 + "m" * 50 + "z" * 20, "a" * 10 + "\n" + "z" * 20),
        ("ä" * 100, "ä" * 5 + "\n" + "ä" * 10),
        ("蜂" * 100, "蜂" * 3 + "\n" + "蜂" * 6),
        ("half \ud83d", "half ?"),
    ],
)
def test_of_a_long_text_the_beginning_and_the_end_are_read(text: str, bounded: str) -> None:
    assert bounded_to(text, 30) == bounded


async def test_the_event_loop_turns_while_texts_are_embedded(e5: MultilingualE5Embedder) -> None:
    bulk = asyncio.create_task(e5.embed([LONG] * 5))
    turns = 0
    while not bulk.done():
        await asyncio.sleep(0)
        turns += 1

    # On the loop's own thread there would be a turn or two a text.
    assert turns > 50


async def test_long_questions_read_apart(e5: MultilingualE5Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e5, "_vector", lambda *_: threading.current_thread().name)
    short, long = [await e5.embed_question(text) for text in ("Where do I live?", "a log line " * 40)]
    assert str(short) != str(long)


async def test_a_cancelled_list_stops(e5: MultilingualE5Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    embedded: list[str] = []
    begun, loop = asyncio.Event(), asyncio.get_running_loop()

    def counted(text: str, _side: object) -> object:
        embedded.append(text)
        loop.call_soon_threadsafe(begun.set)
        return text

    monkeypatch.setattr(e5, "_vector", counted)
    bulk = asyncio.create_task(e5.embed(["tea"] * 100_000))
    await begun.wait()
    bulk.cancel()
    with pytest.raises(asyncio.CancelledError):
        await bulk

    assert len(embedded) < 100_000


async def test_a_closed_embedder_says_so() -> None:
    embedder = MultilingualE5Embedder()
    bulk = asyncio.create_task(embedder.embed(["tea"] * 100_000))
    await embedder.embed(["tea"])
    await embedder.aclose()

    with pytest.raises(EmbedderError, match="closed"):
        await bulk
    with pytest.raises(EmbedderError, match="closed"):
        await embedder.embed(["tea"])
    await embedder.aclose()


START = """
import asyncio, sys
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder

async def main():
    embedder = MultilingualE5Embedder()
    await embedder.embed(["tea"])
    await embedder.aclose()

asyncio.run(main())
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


@pytest.mark.process
def test_a_start_imports_nothing_that_models_are_made_with() -> None:
    started = subprocess.run([sys.executable, "-c", START], capture_output=True, text=True, check=False)

    assert started.stderr == ""
    assert {"onnx", "torch"}.isdisjoint(started.stdout.split())
    assert "onnxruntime" in started.stdout.split()


@pytest.mark.process
def test_the_runtime_is_imported_with_its_telemetry_off(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    program = [sys.executable, "-c", "import recollect.models.embedders.multilingual_e5"]
    subprocess.run(program, env={**environment, "TMPDIR": str(tmp_path)}, check=True)

    assert list(tmp_path.iterdir()) == [], "the runtime keeps a session's id there when it collects"


async def test_work_is_done_in_order_in_a_thread_of_its_own() -> None:
    lane, done = Lane("test"), list[int]()

    def work(number: int) -> str:
        done.append(number)
        return threading.current_thread().name

    names = await asyncio.gather(*(lane.submit(work, number) for number in range(5)))

    assert done == [0, 1, 2, 3, 4]
    assert set(names) == {"test_0"}
    await lane.aclose()


async def test_what_is_due_too_late_is_not_begun() -> None:
    lane, go_on, begun = Lane("test"), threading.Event(), list[str]()
    first = asyncio.create_task(lane.submit(go_on.wait))
    late = asyncio.create_task(lane.submit(begun.append, "late", patience=0.05))
    await asyncio.sleep(0.1)  # longer than anybody waits
    go_on.set()

    with pytest.raises(EmbedderError, match="overloaded"):
        await late
    await lane.submit(begun.append, "next")

    assert await first
    assert begun == ["next"]
    await lane.aclose()


async def test_a_closed_lane_takes_nothing_and_finishes_what_it_has() -> None:
    lane, go_on = Lane("test"), threading.Event()
    running = asyncio.create_task(lane.submit(go_on.wait))
    await asyncio.sleep(0)
    closing = asyncio.create_task(lane.aclose())
    await asyncio.sleep(0)
    go_on.set()

    assert await running
    await closing
    with pytest.raises(EmbedderError, match="closed"):
        await lane.submit(go_on.wait)


async def test_a_short_question_does_not_wait_for_long_ones() -> None:
    lane, go_on, done = Lane("test"), threading.Event(), list[str]()
    running = asyncio.create_task(lane.submit(go_on.wait))
    await asyncio.sleep(0)
    long = [asyncio.create_task(lane.submit(done.append, f"long {n}", size=9)) for n in range(3)]
    await asyncio.sleep(0)
    short = asyncio.create_task(lane.submit(done.append, "short", size=1))
    left = asyncio.create_task(lane.submit(done.append, "left", size=0))
    await asyncio.sleep(0)
    left.cancel()
    go_on.set()

    await asyncio.gather(running, short, *long)

    assert done == ["short", "long 0", "long 1", "long 2"]
    await lane.aclose()
    await lane.aclose()


async def test_only_the_thread_of_a_nice_lane_is_nice() -> None:
    def niceness() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    lanes = Lane("test"), Lane("nice", is_nice=True)
    plain, nice = [await each.submit(niceness) for each in lanes]
    assert plain == niceness() < nice
    for each in lanes:
        await each.aclose()


# -- the finished model ----------------------------------------------------------------------------


@table("damage", ["emptied", "cut", "another", "scrambled", "missing"])
def test_a_damaged_graph_is_named(tmp_path: Path, damage: str) -> None:
    folder = write_tiny_graph(tmp_path / damage)
    whole = (folder / GRAPH).read_bytes()
    damaged = {
        "emptied": b"",
        "cut": whole[: len(whole) // 2],
        "another": whole.replace(b"vectors", b"wectors"),  # it runs, and has another output
        "scrambled": whole[::-1],
    }
    (folder / GRAPH).unlink()
    if damage in damaged:
        (folder / GRAPH).write_bytes(damaged[damage])

    with pytest.raises(EmbedderError, match=r"graph\.onnx can't be loaded"):
        open_session(folder)


def test_without_the_package_of_weights_it_is_named_with_how_to_install_it() -> None:
    program = (
        "import sys; sys.modules['recollect_weights'] = None;"
        "from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder; MultilingualE5Embedder()"
    )

    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)

    [*_, error] = done.stderr.splitlines()
    assert error.startswith("recollect.errors.EmbedderError: The package recollect-memory-weights is not")
    assert "install its wheel" in error


def test_a_model_that_the_package_lacks_is_named() -> None:
    with pytest.raises(EmbedderError, match="has no all-mpnet-base-v2; install it again"):
        installed_model("all-mpnet-base-v2")


HARBOUR = "The boat lies in the harbour of Bergen, and the wind blows from the north. " * 30


async def test_numbers_stay_to_the_bit(e5: MultilingualE5Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    giving_back = await e5.embed([HARBOUR])
    monkeypatch.setattr(onnx_model, "_LONG", 10**6)

    np.testing.assert_array_equal(giving_back, await e5.embed([HARBOUR]))


def test_weights_that_make_no_finite_vector_are_found_when_the_graph_is_loaded(tmp_path: Path) -> None:
    weights = tiny_weights(0)
    weights["embeddings.LayerNorm.bias"][:] = np.nan

    with pytest.raises(EmbedderError, match="no valid vectors"):
        open_session(write_tiny_graph(tmp_path / "model", weights))


@pytest.mark.parametrize(("pieces", "gives_back"), [(128, False), (129, True)])
def test_only_a_long_text_pays_for_it(pieces: int, *, gives_back: bool) -> None:
    class Session:
        options: Any = None

        def run(self, _names: list[str], _inputs: Any, options: Any) -> list[Any]:
            self.options = options
            return [np.zeros((1, 2), dtype=np.float32)]

    session: Any = Session()

    onnx_model.vector_of(session, np.ones((1, pieces, 4), dtype=np.float32))

    assert isinstance(session.options, ort.RunOptions) == gives_back


PIECES = ["<s>", "</s>", "<unk>", "\u2581", "a", "b", "c", "ab", "bc", "abc", "\u2581a", "ca"]
SCORES = [0.0, 0.0, 0.0, -2.0, -2.5, -2.6, -3.0, -4.0, -4.5, -6.1, -3.9, -5.2]
UNKNOWN, LEAST = 2, min(SCORES) - 10


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> UnigramTokenizer:
    folder = tmp_path_factory.mktemp("tokenizer")
    write_tokenizer(
        folder,
        {piece: number for number, piece in enumerate(PIECES) if number > UNKNOWN},
        SCORES,
        normalization={"\n": " ", "B": "bb"},
        marks=(0, 1),
        unknown=UNKNOWN,
    )
    return UnigramTokenizer.from_folder(folder)


def likelihood(numbers: list[int]) -> float:
    return sum(LEAST if number == UNKNOWN else SCORES[number] for number in numbers)


def best_of_all(text: str) -> float:
    """Return the likelihood of the best of all ways to split ``text``."""
    best = -1e9
    for cuts in range(len(text)):
        for places in combinations(range(1, len(text)), cuts):
            parts = [text[begin:end] for begin, end in zip((0, *places), (*places, len(text)), strict=True)]
            if all(part in PIECES or len(part) == 1 for part in parts):
                numbers = [PIECES.index(part) if part in PIECES else UNKNOWN for part in parts]
                best = max(best, likelihood(numbers))
    return best


@given(st.text("abcx ", max_size=9))
def test_no_other_way_to_split_is_likelier(tokenizer: UnigramTokenizer, text: str) -> None:
    first, *numbers, last = tokenizer.encode(text, 100)

    read = " ".join(text.split(" ")) if "  " not in text else None
    assert (first, last) == (0, 1)
    if read is not None:
        spaced = (read if read.startswith(" ") else f" {read}").replace(" ", "\u2581")
        assert likelihood(numbers) == pytest.approx(best_of_all(spaced))


@table(
    ("text", "pieces"),
    [
        ("", ["\u2581"]),
        ("abc", ["\u2581", "abc"]),
        ("a\nb", ["\u2581a", "\u2581", "b"]),
        ("a     b", ["\u2581a", "\u2581", "b"]),
        ("B", ["\u2581", "b", "b"]),
        ("x", ["\u2581", "<unk>"]),
        ("<s>", ["\u2581", "<unk>", "<unk>", "<unk>"]),
    ],
)
def test_spaces_marks_and_unknown_letters(tokenizer: UnigramTokenizer, text: str, pieces: list[str]) -> None:
    assert [PIECES[number] for number in tokenizer.encode(text, 100)[1:-1]] == pieces


def test_what_is_too_long_is_cut_and_its_end_is_marked(tokenizer: UnigramTokenizer) -> None:
    assert tokenizer.encode("a" * 50, 10) == [0, *tokenizer.encode("a" * 50, 100)[1:9], 1]
