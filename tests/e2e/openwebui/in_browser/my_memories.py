"""The page of a person's memories over a chat, used as a person does."""

import re

from playwright.async_api import Locator, expect
from tests.e2e.openwebui.in_browser.web_page import WebPage

from recollect_openwebui.notices import words_in


class MyMemories:
    """The page of a person's memories, over the chat, as a person uses it."""

    def __init__(self, page: WebPage) -> None:
        self.page = page
        self.tab = page.tab
        self.words = words_in(page.language)
        self.frame = self.tab.frame_locator(f"dialog iframe[title='{self.words['page.title']}']")

    async def open(self) -> None:
        """Press the button under the last answer, and wait until the memories are there."""
        await self.page.presses("My memories")
        switch = re.compile(f"^({self.words['page.switch.off']}|{self.words['page.switch.on']})$")
        await expect(self.frame.get_by_role("button", name=switch)).to_be_visible()

    async def close(self) -> None:
        await self.tab.keyboard.press("Escape")
        await expect(self.tab.locator("dialog")).to_have_count(0)

    @property
    def rows(self) -> Locator:
        return self.frame.get_by_role("list", name=self.words["page.title"]).get_by_role("listitem")

    async def texts(self) -> list[str]:
        """Return what they say."""
        return await self.rows.locator(".text").all_inner_texts()

    async def press(self, name: str) -> None:
        await self.frame.get_by_role("button", name=re.compile(f"^{name}")).first.click()

    async def choose(self, text: str, action: str) -> None:
        """Choose an action in the menu of the row of a memory that begins so."""
        menu = self.words["page.actions"].format(text="")
        await self.rows.filter(has_text=text).get_by_role("button", name=menu).click()
        await self.frame.get_by_role("menuitem", name=action).click()

    @property
    def field(self) -> Locator:
        """The field where a memory is written."""
        return self.frame.get_by_label(self.words["page.content"])

    async def write(self, text: str) -> None:
        """Write into the field that is open, and save it."""
        await self.field.fill(text)
        await self.press(self.words["page.save"])

    async def says(self, told: str) -> None:
        """Wait until the page says this."""
        await expect(self.frame.get_by_role("status")).to_contain_text(told)
