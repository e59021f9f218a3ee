"""Commands run in this process set how it logs: afterwards that is as it was."""

import logging
from collections.abc import Iterator

import pytest
import structlog


@pytest.fixture(autouse=True)
def _logging() -> Iterator[None]:
    root = logging.getLogger()
    configuration, handlers, level = structlog.get_config(), root.handlers, root.level
    yield
    structlog.configure(**configuration)
    root.handlers = handlers
    root.setLevel(level)
