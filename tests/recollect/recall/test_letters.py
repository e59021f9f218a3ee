"""The letters that a question shares with texts, without being the same words."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.index import LetterRuns, letter_runs

ANY_TEXTS = st.lists(st.text(max_size=30) | st.text(alphabet="ab 漢字é", max_size=30), max_size=6)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("zuciłem palenie", "Rzucił palenie w maju"),
        ("alergic to peanuts", "Allergic to peanut butter"),
        ("我住在上海", "上海人"),
        ("iPhoneを買う", "New iPhone"),
    ],
)
def test_inflected_mistyped_and_joined_words_share_letters(one: str, other: str) -> None:
    assert letter_runs(one) & letter_runs(other)
    assert LetterRuns.from_texts([other, "xyz"]).shared(one)[0] > 0


def test_a_rare_run_counts_for_more_than_one_that_all_texts_hold() -> None:
    shared = LetterRuns.from_texts(["the cat", "the dog", "the"]).shared("the cat")

    everywhere, rare = math.log(4 / 3.5), math.log(4 / 1.5)
    # " the", "the " and " cat", "cat ".
    assert shared.tolist() == pytest.approx([1.0, *2 * [2 * everywhere / (2 * everywhere + 2 * rare)]])


@given(ANY_TEXTS, st.text(max_size=30) | st.text(alphabet="ab 漢字é", max_size=30))
def test_the_index_finds_the_texts_that_hold_each_run(texts: list[str], question: str) -> None:
    asked = letter_runs(question)
    # A question's single ideogram counts wherever it stands in a text.
    held = [letter_runs(text) | set(text.casefold()) for text in texts]
    rarity = {run: math.log((len(texts) + 1) / (sum(run in each for each in held) + 0.5)) for run in asked}
    expected = [sum(rarity[run] for run in asked & each) / sum(rarity.values() or [1]) for each in held]

    assert LetterRuns.from_texts(texts).shared(question).tolist() == pytest.approx(expected)


@given(ANY_TEXTS, ANY_TEXTS)
def test_joined_and_thinned_indexes_equal_those_made_at_once(one: list[str], other: list[str]) -> None:
    whole = LetterRuns.from_texts([*one, *other])
    is_kept = np.array([bool(len(each) % 2) for each in [*one, *other]], np.bool_)
    some = [text for text, kept in zip([*one, *other], is_kept, strict=True) if kept]

    assert (
        LetterRuns.from_texts(one).joined(LetterRuns.from_texts(other)).keys.tolist() == whole.keys.tolist()
    )
    assert whole.taken(np.flatnonzero(is_kept)).keys.tolist() == LetterRuns.from_texts(some).keys.tolist()
