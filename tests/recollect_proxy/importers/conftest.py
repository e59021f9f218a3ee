"""Imports into a store that is open already."""

from pathlib import Path

import pytest
from tests.recollect_proxy.importers.imports import Imports
from tests.support.stores import Store

from recollect_proxy.importers import importer


@pytest.fixture
def imports(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Imports:
    """Imports into the database that tests share: to open one takes longer than most imports."""
    made = Imports(store, tmp_path)
    monkeypatch.setattr(importer, "open_destination", made.open_destination)
    return made
