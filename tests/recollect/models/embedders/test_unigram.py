"""The likeliest pieces of a text, against all ways there are to split it."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table

from recollect.models.embedders.finished_model import UnigramTokenizer
from recollect_weights.building.finishing import write_tokenizer

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
def test_spaces_marks_and_characters_of_no_piece(
    tokenizer: UnigramTokenizer, text: str, pieces: list[str]
) -> None:
    assert [PIECES[number] for number in tokenizer.encode(text, 100)[1:-1]] == pieces


def test_what_is_too_long_is_cut_and_its_end_is_marked(tokenizer: UnigramTokenizer) -> None:
    assert tokenizer.encode("a" * 50, 10) == [0, *tokenizer.encode("a" * 50, 100)[1:9], 1]
