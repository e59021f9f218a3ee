"""BM25 over a person's documents: how often terms stand where, spelling corrections, and documents that may not be found."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.index import Document, Words, match_words
from recollect.text.lexical import idf, saturation


def document(own: str, context: str = "") -> Document:
    words, around = Counter(own.split()), Counter(context.split())
    every = words + around
    counts = bytes(each for term, often in every.items() for each in (often, words[term]))
    return Document(tuple(every), counts, every.total())


def words_of(*texts: str) -> Words:
    return Words().with_documents([document(each) for each in texts])


def everything(words: Words) -> np.ndarray:
    return np.ones(len(words.lengths), np.bool_)


def test_a_document_scores_by_how_rare_and_how_frequent_the_terms_are_in_it() -> None:
    words = words_of("tea tea rain", "rain", "snow snow snow snow")

    match = match_words([(words, everything(words))], ["tea", "rain"])

    [scores] = match.scores
    mean = 8 / 3
    tea, rain = idf(3, 1), idf(3, 2)
    assert scores.bm25[0] == pytest.approx(tea * saturation(2, 3, mean) + rain * saturation(1, 3, mean))
    assert scores.bm25.tolist()[1:] == [pytest.approx(rain * saturation(1, 1, mean)), 0.0]
    assert scores.matched.tolist() == pytest.approx([tea + rain, rain, 0.0])
    assert match.seen == pytest.approx(1.0)


def test_what_stands_in_the_context_alone_counts_for_the_whole_and_not_for_the_text() -> None:
    words = Words().with_documents([document("snow", "tea"), document("tea")])

    [scores] = match_words([(words, everything(words))], ["tea"]).scores

    assert (scores.matched > 0).tolist() == [True, True]
    assert (scores.own_matched > 0).tolist() == [False, True]


def test_what_may_not_be_found_counts_nowhere() -> None:
    words = words_of("tea", "tea rain")
    found = np.array([True, False])

    match = match_words([(words, found)], ["tea", "rain"])

    assert match.scores[0].bm25.tolist() == [pytest.approx(idf(1, 1) * saturation(1, 1, 1.0)), 0.0]
    assert match.idf_seen == pytest.approx(idf(1, 1))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("bicylce", "bicycle"), ("bicicle", "bicycle"), ("tee", None), ("zebra", None), ("bicycle", "bicycle")],
)
def test_a_mistyped_word_counts_as_the_nearest_that_is_known(typed: str, meant: str | None) -> None:
    words = words_of("bicycle", "tea")

    match = match_words([(words, everything(words))], [typed])

    assert bool(match.scores[0].bm25[0]) is (meant is not None)
    assert match.corrected is (meant is not None and meant != typed)


def test_a_mistyped_word_counts_as_the_nearest_that_stands_where_it_may_be_found() -> None:
    words = words_of("bicycle", "bicycls")

    match = match_words([(words, np.array([False, True]))], ["bicycla"])

    assert (match.scores[0].bm25 > 0).tolist() == [False, True]


TEXTS = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=9).map(" ".join), max_size=12)


@given(TEXTS, TEXTS, st.lists(st.sampled_from("abcxyz"), max_size=4, unique=True))
def test_documents_that_are_added_later_score_as_if_all_had_come_at_once(
    first: Sequence[str], then: Sequence[str], terms: Sequence[str]
) -> None:
    grown = words_of(*first).with_documents([document(each) for each in then])
    whole = words_of(*first, *then)

    one, other = (match_words([(each, everything(each))], terms) for each in (grown, whole))

    assert np.allclose(one.scores[0], other.scores[0])
    assert (one.idf_total, one.idf_seen) == pytest.approx((other.idf_total, other.idf_seen))
