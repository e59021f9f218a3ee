"""The messages between a worker and its supervisor: a line of JSON each, over the worker's standard streams.

Never: on a disk, for it carries credentials.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec

from recollect.engine.background.counts import FormationCounts
from recollect.engine.credentials import Lent
from recollect.formation import CallStatistics

LONGEST_LINE = 1024 * 1024
"""The most bytes of one line."""

HELD_SECONDS = 20
"""Seconds that a worker's interpreter may be held. Ordinary work holds it for milliseconds, even on a machine that is too busy
to answer chats; code that holds it this long would hold it for hours."""

OVERDUE = 75
"""The exit code of a worker that gave up a step (EX_TEMPFAIL of sysexits.h)."""


class Start(msgspec.Struct, frozen=True, tag="start"):
    """The first line to a worker: its settings.

    Attributes:
        settings: The engine's settings by name. Secrets are in clear text.
        upstream: The base URL of the LLM server that chats use, if there is one.
        log_level: The log level, for logs as JSON; None: structlog's own configuration.
        is_sent_chats: Whether the worker is sent ``Chats``. If not, it looks for running chats in the message log.
    """

    settings: Mapping[str, Any]
    upstream: str | None = None
    log_level: str | None = None
    is_sent_chats: bool = True


class Clear(msgspec.Struct, frozen=True, tag="clear"):
    """To a worker: clear the caches that hold texts or embeddings."""


class Chats(msgspec.Struct, frozen=True, tag="chats"):
    """To a worker: the number of chats that run on the upstream now."""

    running: int


class Report(msgspec.Struct, frozen=True, tag="report"):
    """From a worker: its counts since its start, and the statistics of its model calls."""

    counts: FormationCounts
    guarded: CallStatistics


ToWorker: TypeAlias = Start | Lent | Clear | Chats


def _counter(_kind: type, numbers: Mapping[str, int]) -> Counter[str]:
    return Counter(numbers)


_TO_WORKER: msgspec.json.Decoder[ToWorker] = msgspec.json.Decoder(Start | Lent | Clear | Chats)
_REPORT = msgspec.json.Decoder(Report, dec_hook=_counter)


def line_of(message: ToWorker | Report) -> bytes:
    """Return a message as a line."""
    return msgspec.json.encode(message) + b"\n"


def to_worker(line: bytes) -> ToWorker:
    """Return the message of a line to a worker. Raises msgspec.MsgspecError."""
    return _TO_WORKER.decode(line)


def read_report(line: bytes) -> Report:
    """Return the report in a line of a worker. Raises msgspec.MsgspecError."""
    return _REPORT.decode(line)
