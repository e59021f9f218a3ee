"""People see and correct their own memories on Open WebUI's real web page, with the proxy and with the filter."""

import json
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from playwright.async_api import Browser, expect
from tests.e2e.openwebui.hosts import EVENTS, HINT, Host
from tests.e2e.openwebui.in_browser.my_memories import MyMemories
from tests.e2e.openwebui.in_browser.web_page import web_page
from tests.e2e.openwebui.language_model import prompt
from tests.e2e.openwebui.people import PASSWORD, ROWING, WHERE, Conversation, Person
from tests.e2e.openwebui.server import REPOSITORY
from tests.support.waiting import until

LISBON, PORTO = "I live in Lisbon with my dog Pipa.", "I live in Porto with my dog Pipa."
ASKED = "What do you know about me?"
HOSTILE = (
    "I like <img src=x onerror=\"parent.ran=1;ran=1;document.title='ran'\"> a lot.",
    "I wrote </script><script>parent.ran=1;ran=1</script> once.",
    "My site is <a href=\"javascript:parent.ran=1\">here</a> <iframe srcdoc='<script>top.ran=1</script>'></iframe>.",
    'I use `${parent.ran=1}` and {{ran}} and "); parent.ran=1; (" and </iframe></dialog>.',
    "I have a \N{LINE SEPARATOR}parent.ran=1\N{LINE SEPARATOR} dog <svg/onload=parent.ran=1>.",
)
_PICTURES = REPOSITORY / "docs" / "how-to" / "my-memories"


Keep: TypeAlias = Callable[[MyMemories, str], Awaitable[None]]


@pytest.fixture
async def shown(
    host: Host,
    browser: Browser,
    alice: Person,
    given_model: None,  # noqa: ARG001 -- it lets her press buttons
    tmp_path: Path,
) -> AsyncIterator[MyMemories]:
    """Open WebUI's page, signed in as Alice."""
    email = (await alice.call("GET", "/api/v1/auths/"))["email"]
    async with web_page(browser, host.server.base_url, failing=tmp_path / "failing.png") as page:
        await page.sign_in(email, PASSWORD)
        yield MyMemories(page)


