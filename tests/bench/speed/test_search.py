"""The bench of the search keeps up with the store's statements, which it runs by name."""

from pathlib import Path

import pytest
from tests.folders import database_folder

from bench.speed.search import Sizes, measure

pytestmark = pytest.mark.process


async def test_a_small_store_is_filled_and_searched(capsys: pytest.CaptureFixture[str]) -> None:
    with database_folder() as folder:
        await measure(Sizes(users=2, memories=20, chunks=40, searches=2), Path(folder))

    printed = capsys.readouterr().out
    for figure in ("posting_pages", "search, the call", "indexing a message"):
        assert f"| {figure} |" in printed
