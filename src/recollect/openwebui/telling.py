"""What a person is told of their memory: the events of Open WebUI, and their words. Pure. Never: sends one."""

from collections.abc import Sequence
from typing import Any

from recollect.model import Action, Kind, Memory, Reason, Recollection, Role, Update

_LINE = 200
"""Characters of a status at most: more does not fit a line."""

_STATEMENT = 100
"""Characters of each statement in it at most."""

Event = dict[str, Any]


def status(description: str) -> Event:
    """Return a line over an answer. It is always done: one that is not shimmers for ever."""
    return {"type": "status", "data": {"description": description, "done": True}}


def notification(content: str, *, kind: str = "info") -> Event:
    """Return a message that goes by: of kind success, info or error."""
    return {"type": "notification", "data": {"type": kind, "content": content}}


def recalled(recollections: Sequence[Recollection]) -> Event:
    """Return the line that says how much was recalled."""
    count = len(recollections)
    return status(f"Recalled {count} {'memory' if count == 1 else 'memories'}")


def citation(recollection: Recollection) -> Event:
    """Return what was recalled as a source of an answer; its own, whatever else has its name."""
    item = recollection.item
    part = "" if isinstance(item, Memory) else f"/{item.part}"
    return {
        "type": "source",
        "data": {
            "source": {"name": f"{_kind(recollection)}, {item.dated.date().isoformat()}"},
            "document": [item.content],
            "metadata": [{"source": f"recollect:{item.id}{part}"}],
        },
    }


def changes(updates: Sequence[Update]) -> str:
    """Return in a line what was changed; "" where nothing was that a person would know again.

    What is kept word for word is no news: it stands on the page.

    Args:
        updates: Rows of the audit, in the order they are told in.
    """
    told = [_change(each) for each in updates if each.reason is not Reason.KEPT_VERBATIM]
    return _cut("; ".join(each for each in told if each), _LINE)


def undone(updates: Sequence[Update]) -> str:
    """Return in a line what was undone; beside it, what was said is recalled no more.

    Args:
        updates: The rows of the audit that say so, in the order they are told in.
    """
    told = "; ".join(each for each in map(_change, updates) if each)
    return _cut(f"Undone. {told or 'What was said here is not recalled any more.'}", _LINE)


def _kind(recollection: Recollection) -> str:
    item = recollection.item
    if isinstance(item, Memory):
        return "Earlier exchange" if item.kind is Kind.QA_TURN else item.kind.value.capitalize()
    return "You said" if item.role is Role.USER else "An answer said"


def _change(update: Update) -> str:
    before, after = _cut(update.before or "", _STATEMENT), _cut(update.after or "", _STATEMENT)
    match update.action:
        case Action.ADD:
            return f"Remembered: {after}"
        case Action.REPLACE | Action.EDIT | Action.RESTORE if before and after and before != after:
            return f"Replaced: {before} -> {after}"
        case Action.REPLACE | Action.RESTORE if after and not before:
            return f"Remembered: {after}"
        case Action.RETIRE:
            return f"Forgot: {before}"
        case _:  # said again, doubted, held back: what is remembered is as it was
            return ""


def _cut(text: str, length: int) -> str:
    """Return a text in one line, of so many characters at most."""
    line = " ".join(text[: 4 * length].split())
    return line if len(line) <= length and len(text) <= 4 * length else f"{line[: length - 1]}\u2026"
