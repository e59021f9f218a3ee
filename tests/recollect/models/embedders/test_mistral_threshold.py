"""The gate of mistral-embed follows from related and unrelated pairs of texts."""

import numpy as np
import pytest
from tests.recollect.models.embedders.mistral_threshold import find_threshold, labelled, texts


def test_a_threshold_lies_in_the_widest_of_the_gaps_that_part_the_pairs_best() -> None:
    related = np.array([0.9, 0.8, 0.3], dtype=np.float32)
    unrelated = np.array([0.5, 0.2, 0.1, 0.1], dtype=np.float32)

    found = find_threshold(related, unrelated)

    assert found.cosine == pytest.approx(0.25)
    assert (found.related_above, found.unrelated_below) == (1, 0.75)
    assert find_threshold(related[:2], unrelated).cosine == pytest.approx(0.65)


def test_a_statement_is_related_to_its_paraphrase_and_to_its_question_alone() -> None:
    vectors = [np.eye(20, dtype=np.float32)[number // 3] for number in range(len(texts()))]

    related, unrelated = labelled(vectors)

    assert (len(related), related.min()) == (2 * 20, 1)
    assert (len(unrelated), unrelated.max()) == (9 * 20 * 19 // 2, 0)
