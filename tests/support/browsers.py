"""Starts Debian's Chromium without a window."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Browser, async_playwright, expect

MILLISECONDS = 60_000
"""The patience with a page: a busy machine takes longer than playwright's own five seconds to show it."""


@asynccontextmanager
async def headless_browser(*arguments: str) -> AsyncIterator[Browser]:
    """Start it with further arguments, and end it on leaving. Where it is not installed the test is skipped."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("Chromium is not installed: `apt-get install chromium` does it")
    given = ("--no-sandbox", "--disable-background-networking", *arguments)
    expect.set_options(timeout=MILLISECONDS)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=given)
        try:
            yield browser
        finally:
            await browser.close()
