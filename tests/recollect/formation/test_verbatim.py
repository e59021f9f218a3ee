from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table

from recollect.formation.new_memories import (
    EMBEDDED_REPLY_LENGTH,
    QUESTION_LENGTH,
    REPLY_LENGTH,
    qa_content,
    qa_embedding_text,
    qa_turn,
    shorten,
)
from recollect.model import Exchange, Kind, Memory, Provenance, Scope, Source, Turn

SAID_AT = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
TURN = Turn(Scope("anna", "chat-1"), "I moved to Leipzig, and I like tea", "m1", SAID_AT, "a-model")
EXCHANGE = Exchange(UUID(int=1), TURN, "Welcome to Leipzig!", UUID(int=2), UUID(int=3))


def test_question_and_answer_are_kept_as_they_are() -> None:
    assert qa_turn(EXCHANGE, None, "words", at=SAID_AT, new_id=lambda: UUID(int=100)) == Memory(
        id=UUID(int=100),
        owner="anna",
        kind=Kind.QA_TURN,
        source=Source.QA_TURN,
        content="Q: I moved to Leipzig, and I like tea\nA: Welcome to Leipzig!",
        importance=0.3,
        observed_at=SAID_AT,
        created_at=SAID_AT,
        provenance=Provenance("chat-1", (UUID(int=2), UUID(int=3)), None),
    )


def test_a_secret_in_them_is_not() -> None:
    said = replace(EXCHANGE, turn=replace(TURN, text="My password is tulip-77-Garden"))

    assert "tulip" not in qa_turn(said, None, "words", at=SAID_AT, new_id=lambda: UUID(int=100)).content


def test_without_a_reply_the_question_is_kept() -> None:
    unanswered = replace(EXCHANGE, reply=" ")

    assert qa_content(unanswered) == "Q: I moved to Leipzig, and I like tea"
    assert qa_embedding_text(unanswered) == TURN.text


def test_a_known_speaker_is_named() -> None:
    named = replace(EXCHANGE, turn=replace(TURN, speaker="Anna\nBerg"))

    assert qa_content(named).splitlines()[0] == "Anna Berg: I moved to Leipzig, and I like tea"
    assert qa_content(named).splitlines()[1] == "Assistant: Welcome to Leipzig!"


def test_both_are_of_bounded_length() -> None:
    endless = replace(EXCHANGE, turn=replace(TURN, text="why " * 9_000), reply="so " * 9_000)

    question, answer = qa_content(endless).splitlines()

    assert len(question) <= len("Q: ") + QUESTION_LENGTH
    assert len(answer) <= len("A: ") + REPLY_LENGTH
    assert question.endswith("why …")
    assert answer.endswith("so …")
    assert len(qa_embedding_text(endless)) <= len(endless.turn.text) + EMBEDDED_REPLY_LENGTH + 1


@table(
    ("text", "length", "expected"),
    [
        ("one two three", 13, "one two three"),
        ("  one two  ", 7, "one two"),
        ("one two three", 9, "one two …"),
        ("one two three", 10, "one two …"),
        ("one\ntwo three", 12, "one\ntwo …"),
        ("unbreakable", 8, "unbrea …"),
        ("x unbreakable", 8, "x unbr …"),
    ],
)
def test_a_long_text_is_cut_behind_a_word(text: str, length: int, expected: str) -> None:
    assert shorten(text, length) == expected


@given(st.text(), st.integers(3, 40))
def test_a_cut_text_is_never_too_long(text: str, length: int) -> None:
    assert len(shorten(text, length)) <= length
