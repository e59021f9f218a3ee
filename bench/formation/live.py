"""Asks a live model about the labelled cases: what it finds, and how it relates that.

Never: what becomes of what it finds; a text of a case in a figure.
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from rich.progress import Progress
from uuid_utils.compat import uuid7

from bench.formation.cases import Case, Decision, Truth
from bench.formation.staging import hear_message
from recollect.composition import compose
from recollect.errors import ExtractorError
from recollect.formation.turns import AnalyzedTurn, analyze_turn, attributions_of
from recollect.formation.understood_commands import Extraction, with_understood_commands
from recollect.formation.verification import Verdict, verify
from recollect.model import Asking, Exchange, Memory, Recollection, Relation, Source
from recollect.ports import Extractor
from recollect.text.tokens import estimate_tokens

_BUDGET = 100_000


class _Answered(Protocol):
    @property
    def tokens(self) -> int: ...


_Answer = TypeVar("_Answer", bound=_Answered)


@dataclass
class Asked:
    """What a live model answered, case by case.

    Attributes:
        found: Of each case, a verdict on each statement that was found.
        tokens: What each call took.
        seconds: How long each took.
        failed: Calls that failed, by the error's name.
    """

    found: list[tuple[Case, Sequence[Verdict]]] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    async def call(self, ask: Callable[[], Awaitable[_Answer]]) -> _Answer | None:
        """Return what a call answers, and note what it took; None where it failed."""
        began = time.perf_counter()
        try:
            answered = await ask()
        except ExtractorError as error:
            self.failed.append(type(error).__name__)
            return None
        self.seconds.append(time.perf_counter() - began)
        self.tokens.append(answered.tokens)
        return answered


async def ask_model(
    extractor: Extractor,
    cases: Sequence[Case],
    *,
    minimum_importance: float,
    progress: Progress,
) -> Asked:
    """Ask a model about each case: for the statements in it.

    Args:
        extractor: Finds statements; shown all that the case's person has.
        cases: Which.
        minimum_importance: What is below it is not believed.
        progress: Is told how far it is.
    """
    asked = Asked()
    task = progress.add_task("cases", total=len(cases))
    for case in cases:
        known = known_memories(case)
        said = read_case(case, known)
        if said is None:
            asked.failed.append("unheard")
        else:
            await _find(asked, extractor, case, said, known, minimum_importance)
        progress.advance(task)
    return asked


async def _find(
    asked: Asked,
    extractor: Extractor,
    case: Case,
    said: AnalyzedTurn,
    known: Sequence[Memory],
    minimum_importance: float,
) -> None:
    if not said.is_informative:  # as in a chat: nobody is asked
        asked.found.append((case, ()))
        return
    extracted = await asked.call(lambda: extractor.extract([said.extractor_input], known))
    if extracted is not None:
        [said] = with_understood_commands([said], Extraction(extracted, tuple(known)))
        verdicts = verify(
            extracted.candidates,
            attributions_of([said], known),
            minimum_importance=minimum_importance,
            asked=frozenset({0} if said.asks(Asking.REMEMBER) else ()),
        )
        asked.found.append((case, verdicts))


def known_memories(case: Case) -> list[Memory]:
    """Return what the person of a case has."""
    return [
        Memory(
            id=uuid7(),
            owner=case.id,
            kind=each.kind,
            source=Source.EXTRACTED,
            content=each.content,
            importance=each.importance,
            observed_at=each.said_at,
            created_at=each.said_at,
        )
        for each in case.stored
    ]


def read_case(case: Case, known: Sequence[Memory]) -> AnalyzedTurn | None:
    """Return what was said in a case as formation reads it; None where nobody hears it."""
    turn = hear_message(case, len(case.history)).turn
    if turn is None:
        return None
    shown = [Recollection(known[number], 1.0) for number in case.injected]
    block = compose(shown, budget=_BUDGET, count=estimate_tokens)
    injected = () if block is None else (block.text,)
    return analyze_turn(Exchange(uuid7(), turn, case.reply, uuid7(), uuid7(), injected=injected))


def right_relations(case: Case, truth: Truth, number: int) -> frozenset[Relation]:
    """Return what an item is to the stored memory of that number; nothing where the truth does not tell."""
    match truth.decision:
        case Decision.REINFORCE if truth.target == number:
            return frozenset({Relation.REPEATS})
        case Decision.REPLACE if truth.target == number:
            one = {"refinement": Relation.REFINES, "contradiction": Relation.CONTRADICTS}.get(case.topic)
            return frozenset({Relation.REFINES, Relation.CONTRADICTS} if one is None else {one})
        case Decision.IGNORE if case.topic == "older-contradiction" and number in case.disputed:
            return frozenset({Relation.CONTRADICTS})
        case Decision.ADD if number not in case.suspect:
            return frozenset({Relation.NEW})
        case _:
            return frozenset()
