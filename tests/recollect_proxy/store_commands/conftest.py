"""An operator of a store with nothing in it."""

from pathlib import Path

import pytest
from tests.recollect_proxy.commands.command_line import Operator


@pytest.fixture
def operator(own_dsn: str, data_dir: Path) -> Operator:
    return Operator(own_dsn, data_dir)
