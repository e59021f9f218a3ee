"""The training data of `bench.training.relevance`: people's questions with the statements they need, and messages without a person."""

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple
from uuid import NAMESPACE_OID, uuid5

import numpy as np

from bench.files import read_lines
from bench.lives.life import Label, Life, LifeQuestion, read_question
from bench.lives.reading import read_lives, read_made_up
from recollect.index import LetterRuns, StatementColumns, with_hints
from recollect.model import Hints, Kind, Memory, Message, Role, Scope, Source, Turn, Use, Vector
from recollect.models.memory_embedding import with_topics
from recollect.ports import Embedder
from recollect.recall import read_query, relevance_model
from recollect.recall.question import asked_in, said_before
from recollect.recall.relevance_model import EmbeddedQuestion, Floats, Statements

STRANGER, STRANGER_TO_MADE_UP = "of a stranger", "of a stranger, to a made-up person"
"""The types of strangers' questions. Those to made-up people teach the gate alone: more of them would make each statement less likely."""

_NEEDY = "needy"
_OF_NOBODY = ("nothing", "advice")
_VITAL = 0.85
HELD_OUT = 7
"""Every seventh of the made-up people is held out from the training of the embedder's adapter."""

_OTHERS = 9
"""The statements of so many other people make a large store of a person's."""


def _own(name: str) -> Path:
    return Path(__file__).with_name(name)


def read_own(*names: str) -> list[dict[str, Any]]:
    """Return the lines of files of this folder."""
    return read_lines(map(_own, names))


class Embedded:
    """Vectors of texts by the embedder of statements, each text once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._questions: dict[str, Vector] = {}
        self._statements: dict[str, Vector] = {}

    async def question(self, text: str) -> Vector:
        """Return the vector of a question."""
        if text not in self._questions:
            self._questions[text] = await self._embedder.embed_question(text)
        return self._questions[text]

    async def statement(self, text: str) -> Vector:
        """Return the vector of a statement."""
        if text not in self._statements:
            [self._statements[text]] = await self._embedder.embed([text])
        return self._statements[text]


@dataclass(frozen=True, eq=False)
class Store:
    """Statements as a person's memory holds them, all with their hints or all without.

    Attributes:
        ids: The number of the person, and the label's id, of each.
        first: The vectors of the first piece of each, (n, d).
        others: The vectors of the other pieces: of two questions each, (n, 2, d); (n, 0, d) without hints.
    """

    ids: tuple[tuple[int, str], ...]
    items: tuple[Memory, ...]
    first: Floats
    others: Floats

    @cached_property
    def columns(self) -> StatementColumns:
        """The columns of the statements."""
        return StatementColumns.from_statements(self.items)

    @cached_property
    def _letters(self) -> LetterRuns:
        return LetterRuns.from_texts([with_hints(each) for each in self.items])

    def joined(self, others: Sequence["Store"]) -> "Store":
        """Return a store with the statements of others, too."""
        every = (self, *others)
        return Store(
            tuple(each for store in every for each in store.ids),
            tuple(each for store in every for each in store.items),
            np.concatenate([store.first for store in every]),
            np.concatenate([store.others for store in every]),
        )

    def compared(self, text: str, searched: Vector) -> Statements:
        """Return the statements as a question, by its text and its vector, is compared with them."""
        near = self.first @ searched
        asked = np.max(np.column_stack([near, self.others @ searched]), axis=1)
        return Statements(self.columns, near, asked, self._letters.shared(text))

    def marks(self, person: int, wanted: Collection[str]) -> Floats:
        """Return which statements are some of a person's, (n,)."""
        return np.array([float(of == person and each in wanted) for of, each in self.ids])


@dataclass(frozen=True, slots=True)
class Question:
    """A question to a store, with the statements that it needs.

    Attributes:
        person: The number of the person whose question it is.
        size: Of which store it is asked: "small", "grown", or the same "without hints".
        compared: How they compare with the question.
        may: Which are needed or do no harm, (n,).
    """

    person: int
    size: str
    type: str
    asked: EmbeddedQuestion
    store: Store
    compared: Statements
    must: Floats
    may: Floats


