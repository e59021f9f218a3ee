"""Reads the labelled messages of a trial. Never: a model, a score."""

from datetime import datetime
from pathlib import Path

import msgspec

from recollect.model import Turn
from recollect.wire.turn_detection import detect_turn

_FILE = Path(__file__).with_name("turns.jsonl")


class ExpectedStatement(msgspec.Struct, frozen=True):
    """A statement that must be kept.

    Attributes:
        content: The statement as a faultless model words it.
        words: Parts that any wording has; `|` separates alternatives.
    """

    content: str
    words: tuple[str, ...]


class LabelledTurn(msgspec.Struct, frozen=True):
    """A message, with the right decisions about it.

    Attributes:
        id: Its name, which begins with its language.
        sort: The group it is counted in.
        said: The message.
        asked: The assistant's message before it; "" for a chat's first message.
        known: The memories that the person has.
        expect: The statements that must be kept.
        may: Words of further statements that do no harm.
        gone: Numbers of the known memories that must be replaced or forgotten.
        never: Texts that no kept statement may have.
    """

    id: str
    sort: str
    said: str
    asked: str = ""
    known: tuple[str, ...] = ()
    expect: tuple[ExpectedStatement, ...] = ()
    may: tuple[tuple[str, ...], ...] = ()
    gone: tuple[int, ...] = ()
    never: tuple[str, ...] = ()


def labelled_turns() -> list[LabelledTurn]:
    """Return all of them, sort by sort."""
    return [msgspec.json.decode(line, type=LabelledTurn) for line in _FILE.read_text("utf-8").splitlines()]


def turn_of(labelled: LabelledTurn, at: datetime) -> Turn:
    """Return a message as the proxy reads it from a chat request; each has a person of its own."""
    before = [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": labelled.asked}]
    messages = [*(before if labelled.asked else []), {"role": "user", "content": labelled.said}]
    body = msgspec.json.encode({"model": "", "messages": messages})
    detected = detect_turn(body, user_id=labelled.id, session_id="trial", message_id=labelled.id, at=at)
    if detected.turn is None:
        raise ValueError(f"{labelled.id} is no message of a person: {detected.skip}")
    return detected.turn
