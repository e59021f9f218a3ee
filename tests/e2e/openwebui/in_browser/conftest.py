"""The browser in which Open WebUI's page is used."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser
from tests.support.browsers import headless_browser


@pytest.fixture(scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with headless_browser() as opened:
        yield opened