@dataclass(frozen=True)
class Person:
    """A person with the stores that their questions are asked of, by size."""

    number: int
    life: Life
    stores: Mapping[str, Store]


async def read_people(lives: Sequence[Path], hints: Sequence[Path], embedded: Embedded) -> list[Person]:
    """Read people with their statements that still hold, alone and among nine others' of the same file."""
    people: list[Person] = []
    for path in lives:
        people += await _people(read_lives([path], hints=hints), embedded, len(people))
    return people


async def read_held_out(embedded: Embedded, first: int) -> list[Person]:
    """Read the made-up people that the embedder's adapter has not learned from, numbered from ``first`` on."""
    return await _people(read_made_up(_own("people.jsonl"))[::HELD_OUT], embedded, first)


async def _people(lives: Sequence[Life], embedded: Embedded, first: int) -> list[Person]:
    people = [await _person(number, life, embedded) for number, life in enumerate(lives, first)]
    return [_with_grown(each, [other for other in people if other is not each]) for each in people]


async def _person(number: int, life: Life, embedded: Embedded) -> Person:
    said = {chat["chat"]: datetime.fromisoformat(chat["at"]) for chat in life.chats}
    items = tuple(_memory(number, each, said[each.turn.rpartition("-")[0]]) for each in life.wanted)
    ids = tuple((number, each.id) for each in life.wanted)
    plain = tuple(replace(each, hints=None) for each in items)
    stores = {"small": await _store(ids, items, embedded)}
    stores["small without hints"] = await _store(ids, plain, embedded)
    return Person(number, life, stores)


async def _store(ids: tuple[tuple[int, str], ...], items: tuple[Memory, ...], embedded: Embedded) -> Store:
    first = [
        await embedded.statement(each.content if each.hints is None else with_topics(each, each.hints))
        for each in items
    ]
    others = [
        [await embedded.question(question) for question in (each.hints or Hints()).questions]
        for each in items
    ]
    return Store(
        ids,
        items,
        np.array(first, np.float64),
        np.array(others, np.float64).reshape(len(items), -1, len(first[0])),
    )


def _with_grown(person: Person, others: Sequence[Person]) -> Person:
    chosen = random.Random(person.number).sample(list(others), min(_OTHERS, len(others)))  # noqa: S311 -- no secret
    grown = {
        name.replace("small", "grown"): store.joined([each.stores[name] for each in chosen])
        for name, store in person.stores.items()
    }
    return replace(person, stores={**person.stores, **grown})


def _memory(person: int, label: Label, at: datetime) -> Memory:
    event, hints = label.event_date, label.hints
    return Memory(
        uuid5(NAMESPACE_OID, f"{person}:{label.id}"),  # the same ones each time: ids part equals
        "bench",
        Kind(label.kind),
        Source.EXTRACTED,
        label.content,
        label.importance,
        at,
        at,
        event_at=datetime.fromisoformat(event).replace(tzinfo=UTC) if event else None,
        hints=Hints(Use(hints["use"]), tuple(hints["topics"]), tuple(hints["questions"])),
    )


async def read_questions(people: Sequence[Person], embedded: Embedded) -> list[Question]:
    """Read what people ask, each question of each of their stores."""
    more = {told["person"]: told["questions"] for told in read_own("questions.jsonl")}
    found: list[Question] = []
    for person in people:
        life = person.life
        same = {each.id: each.about[0] if each.relation == "repeats" else each.id for each in life.labels}
        others = [read_question(each, each["at"]) for each in more.get(life.person, ())]
        for told in (*life.questions, *others):
            asked, searched = await _asked(told, embedded)
            must = {same[each] for each in told.must if each in same}
            may = must | {same[each] for each in told.may if each in same}
            found += [
                Question(
                    person.number,
                    size,
                    told.type,
                    asked,
                    store,
                    store.compared(asked.text, searched),
                    store.marks(person.number, must),
                    store.marks(person.number, may),
                )
                for size, store in person.stores.items()
            ]
    return found


