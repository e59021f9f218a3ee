"""Open WebUI's own web page in a headless browser, used as a person does: by what its fields and buttons say."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from playwright.async_api import Browser, Error, Locator, Page, Route, expect
from tests.support.browsers import MILLISECONDS

_OF_THE_PAGE_ITSELF = {"about", "blob", "data"}
_SIGNED_IN = "You're now logged in."
_SOURCES = re.compile(r"^Toggle \d+ source|Quellen? umschalten$")
_GERMAN = {
    "Chat Conversation": "Chat-Unterhaltung",
    "Email": "E-Mail",
    "Follow up: ": "Folgefrage: ",
    "New Chat": "Neuer Chat",
    "Password": "Passwort",
    "Send message": "Nachricht senden",
    "Sign in": "Anmelden",
    "Toggle status history": "Statusverlauf umschalten",
    "View source: ": "Quelle anzeigen: ",
    _SIGNED_IN: "Sie sind jetzt angemeldet.",
}
"""What Open WebUI's fields and buttons are called in German: those of which a test makes use there."""

_NEWS = "What's New in Open WebUI"


class WebPage:
    """Open WebUI in one tab of somebody's browser.

    Attributes:
        tab: That tab.
        language: Its language: "en" or "de".
        asked_elsewhere: Addresses beyond the server that the page asked for; its requests there are refused.
    """

    def __init__(self, page: Page, base_url: str, language: str = "en") -> None:
        self.asked_elsewhere: list[str] = []
        self.language = language
        self.tab = self._page = page
        self._base_url = base_url

    async def sign_in(self, email: str, password: str) -> None:
        """Sign in by the form, and close what Open WebUI tells an administrator of itself."""
        page = self._page
        await page.add_locator_handler(page.get_by_role("dialog").filter(has_text=_NEWS), _close_news)
        await page.goto(self._base_url)
        await page.get_by_label(self._named("Email")).fill(email)
        await page.get_by_label(self._named("Password"), exact=True).fill(password)
        await page.get_by_role("button", name=self._named("Sign in")).click()
        await expect(self._field).to_be_visible()

    async def opens_connections(self) -> None:
        """Open the administrator's settings of connections by their address."""
        await self._page.goto(f"{self._base_url}/admin/settings/connections")
        await expect(self._page.get_by_role("heading", name="Connections", exact=True)).to_be_visible()

    async def opens_first_page(self) -> None:
        """Open the page where a chat begins by its address."""
        await self._page.goto(self._base_url)
        await expect(self._field).to_be_visible()

    async def moves_connection(self, url: str, headers: str) -> int:
        """Give the only connection another URL, and headers; return how many clicks that takes."""
        page, clicks = self._page, 0
        window = page.get_by_role("dialog").filter(has=page.get_by_role("heading", name="Edit Connection"))
        fields = (
            window.get_by_role("textbox", name="URL", exact=True),
            window.get_by_role("textbox", name="Enter additional headers"),
        )
        for button in (
            page.get_by_role("button", name="Configure"),
            window.get_by_role("button", name="Advanced"),
        ):
            await button.click()
            clicks += 1
        for field, text in zip(fields, (url, headers), strict=True):
            await field.fill(text)
        await window.get_by_role("button", name="Save").click()
        await expect(window).to_have_count(0)
        return clicks + 1

    async def begin_chat(self) -> None:
        """Begin a new chat by the button at the side."""
        await self._page.get_by_role("link", name=self._named("New Chat")).first.click()
        await expect(self._messages).to_have_count(0)

    async def reload(self) -> None:
        """Load the page again, and wait until its chat is there again."""
        await self._page.reload()
        await expect(self._messages.last).to_be_visible()

    async def says(self, text: str) -> str:
        """Send a message, wait until all is done that follows on it, and return what is answered."""
        before = await self._messages.count()
        await self._field.fill(text)
        await self._page.get_by_role("button", name=self._named("Send message")).click()
        await expect(self._messages).to_have_count(before + 2)
        # A follow-up is offered last: after the answer, and after the filters that hear of it.
        await expect(self._follow_ups.first).to_be_visible()
        return "\n".join(await self._messages.last.get_by_role("paragraph").all_inner_texts())

    async def is_answered(self, text: str) -> None:
        """Wait until this is the last answer."""
        await expect(self._messages.last.get_by_role("paragraph")).to_have_text(text)

    async def shows(self, line: str | re.Pattern[str]) -> None:
        """Wait until this is the line over the last answer, or fits it."""
        await expect(self._line).to_have_text(line)

    async def lines(self) -> list[str]:
        """Return what stands over the last answer now: one line, or none."""
        return await self._line.all_inner_texts()

    async def shimmering(self) -> list[str]:
        """Return the texts that shimmer, as what is not yet done does."""
        return await self._page.locator(".shimmer").all_inner_texts()

    async def sources(self) -> list[str]:
        """Return the names of the sources under the last answer, which are unfolded if there are any."""
        folded = self._messages.last.get_by_role("button", name=_SOURCES)
        if not await folded.count():
            return []
        if await folded.get_attribute("aria-expanded") != "true":
            await folded.click()
        await expect(self._sources.first).to_be_visible()
        return [" ".join(each.split()) for each in await self._sources.all_inner_texts()]

    async def open_source(self, name: str) -> str:
        await self._sources.filter(has_text=name).click()
        window = self._page.get_by_role("dialog")
        await expect(window).to_be_visible()
        return await window.inner_text()

    async def switch_on(self, name: str) -> None:
        """Choose a switch in the menu of the message field, and wait for its chip there."""
        await self.open_switches()
        await self._page.get_by_role("menuitemcheckbox", name=name).click()
        await self._page.keyboard.press("Escape")
        await expect(self._page.get_by_role("menu")).to_have_count(0)
        await expect(self._chip(name)).to_be_visible()

    async def open_switches(self) -> None:
        await self._page.get_by_role("button", name="Integrations").click()
        await expect(self._page.get_by_role("menu")).to_be_visible()

    async def is_on(self, name: str) -> bool:
        """Return whether a switch has its chip at the message field."""
        return await self._chip(name).is_visible()

    async def presses(self, name: str) -> None:
        """Press a button under the last answer."""
        await self._messages.last.get_by_role("button", name=name).click()

    async def is_told(self, text: str) -> None:
        """Wait until a message that goes by says this."""
        passing = self._page.get_by_role("region", name="Notifications").get_by_text(text)
        await expect(passing).to_be_visible()

    async def has_settled(self) -> None:
        """Wait until what passes by on signing in is gone."""
        await expect(self._page.get_by_text(self._named(_SIGNED_IN))).to_have_count(0)

    async def keep_failing(self, picture: Path) -> str:
        with suppress(Error):  # the page may be gone, and the test's own error tells more
            await self._page.screenshot(path=picture)
            return f"{self._page.url} looked like {picture}"
        return f"{self._page.url} could not be pictured"

    async def asks(self, route: Route) -> None:
        """Let a request of the page pass to the server, and to nobody else."""
        if self._is_own(route.request.url):
            await route.continue_()
        else:
            await route.abort()

    def notes(self, url: str) -> None:
        if not self._is_own(url):
            self.asked_elsewhere.append(url)

    def _named(self, name: str) -> str:
        return _GERMAN[name] if self.language == "de" else name

    def _is_own(self, url: str) -> bool:
        asked = urlsplit(url)
        return asked.scheme in _OF_THE_PAGE_ITSELF or asked.netloc == urlsplit(self._base_url).netloc

    def _chip(self, name: str) -> Locator:
        return self._page.get_by_role("main").get_by_role("button", name=name)

    @property
    def _field(self) -> Locator:
        return self._page.get_by_role("main").get_by_role("textbox")

    @property
    def _messages(self) -> Locator:
        return self._page.get_by_role("region", name=self._named("Chat Conversation")).get_by_role("listitem")

    @property
    def _line(self) -> Locator:
        return self._messages.last.get_by_role("button", name=self._named("Toggle status history"))

    @property
    def _follow_ups(self) -> Locator:
        return self._messages.last.get_by_role("button", name=re.compile(f"^{self._named('Follow up: ')}"))

    @property
    def _sources(self) -> Locator:
        return self._messages.last.get_by_role("button", name=re.compile(f"^{self._named('View source: ')}"))


@asynccontextmanager
async def web_page(
    browser: Browser, base_url: str, *, failing: Path, locale: str = "en-US"
) -> AsyncIterator[WebPage]:
    """Open a tab as somebody whom no other tab knows, and close it on leaving."""
    context = await browser.new_context(
        viewport={"width": 1280, "height": 800}, locale=locale, service_workers="block"
    )
    try:
        context.set_default_timeout(MILLISECONDS)
        page = await context.new_page()
        shown = WebPage(page, base_url, locale[:2])
        await context.route("**/*", shown.asks)
        context.on("request", lambda request: shown.notes(request.url))
        page.on("websocket", lambda socket: shown.notes(socket.url))
        try:
            yield shown
        except Exception as error:
            error.add_note(await shown.keep_failing(failing))
            raise
        assert not shown.asked_elsewhere, f"the page asked for {shown.asked_elsewhere}"
    finally:
        await context.close()


async def _close_news(dialog: Locator) -> None:
    await dialog.get_by_role("button", name="Okay, Let's Go!").click()
