"""What the trainer of `bench.training.relevance` learns from: people's questions with what they need, and messages without a person.

Never: training.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from recollect.index import LetterRuns, StatementColumns
from recollect.model import Kind, Memory, Message, Role, Scope, Source, Turn, Vector
from recollect.ports import Embedder
from recollect.recall import read_query, relevance
from recollect.recall.query import asked_before
from recollect.recall.relevance import EmbeddedQuestion, Floats

STRANGER = "of a stranger"
"""The type of what nobody here asked."""

_OF_NOBODY = ("nothing", "advice")
_VITAL = 0.85


@dataclass(frozen=True)
class Question:
    """A person's question, with what is needed to answer it.

    Attributes:
        person: The person's number.
        asked: What is asked.
        statements: The person's current statements.
        near: Their cosines.
        must: Which are needed, (n,).
        may: Which are needed or do no harm, (n,).
    """

    person: int
    language: str
    type: str
    asked: EmbeddedQuestion
    statements: tuple[Memory, ...]
    near: Floats
    must: Floats
    may: Floats

    @cached_property
    def columns(self) -> StatementColumns:
        """The columns of the statements."""
        return StatementColumns.of(self.statements)

    @cached_property
    def letters(self) -> Floats:
        """The share of the question's letter runs that each statement holds, (n,)."""
        return LetterRuns.of([each.content for each in self.statements]).shared(self.asked.text)


class Embedded:
    """Vectors of texts by the embedder of statements, each text once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[tuple[str, str], Vector] = {}

    async def question(self, text: str) -> Vector:
        """Return the vector of a question."""
        return await self._once("question", text, lambda: self._embedder.embed_question(text))

    async def statement(self, text: str) -> Vector:
        """Return the vector of a statement."""

        async def one() -> Vector:
            return (await self._embedder.embed([text]))[0]

        return await self._once("statement", text, one)

    async def _once(self, side: str, text: str, make: Callable[[], Any]) -> Vector:
        if (side, text) not in self._known:
            self._known[side, text] = await make()
        return self._known[side, text]


async def read_questions(
    lives: Sequence[Path], further: Sequence[Path], embedded: Embedded
) -> list[Question]:
    """Read people's questions, with their current statements' cosines."""
    people = [json.loads(line) for path in lives for line in path.read_text("utf-8").splitlines() if line]
    more = _further_questions(further)
    found: list[Question] = []
    for number, person in enumerate(people):
        told = [
            each for chat in person["chats"] for turn in chat["turns"] for each in turn.get("memories", [])
        ]
        said = {
            each["id"]: chat["at"]
            for chat in person["chats"]
            for turn in chat["turns"]
            for each in turn.get("memories", [])
        }
        same, current = _same_and_current(told)
        statements = tuple(_memory(each, said[each["id"]]) for each in current)
        vectors = np.array([await embedded.statement(each.content) for each in statements], np.float64)
        for told_question in [*person["questions"], *more[person["person"]]]:
            asked, searched = await _asked(told_question, person, embedded)
            must = {same[each] for each in told_question["must"] if each in same}
            may = must | {same[each] for each in told_question.get("may") or [] if each in same}
            found.append(
                Question(
                    number,
                    person["language"],
                    told_question["type"],
                    asked,
                    statements,
                    vectors @ np.asarray(searched, np.float64),
                    np.array([each["id"] in must for each in current], np.float64),
                    np.array([each["id"] in may for each in current], np.float64),
                )
            )
    return found


def _further_questions(files: Sequence[Path]) -> Mapping[str, list[Any]]:
    """Return by person what the files ask of them."""
    more: dict[str, list[Any]] = defaultdict(list)
    for path in files:
        for line in path.read_text("utf-8").splitlines():
            told = json.loads(line)
            more[told["person"]] += told["questions"]
    return more


def _same_and_current(
    told: Sequence[Mapping[str, Any]],
) -> tuple[dict[str, str], list[Mapping[str, Any]]]:
    """Return for each statement's id that of the one it repeats, or its own; and the statements that still hold."""
    gone = {
        each["about"]
        for each in told
        if each.get("relation") in {"contradicts", "refines"} and each.get("about")
    }
    same = {
        each["id"]: each["about"] if each.get("relation") == "repeats" and each.get("about") else each["id"]
        for each in told
    }
    return same, [each for each in told if each["id"] not in gone and same[each["id"]] == each["id"]]


