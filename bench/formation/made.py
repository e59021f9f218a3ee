"""Makes cases of a labelled conversation, whose facts stand in for what an extraction model finds. Pure.

Nothing of the conversation is written anywhere. Never: how cases are run.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain, islice

from bench.formation.cases import (
    Case,
    Decision,
    ExtractedItem,
    Model,
    StoredMemory,
    Truth,
)
from bench.formation.quoting import most_like
from bench.recall.dataset import LabelledConversation, SaidTurn
from bench.recall.facts import Fact
from recollect.model import Kind
from recollect.text.patterns import bounded

AGAIN = "again"
"""A class that the labelled cases don't have: the same said again, but for a word that means nothing."""

_UNDATED = datetime(2024, 1, 1, tzinfo=UTC)
_LATER = timedelta(days=30)
_NUMBER = bounded(r"\d+")
_NAME = bounded(r"(?<=[a-z,] )[A-Z][a-z]{2,}\b")
_ARTICLE = bounded(r"\b(?:the|an?) ", re.IGNORECASE)
_OTHER_NAMES = ("Quentin", "Ottilie")
_IMPORTANCE = 0.5


@dataclass(frozen=True, slots=True)
class Observed:
    """A fact, and the turn it is taken from.

    Attributes:
        fact: The statement.
        turn: The last turn of a person it rests on.
        quote: That turn's sentence which is most about it.
        elsewhere: Another turn, of which it says nothing.
    """

    fact: Fact
    turn: SaidTurn
    quote: str
    elsewhere: SaidTurn

    @property
    def at(self) -> datetime:
        """When it was said."""
        return self.turn.at or _UNDATED


def made_cases(
    conversations: Sequence[tuple[LabelledConversation, Sequence[Fact]]], *, limit: int
) -> list[Case]:
    """Return cases of at most ``limit`` facts, spread evenly over all that there are."""
    found = list(chain.from_iterable(_observed(*each) for each in conversations))
    step = max(1, len(found) // limit)
    chosen = islice(found[::step], limit)
    return list(chain.from_iterable(_cases(each) for each in chosen))


def _observed(conversation: LabelledConversation, facts: Sequence[Fact]) -> Iterator[Observed]:
    turns = {turn.id: turn for turn in conversation.turns}
    others = [turn for turn in conversation.turns if turn.role != "assistant" and turn.text.strip()]
    for fact in facts:
        said = [turns[each] for each in fact.evidence if turns[each].role != "assistant"]
        quote = most_like(said[-1].text, fact.text) if said else ""
        free = [turn for turn in others if turn.id not in fact.evidence and quote not in turn.text]
        if quote and free:
            yield Observed(fact, said[-1], quote, free[fact.place % len(free)])


def _cases(observed: Observed) -> Iterator[Case]:
    yield _good(observed)
    yield _again(observed)
    changed = _changed(observed.fact.text)
    if changed is not None:
        yield _near(observed, changed)
    yield _elsewhere(observed)
    yield _echo(observed)


def _good(observed: Observed) -> Case:
    """It is new, and is to be kept."""
    item = _item(observed.fact.text, observed.quote)
    return _case(observed, "good", Model.RIGHT, observed.turn, item, Truth(0, Decision.ADD))


def _again(observed: Observed) -> Case:
    """It is said once more, later: it must not be kept twice."""
    item = _item(_ARTICLE.sub("", observed.fact.text, count=1), observed.quote)
    truth = Truth(0, Decision.REINFORCE, 0)
    return _case(observed, AGAIN, Model.NOTHING, observed.turn, item, truth, stored=True)


def _near(observed: Observed, changed: str) -> Case:
    """It is said with another number or name, and the model takes it for the same: it must not be merged."""
    said = SaidTurn(
        observed.turn.id, observed.turn.session, observed.turn.speaker, "user", changed, observed.turn.date
    )
    item = _item(changed, changed, relation="repeats", about=0)
    truth = Truth(0, Decision.ADD, also=(Decision.REPLACE,))
    return _case(observed, "near-duplicate", Model.WRONG, said, item, truth, stored=True)


def _elsewhere(observed: Observed) -> Case:
    """The words it rests on are those of another message: it must be refused."""
    item = _item(observed.fact.text, observed.quote)
    return _case(observed, "hallucinated", Model.WRONG, observed.elsewhere, item, Truth(0, Decision.IGNORE))


def _echo(observed: Observed) -> Case:
    """It is what stood in the prompt: it must be refused."""
    item = _item(observed.fact.text, observed.fact.text)
    return _case(
        observed,
        "injected-echo",
        Model.WRONG,
        observed.elsewhere,
        item,
        Truth(0, Decision.IGNORE),
        stored=True,
        injected=True,
    )


def _changed(statement: str) -> str | None:
    """Return a statement with another number, else another name; None if it has none of both."""
    number = _NUMBER.search(statement)
    if number is not None:
        other = str(int(number[0]) + 1)
        return f"{statement[: number.start()]}{other}{statement[number.end() :]}"
    name = _NAME.search(statement)
    if name is None:
        return None
    other = next(each for each in _OTHER_NAMES if each != name[0])
    return bounded(rf"\b{name[0]}\b").sub(other, statement)


def _item(content: str, evidence: str, *, relation: str = "new", about: int | None = None) -> ExtractedItem:
    return ExtractedItem(evidence, content, Kind.FACT, _IMPORTANCE, relation=relation, about=about)


def _case(
    observed: Observed,
    topic: str,
    model: Model,
    said: SaidTurn,
    item: ExtractedItem,
    truth: Truth,
    *,
    stored: bool = False,
    injected: bool = False,
) -> Case:
    known = StoredMemory(observed.fact.text, Kind.FACT, observed.at, importance=_IMPORTANCE)
    return Case(
        id=f"{observed.fact.id}/{topic}",
        language="-",
        topic=topic,
        model=model,
        said=said.text,
        said_at=observed.at + _LATER,
        stored=(known,) if stored else (),
        injected=(0,) if injected else (),
        extracted=(item,),
        truth=(truth,),
        speaker=said.speaker,
    )
