"""The real embedder, for what a question's vector tells."""

from collections.abc import AsyncIterator

import pytest

from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder


@pytest.fixture
async def embedder() -> AsyncIterator[MultilingualE5Embedder]:
    made = MultilingualE5Embedder()
    yield made
    await made.aclose()