@pytest.fixture
def keep(host: Host, tmp_path: Path) -> Keep:
    """Keeps a picture; with ``SCREENSHOTS=1``, of the proxy's, among the documents."""
    folder = _PICTURES if os.environ.get("SCREENSHOTS") and host.name == "proxy" else tmp_path

    async def kept(shown: MyMemories, name: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        await shown.tab.screenshot(path=folder / f"{name}.png", animations="disabled")

    return kept


async def _learn(host: Host, person: Person, *said: str) -> None:
    chat = Conversation(person)
    for each in said:
        await chat.says(each)

    async def learned() -> bool:
        return await host.memories(person) == sorted(said)

    await until(learned, seconds=240)  # with the filter its engine prepares the embedding model first
    await host.learned(person, *said)


async def test_from_a_question_to_a_corrected_memory(
    host: Host, shown: MyMemories, alice: Person, keep: Keep
) -> None:
    await _learn(host, alice, LISBON, ROWING)

    await shown.page.says(ASKED)
    await keep(shown, "1-asked")
    await shown.open()
    assert await shown.texts() == [ROWING, LISBON]
    await keep(shown, "2-list")
    heights = await shown.rows.evaluate_all("rows => rows.map((each) => each.clientHeight)")
    assert max(heights) <= 48
    await shown.choose("I live", "Correct")
    await shown.field.fill(PORTO)
    await keep(shown, "3-edit")
    await shown.press("Save")
    await shown.says("Corrected.")
    await keep(shown, "4-corrected")

    await host.learned(alice, PORTO, ROWING)
    await shown.press("Undo")
    await shown.says("Undone.")
    await host.learned(alice, LISBON, ROWING)
    assert await shown.texts() == [ROWING, LISBON]


async def test_it_is_searched_told_where_from_removed_and_brought_back(
    host: Host, shown: MyMemories, alice: Person, keep: Keep
) -> None:
    await _learn(host, alice, LISBON, ROWING)
    await shown.page.says(ASKED)
    await shown.open()

    await shown.frame.get_by_label("Search").fill("CLUB row")
    await expect(shown.rows).to_have_count(1)
    await expect(shown.frame.locator("#count")).to_have_text("1 of 2")
    await shown.press("My rowing club")
    await expect(shown.frame.get_by_text("Recalled for: ")).to_be_visible()
    await expect(shown.frame.get_by_text("You said so on")).to_be_visible()
    await keep(shown, "where-from")
    async with shown.tab.context.expect_page() as opened:
        await shown.choose("My rowing", "Open that chat")
    assert re.search(r"/c/[0-9a-f-]{36}$", (await opened.value).url)
    await shown.tab.bring_to_front()

    await shown.choose("My rowing", "Forget")
    await shown.says("Forgotten.")
    await host.learned(alice, LISBON)
    await shown.press("Changes")
    await expect(shown.frame.get_by_text(f"Forgot: {ROWING}")).to_be_visible()
    await keep(shown, "changes")
    await shown.frame.get_by_role("list", name="Changes").get_by_role("button").first.click()
    await shown.says("Undone.")
    await host.learned(alice, LISBON, ROWING)


async def test_it_is_off_and_on_again_and_all_is_forgotten(
    host: Host, shown: MyMemories, alice: Person, keep: Keep
) -> None:
    await _learn(host, alice, LISBON)
    await shown.page.says(ASKED)
    await shown.open()

    await shown.press("Switch memory off")
    await expect(shown.frame.get_by_text("What is listed here stays until you forget it.")).to_be_visible()
    await Conversation(alice).says("I own a red bicycle.")
    assert LISBON not in prompt(host.model.chats("bicycle")[-1])
    await shown.press("Erase everything")
    await shown.frame.get_by_role("button", name="Keep them").wait_for()
    await keep(shown, "forget-everything")
    assert await host.memories(alice) == [LISBON]
    await shown.press("Yes, erase everything")
    await shown.says("Everything is erased. Memories: 1, ")
    await keep(shown, "forgotten")
    assert (await host.memories(alice), await host.logged(alice)) == ([], [])
    await shown.press("Switch memory on")
    await shown.says("Memory is on again.")
    await _learn(host, alice, ROWING)


async def test_no_text_of_a_memory_runs_and_none_gets_into_the_chat(
    host: Host, shown: MyMemories, alice: Person, keep: Keep
) -> None:
    chat = Conversation(alice)
    await chat.says(LISBON)
    await host.learned(alice, LISBON)
    await shown.page.says(ASKED)
    await shown.open()
    for hostile in HOSTILE:  # people may write anything into a memory
        await shown.choose("", "Correct")
        await shown.write(hostile)
        await shown.says("Corrected.")
        await expect(shown.rows.locator(".text")).to_have_text([hostile])
        assert await shown.frame.locator("main script, main img, main iframe, main a, main svg").count() == 0
        assert await shown.tab.evaluate("window.ran") is None
    await keep(shown, "hostile")

    await shown.close()
    kept = await alice.call("GET", "/api/v1/chats/")
    for each in kept:
        whole = json.dumps(await alice.call("GET", f"/api/v1/chats/{each['id']}"))
        assert "ran=1" not in whole
        assert "embeds" not in whole
    await shown.page.says("And now?")
    assert not any(b"Recalled for" in each.body for each in host.model.upstream.received)


async def test_it_works_by_keyboard_on_a_phone_in_the_dark(
    host: Host, shown: MyMemories, alice: Person, keep: Keep
) -> None:
    await _learn(host, alice, LISBON)
    await shown.page.says(ASKED)
    await shown.tab.evaluate("document.documentElement.classList.add('dark')")
    await shown.open()
    await shown.tab.set_viewport_size({"width": 390, "height": 760})
    keyboard = shown.tab.keyboard
    await expect(shown.frame.get_by_label("Search")).to_be_focused()
    for _ in range(6):  # kind, order, Add, the choice, the text, the menu
        await keyboard.press("Tab")
    await keyboard.press("Enter")
    await keyboard.press("Enter")  # Correct, the first of the menu
    await keyboard.press("ControlOrMeta+a")
    await keyboard.type(PORTO)
    await keep(shown, "phone-dark")
    await keyboard.press("ControlOrMeta+Enter")
    await shown.says("Corrected.")
    await host.learned(alice, PORTO)
    width = await shown.frame.locator("body").evaluate("each => each.scrollWidth - each.clientWidth")
    assert width <= 0
    await shown.close()

    await Conversation(alice).says(WHERE)
    [asked] = host.model.chats(WHERE)
    assert (PORTO in prompt(asked), LISBON in prompt(asked)) == (True, False)


async def test_the_button_takes_back_what_a_message_taught(
    host: Host, shown: MyMemories, alice: Person
) -> None:
    await shown.page.says(ROWING)
    await host.learned(alice, ROWING)

    await shown.page.presses("Undo what was remembered")

    await shown.page.is_told(f"Undone. Forgot: {ROWING}")
    await host.learned(alice)


async def test_what_a_message_taught_is_shown_over_its_answer_though_that_has_ended(
    host: Host, shown: MyMemories, alice: Person
) -> None:
    is_proxy = host.name == "proxy"
    if is_proxy:
        await host.administrator.change_valves(EVENTS, show_remembered=True)
    try:
        await shown.page.says(ROWING)
        await shown.page.shows(f"Remembered: {ROWING}{HINT}")
        await host.learned(alice, ROWING)
    finally:
        if is_proxy:
            await host.administrator.change_valves(EVENTS, show_remembered=False)


async def test_one_is_written_by_hand_and_several_are_forgotten_together(
    host: Host, shown: MyMemories, alice: Person
) -> None:
    await _learn(host, alice, LISBON)
    await shown.page.says(ASKED)
    await shown.open()

    await shown.press("Add")
    await shown.write(ROWING)
    await shown.says("Added.")
    await host.learned(alice, LISBON, ROWING)
    for each in await shown.frame.get_by_role("checkbox").all():
        await each.check()
    await shown.press("Forget")
    await shown.says("2 forgotten.")
    await host.learned(alice)
    await shown.press("Undo")
    await host.learned(alice, LISBON, ROWING)


async def test_the_page_speaks_the_language_of_open_webui(
    host: Host, shown: MyMemories, alice: Person, keep: Keep
) -> None:
    await _learn(host, alice, LISBON)
    await shown.page.says(ASKED)
    await shown.tab.evaluate("localStorage.locale = 'de-DE'")

    await shown.page.presses("My memories")

    frame = shown.tab.frame_locator("dialog iframe[title='Meine Erinnerungen']")
    await expect(frame.get_by_role("button", name="Ged\u00e4chtnis ausschalten")).to_be_visible()
    await keep(shown, "german")
