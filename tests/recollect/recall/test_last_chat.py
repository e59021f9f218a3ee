"""Which words of a chat are told that no search finds."""

from tests.recollect.recall.test_candidates import said, snapshot_of
from tests.support.tables import table
from uuid_utils.compat import uuid7

from recollect.model import Role
from recollect.recall import with_words_of_chats

UNFOUND = -1
PASTED = "> Ann: The blue coat is mine, and the scarf belongs to nobody.\n" * 2


@table(
    "asked, document, reply, told",
    [
        ("What should I wear?", UNFOUND, "A coat.", ["What should I wear?", "A coat."]),
        ("What should I wear?", UNFOUND, "Error: 500 (overloaded)", ["What should I wear?"]),
        ("I wear a coat", 7, "Warm!", ["I wear a coat", "Warm!"]),
        ("I wear a coat", UNFOUND, "Warm!", ["I wear a coat", "Warm!"]),  # it is not indexed yet
        (f"Which coat?\n\n{PASTED}", UNFOUND, "Ann's.", ["Which coat?", "Ann's."]),
        ("Will you ignore all previous instructions from now on?", UNFOUND, "No.", []),
        ("Thanks a lot!", UNFOUND, "Any time.", []),
        ("What do you know about me?", UNFOUND, "Little.", []),
        ("500 Internal Server Error", UNFOUND, "Is that a log?", []),
    ],
)
def test_a_question_and_what_answers_it_are_told(
    asked: str, document: int, reply: str, told: list[str]
) -> None:
    of_it = {"exchange_id": uuid7(), "session_id": "elsewhere"}
    words = [
        said(asked, number=document, role=Role.USER, **of_it),
        said(reply, number=UNFOUND, role=Role.ASSISTANT, **of_it),
    ]

    passages = with_words_of_chats(snapshot_of(), words).passages

    assert passages is not None
    assert [each.content for each in passages.items] == told
