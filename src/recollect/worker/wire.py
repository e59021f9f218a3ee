"""The messages between a worker and its supervisor: a line of JSON each, over the worker's standard streams.

Never: on a disk, for it carries credentials.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, TypeAlias
from uuid import UUID

import msgspec

from recollect.engine.counts import FormationCounts
from recollect.formation import CallStatistics

LONGEST_LINE = 1024 * 1024
"""Bytes of one line at most."""


class Start(msgspec.Struct, frozen=True, tag="start"):
    """The first line to a worker: what it works with.

    Attributes:
        settings: Of the engine, by their names; secrets in clear.
        upstream: Base URL of the chat's own LLM, if there is one.
        log_level: How much is logged, as JSON; None: as structlog does by itself.
        is_told: Whether it is told of the chats that run; else it looks into the log.
    """

    settings: Mapping[str, Any]
    upstream: str | None = None
    log_level: str | None = None
    is_told: bool = True


class Lend(msgspec.Struct, frozen=True, tag="lend"):
    """To a worker: the credential of an exchange's own request."""

    exchange_id: UUID
    credential: str


class Clear(msgspec.Struct, frozen=True, tag="clear"):
    """To a worker: forget what is kept of texts."""


class Chats(msgspec.Struct, frozen=True, tag="chats"):
    """To a worker: so many chats run on the upstream now."""

    running: int


class Report(msgspec.Struct, frozen=True, tag="told"):
    """From a worker: what it did since its start, and how its calls of models stand."""

    counts: FormationCounts
    guarded: CallStatistics


ToWorker: TypeAlias = Start | Lend | Clear | Chats


def _counter(_kind: type, numbers: Mapping[str, int]) -> Counter[str]:
    return Counter(numbers)


_TO_WORKER: msgspec.json.Decoder[ToWorker] = msgspec.json.Decoder(Start | Lend | Clear | Chats)
_TOLD = msgspec.json.Decoder(Report, dec_hook=_counter)


def line_of(message: ToWorker | Report) -> bytes:
    """Return a message as a line."""
    return msgspec.json.encode(message) + b"\n"


def to_worker(line: bytes) -> ToWorker:
    """Return the message of a line to a worker.

    Raises:
        msgspec.MsgspecError: It says nothing that one knows.
    """
    return _TO_WORKER.decode(line)


def read_report(line: bytes) -> Report:
    """Return the report in a line of a worker.

    Raises:
        msgspec.MsgspecError: It tells nothing that one does.
    """
    return _TOLD.decode(line)
