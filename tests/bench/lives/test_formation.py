"""The part of a prompt that the next of its chat begins with is counted byte by byte."""

import pytest

from bench.lives.formation import prompt_kept

FIRST = b'{"messages":["Memory A.","One."]}'


@pytest.mark.parametrize(
    ("after", "again"),
    [
        (b'{"messages":["Memory A.","One.","Two."]}', len(FIRST) - 2),
        (b'{"messages":["Memory B.","One.","Two."]}', len(b'{"messages":["Memory ')),
        (FIRST, len(FIRST) - 2),
    ],
)
def test_what_changes_at_the_head_costs_all_behind_it(after: bytes, again: int) -> None:
    assert prompt_kept(FIRST, after) == {"sent": len(FIRST) - 2, "sent_again": again}


def test_a_chats_first_request_counts_nothing() -> None:
    assert not +prompt_kept(b"", FIRST)
