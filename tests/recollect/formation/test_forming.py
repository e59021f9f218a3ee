from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, cast
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from recollect.errors import (
    EmbedderError,
    ExtractorError,
    ExtractorUnusableError,
    InvalidExtractionError,
    StoreUnavailableError,
)
from recollect.formation import (
    EMBEDDED_REPLY_LENGTH,
    KNOWN_SHOWN,
    QUESTION_LENGTH,
    REPLY_LENGTH,
    Formed,
    Strategy,
    form,
    log_decision,
    qa_content,
    qa_embedding_text,
    shorten,
)
from recollect.model import (
    Actor,
    Add,
    Candidate,
    Change,
    Exchange,
    Ignore,
    Kind,
    Memory,
    Provenance,
    Reason,
    Reinforce,
    Relation,
    Replace,
    Retire,
    Scope,
    Source,
    Turn,
)
from recollect.testing import BrokenEmbedder, InMemoryStore, ScriptedExtractor, WordEmbedder

SAID_AT = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
NOW = SAID_AT + timedelta(seconds=5)
TURN = Turn(Scope("anna", "chat-1"), "I moved to Leipzig, and I like tea", "m1", SAID_AT, "a-model")
EXCHANGE = Exchange(UUID(int=1), TURN, "Welcome to Leipzig!", UUID(int=2), UUID(int=3))
CITY = Candidate("Lives in Leipzig", Kind.FACT, 0.7, "I moved to Leipzig")
TEA = Candidate("Likes tea", Kind.PREFERENCE, 0.5, "I like tea")


def memory(number: int, content: str, kind: Kind = Kind.FACT) -> Memory:
    then = SAID_AT - timedelta(days=9)
    return Memory(UUID(int=number), "anna", kind, Source.EXTRACTED, content, 0.5, then, then)


async def formed(
    answer: list[Candidate] | Exception | None,
    exchange: Exchange = EXCHANGE,
    *,
    memories: Sequence[Memory] = (),
    **changes: Any,
) -> Formed:
    ids = count(100)
    store = InMemoryStore()
    for has in memories:
        [vector] = await WordEmbedder().embed([has.content])
        embedded = replace(has, embedding=vector, embedding_model="words")
        await store.apply(Scope(has.owner, ""), [Add(embedded)], actor=Actor.USER, at=has.created_at)
    arguments: dict[str, Any] = {
        "store": store,
        "embedder": WordEmbedder(),
        "extractor": None if answer is None else ScriptedExtractor(answer),
        "strategy": Strategy.EXTRACT,
        "minimum_importance": 0.3,
        "now": lambda: NOW,
        "new_id": lambda: UUID(int=next(ids)),
    }
    return await form(exchange, **(arguments | changes))


def only_memory(outcome: Formed) -> Memory:
    [change] = outcome.changes
    assert isinstance(change, Add)
    return change.memory


class TestExtraction:
    async def test_what_is_believed_is_added_with_its_embedding(self) -> None:
        outcome = await formed([CITY, TEA])

        assert [(type(change), change.reason) for change in outcome.changes] == [(Add, Reason.NEW)] * 2
        assert (outcome.extracted_count, outcome.fallback) == (2, None)
        city = cast("Add", outcome.changes[0]).memory
        assert (city.content, city.created_at, city.embedding_model) == ("Lives in Leipzig", NOW, "words")
        assert city.embedding is not None
        assert np.allclose(city.embedding, await WordEmbedder().embed(["Lives in Leipzig"]))

    async def test_what_is_not_believed_is_ignored_in_its_place(self) -> None:
        invented = replace(CITY, evidence="I live in Leipzig since forever")
        trifle = replace(TEA, importance=0.1)

        outcome = await formed([invented, CITY, trifle, TEA])

        assert outcome.changes[0] == Ignore(Reason.NO_EVIDENCE, invented)
        assert isinstance(outcome.changes[1], Add)
        assert outcome.changes[2] == Ignore(Reason.LOW_IMPORTANCE, trifle)
        assert isinstance(outcome.changes[3], Add)
        assert outcome.extracted_count == 4

    async def test_the_reply_alone_is_no_evidence(self) -> None:
        parroted = Candidate("Is welcome in Leipzig", Kind.FACT, 0.9, "Welcome to Leipzig!")

        outcome = await formed([parroted])

        assert outcome.changes == (Ignore(Reason.NO_EVIDENCE, parroted),)

    async def test_the_extractor_is_shown_the_users_nearest_statements(self) -> None:
        kept = [memory(number, f"thing {number}") for number in range(10, 40)]
        near = memory(50, "I like tea")
        turn = memory(51, "I like tea and I moved", Kind.QA_TURN)
        other = replace(memory(52, "I like tea"), owner="berta")
        extractor = ScriptedExtractor(
            [replace(TEA, content="Adores tea", relation=Relation.REPEATS, about=0)]
        )

        outcome = await formed(None, memories=[*kept, turn, other, near], extractor=extractor)

        [(_, known)] = extractor.asked
        assert known[0].id == near.id
        assert len(known) == KNOWN_SHOWN
        assert not {turn.id, other.id} & {shown.id for shown in known}
        assert outcome.changes == (Reinforce(near.id, messages=(EXCHANGE.message_id,)),)

    async def test_nothing_extracted_changes_nothing(self) -> None:
        embedder = WordEmbedder()

        outcome = await formed([], embedder=embedder)

        assert outcome == Formed()
        assert embedder.embedded == [TURN.text]

    async def test_only_what_is_believed_is_embedded(self) -> None:
        embedder = WordEmbedder()

        await formed([CITY, replace(TEA, evidence=""), TEA], embedder=embedder)

        assert embedder.embedded == [TURN.text, "Lives in Leipzig", "Likes tea"]

    @pytest.mark.parametrize("text", ["", " \n", "👍", "?!"])
    @pytest.mark.parametrize("strategy", list(Strategy))
    async def test_there_is_nothing_to_learn_from_no_words(self, text: str, strategy: Strategy) -> None:
        wordless = replace(EXCHANGE, turn=replace(TURN, text=text))

        assert await formed([CITY], wordless, strategy=strategy) == Formed()

    async def test_what_may_pass_is_the_callers_to_try_again(self) -> None:
        with pytest.raises(ExtractorError):
            await formed(ExtractorError())
        with pytest.raises(EmbedderError):
            await formed([CITY], embedder=BrokenEmbedder())
        with pytest.raises(StoreUnavailableError):
            await formed(StoreUnavailableError())


