"""Recent exchanges are bounded for each person and for all, tell chats apart, and go with their person."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from tests.support.tables import table

from recollect.engine.live import recent_exchanges
from recollect.engine.live.client_questions import AskedRequest, asked_request
from recollect.engine.live.recent_exchanges import RecentExchanges
from recollect.model import Message, Role, Scope, Turn
from recollect.wire.turn_detection import detect_turn

AT = datetime(2026, 11, 28, tzinfo=UTC)
LONG = ("Which of the two roads to Ghent is shorter?", "The one along the river is the shorter one of them.")
THANKS = ("Thanks!", "You are welcome!")


def request_of(
    person: str, *texts: str, chat: str | None = None, at: datetime = AT, stream: bool = False
) -> AskedRequest:
    messages = [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(texts)]
    body = json.dumps({"model": "scripted", "stream": stream, "messages": messages}).encode()
    detected = detect_turn(body, user_id=person, session_id=chat, message_id=None, at=at)
    assert detected.turn is not None
    assert detected.body is not None
    return asked_request(detected.turn, detected.body)


def heard(
    kept: RecentExchanges, person: str, *texts: str, chat: str, answer_id: str = "", at: datetime = AT
) -> AskedRequest:
    """Have a person's exchange kept: what was said before, the message, and its answer."""
    *said, answer = texts
    asked = request_of(person, *said, chat=chat, at=at)
    kept.keep_request(asked, words=True)
    kept.note_answer(asked, answer, answer_id)
    return asked


def chat_of(kept: RecentExchanges, person: str, own: str, *texts: str, follows: str = "") -> str | None:
    history = tuple(Message(Role.ASSISTANT if at % 2 else Role.USER, text) for at, text in enumerate(texts))
    turn = Turn(
        Scope(person, own), "I have a dog.", key="w", at=AT, model="", history=history, follows=follows
    )
    return kept.chat_of(turn)


def test_a_pair_that_stands_in_many_chats_tells_none_of_them() -> None:
    kept = RecentExchanges()
    heard(kept, "anna", "Hi", "Hello!", *THANKS, chat="fp:a")
    heard(kept, "anna", *THANKS, *LONG, chat="fp:a")
    heard(kept, "anna", *LONG, chat="fp:c")

    assert chat_of(kept, "anna", "fp:b", *THANKS) is None
    assert chat_of(kept, "anna", "fp:b", "What is a fjord?", "An inlet.", *THANKS) is None
    assert chat_of(kept, "anna", "fp:b", "Hi", "Hello!", *THANKS) == "fp:a"
    assert chat_of(kept, "anna", "fp:b", *THANKS, *LONG) == "fp:a"
    assert chat_of(kept, "anna", "fp:a", *LONG) == "fp:a"
    assert chat_of(kept, "anna", "fp:c", *THANKS, *LONG) == "fp:c", "it carries a beginning that was heard"
    assert chat_of(kept, "anna", "fp:b", *LONG) == "fp:c"


def test_what_was_said_until_an_erasure_is_forgotten_of_that_person_alone() -> None:
    kept = RecentExchanges()
    for person in ("anna", "ben"):
        heard(kept, person, *LONG, chat=f"of {person}", answer_id="resp_1")
    under_way = request_of("anna", "How do tides work?", chat="of anna")
    kept.keep_request(under_way, words=True)

    kept.forget("anna", AT)
    kept.note_answer(under_way, "They follow the moon.", "resp_2")
    later = heard(kept, "anna", "And now?", "Nothing.", chat="later", at=AT + timedelta(seconds=1))
    kept.forget("anna", AT)

    known = [
        (chat_of(kept, person, "new", *LONG), chat_of(kept, person, "new", follows="resp_1"))
        for person in ("anna", "ben")
    ]
    assert known == [(None, None), ("of ben", "of ben")]
    assert chat_of(kept, "anna", "new", follows="resp_2") is None
    assert [*kept.scopes] == [Scope("ben", "of ben"), later.turn.scope]


def test_one_person_pushes_out_their_own_alone_and_of_many_the_one_heard_longest_ago_goes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = RecentExchanges()
    heard(kept, "anna", *LONG, chat="of anna")
    for number in range(300):
        heard(kept, "ben", f"Number {number}?", "Yes.", chat="of ben")
    assert sum(each.user_id == "ben" for each in kept.scopes) == 200
    assert chat_of(kept, "anna", "new", *LONG) == "of anna"

    monkeypatch.setattr(recent_exchanges, "_BYTES", kept.bytes)
    heard(kept, "carl", *LONG, chat="of carl")

    assert {each.user_id for each in kept.scopes} == {"ben", "carl"}
    assert 0 < kept.bytes <= recent_exchanges._BYTES


@table("minutes, others, left", [(9, 0, True), (11, 0, False), (1, 6, True), (1, 8, False)])
def test_words_are_kept_for_ten_minutes_and_of_eight_exchanges(
    minutes: int, others: int, *, left: bool
) -> None:
    kept = RecentExchanges()
    first = heard(kept, "anna", *LONG, chat="chat")
    later = AT + timedelta(minutes=minutes)
    for number in range(others + 1):
        heard(kept, "anna", f"Number {number}?", "Yes.", chat="chat", at=later)

    assert (bool(first.text), bool(first.answer)) == (left, left)


def test_a_title_that_is_asked_for_while_the_answer_is_under_way_is_a_task() -> None:
    kept = RecentExchanges()
    kept.keep_request(request_of("anna", LONG[0], stream=True), words=True)

    assert kept.is_task(request_of("anna", f"Title for: {LONG[0]}"))
    assert not kept.is_task(request_of("ben", f"Title for: {LONG[0]}"))
