"""A conversation becomes the requests that a frontend would have sent, and questions at their time."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from tests.bench.conversations import FRIENDS, TEA, conversation, question, reply, turn

from bench.recall.dataset import LabelledConversation, Question
from bench.recall.plan import HISTORY_MESSAGES, Plan, Sending, plan


def planned(labelled: Mapping[str, Any], **options: Any) -> Plan:
    return plan(msgspec.convert(labelled, LabelledConversation), **options)


def order(steps: Sequence[Sending | Question]) -> list[str]:
    return [step.id if isinstance(step, Question) else step.turn.id for step in steps]


def sendings(made: Plan) -> list[Sending]:
    return [step for step in made.steps if isinstance(step, Sending)]


def test_a_users_turn_and_the_replies_behind_it_are_one_exchange() -> None:
    turns = [
        turn("u1", "Hello."),
        reply("a1", "Hi."),
        reply("a2", " "),
        reply("a3", "How are you?"),
        turn("u2", "Well."),
    ]

    made = planned(conversation(turns))

    assert [(each.turn.id, [one.id for one in each.replies]) for each in sendings(made)] == [
        ("u1", ["a1", "a2", "a3"]),
        ("u2", []),
    ]
    assert [each.reply for each in sendings(made)] == ["Hi.\n\nHow are you?", ""]
    assert made.unsent == 0


def test_a_request_carries_its_own_chats_history_and_no_names() -> None:
    turns = [
        turn("u1", "One."),
        reply("a1", "Two."),
        turn("v1", "Elsewhere.", session="2"),
        turn("u2", "Three."),
    ]

    made = planned(conversation(turns))

    assert [each.messages for each in sendings(made)] == [
        ({"role": "user", "content": "One."},),
        ({"role": "user", "content": "Elsewhere."},),
        (
            {"role": "user", "content": "One."},
            {"role": "assistant", "content": "Two."},
            {"role": "user", "content": "Three."},
        ),
    ]


def test_the_history_is_bounded_to_the_last_messages() -> None:
    made = planned(conversation([turn(f"u{n}", f"Number {n}.") for n in range(HISTORY_MESSAGES + 3)]))

    last = sendings(made)[-1].messages

    assert len(last) == HISTORY_MESSAGES + 1
    assert last[0]["content"] == "Number 2."
    assert last[-1]["content"] == f"Number {HISTORY_MESSAGES + 2}."


def test_the_history_is_whole_where_a_frontend_is_to_be_imitated() -> None:
    turns = [turn(f"u{n}", f"Number {n}.") for n in range(HISTORY_MESSAGES + 3)]

    last = sendings(planned(conversation(turns), history_messages=None))[-1].messages

    assert [message["content"] for message in last] == [each["text"] for each in turns]


def test_where_people_talk_each_turn_is_sent_under_its_speakers_name_and_nobody_replies() -> None:
    made = planned(FRIENDS)

    assert [(each.turn.id, each.reply, each.messages[-1]["name"]) for each in sendings(made)] == [
        ("D1:1", "", "Carla"),
        ("D1:2", "", "Dario"),
        ("D1:3", "", "Carla"),
    ]
    assert [message["role"] for message in sendings(made)[-1].messages] == ["user", "user", "user"]
    assert [message["name"] for message in sendings(made)[-1].messages] == ["Carla", "Dario", "Carla"]


def test_one_who_talks_alone_needs_no_name() -> None:
    made = planned(conversation([turn("t1", "Hello?"), turn("t2", "Nobody there.")]))

    assert not any("name" in message for each in sendings(made) for message in each.messages)


def test_what_answers_nobody_is_not_sent_but_stays_in_the_history() -> None:
    turns = [
        reply("a0", "Welcome!"),
        turn("s0", "Be nice.", role="system"),
        turn("u1", "Hello."),
        reply("b1", "Not yours.", session="2"),
    ]

    made = planned(conversation(turns))

    assert order(made.steps) == ["u1"]
    assert sendings(made)[0].replies == ()
    assert [message["content"] for message in sendings(made)[0].messages] == ["Welcome!", "Hello."]
    assert made.unsent == 3


def test_a_question_is_asked_before_the_exchange_it_must_not_see_else_at_the_end() -> None:
    assert order(planned(TEA).steps) == ["t1", "t3", "q3", "t5", "q1", "q2", "q4"]


def test_a_question_before_a_reply_does_not_see_the_exchange_of_that_reply() -> None:
    turns = [turn("u1", "One."), reply("a1", "Two."), turn("u2", "Three."), reply("a2", "Four.")]

    made = planned(conversation(turns, [question("q", "What?", before="a2")]))

    assert order(made.steps) == ["u1", "q", "u2"]


def test_a_question_before_a_turn_that_is_not_sent_is_asked_there() -> None:
    turns = [turn("u1", "One."), reply("b1", "Welcome!", session="2"), turn("v1", "Two.", session="2")]

    made = planned(conversation(turns, [question("q", "What?", before="b1")]))

    assert order(made.steps) == ["u1", "q", "v1"]


def test_no_more_questions_are_asked_than_wanted() -> None:
    assert order(planned(TEA, questions=1).steps) == ["t1", "t3", "t5", "q1"]
    assert order(planned(TEA, questions=0).steps) == ["t1", "t3", "t5"]