class TestQaTurn:
    async def test_question_and_answer_are_kept_as_they_are(self) -> None:
        embedder = WordEmbedder()

        outcome = await formed([CITY], strategy=Strategy.QA_TURN, embedder=embedder)

        assert only_memory(outcome) == Memory(
            id=UUID(int=100),
            owner="anna",
            kind=Kind.QA_TURN,
            source=Source.QA_TURN,
            content="Q: I moved to Leipzig, and I like tea\nA: Welcome to Leipzig!",
            importance=0.3,
            observed_at=SAID_AT,
            created_at=NOW,
            provenance=Provenance("chat-1", (UUID(int=2), UUID(int=3)), None),
            embedding_model="words",
        )
        assert outcome.changes[0].reason is Reason.KEPT_VERBATIM
        assert (outcome.extracted_count, outcome.fallback) == (0, None)
        assert embedder.embedded == [qa_embedding_text(EXCHANGE)]

    @pytest.mark.parametrize(
        ("answer", "reason"),
        [
            (None, "unusable"),
            (ExtractorUnusableError(), "unusable"),
            (InvalidExtractionError("words of the answer"), "invalid"),
        ],
    )
    async def test_it_stands_in_where_no_model_can_extract(
        self, answer: Exception | None, reason: str
    ) -> None:
        outcome = await formed(answer)

        assert only_memory(outcome).kind is Kind.QA_TURN
        assert outcome.fallback == reason

    async def test_it_stands_in_when_the_caller_gives_extraction_up(self) -> None:
        outcome = await formed(AssertionError("not asked"), fallback="failed")

        assert only_memory(outcome).kind is Kind.QA_TURN
        assert outcome.fallback == "failed"

    def test_without_a_reply_the_question_is_kept(self) -> None:
        unanswered = replace(EXCHANGE, reply=" ")

        assert qa_content(unanswered) == "Q: I moved to Leipzig, and I like tea"
        assert qa_embedding_text(unanswered) == TURN.text

    def test_a_known_speaker_is_named(self) -> None:
        named = replace(EXCHANGE, turn=replace(TURN, speaker="Anna\nBerg"))

        assert qa_content(named).splitlines()[0] == "Anna Berg: I moved to Leipzig, and I like tea"
        assert qa_content(named).splitlines()[1] == "Assistant: Welcome to Leipzig!"

    def test_both_are_of_bounded_length(self) -> None:
        endless = replace(EXCHANGE, turn=replace(TURN, text="why " * 9_000), reply="so " * 9_000)

        question, answer = qa_content(endless).splitlines()

        assert len(question) <= len("Q: ") + QUESTION_LENGTH
        assert len(answer) <= len("A: ") + REPLY_LENGTH
        assert question.endswith("why …")
        assert answer.endswith("so …")
        assert len(qa_embedding_text(endless)) <= len(endless.turn.text) + EMBEDDED_REPLY_LENGTH + 1


@pytest.mark.parametrize(
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


class TestLogDecision:
    def line(self, *, include_text: bool) -> dict[str, Any]:
        changes: list[Change] = [
            Add(memory(10, "Lives in Leipzig")),
            Replace(UUID(int=7), memory(11, "Likes tea"), Reason.REFINES),
            Reinforce(UUID(int=8)),
            Ignore(Reason.EQUAL_CONTENT, TEA, UUID(int=9)),
            Ignore(Reason.NO_EVIDENCE),
            Retire(UUID(int=6), Reason.CONTRADICTS),
        ]
        with capture_logs() as lines:
            log_decision(
                Formed((), 5, "invalid"),
                changes,
                EXCHANGE,
                include_text=include_text,
            )
        [line] = lines
        return dict(line)

    def test_one_line_tells_what_was_done_and_why(self) -> None:
        assert self.line(include_text=False) == {
            "event": "memory_decision",
            "log_level": "info",
            "user_id": "anna",
            "exchange_id": str(UUID(int=1)),
            "input_message_length": len(TURN.text),
            "extracted_count": 5,
            "fallback": "invalid",
            "decisions": [
                {"action": "add", "target_id": str(UUID(int=10)), "reason": "new"},
                {
                    "action": "replace",
                    "target_id": str(UUID(int=7)),
                    "memory_id": str(UUID(int=11)),
                    "reason": "refines",
                },
                {"action": "reinforce", "target_id": str(UUID(int=8)), "reason": "repeats"},
                {"action": "ignore", "target_id": str(UUID(int=9)), "reason": "equal_content"},
                {"action": "ignore", "target_id": None, "reason": "no_evidence"},
                {"action": "retire", "target_id": str(UUID(int=6)), "reason": "contradicts"},
            ],
        }

    def test_the_statements_themselves_only_when_asked_for(self) -> None:
        texts = [decision.get("text") for decision in self.line(include_text=True)["decisions"]]

        assert texts == ["Lives in Leipzig", "Likes tea", None, "Likes tea", None, None]
