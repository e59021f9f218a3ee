"""Pages of the lexical index hold what a dictionary holds, whatever was added to them and taken away, and stay small."""

from collections.abc import Mapping, Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recollect.postgres.posting_pages import (
    MOST_OFTEN,
    Integers,
    Page,
    added_up,
    holding,
    list_of,
    merged,
    packed,
    read_lists,
    read_pages,
    terms_of,
    unpacked,
    without,
)

Counts = dict[tuple[str, int], tuple[int, int]]

TERMS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=64)
DOCUMENTS = st.one_of(st.integers(0, 40), st.integers(0, 2**31 - 1))
HOW_OFTEN = st.tuples(st.integers(1, MOST_OFTEN), st.integers(0, MOST_OFTEN)).map(
    lambda pair: (max(pair), pair[1])
)
COUNTS = st.dictionaries(st.tuples(TERMS, DOCUMENTS), HOW_OFTEN, max_size=60)


def entries_of(counts: Mapping[tuple[str, int], tuple[int, int]]) -> tuple[list[str], Integers]:
    terms = sorted({term for term, _ in counts})
    rows = [(terms.index(term), document, often, own) for (term, document), (often, own) in counts.items()]
    columns = np.array(rows, np.int64).reshape(-1, 4)
    return terms, packed(columns[:, 0], columns[:, 1], columns[:, 2], columns[:, 3])


def with_more(pages: Sequence[Page], counts: Mapping[tuple[str, int], tuple[int, int]]) -> list[Page]:
    return merged(pages, *entries_of(counts))


def read(pages: Sequence[Page]) -> Counts:
    terms, entries = read_pages(pages)
    found: Counts = {}
    for number, document, often, own in zip(*(each.tolist() for each in unpacked(entries)), strict=True):
        assert (terms[number], document) not in found
        found[terms[number], document] = often, own
    return found


def looked_up(pages: Sequence[Page], term: str) -> dict[int, tuple[int, int]]:
    lists = [list_of(term, page.terms, page.lists) for page in pages]
    _, documents, often, own = (each.tolist() for each in unpacked(read_lists(lists)))
    return dict(zip(documents, zip(often, own, strict=True), strict=True))


def sum_of(one: Counts, other: Counts) -> Counts:
    summed = dict(one)
    for key, (often, own) in other.items():
        before = summed.get(key, (0, 0))
        summed[key] = min(before[0] + often, MOST_OFTEN), min(before[1] + own, MOST_OFTEN)
    return summed


def are_sound(pages: Sequence[Page]) -> None:
    """Check what a look-up relies on: the order of pages, their terms, and how large they are."""
    keys = [(page.first_term, page.begins) for page in pages]
    assert keys == sorted(set(keys))
    every = [term for page in pages if page.begins == 0 for term in page.words]
    assert every == sorted(set(every))
    for page in pages:
        assert page.words[0] == page.first_term
        assert page.begins == 0 or len(page.words) == 1
        assert len(page.terms) + len(page.lists) < 5_000


@given(COUNTS, COUNTS, st.lists(DOCUMENTS, max_size=5))
def test_what_is_merged_and_taken_away_is_what_a_dictionary_holds(
    first: Counts, second: Counts, gone: list[int]
) -> None:
    pages = with_more([], first)
    assert read(pages) == first
    pages = with_more(pages, second)
    both = sum_of(first, second)
    assert read(pages) == both
    are_sound(pages)

    gone += [document for _, document in list(both)[:2]]
    left = without(pages, np.array(gone, np.int64))

    assert read(left) == {key: each for key, each in both.items() if key[1] not in gone}
    are_sound(left)
    for term in {term for term, _ in both}:
        of_term = {key[1]: each for key, each in both.items() if key[0] == term}
        assert looked_up(pages, term) == of_term


@given(COUNTS, TERMS)
def test_a_term_that_no_page_has_is_not_found(counts: Counts, term: str) -> None:
    assert (looked_up(with_more([], counts), term) == {}) == (term not in {each for each, _ in counts})


def told(documents: range, terms: int) -> Counts:
    """Return a term in each document, one in every third, and many rare ones."""
    counts: Counts = {}
    for document in documents:
        counts["always", document] = (1 + document % 9, 1)
        counts[f"rare {document % terms:06}", document] = (1, document % 2)
        if document % 3 == 0:
            counts["third", document] = (2, 2)
    return counts


def test_a_term_of_many_documents_has_pages_of_its_own_of_which_the_last_one_grows() -> None:
    pages = with_more([], told(range(6_000), 2_000))
    are_sound(pages)
    own = [page for page in pages if page.words == ["always"]]
    assert len(own) > 2
    assert [page.begins == 0 for page in own] == [True] + [False] * (len(own) - 1)

    more = with_more(pages, {("always", 6_000): (1, 1)})

    kept = {*pages} & {*more}
    assert len(pages) - len(kept) == 1, "the last page of the term, and no other"
    assert looked_up([page for page in more if page.first_term == "always"], "always").keys() == {
        *range(6_001)
    }


def test_pages_grow_until_they_are_cut_and_those_beside_them_stay() -> None:
    pages = with_more([], told(range(3_000), 3_000))
    [at] = [place for place, page in enumerate(pages) if "rare 001500" in page.words]

    more = with_more(pages, {(f"rare 001500 {each}", 0): (1, 1) for each in range(200)})

    are_sound(more)
    assert {*pages[:at], *pages[at + 1 :]} <= {*more}
    assert len(more) > len(pages)


def test_pages_of_which_little_is_left_are_joined() -> None:
    pages = with_more([], told(range(3_000), 3_000))

    left = without(pages, np.array([each for each in range(3_000) if each % 10], np.int64))

    assert len(left) < len(pages) / 5
    are_sound(left)
    assert len(read(left)) == 300 + 300 + 100


def test_which_pages_name_a_document_is_seen() -> None:
    pages = with_more([], told(range(3_000), 3_000))

    found = holding(pages, np.array([2_999], np.int64))

    assert [each.words for each in found if "always" in each.words] == [["always"]]
    assert len(found) == 2
    assert holding(pages, np.array([3_000], np.int64)) == []


def test_a_page_is_about_as_large_as_what_it_says() -> None:
    pages = with_more([], told(range(10_000), 4_000))
    entries = sum(len(read_pages([page._replace(begins=0)])[1]) for page in pages)

    assert sum(len(page.lists) for page in pages) < 2.5 * entries
    assert all(page.terms == b"\0" + "\0".join(page.words).encode() + b"\0" for page in pages)
    assert [terms_of(page.terms) for page in pages] == [page.words for page in pages]


def test_how_often_is_counted_up_to_a_most() -> None:
    entries = packed(*(np.array([each, each], np.int64) for each in (0, 7, 40, 33)))

    assert [each.tolist() for each in unpacked(added_up(entries))] == [[0], [7], [MOST_OFTEN], [MOST_OFTEN]]
