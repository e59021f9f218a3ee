"""What users said first is asked again, as far as it can be asked."""

from hypothesis import given
from tests.hostile_texts import hostile_texts
from tests.tables import table

from recollect_proxy.calibrate.own_questions import first_sentence


@table(
    ("text", "first"),
    [
        ("Which train goes to Ghent? I must be there at 9.", "Which train goes to Ghent?"),
        ("  My cat is called Ada\nand she is old.", "My cat is called Ada"),
        ("我昨天在京都买了一把伞。很便宜。", "我昨天在京都买了一把伞。"),
        ("Version 2.5 of it broke.", "Version 2.5 of it broke."),
        ("Thanks! You helped me a lot.", ""),
        ("", ""),
    ],
)
def test_the_first_sentence_is_asked_if_it_says_enough(text: str, first: str) -> None:
    assert first_sentence(text) == first


@given(hostile_texts)
def test_any_text_has_a_bounded_beginning(text: str) -> None:
    assert len(first_sentence(text)) <= 300