def _memory(told: Mapping[str, Any], said: str) -> Memory:
    at = datetime.fromisoformat(said)
    event = told.get("event_date")
    return Memory(
        uuid4(),
        "bench",
        Kind(told["kind"]),
        Source.EXTRACTED,
        told["content"],
        float(told.get("importance", 0.5)),
        at,
        at,
        event_at=datetime.fromisoformat(event).replace(tzinfo=UTC) if event else None,
    )


async def _asked(
    told: Mapping[str, Any], person: Mapping[str, Any], embedded: Embedded
) -> tuple[EmbeddedQuestion, Vector]:
    """Return a question, and the vector that statements are compared with."""
    said = [
        message
        for each in told.get("before") or []
        for message in (Message(Role.USER, each["user"]), Message(Role.ASSISTANT, each["assistant"]))
    ]
    at = datetime.fromisoformat(told.get("at") or person["questions"][0]["at"])
    query = read_query(Turn(Scope("bench", "q"), told["ask"], "q", at, "", tuple(said)))
    vector = await embedded.question(query.asked)
    searched = (
        relevance.contextual_vector(vector, await embedded.question(asked_before(query)))
        if query.before.strip()
        else vector
    )
    return EmbeddedQuestion(query.asked, query.now, query.periods, vector), searched


@dataclass(frozen=True, slots=True)
class Messages:
    """Messages without a person: their vectors (n, d), which intent each has, and of whose statements it is asked."""

    texts: tuple[str, ...]
    vectors: Floats
    intents: tuple[str, ...]
    people: tuple[int, ...]

    def without(self, people: Collection[int]) -> "Messages":
        """Return those that are asked of other people's statements."""
        kept = [n for n, person in enumerate(self.people) if person not in people]
        return Messages(
            tuple(self.texts[n] for n in kept),
            self.vectors[kept],
            tuple(self.intents[n] for n in kept),
            tuple(self.people[n] for n in kept),
        )


async def read_messages(paths: Sequence[Path], embedded: Embedded, people: Sequence[int]) -> Messages:
    """Read messages labelled by what they ask, and deal them out to people."""
    told = [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines() if line]
    vectors = np.array([await embedded.question(each["text"]) for each in told], np.float64)
    return Messages(
        tuple(each["text"] for each in told),
        vectors,
        tuple(each["intent"] for each in told),
        tuple(people[n % len(people)] for n in range(len(told))),
    )


async def of_strangers(
    messages: Messages, questions: Sequence[Question], embedded: Embedded
) -> list[Question]:
    """Return what nobody here asked, asked of one person's statements each: it needs none of them.

    What is dangerous to a person may count for anything, and what they like for a recommendation: nothing is said of that.
    When other facts count for one, people's own questions teach.
    """
    people = {each.person: each for each in questions}
    asked = [n for n, intent in enumerate(messages.intents) if intent in _OF_NOBODY]
    found = []
    for n in asked:
        of = people[messages.people[n]]
        is_advice = messages.intents[n] == "advice"
        statements = tuple(
            each
            for each in of.statements
            if each.importance < _VITAL and not (is_advice and each.kind is Kind.PREFERENCE)
        )
        if not statements:
            continue
        text = messages.texts[n]
        query = read_query(Turn(Scope("bench", "q"), text, "q", of.asked.now, "", ()))
        vector = messages.vectors[n]
        vectors = np.array([await embedded.statement(each.content) for each in statements], np.float64)
        nothing = np.zeros(len(statements))
        found.append(
            Question(
                of.person,
                "",
                STRANGER,
                EmbeddedQuestion(query.asked, query.now, query.periods, np.asarray(vector, np.float32)),
                statements,
                vectors @ vector,
                nothing,
                nothing,
            )
        )
    return found
