"""Models that answer as a script says, a script for each user. Never: a network, a verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any
from uuid import UUID

import msgspec

from bench.formation.cases import Case, Decision, ExtractedItem, Model, StatedCommand
from recollect.errors import InvalidExtractionError
from recollect.model import Asking, Candidate, Exchange, Memory
from recollect.models.extractors.extraction_answer import read_answer
from recollect.ports import Asker, Chosen, Extracted

_TOKENS = 100
_BY = "scripted extraction-0"


@dataclass(frozen=True, slots=True)
class NumberedCandidate(Candidate):
    """A candidate that tells which item of the answer it was, whatever is changed about it."""

    number: int = 0


class ScriptedExtractor:
    """Implements ``Extractor``: the reader of every model's answer reads the script."""

    def __init__(self, scripts: Mapping[str, "CaseScript"]) -> None:
        self._scripts = scripts

    async def extract(self, exchanges: Sequence[Exchange], known: Sequence[Memory]) -> Extracted:
        """Return the candidates and commands of the scripted answer."""
        turn = exchanges[-1].turn
        answered = self._scripts[turn.scope.user_id].answer(known)
        answer = msgspec.json.encode(answered).decode()
        read = read_answer(answer, at=turn.at, known=len(known), name=turn.speaker)
        return Extracted(tuple(_numbered(read.candidates)), read.commands, _TOKENS, _BY)

    async def aclose(self) -> None:
        """Let go of nothing."""


class ScriptedJudge:
    """Implements ``Judge``."""

    def __init__(self, scripts: Mapping[str, "CaseScript"]) -> None:
        self._scripts = scripts

    async def choose(self, command: str, known: Sequence[Memory], asker: Asker) -> Chosen:  # noqa: ARG002 -- the port's
        """Return the script's choice."""
        numbers = self._scripts[asker.user_id].chosen(known)
        if numbers is None:
            raise InvalidExtractionError
        return Chosen(numbers, _TOKENS)


@dataclass(frozen=True, slots=True)
class CaseScript:
    """The answers of the models about the user of a case.

    Attributes:
        stored: The ids of the user's memories, in the case's order.
    """

    case: Case
    stored: tuple[UUID, ...]

    def answer(self, known: Sequence[Memory]) -> Mapping[str, Any]:
        """Return the case's items and commands; of memories that were not shown nothing can be said."""
        places = {memory.id: place for place, memory in enumerate(known)}
        place_of = {number: places[each] for number, each in enumerate(self.stored) if each in places}
        if self.case.model is Model.NOTHING:
            place_of = {}
        return {
            "wishes": [
                msgspec.structs.asdict(each) | {"about": _places(each.about, place_of)}
                for each in self.case.commands or _wishes(self.case)
            ],
            "memories": [_answered(item, place_of) for item in self.case.extracted],
        }

    def chosen(self, known: Sequence[Memory]) -> tuple[int, ...] | None:
        """Return which of these memories the case says are meant."""
        if self.case.forgotten is None:
            return None
        meant = {self.stored[number] for number in self.case.forgotten}
        return tuple(place for place, memory in enumerate(known) if memory.id in meant)


def _wishes(case: Case) -> tuple[StatedCommand, ...]:
    """Return the wish to forget that a case's labels tell, where its author wrote none.

    The extraction model names the memories that the second model chooses, be that right or wrong.
    """
    retired = tuple(
        truth.target for truth in case.truth if truth.decision is Decision.RETIRE and truth.target is not None
    )
    meant = retired if case.forgotten is None else case.forgotten
    return (StatedCommand(Asking.FORGET, case.said, meant),) if meant else ()


def _answered(item: ExtractedItem, place_of: Mapping[int, int]) -> dict[str, Any]:
    """Return an item with the numbers that the model was shown."""
    about = _places(item.about_numbers, place_of)
    return msgspec.structs.asdict(item) | {
        "relation": item.relation if about else "new",
        "about": about,
        "affects": _places(item.affects, place_of),
        "ends": _places(item.ends, place_of),
    }


def _places(numbers: Sequence[int], place_of: Mapping[int, int]) -> list[int]:
    return [place_of[number] for number in numbers if number in place_of]


def _numbered(candidates: Sequence[Candidate]) -> list[NumberedCandidate]:
    names = [each.name for each in fields(Candidate)]
    return [
        NumberedCandidate(**{name: getattr(candidate, name) for name in names}, number=number)
        for number, candidate in enumerate(candidates)
    ]
