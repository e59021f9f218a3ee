"""What Recollect asks the demo's script for, it can read."""

from examples.demo.answering import extract
from recollect.models.extractors.memory_questions import hint_messages, read_hints


def test_the_script_gives_no_hints_in_the_form_that_it_is_asked_for() -> None:
    assert read_hints(extract(hint_messages([]))) == {}
