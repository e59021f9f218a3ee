"""No expression takes more than a window's time, whatever of its own words is repeated in a text."""

from collections.abc import Iterator
from itertools import product

import pytest
from tests.recollect.patterns import blow_ups
from tests.recollect.patterns.blow_ups import blown_up
from tests.recollect.patterns.compiled_patterns import alternatives, anchored_and_bounded, texts_of
from tests.recollect.patterns.pattern_shapes import ambiguous

from recollect.text.patterns import Anchored, bounded

_FEW, _MANY = 6, 60
_FAILS = "\x01"
"""Behind a text: nothing ends in it, so that all ways to divide what stands before are tried."""


def _repeated(piece: str, length: int) -> str:
    return f"{(piece * (length // len(piece) + 1))[: length - 1]}{_FAILS}"


def _some(texts: list[str], most: int) -> list[str]:
    """Return at most so many of them, from everywhere in the list."""
    return texts[:: max(1, -(-len(texts) // most))]


def _alone(pattern: Anchored) -> Iterator[str]:
    for text in (*_some(alternatives(pattern.pattern), _FEW), "a"):
        yield _repeated(text, pattern.longest)
        yield _repeated(f"{text} ", pattern.longest)


def _in_all_ways(pattern: Anchored) -> Iterator[str]:
    """Yield each alternative repeated, with a space and without, and crossed with the others."""
    texts = texts_of(pattern.pattern)
    for text in texts:
        yield _repeated(text, pattern.longest)
        yield _repeated(f"{text} ", pattern.longest)
    few = _some(texts, _MANY // 3)
    for one, other in product(few, few):
        yield _repeated(f"{one} {other} ", pattern.longest)


def test_a_repeated_alternative_blows_up_no_expression() -> None:
    assert blown_up(anchored_and_bounded(), _alone) == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_no_alternative_and_no_pair_of_them_blows_up_an_expression(part: int) -> None:
    assert blown_up(anchored_and_bounded()[part::8], _in_all_ways) == []


def test_what_doubles_with_each_word_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blow_ups, "MOST_SECONDS", 0.5)
    harmless, doubling = bounded("(?:go |run ){0,4}home"), bounded("(?:remember|that|remember that|[ ])*$")

    assert [pattern for pattern, _ in blown_up([harmless, doubling], _alone)] == [doubling.pattern]


def test_nothing_repeated_begins_with_what_it_ends_in() -> None:
    assert {each.pattern: ambiguous(each.pattern, each.flags) for each in anchored_and_bounded()} == {
        each.pattern: [] for each in anchored_and_bounded()
    }


@pytest.mark.parametrize("pattern", [r"(?:a+)+", r"(?:\w+\s*)*x", r"(?:(?:\w+ ?)+,? ?)+", r"(?:[^\n]+\n?)*$"])
def test_repetition_that_can_be_divided_anyhow_is_seen(pattern: str) -> None:
    assert ambiguous(pattern)


@pytest.mark.parametrize("pattern", [r"(?:\w+,\s*)*", r"[\w']+(?:_+[a-z]+)*", r"(?:\w++\s*)*", r"(?:ab|cd)*"])
def test_repetition_that_can_be_divided_in_one_way_is_not(pattern: str) -> None:
    assert not ambiguous(pattern.replace(r"\w++", r"[0-9]++"))
