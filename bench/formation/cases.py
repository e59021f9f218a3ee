"""Labelled cases of formation, one JSON object a line, and the models that answer as a case says.

A case is one message of a person, an extraction model's answer to it, and the right decisions.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeAlias
from uuid import UUID

import msgspec

from bench.files import DatasetError, read_lines
from bench.scripted import Numbers
from recollect.model import Asking, Exchange, Kind, Memory


class Half(StrEnum):
    """Which of the cases: those that formation was tuned on, or those it is checked on."""

    TUNE = "tune"
    CHECK = "check"


class Model(StrEnum):
    """The worth of the models' answers in a case."""

    RIGHT = "right"
    WRONG = "wrong"
    NOTHING = "nothing"
    """The extraction model relates its statements to no memory."""


class Decision(StrEnum):
    """The decision about a statement."""

    ADD = "add"
    REINFORCE = "reinforce"
    REPLACE = "replace"
    IGNORE = "ignore"
    QUARANTINE = "quarantine"
    RETIRE = "retire"
    """A memory goes, and nothing takes its place."""


CLASSES = (
    *("good", "hallucinated", "injected-echo", "instruction", "secret", "paraphrase-duplicate"),
    *("near-duplicate", "refinement", "contradiction", "older-contradiction", "transient", "request"),
    "confirmed",
)
"""The classes of cases, in the order of the reports."""

_Moment: TypeAlias = Annotated[datetime, msgspec.Meta(tz=True)]
_Number: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]


class StoredMemory(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A memory that the person has before.

    Attributes:
        evidence: The words it rests on, if they are known.
    """

    content: str
    kind: Kind
    said_at: _Moment
    evidence: str | None = None
    event_date: date | None = None
    importance: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.5


Item: TypeAlias = Mapping[str, Any]
"""A statement as the extraction model answers it; ``about``, ``ends`` and ``affects`` number stored memories."""


class StatedCommand(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A wish that the extraction model finds; ``about`` numbers stored memories."""

    asking: Asking
    evidence: str
    about: tuple[_Number, ...] = ()


class Truth(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The right decision about an item.

    Attributes:
        item: Of which item; None: an outcome that formation must come to without one.
        target: Of which stored memory it takes the place, or that it repeats.
        also: Decisions that are right as well, whatever their target.
    """

    item: _Number | None
    decision: Decision
    target: _Number | None = None
    also: tuple[Decision, ...] = ()


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One message, and the right decisions about it.

    Attributes:
        model: The worth of the models' answers.
        stored: The memories that the person has.
        injected: The numbers of those in the prompt.
        history: Earlier messages of the chat (``role`` and ``text``): the user's and the assistant's by turns.
        said: The message, with everything a frontend puts around it.
        commands: The wishes that it finds.
        truth: The right decision about each item.
        suspect: Numbers of stored memories that have to bear that mark.
        disputed: The same of that one.
        forgotten: The second model's answer to a command to forget; None if it fails.
        redacted: Texts that no memory, audit or search may hold.
        speaker: The person's name, as the frontend gives it.
    """

    id: str
    language: str
    topic: str = msgspec.field(name="class")
    model: Model
    said: str
    said_at: _Moment
    stored: tuple[StoredMemory, ...] = ()
    injected: tuple[_Number, ...] = ()
    history: tuple[dict[str, str], ...] = ()
    reply: str = ""
    extracted: tuple[dict[str, Any], ...] = ()
    commands: tuple[StatedCommand, ...] = msgspec.field(name="wishes", default=())
    truth: tuple[Truth, ...] = ()
    suspect: tuple[_Number, ...] = ()
    disputed: tuple[_Number, ...] = ()
    forgotten: tuple[_Number, ...] | None = None
    redacted: tuple[str, ...] = ()
    speaker: str | None = None


def read_cases(
    folder: Path, *, half: Half | None = None, language: str | None = None, case_id: str | None = None
) -> list[Case]:
    """Read the cases of a folder: ``tune-*.jsonl`` and ``check-*.jsonl``.

    Args:
        folder: Where the files are.
        half: Only those of one half.
        language: Only those in one language.
        case_id: Only this one, of either half.
    """
    wanted = (half,) if half is not None and case_id is None else tuple(Half)
    cases: list[Case] = read_lines(
        (path for part in wanted for path in sorted(folder.glob(f"{part}-*.jsonl"))), Case
    )
    chosen = [each for each in cases if language in {None, each.language} and case_id in {None, each.id}]
    if not chosen:
        raise DatasetError(f"{folder} holds no such case.")
    return chosen


@dataclass(frozen=True, slots=True)
class CaseScript:
    """Implements ``Script``: the answers of the models about the person of a case.

    Attributes:
        stored: The ids of the person's memories, in the case's order.
    """

    case: Case
    stored: tuple[UUID, ...]

    def statements(
        self, _exchanges: Sequence[Exchange], _known: Sequence[Memory], numbers: Numbers
    ) -> list[dict[str, Any]]:
        """Return the case's items; of memories that were not shown nothing can be said."""
        return [self._answered(item, numbers) for item in self.case.extracted]

    def wishes(self, _exchanges: Sequence[Exchange], numbers: Numbers) -> list[dict[str, Any]]:
        """Return the case's wishes."""
        return [
            msgspec.structs.asdict(each) | {"about": self._shown(each.about, numbers)}
            for each in self.case.commands or self._wish_to_forget()
        ]

    def chosen(self, known: Sequence[Memory]) -> tuple[int, ...] | None:
        """Return which of these memories the case says are meant."""
        if self.case.forgotten is None:
            return None
        meant = {self.stored[number] for number in self.case.forgotten}
        return tuple(place for place, memory in enumerate(known) if memory.id in meant)

    def _wish_to_forget(self) -> tuple[StatedCommand, ...]:
        """Return the wish to forget that the labels tell, where the case's author wrote none.

        The extraction model names the memories that the second model chooses, be that right or wrong.
        """
        case = self.case
        retired = (each.target for each in case.truth if each.decision is Decision.RETIRE)
        meant = (
            tuple(each for each in retired if each is not None) if case.forgotten is None else case.forgotten
        )
        return (StatedCommand(Asking.FORGET, case.said, meant),) if meant else ()

    def _answered(self, item: Item, numbers: Numbers) -> dict[str, Any]:
        """Return an item with the numbers that the model was shown."""
        told = item.get("about")
        about = self._shown([told] if isinstance(told, int) else told or (), numbers)
        return {
            **item,
            "relation": item.get("relation") if about else "new",
            "about": about,
            "affects": self._shown(item.get("affects", ()), numbers),
            "ends": self._shown(item.get("ends", ()), numbers),
        }

    def _shown(self, stored: Iterable[int], numbers: Numbers) -> list[int]:
        if self.case.model is Model.NOTHING:
            return []
        return [numbers[self.stored[each]] for each in stored if self.stored[each] in numbers]
