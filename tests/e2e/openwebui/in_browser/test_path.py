"""One person's whole path on Open WebUI's real web page, in English and in German: from told to erased.

Needs ``apt-get install chromium``. With FILMS=FOLDER films of it are kept there (``apt-get install ffmpeg``).
"""

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect
from tests.e2e.openwebui.hosts import Host
from tests.e2e.openwebui.in_browser.my_memories import MyMemories
from tests.e2e.openwebui.in_browser.web_page import WebPage, web_page
from tests.e2e.openwebui.language_model import last_message, prompt
from tests.e2e.openwebui.people import PASSWORD, Person
from tests.support.films import Film, filmed
from tests.support.received import Received

_SECONDS = 120
_FILMS = os.environ.get("FILMS")


@dataclass(frozen=True)
class Script:
    """What a person says on the path, and is shown."""

    locale: str
    home: str
    moved: str
    club: str
    question: str
    noted: str
    knows: str
    lost: str
    title: str
    follow_up: str
    remembered: str
    recalled: str
    kind: str


ENGLISH = Script(
    locale="en-US",
    home="I live in Lisbon with my dog Pipa.",
    moved="I live in Porto with my dog Pipa.",
    club="My rowing club meets on Thursdays at seven.",
    question="In which city do I live with my dog?",
    noted="All right, noted.",
    knows="You live in Lisbon, with Pipa.",
    lost="I don't know: you have not told me.",
    title="About me",
    follow_up="What else?",
    remembered="See and change it: My memories, the bookmark below. "
    "Remembered 2: I live in Lisbon with my dog Pipa \u00b7 My rowing club meets on Thursdays at seven.",
    recalled="Recalled 1 memory \u00b7 Knows 1 thing about you",
    kind="fact",
)
GERMAN = Script(
    locale="de-DE",
    home="Ich wohne mit meinem Hund Pipa in Lissabon.",
    moved="Ich wohne mit meinem Hund Pipa in Porto.",
    club="Mein Ruderverein trifft sich donnerstags um sieben.",
    question="In welcher Stadt wohne ich mit meinem Hund?",
    noted="Alles klar, ist notiert.",
    knows="Du wohnst in Lissabon, mit Pipa.",
    lost="Das wei\u00df ich nicht: Du hast es mir nicht gesagt.",
    title="\u00dcber mich",
    follow_up="Was noch?",
    remembered="Ansehen und \u00e4ndern: My memories, das Lesezeichen unten. "
    "Gemerkt (2): Ich wohne mit meinem Hund Pipa in Lissabon \u00b7 Mein Ruderverein trifft sich donnerstags um sieben.",
    recalled="1 Erinnerung abgerufen \u00b7 Wei\u00df 1 Sache \u00fcber dich",
    kind="Tatsache",
)


class Play:
    """One person on the path, step by step; each ends with what they see."""

    def __init__(self, page: WebPage, script: Script, film: Film) -> None:
        self._page, self._script, self._film = page, script, film
        self._mine = MyMemories(page)
        self._words = self._mine.words

    async def tells(self) -> None:
        """Say two things; both are remembered."""
        await self._page.says(f"{self._script.home} {self._script.club}")
        await self._page.is_answered(self._script.noted)
        await self._page.shows(self._script.remembered)
        await self._film.pause()

    async def asks_elsewhere(self) -> None:
        """Ask in a new chat; one of them is recalled, and a source; the other is there in any chat, and only counted."""
        await self._page.begin_chat()
        await self._page.says(self._script.question)
        await self._page.is_answered(self._script.knows)
        await self._page.shows(self._script.recalled)
        [recalled] = await self._page.sources()
        assert recalled.startswith(f"1 {self._script.home} ({self._script.kind}, 20")
        await self._film.pause()

    async def corrects(self) -> None:
        """Open the memories, and correct one."""
        await self._mine.open()
        await self._lists(self._script.club, self._script.home)
        await self._film.pause()
        await self._mine.choose(self._script.home, self._words["page.correct"])
        await self._mine.field.fill(self._script.moved)
        await self._film.pause()
        await self._press("page.save")
        await self._mine.says(self._words["page.corrected"])
        await self._lists(self._script.club, self._script.moved)
        await self._film.pause()

    async def undoes(self) -> None:
        await self._press("page.undo")
        await self._mine.says(self._words["page.undone"])
        await self._lists(self._script.club, self._script.home)
        await self._film.pause()

    async def switches_off(self) -> None:
        """Switch memory off; in a new chat nothing is recalled then."""
        await self._press("page.switch.off")
        await expect(self._mine.frame.get_by_text(self._words["page.off"])).to_be_visible()
        await self._film.pause()
        await self._mine.close()
        await self._page.begin_chat()
        await self._page.says(self._script.question)
        await self._page.is_answered(self._script.lost)
        await self._page.shows(self._words["off.all"])
        assert await self._page.sources() == []
        await self._film.pause()

    async def exports(self) -> None:
        """Download what is kept all the same."""
        await self._mine.open()
        async with self._page.tab.expect_download() as download:
            await self._press("page.download")
        read = json.loads((await (await download.value).path()).read_text("utf-8"))
        assert [each["content"] for each in read] == [self._script.club, self._script.home]
        await self._mine.says(self._words["page.downloaded.many"].format(count=2))
        await self._film.pause()

    async def erases(self) -> None:
        await self._press("page.erase")
        await expect(self._mine.frame.get_by_text(self._words["page.erase.title"])).to_be_visible()
        await self._film.pause()
        await self._press("page.erase.yes")
        await self._mine.says(
            self._words["page.erased"].format(memories=2, messages=4, records="|").partition("|")[0]
        )
        await expect(self._mine.frame.get_by_text(self._words["page.none"])).to_be_visible()
        await self._lists()
        await self._film.pause()

    async def _press(self, key: str) -> None:
        await self._mine.press(self._words[key])

    async def _lists(self, *texts: str) -> None:
        await expect(self._mine.rows.locator(".text")).to_have_text(texts)


@pytest.mark.parametrize("served_host", ["filter"], indirect=True)
@pytest.mark.parametrize("script", [ENGLISH, GERMAN], ids=["english", "german"])
@pytest.mark.usefixtures("given_model")
async def test_a_person_goes_from_told_to_erased_in_less_than_two_minutes(
    host: Host, browser: Browser, alice: Person, script: Script, tmp_path: Path
) -> None:
    def replies(request: Received) -> str:
        if last_message(request) != script.question:
            return script.noted
        return script.knows if script.home in prompt(request) else script.lost

    host.model.replies, host.model.title, host.model.follow_up = replies, script.title, script.follow_up
    email = (await alice.call("GET", "/api/v1/auths/"))["email"]
    address, failing = host.server.base_url, tmp_path / "failing.png"
    path = Path(_FILMS) / f"openwebui-{script.locale[:2]}.mp4" if _FILMS else None
    async with web_page(browser, address, failing=failing, locale=script.locale) as page:
        await page.sign_in(email, PASSWORD)
        await page.has_settled()
        began = time.monotonic()
        async with filmed(page.tab, path) as film:
            play = Play(page, script, film)
            await play.tells()
            await play.asks_elsewhere()
            await play.corrects()
            await play.undoes()
            await play.switches_off()
            await play.exports()
            await play.erases()
            assert time.monotonic() - began < _SECONDS
