"""Facts about the people of labelled conversations, one JSON object a line: what an extractor might keep.

A fact is found for a question when a turn it rests on is evidence of the question.

Never: how facts are written or asked for.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import UUID

import msgspec

from bench.recall.dataset import DatasetError, LabelledConversation, Question, read_lines
from bench.recall.metrics import Scores, score_units
from bench.recall.turn_ids import UnknownOriginError
from recollect.model import Item, Memory
from recollect.text.normalization import content_hash


class _Line(msgspec.Struct, frozen=True):
    conversation: str
    fact: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement, and what it rests on.

    Attributes:
        id: Unique among all facts of a file.
        text: The statement.
        evidence: The ids of the turns it rests on, at least one.
        place: The place in its conversation of the last turn of these: when it is known.
        at: The date of that turn, if it has one.
    """

    id: str
    text: str
    evidence: tuple[str, ...]
    place: int
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of several conversations, by the id of each.

    Attributes:
        name: What the file is called.
        of: The facts of each conversation, in the order in which they come to be known.
    """

    name: str
    of: Mapping[str, Sequence[Fact]]

    def score(self, conversation_id: str, ranked: Sequence[str], evidence: Sequence[str]) -> Scores:
        """Score the ranking of one conversation's facts for a question; see ``score_units``."""
        facts = self.of.get(conversation_id, ())
        turns = {fact.id: fact.evidence for fact in facts}
        relevant = sum(not set(evidence).isdisjoint(fact.evidence) for fact in facts)
        return score_units([turns[fact_id] for fact_id in ranked], evidence, relevant=relevant)

    def covered(self, conversation_id: str, evidence: Sequence[str]) -> float:
        """Return the share of the evidence that any fact rests on: no recall can be higher."""
        known = {turn_id for fact in self.of.get(conversation_id, ()) for turn_id in fact.evidence}
        return len(known.intersection(evidence)) / len(set(evidence))


class FactIds:
    """Knows which fact a memory was written for."""

    def __init__(self) -> None:
        self._facts: dict[UUID, str] = {}

    def written(self, memory: Memory, fact: Fact) -> None:
        """Note that ``memory`` holds ``fact``."""
        self._facts[memory.id] = fact.id

    def expand(self, items: Iterable[Item]) -> tuple[str, ...]:
        """Return the facts that memories hold, in order, each once."""
        try:
            return tuple(dict.fromkeys(self._facts[item.id] for item in items))
        except KeyError:
            raise UnknownOriginError from None


def read_facts(path: Path, conversations: Iterable[LabelledConversation]) -> Facts:
    """Read the facts of these conversations; those of others are passed over.

    Two facts of a conversation that a store keeps as one statement are one fact, resting on the
    turns of both.

    Raises:
        DatasetError: The file can't be read, a line of it is not what it must be, or it holds no fact of
            any of these conversations.
    """
    known = {each.id: each for each in conversations}
    lines: dict[str, list[_Line]] = defaultdict(list)
    for number, line in read_lines(path):
        try:
            read = msgspec.json.decode(line, type=_Line)
            if read.conversation in known:
                _check(read, known[read.conversation])
                lines[read.conversation].append(read)
        except (ValueError, RecursionError) as error:
            raise DatasetError(f"{path}, line {number}: {error}") from error
    if not lines:
        raise DatasetError(f"{path} holds no fact of these conversations.")
    return Facts(path.name, {name: _facts(known[name], found) for name, found in lines.items()})


def fact_steps(
    conversation: LabelledConversation, facts: Sequence[Fact], *, questions: int | None = None
) -> list[Fact | Question]:
    """Return what is written and asked, in order.

    A question that may see only what was said before a turn is asked before any fact that rests on
    that turn or a later one; the others when every fact is written.

    Args:
        conversation: What is asked about.
        facts: Its facts, in the order in which they come to be known.
        questions: How many of its questions are asked at most, its first; None: all.
    """
    place_of = {turn.id: place for place, turn in enumerate(conversation.turns)}
    end = len(conversation.turns)
    steps: list[tuple[int, int, Fact | Question]] = [(fact.place, 1, fact) for fact in facts]
    steps += [
        (end if question.before is None else place_of[question.before], 0, question)
        for question in conversation.questions[:questions]
    ]
    return [step for _, _, step in sorted(steps, key=lambda each: each[:2])]


def _check(line: _Line, conversation: LabelledConversation) -> None:
    if not any(character.isalnum() for character in line.fact):
        raise ValueError("a fact says nothing")
    if not line.evidence:
        raise ValueError("a fact rests on no turn")
    known = {turn.id for turn in conversation.turns}
    for turn_id in line.evidence:
        if turn_id not in known:
            raise ValueError(f"a fact names the turn `{turn_id}`, which is not there")


def _facts(conversation: LabelledConversation, lines: Sequence[_Line]) -> list[Fact]:
    place_of = {turn.id: place for place, turn in enumerate(conversation.turns)}
    merged: dict[bytes, list[_Line]] = defaultdict(list)
    for line in lines:
        merged[content_hash(line.fact)].append(line)
    facts: list[Fact] = []
    for n, alike in enumerate(merged.values()):
        evidence = tuple(dict.fromkeys(turn_id for line in alike for turn_id in line.evidence))
        place = max(place_of[turn_id] for turn_id in evidence)
        at = conversation.turns[place].at
        facts.append(Fact(f"{conversation.id}/{n}", alike[0].fact, evidence, place, at))
    return sorted(facts, key=lambda fact: fact.place)
