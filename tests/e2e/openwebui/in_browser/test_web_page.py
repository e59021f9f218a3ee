"""What a person sees of their memory on Open WebUI's real web page: after a reload, and with the switch on."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import pytest
from playwright.async_api import Browser
from tests.e2e.openwebui.hosts import Host
from tests.e2e.openwebui.in_browser.web_page import WebPage, web_page
from tests.e2e.openwebui.language_model import REPLY, prompt
from tests.e2e.openwebui.people import LISBON, PASSWORD, WHERE, Conversation, Person
from tests.e2e.openwebui.server import ADMIN_PASSWORD

_SWITCH = "No memory"

Visit: TypeAlias = Callable[[Person], AbstractAsyncContextManager[WebPage]]


@pytest.fixture
def visit(host: Host, browser: Browser, tmp_path: Path) -> Visit:
    """Opens the page as somebody, in a browser of their own, and signs them in there."""

    @asynccontextmanager
    async def visited(person: Person) -> AsyncIterator[WebPage]:
        email = (await person.call("GET", "/api/v1/auths/"))["email"]
        async with web_page(browser, host.server.base_url, failing=tmp_path / f"{person.id}.png") as page:
            await page.sign_in(email, PASSWORD if person.administrator else ADMIN_PASSWORD)
            yield page

    return visited


@pytest.fixture
def filter_host(host: Host) -> Host:
    """Open WebUI with the filter."""
    if host.name != "filter":
        pytest.skip("with the proxy there is no switch, and its button is tested with My memories")
    return host


async def test_what_was_shown_is_still_there_when_the_page_is_loaded_again(
    host: Host, visit: Visit, alice: Person
) -> None:
    await Conversation(alice).says(LISBON)
    await host.learned(alice, LISBON)
    await Conversation(alice).says("Is that so?")  # its answer shows the news
    async with visit(alice) as page:
        await page.says(WHERE)
        await page.shows("Recalled 1 memory")

        await page.reload()

        await page.shows("Recalled 1 memory")
        assert await page.shimmering() == []
        assert len(await page.sources()) == 1
        assert LISBON in await page.open_source(f"{LISBON} (fact, 20")


async def test_with_the_switch_of_the_message_field_on_nothing_is_recalled_and_a_line_says_so(
    filter_host: Host, visit: Visit, alice: Person
) -> None:
    await Conversation(alice).says(LISBON)
    await filter_host.learned(alice, LISBON)
    async with visit(alice) as page:
        assert not await page.is_on(_SWITCH)
        await page.switch_on(_SWITCH)

        assert await page.says(WHERE) == REPLY

        assert await page.is_on(_SWITCH)
        assert "Lisbon" not in prompt(filter_host.model.chats(WHERE)[-1])
        [line] = await page.lines()
        assert line.startswith("No memory here")
        assert await page.sources() == []
        assert await filter_host.logged(alice) == [LISBON]
