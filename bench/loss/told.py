"""The facts and the empty messages, as people type them, with the answer of a model that is right."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("facts")
UNLOGGED = "earlier turns not logged"
"""A chat whose earlier turns are in the request alone."""
_EMPTY = "empty.jsonl"


@dataclass(frozen=True, slots=True)
class Told:
    """One message of a chat of its own, and the answer of a model.

    Attributes:
        language: Its language; people who type one are one person here.
        nasty: On purpose hard to keep, and in which way; None for a plain message.
        before: The chat's earlier turns, each with the words of ``user`` and ``assistant``.
        statement: For a fact the right memory. For an empty message that of a model which believes everything; "" where not
            even such a model would find one.
        evidence: The quote; it may differ from the message in marks and forms of letters, as models write them.
        wish: Which command of the memory the right model sees in the message, if any.
        subject: Of whom the statement is, as the person calls them; None for the person.
        relation: The relation of the statement to the memory that it is about.
        known: A memory that the person has before, which the statement is about; "" for none.
        ask: A later question in a new chat that needs the fact; "" for none.
        empty: Whether nothing of the message is worth keeping.
    """

    key: str
    language: str
    say: str
    nasty: str | None = None
    before: tuple[Mapping[str, str], ...] = ()
    statement: str = ""
    evidence: str = ""
    wish: str = ""
    subject: str | None = None
    relation: str = "new"
    known: str = ""
    ask: str = ""
    empty: bool = False


def read_told(folder: Path = FOLDER) -> list[Told]:
    """Return all facts, file by file, and the empty messages behind them."""
    files = sorted(folder.glob("*.jsonl"), key=lambda path: (path.name == _EMPTY, path.name))
    return [
        _told(f"{path.stem}-{number}", json.loads(line), empty=path.name == _EMPTY)
        for path in files
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
    ]


def _told(key: str, line: dict[str, Any], *, empty: bool) -> Told:
    return Told(**line | {"key": key, "empty": empty, "before": tuple(line.get("before", ()))})
