"""A key is its person's only once an LLM server has answered with it: a request may name anybody."""

from uuid import uuid4

from recollect.engine.credentials import Credentials, Lent


def test_a_key_that_nothing_was_answered_with_is_its_exchanges_alone() -> None:
    kept, answered, asked = Credentials(), uuid4(), uuid4()
    kept.lend(Lent(answered, "anna", "", "own", is_answered=True))
    kept.lend(Lent(asked, "anna", "", "foreign"))
    kept.lend(Lent(answered, "anna", "", "foreign"))

    assert kept.find(uuid4(), "anna", "") == "own"
    assert kept.find(answered, "anna", "") == "own"
    assert kept.find(asked, "anna", "") == "foreign"

    kept.lend(Lent(asked, "anna", "", None))
    assert kept.find(asked, "anna", "") == "own"
