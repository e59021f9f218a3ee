"""An administrator whose Open WebUI uses Ollama moves it to Recollect on the web page, in three clicks and no restart."""

import json
import re
from pathlib import Path

from tests.e2e.openwebui.hosts import with_ollama_and_a_proxy_nobody_uses
from tests.e2e.openwebui.in_browser.web_page import web_page
from tests.e2e.openwebui.language_model import MARKS, REPLY, prompt
from tests.e2e.openwebui.people import Conversation
from tests.e2e.openwebui.server import ADMIN_EMAIL, ADMIN_PASSWORD, REPOSITORY
from tests.support.browsers import headless_browser

SAID = "I live in Lisbon and my dog is called Fips."
ASKED = "Where do I live?"

_PAGE = REPOSITORY / "docs" / "how-to" / "connect-openwebui.md"


def headers_of_the_page() -> dict[str, str]:
    """Return the headers that the how-to has people paste first."""
    found = re.search(r"```json\n(.*?)```", _PAGE.read_text("utf-8"), re.DOTALL)
    assert found
    headers: dict[str, str] = json.loads(found[1])
    return headers


async def test_the_ollama_connection_moves_to_recollect_in_three_clicks_and_has_memory(
    tmp_path: Path,
) -> None:
    async with (
        with_ollama_and_a_proxy_nobody_uses(tmp_path) as host,
        headless_browser() as browser,
        web_page(browser, host.server.base_url, failing=tmp_path / "failing.png") as page,
        host.memory_api() as proxy,
    ):
        bob = await host.administrator.add("Bob")
        await Conversation(host.administrator).says(SAID)
        assert await host.logged(host.administrator) == []
        await page.sign_in(ADMIN_EMAIL, ADMIN_PASSWORD)

        await page.opens_connections()
        headers = json.dumps(headers_of_the_page() | MARKS)
        assert await page.moves_connection(f"http://127.0.0.1:{proxy.port}", headers) == 3
        await page.opens_first_page()

        assert await page.says(SAID) == REPLY
        await host.learned(host.administrator, SAID)
        await page.begin_chat()
        assert await page.says(ASKED) == REPLY
        await Conversation(bob).says(ASKED)

        asked_by_administrator, asked_by_bob = map(prompt, host.model.chats(ASKED))
        assert "Fips" in asked_by_administrator
        assert "Fips" not in asked_by_bob
        assert await host.logged(host.administrator) == [SAID, ASKED]
