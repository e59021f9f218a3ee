"""What a message asks of the memory by its first words, where no model understands it."""

import pytest

from recollect.formation.memory_commands import MemoryCommand, read_commands, statement_of
from recollect.model import Asking


def test_a_message_that_begins_with_a_command_is_one() -> None:
    assert read_commands("Remember that I'm vegan!") == (MemoryCommand(Asking.REMEMBER, "I'm vegan!"),)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Forget number 2",
            "Remember this chat again",
            "Remember that we met?",
            "Remember that",
            "Remember: !",
        ),
        *("I remember that day", "They said: remember that I'm vegan", "", "? !"),
    ],
)
def test_none_is_what_is_done_before_the_answer_nor_a_question_nor_what_has_no_subject(text: str) -> None:
    assert read_commands(text) == ()


def test_a_statement_is_one_line_of_bounded_length() -> None:
    assert statement_of(MemoryCommand(Asking.REMEMBER, " i'm\nvegan! - ")) == "I'm vegan"
    assert statement_of(MemoryCommand(Asking.REMEMBER, "я живу")) == "Я живу"
    assert len(statement_of(MemoryCommand(Asking.REMEMBER, "word " * 500))) <= 500
    assert len(statement_of(MemoryCommand(Asking.REMEMBER, "w" * 5_000))) == 500
