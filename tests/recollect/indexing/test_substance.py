"""What a message tells that another chat may be given: not what only asks, greets, failed, or knows nothing."""

from dataclasses import replace

from tests.support.recollections import NOON
from tests.support.tables import table
from uuid_utils.compat import uuid7

from recollect.indexing.indexed_message import is_error, is_recallable, only_asks
from recollect.model import LoggedMessage, Role

ONLY_ASK = (
    "What do I work as?",
    "Hi! Where do I live?",
    "Thanks! Who is my dentist?",
    "\u00bfD\u00f3nde vivo?",
    "Wo wohne ich? Und wie hei\u00dft mein Hund?",
    "\u6211\u4f4f\u5728\u54ea\u91cc\uff1f",
    "\u0623\u064a\u0646 \u0623\u0633\u0643\u0646\u061f",
    "How long ought a synopsis to be?",
    "What do I work as? \U0001f914",
    "\u03a0\u03bf\u03cd \u03bc\u03ad\u03bd\u03c9;",
    "\u12e8\u1275 \u1290\u12cd \u12e8\u121d\u1296\u1228\u12cd\u1367",
)
TELL = (
    "I live in Lisbon.",
    "My dog Fips is ill, what can I do?",
    "I take warfarin for the heart flutter, so tell me: can I have the kale soup?",
    "I'm moving to Basel. Which bank should I take?",
    "Can you help me plan my schedule around my new shifts at the Santa Maria hospital, which begin at six in the morning?",
    "Wir haben uns ein Boot gekauft! Was kostet ein Liegeplatz?",
)


def message(content: str, role: Role = Role.USER, before: str = "") -> LoggedMessage:
    return LoggedMessage(uuid7(), role, content, NOON, before=before)


@table("text", ONLY_ASK)
def test_a_message_that_only_asks_tells_nothing(text: str) -> None:
    assert only_asks(text)
    assert not is_recallable(message(text))
    assert is_recallable(replace(message(text), taught=True))  # a memory was formed of it


@table("text", TELL)
def test_a_message_that_says_something_beside_its_question_tells(text: str) -> None:
    assert not only_asks(text)
    assert is_recallable(message(text))


@table("text", ("hello!", "Vielen Dank", "ok, thanks", "\u4f60\u597d"))
def test_small_talk_tells_nothing_nor_does_what_is_answered_to_it(text: str) -> None:
    assert not is_recallable(message(text))
    assert not is_recallable(message("You are welcome.", Role.ASSISTANT, before=text))


@table("text", ("Undo that.", "Forget number 2.", "Stop remembering me."))
def test_a_command_to_the_memory_tells_nothing_nor_does_what_is_answered_to_it(text: str) -> None:
    assert not is_recallable(message(text))
    assert not is_recallable(message("Nothing was forgotten:\n1. Nothing", Role.ASSISTANT, before=text))


def test_an_answer_to_a_question_about_oneself_tells_nothing_that_memory_does_not_know() -> None:
    asked = "What do I work as?"

    assert not is_recallable(message("I do not know that about you yet.", Role.ASSISTANT, before=asked))
    assert is_recallable(
        message("A hip roof is safer in storms.", Role.ASSISTANT, before="Gable or hip roof?")
    )
    assert is_recallable(message("Like so:\n```\nbrew(tea)\n```", Role.ASSISTANT, before="How do I brew it?"))


@table(
    "text",
    (
        "Traceback (most recent call last):\n  File x",
        "ValueError: no such thing",
        "APIError 429: slow down",
        '{"error": {"message": "overloaded"}}',
        "502 Bad Gateway",
        "<html><body>Service unavailable</body></html>",
    ),
)
def test_an_error_in_the_place_of_an_answer_tells_nothing(text: str) -> None:
    assert is_error(text)
    assert not is_recallable(message(text, Role.ASSISTANT, before="I live in Basel."))


@table("text", ("Errors are human.", "502 people came.", "The error was mine: I forgot it."))
def test_words_about_errors_are_no_error(text: str) -> None:
    assert not is_error(text)


def test_a_turn_that_failed_tells_nothing_and_what_was_called_valuable_always_does() -> None:
    said = message("I live in Basel.")

    assert not is_recallable(replace(said, failed=True))
    assert is_recallable(replace(message("Where do I live?"), marked=True, failed=True))
