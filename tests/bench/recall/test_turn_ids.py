"""A memory is traced to the turns it rests on, whatever it says."""

from uuid import UUID

import pytest
from tests.recollections import NOON, memory
from uuid_utils.compat import uuid7

from bench.recall.dataset import SaidTurn
from bench.recall.plan import Sending
from bench.recall.turn_ids import TurnIds, UnknownOriginError
from recollect.model import Memory, Passage, Provenance, Role


def said(name: str, text: str = "Something.") -> SaidTurn:
    return SaidTurn(id=name, session="1", speaker="user", role="user", text=text)


def resting_on(*message_ids: UUID) -> Memory:
    return memory("Yes.", provenance=Provenance("session-1", message_ids))


def passage(message_id: UUID, role: Role, part: int = 0) -> Passage:
    return Passage(message_id, uuid7(), "session-1", 0, part, role, "Something.", NOON)


def sent(turns: TurnIds, name: str, *replies: SaidTurn) -> tuple[UUID, UUID]:
    """Note a request, and return the ids that the engine gives its message and its reply."""
    turns.sending(Sending(said(name), replies, ()))
    uuid7()  # the exchange's own
    return uuid7(), uuid7()


def test_a_kept_exchange_rests_on_its_question_and_its_reply() -> None:
    turns = TurnIds()
    first = sent(turns, "u1", said("a1"))
    second = sent(turns, "u2", said("a2"), said("a3"))

    assert turns.of(resting_on(*first)) == ("u1", "a1")
    assert turns.of(resting_on(*second)) == ("u2", "a2", "a3")


def test_a_statement_may_rest_on_the_users_message_alone() -> None:
    turns = TurnIds()
    message_id, _ = sent(turns, "u1", said("a1"))

    assert turns.of(resting_on(message_id)) == ("u1",)


def test_what_nobody_replied_is_no_turn() -> None:
    turns = TurnIds()
    silent = sent(turns, "u1")
    empty = sent(turns, "u2", said("a2", " "))

    assert turns.of(resting_on(*silent)) == ("u1",)
    assert turns.of(resting_on(*empty)) == ("u2",)


def test_a_passage_of_the_log_is_from_the_turn_or_its_replies() -> None:
    turns = TurnIds()
    first = sent(turns, "u1", said("a1"))
    second = sent(turns, "u2", said("a2"), said("a3"))
    passages = [
        passage(second[1], Role.ASSISTANT, part=1),
        passage(first[0], Role.USER),
        passage(second[1], Role.ASSISTANT),
    ]

    assert turns.of(passages[0]) == ("a2", "a3")
    assert turns.expand(passages) == ("a2", "a3", "u1")
    with pytest.raises(UnknownOriginError):
        turns.of(passage(sent(turns, "u3")[1], Role.ASSISTANT))


def test_several_memories_stand_for_their_turns_in_order_each_once() -> None:
    turns = TurnIds()
    first = sent(turns, "u1", said("a1"))
    second = sent(turns, "u2", said("a2"))
    memories = [resting_on(*second), resting_on(first[0]), resting_on(second[0], first[0])]

    assert turns.expand(memories) == ("u2", "a2", "u1")


def test_a_memory_of_something_else_is_an_error_and_no_guess() -> None:
    turns = TurnIds()
    stranger = uuid7()
    sent(turns, "u1")

    with pytest.raises(UnknownOriginError):
        turns.of(resting_on(stranger))
    with pytest.raises(UnknownOriginError):
        turns.of(resting_on())
