"""Puts the configuration of the log back after a test that changes it."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import structlog


@contextmanager
def logging_as_it_was() -> Iterator[None]:
    """Put it back on leaving."""
    root = logging.getLogger()
    configuration, handlers, level = structlog.get_config(), root.handlers, root.level
    try:
        yield
    finally:
        structlog.configure(**configuration)
        root.handlers = handlers
        root.setLevel(level)
