"""The cause by which a fact is lost, and the tables of losses. Pure. Never: how they are found out."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from bench.lives.formed import Event
from bench.loss.told import Told
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
class Became:
    """A message, and its fate.

    Attributes:
        told: The message.
        kept: What the store has of it; None for nothing.
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
    """Return what lost a fact, by what was recorded of its exchange, and that reason."""
    if event is not None and event.content:
        return _CAUSES.get(event.reason, Cause.OTHER), f"{event.action}:{event.reason}"
    if hidden:
        return Cause.COMMAND, "hidden"
    if not asked:
        return Cause.GATE, ""
    if event is not None:
        return _CAUSES.get(event.reason, Cause.OTHER), f"{event.action}:{event.reason}"
    return Cause.UNANSWERED, ""


def share(part: int, whole: int) -> str:
    """Return a part of a whole, in per cent."""
    return f"{part} of {whole} ({100 * part / whole:.1f} %)" if whole else "-"


def report(became: Sequence[Became], conditions: str) -> str:
    """Return the tables, as Markdown."""
    facts = [each for each in became if not each.told.empty]
    empty = [each for each in became if each.told.empty]
    asked = [each for each in facts if each.given is not None]
    lines = [
        f"## {conditions}",
        "",
        f"- facts lost: {_lost(facts)}",
        f"- asked for later, given: {share(sum(bool(each.given) for each in asked), len(asked))}",
        f"- messages that tell nothing, kept: {share(sum(each.kept is not None for each in empty), len(empty))}",
        "",
        *_table("cause", [each for each in facts if each.cause], lambda each: str(each.cause), counts=True),
        "",
        *_table("sort", facts, lambda each: each.told.nasty or "plain"),
        "",
        *_table("language", facts, lambda each: each.told.language),
    ]
    return "\n".join(lines)


def _table(
    name: str, rows: Sequence[Became], key: Callable[[Became], str], *, counts: bool = False
) -> list[str]:
    if counts:
        counted = Counter(map(key, rows)).most_common()
        return [f"| {name} | lost |", "|---|---|", *(f"| {each} | {number} |" for each, number in counted)]
    groups: dict[str, list[Became]] = {}
    for each in rows:
        groups.setdefault(key(each), []).append(each)
    return [
        f"| {name} | lost |",
        "|---|---|",
        *(f"| {each} | {_lost(groups[each])} |" for each in sorted(groups)),
    ]


def _lost(facts: Sequence[Became]) -> str:
    return share(sum(each.kept is None for each in facts), len(facts))
