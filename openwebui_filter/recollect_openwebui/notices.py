"""Notices to a person about their memory: the events of Open WebUI, and their words. Pure. Never: sends one."""

from collections.abc import Sequence
from typing import Any

from recollect.model import Action, Kind, Memory, Reason, Recollection, Role, Update

_LINE = 300
"""Characters of a status at most. About a hundred are shown, the others once it is opened."""

_STATEMENT, _STATEMENTS = 100, 60
"""Characters at most of a statement in it that stands alone, and of each where there are several."""

_TITLE = 60
"""Characters at most of the words that a source is named by."""

_KINDS = {Kind.TODO: "to-do", Kind.ENTITY: "person or thing", Kind.QA_TURN: "question and answer"}
"""The kinds that people know by another word than the engine."""

Event = dict[str, Any]


def status(description: str) -> Event:
    """Return a line over an answer. It is always done: one that is not shimmers for ever."""
    return {"type": "status", "data": {"description": description, "done": True}}


def notification(content: str, *, kind: str = "info") -> Event:
    """Return a message that goes by: of kind success, info or error."""
    return {"type": "notification", "data": {"type": kind, "content": content}}


def starting() -> Event:
    """Return the line that says why an answer had no memory yet."""
    return status("Memory is starting")


def recalled(recollections: Sequence[Recollection], in_place: Sequence[Recollection] = ()) -> Event:
    """Return the line with the number of recalled memories; or, if none is new, with the number already in the prompt."""
    if recollections or not in_place:
        return status(f"Recalled {_count(recollections)}")
    return status(f"Using {_count(in_place)} recalled earlier in this chat")


def citation(recollection: Recollection) -> Event:
    """Return the recalled memories as sources of an answer, named by their first words; one source for each, even if two have the same name."""
    item = recollection.item
    part = "" if isinstance(item, Memory) else f"/{item.part}"
    return {
        "type": "source",
        "data": {
            "source": {
                "name": f"{_cut(item.content, _TITLE)} ({_kind(recollection)}, {item.dated.date().isoformat()})"
            },
            "document": [item.content],
            "metadata": [{"source": f"recollect:{item.id}{part}"}],
        },
    }


def changes(updates: Sequence[Update]) -> str:
    """Return a line with the changes; "" if there is none that a person would recognize.

    A verbatim copy is no news; the page has it.

    Args:
        updates: Rows of the audit, in the order of the line.
    """
    told = [each for each in map(_change, updates) if each is not None]
    return _cut("; ".join(_grouped(told)), _LINE)


def meanwhile(updates: Sequence[Update]) -> str:
    """Return the same for changes by earlier turns of the chat since the last notice in it."""
    told = changes(updates)
    return _cut(f"Meanwhile {told[0].lower()}{told[1:]}", _LINE) if told else ""


def undone(updates: Sequence[Update]) -> str:
    """Return a line with the undone changes; "" if only the words are no longer recalled.

    Args:
        updates: The audit's rows of the undo, in the order of the line.
    """
    told = changes(updates)
    return _cut(f"Undone. {told}", _LINE) if told else ""


def _count(recollections: Sequence[Recollection]) -> str:
    count = len(recollections)
    return f"{count} {'memory' if count == 1 else 'memories'}"


def _kind(recollection: Recollection) -> str:
    item = recollection.item
    if isinstance(item, Memory):
        return _KINDS.get(item.kind, item.kind.value)
    return "you said" if item.role is Role.USER else "an answer said"


def _change(update: Update) -> tuple[str, tuple[str, ...]] | None:
    """Return a change's verb and its text; None if it is not shown: said again, doubted, held back, kept verbatim."""
    before, after = update.before or "", update.after or ""
    told: tuple[str, tuple[str, ...]] | None
    match update.action:
        case _ if update.reason is Reason.KEPT_VERBATIM:
            told = None
        case Action.ADD:
            told = "Remembered", (after,)
        case Action.REPLACE | Action.EDIT | Action.RESTORE if before and after and before != after:
            told = "Replaced", (before, after)
        case Action.REPLACE | Action.RESTORE if after and not before:
            told = "Remembered", (after,)
        case Action.RETIRE:
            told = "No longer so" if "heir" in update.details else "Forgot", (before,)
        case Action.ERASE:
            told = "Erased for good", ("what you wanted kept nowhere",)
        case _:  # said again, doubted, held back
            told = None
    return told


def _grouped(told: Sequence[tuple[str, tuple[str, ...]]]) -> list[str]:
    """Return each verb once with all its texts, and their number if there are several."""
    verbs: dict[str, list[tuple[str, ...]]] = {}
    for verb, words in told:
        verbs.setdefault(verb, []).append(words)
    if len(told) == 1:
        return [f"{verb}: {_arrow(words, _STATEMENT)}" for verb, words in told]
    return [
        f"{verb}{f' {len(each)}' if len(each) > 1 else ''}: "
        + " \u00b7 ".join(_arrow([word.rstrip(". ") for word in words], _STATEMENTS) for words in each)
        for verb, each in verbs.items()
    ]


def _arrow(words: Sequence[str], length: int) -> str:
    return " \u2192 ".join(_cut(each, length) for each in words)


def _cut(text: str, length: int) -> str:
    """Return a text in one line, of so many characters at most."""
    line = " ".join(text[: 4 * length].split())
    return line if len(line) <= length and len(text) <= 4 * length else f"{line[: length - 1]}\u2026"
