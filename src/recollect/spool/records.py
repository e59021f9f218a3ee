"""A phase of an exchange as a line of a file, with a mark that shows whether it is whole. Pure. Never: a credential, a file.

A line is the CRC-32 of its text (ISO 3309) and the text's length in bytes, both in hexadecimal, then the text: JSON, in
which no line ends.
"""

from datetime import datetime
from uuid import UUID
from zlib import crc32

import msgspec

from recollect.errors import StoreError
from recollect.model import Exchange, FailedAt, Failure, LogEntry, Message, Phase, Role, Scope, Turn
from recollect.text.normalization import storable_id, storable_text

_HEAD = len(b"00000000 00000000 ")


class _Record(msgspec.Struct, omit_defaults=True):
    """The parts of a phase that the message log needs; of the history the number of messages and the end of the last answer."""

    phase: Phase
    id: UUID
    user: str
    session: str
    key: str
    at: datetime
    text: str
    model: str
    message_id: UUID
    reply_id: UUID
    reply: str = ""
    carried: int = 0
    anchor: str | None = None
    speaker: str | None = None
    parent: str | None = None
    marked: bool = False
    authorized: bool = False
    recalled: tuple[UUID, ...] = ()
    upstream: str = ""
    answer_id: str = ""
    zone: str = ""
    name: str = ""
    answered: str = ""
    continues: bool = False
    failed_at: FailedAt | None = None
    failed_status: int | None = None


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(_Record)


def encode(entry: LogEntry) -> bytes:
    """Return the line of an entry, with its end."""
    exchange, turn = entry.exchange, entry.exchange.turn
    record = _Record(
        phase=entry.phase,
        id=exchange.id,
        user=str(turn.scope.user_id),
        session=str(turn.scope.session_id),
        key=str(turn.key),
        at=turn.at,
        text=storable_text(turn.text),
        model=storable_text(turn.model),
        message_id=exchange.message_id,
        reply_id=exchange.reply_id,
        reply=storable_text(exchange.reply) if entry.phase is Phase.ENDED else "",
        carried=len(turn.history),
        anchor=storable_text(turn.anchor),
        speaker=None if turn.speaker is None else storable_text(turn.speaker),
        parent=_storable_parent(turn.parent),
        marked=turn.marked,
        authorized=exchange.authorized,
        recalled=entry.recalled,
        upstream=storable_text(turn.upstream),
        answer_id=storable_text(exchange.answer_id),
        zone=turn.zone,
        name=storable_text(turn.name),
        answered=storable_text(turn.answered),
        continues=exchange.continues,
        failed_at=None if exchange.failure is None else exchange.failure.stage,
        failed_status=None if exchange.failure is None else exchange.failure.status,
    )
    text = _ENCODER.encode(record)
    return b"%08x %08x %s\n" % (crc32(text), len(text), text)


def _storable_parent(parent: str | None) -> str | None:
    """Return a parent for the log: none if it could be no key, as two of them might become one."""
    try:
        return None if parent is None else storable_id(parent)
    except StoreError:
        return None


def _history(record: _Record) -> tuple[Message, ...]:
    """Return the log's part of a history: the number of messages, and the end of the last answer."""
    carried = (Message(Role.USER, ""),) * record.carried
    return (*carried[:-1], Message(Role.ASSISTANT, record.answered)) if record.answered else carried


def decode(line: bytes) -> LogEntry | None:
    """Return the entry of a line; None if it is not whole, or not ours."""
    text = line[_HEAD:].removesuffix(b"\n")
    # A crash may have cut a line off, or something may have been written over it.
    if line[:_HEAD] != b"%08x %08x " % (crc32(text), len(text)) or not line.endswith(b"\n"):
        return None
    try:
        record = _DECODER.decode(text)
    except msgspec.DecodeError:
        return None
    turn = Turn(
        Scope(record.user, record.session),
        record.text,
        record.key,
        record.at,
        record.model,
        history=_history(record),
        speaker=record.speaker,
        anchors=() if record.anchor is None else ((record.carried, record.anchor),),
        marked=record.marked,
        parent=record.parent,
        upstream=record.upstream,
        zone=record.zone,
        name=record.name,
    )
    exchange = Exchange(
        record.id,
        turn,
        record.reply,
        record.message_id,
        record.reply_id,
        authorized=record.authorized,
        answer_id=record.answer_id,
        continues=record.continues,
        failure=None if record.failed_at is None else Failure(record.failed_at, record.failed_status),
    )
    return LogEntry(record.phase, exchange, record.recalled)