async def _asked(told: LifeQuestion, embedded: Embedded) -> tuple[EmbeddedQuestion, Vector]:
    """Return a question, and the vector that statements are compared with."""
    said = tuple(Message(Role(each["role"]), each["content"]) for each in told.before)
    turn = Turn(Scope("bench", "q"), told.ask, "q", told.at, "", said)
    query, before = read_query(turn), said_before(turn)
    vector = searched = await embedded.question(query.asked)
    if before.strip():
        searched = relevance_model.contextual_vector(vector, await embedded.question(asked_in(before)))
    return EmbeddedQuestion(query.asked, query.now, query.any_periods, vector), searched


@dataclass(frozen=True, slots=True)
class Labelled:
    """A message without a person: its vector, its intent, and the number of the person of whose statements it is asked."""

    text: str
    vector: Vector
    intent: str
    person: int


class Messages(NamedTuple):
    """Messages without a person.

    Attributes:
        labelled: Those labelled by their intents.
        typed: Further questions, that are asked of no statements: the type and the vector of each.
        general: Messages for the head of general questions alone: the vector of each, and whether it needs nothing.
    """

    labelled: Sequence[Labelled]
    typed: Sequence[tuple[str, Vector]]
    general: Sequence[tuple[Vector, bool]]

    def dealt_to(self, people: Sequence[Person]) -> "Messages":
        """Return them asked of the statements of these people."""
        numbers = cycle(each.number for each in people)
        dealt = [replace(each, person=number) for each, number in zip(self.labelled, numbers, strict=False)]
        return self._replace(labelled=dealt)


async def read_messages(embedded: Embedded) -> Messages:
    """Read messages labelled by their intents; what made-up people ask; messages labelled by need, the general ones for one head alone."""
    labelled = [
        Labelled(each["text"], await embedded.question(each["text"]), each["intent"], -1)
        for each in read_own("intents.jsonl", "requests.jsonl")
    ]
    asked = [
        (each["type"], each["ask"]) for person in read_own("people.jsonl") for each in person["questions"]
    ]
    asked += [(_NEEDY if each["needs"] else "unrelated", each["text"]) for each in read_own("needs.jsonl")]
    return Messages(
        labelled,
        [(kind, await embedded.question(text)) for kind, text in asked],
        [(await embedded.question(each["text"]), not each["needs"]) for each in read_own("general.jsonl")],
    )


def of_strangers(
    messages: Messages, people: Sequence[Person], at: datetime, kind: str = STRANGER
) -> list[Question]:
    """Return the questions of strangers, of the type ``kind``, each asked of one person's statements, of which it needs none.

    A danger to a person may count for anything, and a preference for a recommendation: such statements are left out.
    When other facts count for one, people's own questions teach.
    """
    by_number = {each.number: each for each in people}
    found = []
    for n, message in enumerate(messages.labelled):
        if message.intent not in _OF_NOBODY:
            continue
        stores = by_number[message.person].stores
        size = list(stores)[n // len(people) % len(stores)]
        store = _harmless(stores[size], is_advice=message.intent == "advice")
        if store is None:
            continue
        query = read_query(Turn(Scope("bench", "q"), message.text, "q", at, "", ()))
        asked = EmbeddedQuestion(query.asked, query.now, query.any_periods, message.vector)
        nothing, compared = np.zeros(len(store.items)), store.compared(asked.text, message.vector)
        found.append(Question(message.person, size, kind, asked, store, compared, nothing, nothing))
    return found


def _harmless(store: Store, *, is_advice: bool) -> Store | None:
    """Return the statements that a stranger's request surely does not need; None if there are none."""
    kept = [
        n
        for n, each in enumerate(store.items)
        if each.importance < _VITAL
        and not (is_advice and each.kind is Kind.PREFERENCE)
        and (each.hints is None or each.hints.use is not Use.ALWAYS)
    ]
    if not kept:
        return None
    ids, items = tuple(store.ids[n] for n in kept), tuple(store.items[n] for n in kept)
    return Store(ids, items, store.first[kept], store.others[kept])
