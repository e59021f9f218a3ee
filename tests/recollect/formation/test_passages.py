"""A quote is read with the clauses it touches; whatever is said, that ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recollect.formation.probing import judged

from recollect.formation.proof.evidence import plain_quote
from recollect.formation.proof.passages import Passage, lines_as_searched, passages_of
from recollect.formation.proof.support import is_asked
from recollect.formation.verification import Believed
from recollect.model import Ignore


def passage(text: str, quote: str) -> Passage:
    [found] = passages_of(lines_as_searched(text), plain_quote(quote))
    return found


def test_a_passage_has_its_whole_sentence_and_clauses() -> None:
    found = passage("Hello. Since I am vegan, what do I cook for 3.50 euros? Thanks", "I am vegan")

    assert found.sentence == "since i am vegan, what do i cook for 3.50 euros"
    assert found.clauses == "since i am vegan"
    assert found.asks
    assert found.goes_on


def test_the_clause_that_asks_is_the_last() -> None:
    found = passage("Since I am vegan, what do I cook?", "what do I cook?")

    assert found.clauses.strip() == "what do i cook"
    assert found.asks
    assert not found.goes_on


def test_a_line_ends_a_sentence() -> None:
    assert passage("I row\nmy sister swims a lot", "my sister swims").sentence == "my sister swims a lot"


def test_a_quote_may_reach_over_lines_and_sentences() -> None:
    found = passage("I row. On lakes\nmostly. Right?", "I row. On lakes mostly")

    assert found.quote == "i row. on lakes\nmostly"
    assert not found.asks


def test_what_does_not_stand_there_has_no_passage() -> None:
    assert passages_of("i row", "swims") == []
    assert passages_of("i row", "") == []


def test_each_of_the_first_places_is_a_passage_where_the_quote_stands_as_whole_words() -> None:
    found = passages_of(
        lines_as_searched("I rowed. Say I row, what then?\nReally, I row." + " I row." * 9), "i row"
    )

    assert [each.before for each in found] == ["say ", "really, ", "", "", ""]
    assert [each.before for each in passages_of("why i rowed", "i row")] == ["why "]


def test_what_is_supposed_first_and_said_then_is_proven() -> None:
    said = "If I were away and I am a doctor what then? But really, I am a doctor."

    assert isinstance(judged(said, "Is a doctor", "I am a doctor"), Believed)
    assert isinstance(judged(said.partition(" But")[0], "Is a doctor", "I am a doctor"), Ignore)


@given(st.text(), st.text(), st.text(min_size=1))
def test_whatever_is_quoted_the_passage_holds_it(before: str, after: str, quote: str) -> None:
    found = passages_of(lines_as_searched(f"{before} {quote} {after}"), plain_quote(quote))

    assert all(each.quote.replace("\n", " ") == plain_quote(quote) for each in found)
    assert all(each.quote in each.clauses for each in found)


@given(st.text(), st.text(), st.text(), st.text(), st.text())
def test_any_text_is_judged(said: str, content: str, evidence: str, injected: str, assistant: str) -> None:
    judged(said, content, evidence, injected=injected, assistant=assistant)
    judged(f"{said} {evidence}", content, evidence, injected=injected, reply=assistant)


@pytest.mark.parametrize("length", [1_000_000])
def test_long_texts_are_judged(length: int) -> None:
    long = "if i had a dog, my sister said, " * (length // 32)

    judged(long, "Has a dog " * 90, "i had a dog", injected=long, assistant=long, reply=long)


def test_thousands_of_spaces_or_marks_before_what_is_said_are_survived() -> None:
    for gap in (" ", "\n", "¡"):
        clauses = f"ok{gap * 100_000}i swim"
        assert not is_asked(Passage("", "i swim", "", clauses, asks=False, goes_on=False))
