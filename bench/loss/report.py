"""The cause by which a fact is lost, and the tables of losses. Pure."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bench.figures import percent
from bench.loss.told import Told
from bench.report import table
from recollect.model import Reason

_CAUSES: Mapping[str, str] = {
    Reason.NO_EVIDENCE: "quote not found",
    Reason.INJECTED: "taken for an echo",
    Reason.INSTRUCTION: "taken for an order",
    Reason.CONFIDENTIAL: "taken for a secret",
    Reason.LOW_IMPORTANCE: "too unimportant",
    Reason.NOT_STATED: "not stated, or passing",
    Reason.PASSING: "not stated, or passing",
    Reason.EQUAL_CONTENT: "merged with another",
    Reason.REPEATS: "merged with another",
    Reason.FORGOTTEN: "taken for a command",
    Reason.CORRECTED: "taken for a command",
}


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
        cause: Why nothing of a fact is there; "" if it is.
        reason: The reason that was recorded.
        given: Whether its question was given it; None where nothing was asked.
    """

    told: Told
    kept: str | None
    cause: str = ""
    reason: str = ""
    given: bool | None = None


def cause_of(event: Event | None, *, asked: bool, hidden: bool) -> tuple[str, str]:
    """Return the cause of a loss, by the event of its exchange, and the recorded reason."""
    if event is not None and (event.content or (asked and not hidden)):
        return _CAUSES.get(event.reason, "other"), f"{event.action}:{event.reason}"
    if hidden:
        return "taken for a command", "hidden"
    return ("nothing became of the answer" if asked else "model never asked"), ""


def report(became: Sequence[Became]) -> str:
    """Return the tables, as Markdown."""
    facts = [each for each in became if not each.told.empty]
    empty = [each for each in became if each.told.empty]
    asked = [each for each in facts if each.given is not None]
    causes = Counter(each.cause for each in facts if each.cause)
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
