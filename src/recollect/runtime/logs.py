"""The log, on standard error: one JSON object a line, and on a terminal a line for people. The log has neither user text nor credentials."""

import logging
import sys
from contextlib import suppress
from typing import TextIO, cast

import structlog

_configured: list[str] = []


class _Unfailing:
    """A stream that drops what can't be written: a log on a full disk, or in a pipe that was closed, breaks no chat."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write, if that is possible."""
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush, if that is possible."""
        with suppress(OSError):
            self._stream.flush()


def configured_level() -> str | None:
    """Return the level that was configured last; None: logging is the host's."""
    return _configured[-1] if _configured else None


def configure_logging(level: str) -> None:
    """Send the logs of structlog, and of libraries that use ``logging``, the same way, from a level (debug, info, ...) on."""
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    _configured[:] = [level]
    to = cast("TextIO", _Unfailing(sys.stderr))
    number = logging.getLevelNamesMapping()[level.upper()]
    renderer = _renderer()
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(to),
        cache_logger_on_first_use=False,
    )
    lines = logging.StreamHandler(to)
    lines.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                renderer,
            ],
        )
    )
    root = logging.getLogger()
    root.handlers = [lines]
    root.setLevel(max(number, logging.WARNING))


def _renderer() -> structlog.typing.Processor:
    """Return what writes a line: for a person at a terminal, else for a program that collects it."""
    if not sys.stderr.isatty():
        return structlog.processors.JSONRenderer()
    # Strings are written as Python writes them: an id that a client chose may hold what commands a terminal.
    return structlog.dev.ConsoleRenderer(
        exception_formatter=structlog.dev.plain_traceback, repr_native_str=True
    )
