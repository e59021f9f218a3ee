"""The cause by which a fact is lost, and the tables of losses. Pure. Never: how they are found out."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from bench.figures import percent
from bench.loss.told import Told
from bench.report import table
from recollect.model import Reason


class Cause(StrEnum):
    """A cause by which a fact is lost."""

    GATE = "model never asked"
    COMMAND = "taken for a command"
    UNANSWERED = "nothing became of the answer"
    EVIDENCE = "quote not found"
    ECHO = "taken for an echo"
    ORDER = "taken for an order"
    SECRET = "taken for a secret"  # noqa: S105 -- a label
    IMPORTANCE = "too unimportant"
    STANCE = "not stated, or passing"
    MERGED = "merged with another"
    OTHER = "other"


_CAUSES: Mapping[str, Cause] = MappingProxyType(
    {
        Reason.NO_EVIDENCE: Cause.EVIDENCE,
        Reason.INJECTED: Cause.ECHO,
        Reason.INSTRUCTION: Cause.ORDER,
        Reason.CONFIDENTIAL: Cause.SECRET,
        Reason.LOW_IMPORTANCE: Cause.IMPORTANCE,
        Reason.NOT_STATED: Cause.STANCE,
        Reason.PASSING: Cause.STANCE,
        Reason.EQUAL_CONTENT: Cause.MERGED,
        Reason.REPEATS: Cause.MERGED,
        Reason.FORGOTTEN: Cause.COMMAND,
        Reason.CORRECTED: Cause.COMMAND,
    }
)


@dataclass(frozen=True, slots=True)
class Event:
    """The change that was made for a statement of a turn.

    Attributes:
        action: The name of the change.
        content: The statement; "" where only a memory is named.
    """

    action: str
    reason: str
    content: str = ""


@dataclass(frozen=True, slots=True)
class Became:
    """A message, and its fate.

    Attributes:
        kept: The memory of it in the store; None without one.
        cause: Why nothing of a fact is there.
        reason: The reason that was recorded.
        given: Whether its question was given it; None where nothing was asked.
    """

    told: Told
    kept: str | None
    cause: Cause | None = None
    reason: str = ""
    given: bool | None = None


def cause_of(event: Event | None, *, asked: bool, hidden: bool) -> tuple[Cause, str]:
    """Return the cause of a loss, by the event of its exchange, and the recorded reason."""
    if event is not None and event.content:
        return _CAUSES.get(event.reason, Cause.OTHER), f"{event.action}:{event.reason}"
    if hidden:
        return Cause.COMMAND, "hidden"
    if not asked:
        return Cause.GATE, ""
    if event is not None:
        return _CAUSES.get(event.reason, Cause.OTHER), f"{event.action}:{event.reason}"
    return Cause.UNANSWERED, ""


def report(became: Sequence[Became]) -> str:
    """Return the tables, as Markdown."""
    facts = [each for each in became if not each.told.empty]
    empty = [each for each in became if each.told.empty]
    asked = [each for each in facts if each.given is not None]
    causes = Counter(str(each.cause) for each in facts if each.cause)
    lines = [
        f"- facts lost: {_lost(facts)}",
        f"- asked for later, given: {_share([each.given for each in asked])}",
        f"- messages that tell nothing, kept: {_share([each.kept is not None for each in empty])}",
    ]
    parts = [
        "\n".join(lines),
        table(("cause", "lost"), causes.most_common()),
        _grouped("sort", facts, lambda each: each.told.nasty or "plain"),
        _grouped("language", facts, lambda each: each.told.language),
    ]
    return "\n\n".join(parts)


def _grouped(name: str, facts: Sequence[Became], key: Callable[[Became], str]) -> str:
    groups = sorted(set(map(key, facts)))
    return table(
        (name, "lost"), [(group, _lost([each for each in facts if key(each) == group])) for group in groups]
    )


def _lost(facts: Sequence[Became]) -> str:
    return _share([each.kept is None for each in facts])


def _share(found: Sequence[bool | None]) -> str:
    count = sum(map(bool, found))
    return f"{count} of {len(found)} ({percent(count, len(found), 1)})"
