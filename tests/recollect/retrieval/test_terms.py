"""BM25 by one user's own statistics, over what a store tells of the terms."""

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.model import Lexicon, Occurrences
from recollect.retrieval.terms import TermScore, TermScores, score_terms
from recollect.text.lexical import idf

Counted = Mapping[int, tuple[int, int, int, int]]
"""Of each document: how often the term stands there, how often in its own text, and both lengths."""


def occurrences(counted: Counted) -> Occurrences:
    rows = [(number, *counted[number]) for number in sorted(counted)]
    numbers, frequencies, own, lengths, own_lengths = (
        np.array(column, np.int64) for column in zip(*rows, strict=True)
    )
    return Occurrences(numbers, frequencies, own, lengths, own_lengths)


def lexicon(documents: int = 10, mean: float = 5.0, **terms: Counted) -> Lexicon:
    return Lexicon(documents, mean, {term: occurrences(counted) for term, counted in terms.items()})


ONCE = (1, 1, 5, 5)


def of(scored: TermScores, number: int | None) -> TermScore:
    [score] = scored.of([number])
    return score


def test_of_no_words_no_document_holds_any() -> None:
    scored = score_terms(lexicon(tea={1: ONCE}), (), {})

    assert scored.best(10) == []
    assert scored.idf_total == 0
    assert of(scored, 1) == TermScore()
    assert of(scored, None) == TermScore()


def test_a_word_that_the_user_never_used_is_counted_as_the_rarest() -> None:
    scored = score_terms(lexicon(), ("tea",), {})

    assert scored.best(10) == []
    assert scored.idf_total == pytest.approx(idf(10, 0))


def test_a_document_is_scored_by_its_own_number() -> None:
    scored = score_terms(lexicon(tea={3: ONCE, 7: (2, 2, 5, 5)}), ("tea",), {})

    assert of(scored, 3).own_matched == of(scored, 7).own_matched == pytest.approx(idf(10, 2))
    assert of(scored, 7).bm25 > of(scored, 3).bm25 > 0
    assert of(scored, 5) == of(scored, 8) == TermScore()


def test_each_word_adds_its_share() -> None:
    both = lexicon(tea={1: ONCE, 2: ONCE}, green={2: ONCE})

    scored = score_terms(both, ("tea", "green"), {})

    assert scored.best(10) == [2, 1]
    assert of(scored, 2).own_matched == pytest.approx(idf(10, 2) + idf(10, 1))
    assert scored.idf_total == pytest.approx(of(scored, 2).own_matched)


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    scored = score_terms(
        lexicon(common=dict.fromkeys(range(1, 9), ONCE), rare={9: ONCE}), ("common", "rare"), {}
    )

    assert scored.best(1) == [9]


def test_what_stands_in_the_context_alone_is_not_the_documents_own() -> None:
    scored = score_terms(lexicon(tea={1: (1, 0, 5, 3)}), ("tea",), {})

    assert of(scored, 1).bm25 > 0
    assert of(scored, 1).own_matched == 0


def test_a_long_document_earns_less_by_a_word() -> None:
    scored = score_terms(lexicon(tea={1: (1, 1, 5, 5), 2: (1, 1, 50, 50)}), ("tea",), {})

    assert scored.best(2) == [1, 2]


def test_a_mistyped_word_counts_by_what_it_means_but_less() -> None:
    known = lexicon(lapsang={4: ONCE})

    meant = score_terms(known, ("lapsagn",), {"lapsagn": "lapsang"})
    typed = score_terms(known, ("lapsang",), {})

    assert meant.best(10) == [4]
    assert 0 < of(meant, 4).bm25 < of(typed, 4).bm25
    assert meant.idf_total == typed.idf_total


def test_of_equals_the_newest_comes_first_and_no_more_than_asked_for() -> None:
    scored = score_terms(lexicon(tea=dict.fromkeys((1, 2, 3), ONCE)), ("tea",), {})

    assert scored.best(2) == [3, 2]


def test_documents_are_scored_in_the_order_they_are_asked_for() -> None:
    scored = score_terms(lexicon(tea={3: ONCE}), ("tea",), {})

    assert [each.bm25 > 0 for each in scored.of([9, 3, None, 3, 1])] == [False, True, False, True, False]
    assert scored.of([]) == []


def test_without_any_document_nothing_is_best() -> None:
    assert TermScores().best(5) == []


counts = st.dictionaries(
    st.integers(1, 30),
    st.tuples(st.integers(1, 63), st.integers(0, 63), st.integers(1, 500), st.integers(0, 500)),
    min_size=1,
    max_size=8,
)


@given(st.dictionaries(st.sampled_from("abcdef"), counts), st.lists(st.sampled_from("abcdefgh"), unique=True))
def test_no_document_matches_more_than_was_asked_for(stand: dict[str, Counted], terms: list[str]) -> None:
    scored = score_terms(lexicon(40, 20.0, **stand), tuple(terms), {})

    for number in scored.best(1000):
        own = of(scored, number)
        assert min(own) >= 0
        assert own.bm25 > 0
        assert own.own_matched <= scored.idf_total + 1e-9
    bests = [of(scored, number).bm25 for number in scored.best(1000)]
    assert bests == sorted(bests, reverse=True)
