"""Labelled cases of formation, one JSON object a line: read, and checked before anything is run.

A case is one message of a person, an extraction model's answer to it, and the right decisions. Never: running or scoring them.
"""

from collections.abc import Container, Iterator
from datetime import date, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import msgspec

from bench.recall.dataset import DatasetError, read_lines
from recollect.model import STATEMENTS, Asking, Kind, Lasting, Role, Stance


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

_TARGETED = frozenset({Decision.REINFORCE, Decision.REPLACE, Decision.RETIRE})

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


class ChatMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An earlier message of the chat."""

    role: Literal["user", "assistant"]
    text: str


class ExtractedItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A statement as the extraction model answers it; ``about``, ``ends`` and ``affects`` number stored memories."""

    evidence: str
    content: str
    kind: str
    importance: float
    confidence: float = 1.0
    relation: str = "new"
    about: tuple[_Number, ...] | _Number | None = None
    event_date: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    affects: tuple[_Number, ...] = ()
    ends: tuple[_Number, ...] = ()
    subject: str | None = None
    stance: Stance = Stance.STATED
    steers: bool = False
    lasts: Lasting = Lasting.YEARS

    @property
    def about_numbers(self) -> tuple[int, ...]:
        """The numbers of the memories that it is about."""
        if self.about is None:
            return ()
        return self.about if isinstance(self.about, tuple) else (self.about,)


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
        history: Earlier messages of the chat: the user's and the assistant's by turns.
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
    history: tuple[ChatMessage, ...] = ()
    reply: str = ""
    extracted: tuple[ExtractedItem, ...] = ()
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
    if not folder.is_dir():
        raise DatasetError(f"{folder} is no folder: name with --cases the one that holds the labelled cases.")
    wanted = (half,) if half is not None and case_id is None else tuple(Half)
    cases: dict[str, Case] = {}
    for part in wanted:
        for path in sorted(folder.glob(f"{part}-*.jsonl")):
            for case in _read_file(path, cases):
                cases[case.id] = case
    chosen = [
        case for case in cases.values() if language in {None, case.language} and case_id in {None, case.id}
    ]
    if not chosen:
        raise DatasetError(f"{folder} holds no such case.")
    return chosen


def _read_file(path: Path, before: dict[str, Case]) -> Iterator[Case]:
    known = set(before)
    for number, line in read_lines(path):
        try:
            case = msgspec.json.decode(line, type=Case)
            check_case(case, known)
        except (ValueError, RecursionError) as error:
            raise DatasetError(f"{path}, line {number}: {error}") from error
        known.add(case.id)
        yield case


def check_case(case: Case, before: Container[str] = ()) -> None:
    """Raise ValueError if a case makes no sense, or has an id that was there before."""
    roles = [message.role for message in case.history]
    items = sorted(truth.item for truth in case.truth if truth.item is not None)
    wrong = {
        f"the id `{case.id}` was there before": case.id in before,
        f"there is no class `{case.topic}`": case.topic not in CLASSES,
        "what is stored must be statements": any(memory.kind not in STATEMENTS for memory in case.stored),
        "the history must be the user's and the assistant's messages by turns": roles
        != [Role.USER, Role.ASSISTANT] * (len(roles) // 2),
        "an item says nothing": any(not item.content.strip() for item in case.extracted),
        "each item must have one truth": items != list(range(len(case.extracted))),
        "a decision needs a target, or must have none": any(
            (truth.decision in _TARGETED) != (truth.target is not None) for truth in case.truth
        ),
        "a number names no stored memory": any(each >= len(case.stored) for each in _named_memories(case)),
    }
    for complaint, is_so in wrong.items():
        if is_so:
            raise ValueError(complaint)


def _named_memories(case: Case) -> Iterator[int]:
    yield from (*case.injected, *case.suspect, *case.disputed, *(case.forgotten or ()))
    yield from (truth.target for truth in case.truth if truth.target is not None)
    for item in case.extracted:
        yield from (*item.about_numbers, *item.affects, *item.ends)
    for command in case.commands:
        yield from command.about
