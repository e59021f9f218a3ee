"""People sign in to the pages of a whole proxy at a real OpenID provider, in Chromium. Run by ``make e2e-pages``.

Needs ``apt-get install chromium npm``. With SCREENSHOTS=FOLDER pictures of the sign-in page are kept there.
"""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Page, expect
from tests.recollect_proxy.settings import proxy_settings
from tests.servers.databases import SpareDatabases
from tests.servers.external_servers import free_port
from tests.servers.running_proxy import RunningProxy, running_proxy
from tests.support.browsers import headless_browser

from recollect.engine import Engine

NODE = Path(__file__).with_name("node")
ANNA, BEN, ADMIN, STRANGER = "verified-anna", "verified-ben", "verified-admin", "carl"
PHONE, DESKTOP = (390, 844), (1280, 900)


@dataclass(frozen=True)
class Together:
    """A proxy and its provider."""

    proxy: RunningProxy
    issuer: str

    @property
    def pages(self) -> str:
        return f"http://127.0.0.1:{self.proxy.port}/memory/ui"

    @property
    def engine(self) -> Engine:
        """The proxy's engine."""
        return self.proxy.engine


@asynccontextmanager
async def provider(pages: str, secret: str) -> AsyncIterator[str]:
    """Serve the provider, and end it on leaving."""
    node = shutil.which("node")
    if node is None or not (NODE / "node_modules").exists():
        pytest.skip("the provider is not installed: `make e2e-pages` does it, with npm")
    process = await asyncio.create_subprocess_exec(
        *(node, NODE / "provider.mjs", pages, "recollect", secret, ADMIN),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(60):
            while not (line := (await process.stdout.readline()).decode().strip()).startswith("http"):
                assert process.returncode is None, "the provider did not start"
        yield line
    finally:
        process.terminate()
        await process.wait()


@pytest.fixture(scope="module")
async def house(
    spare_databases: SpareDatabases, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Together]:
    port, secret = free_port(), "a secret/of: the pages"
    public = f"http://127.0.0.1:{port}"
    async with provider(f"{public}/memory/ui", secret) as issuer, spare_databases.one() as dsn:
        settings = proxy_settings(
            database_url=dsn,
            data_dir=tmp_path_factory.mktemp("data"),
            port=port,
            public_url=public,
            oidc_issuer=issuer,
            oidc_client_id="recollect",
            oidc_client_secret=secret,
            oidc_label="Our house",
            oidc_scopes="openid email groups",
            oidc_user_claim="email",
            oidc_admin="groups=admins",
        )
        async with running_proxy(settings, forms=False) as proxy:
            await proxy.fetch(b"GET", b"/memory/ui/enter")  # the pages are built for the first who asks
            yield Together(proxy, issuer)


@pytest.fixture(scope="module")
async def browser() -> AsyncIterator[Browser]:
    # The provider's own pages ask for a font from elsewhere.
    async with headless_browser("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1") as started:
        yield started


async def sign_in(page: Page, house: Together, name: str, *, role: int = 0, is_known: bool = False) -> None:
    """Sign in with a name: as a person, or with the second button as an administrator; the provider may know the browser."""
    await page.goto(f"{house.pages}/enter")
    await page.get_by_role("link", name="Sign in with Our house").nth(role).click()
    if not is_known:
        await identify(page, house, name)
        await page.get_by_role("button", name="Continue").click()
    await page.wait_for_url(f"{house.pages}**")


async def identify(page: Page, house: Together, name: str) -> None:
    """Type a name on the provider's page, which asks then what the pages may know."""
    await page.wait_for_url(f"{house.issuer}/**")
    await page.locator("[name=login]").fill(name)
    await page.locator("[name=password]").fill("any")
    await page.get_by_role("button", name="Sign-in").click()


async def test_people_sign_in_at_the_provider_and_see_their_own_memory(
    house: Together, browser: Browser
) -> None:
    await house.engine.add(f"{ANNA}@example.org", "Drinks green tea")
    await house.engine.add(f"{BEN}@example.org", "Drinks black coffee")
    annas, bens = await browser.new_page(locale="en-GB"), await browser.new_page(locale="en-GB")

    await sign_in(annas, house, ANNA)
    await sign_in(bens, house, BEN)

    await expect(annas).to_have_url(house.pages)
    await expect(annas.get_by_text("Drinks green tea", exact=True)).to_be_visible()
    assert "black coffee" not in await annas.content()
    await expect(bens.get_by_text("Drinks black coffee", exact=True)).to_be_visible()


async def test_who_signs_out_can_end_the_providers_session_too(house: Together, browser: Browser) -> None:
    page = await browser.new_page(locale="en-GB")
    await sign_in(page, house, ANNA)

    await page.get_by_role("button", name="Sign out").click()
    await page.get_by_role("link", name="Sign out of Our house, too").click()
    await page.get_by_role("button", name="Yes, sign me out").click()

    await page.wait_for_url(f"{house.pages}/enter**")
    await page.get_by_role("link", name="Sign in with Our house").first.click()
    await expect(page.locator("[name=login]")).to_be_visible()  # nobody is signed in there any more


async def test_an_administrator_is_who_the_provider_says(house: Together, browser: Browser) -> None:
    admins, annas = await browser.new_page(locale="en-GB"), await browser.new_page(locale="en-GB")

    await sign_in(admins, house, ADMIN, role=1)
    await sign_in(annas, house, ANNA, role=1)

    await expect(admins).to_have_url(f"{house.pages}/users")
    await expect(annas.get_by_role("heading", name="You are no administrator")).to_be_visible()
    await sign_in(annas, house, ANNA, is_known=True)
    await expect(annas).to_have_url(house.pages)


async def test_an_address_that_is_not_verified_and_a_persons_no_open_nothing(
    house: Together, browser: Browser
) -> None:
    page, other = await browser.new_page(locale="de-DE"), await browser.new_page(locale="en-GB")
    await page.goto(f"{house.pages}/oidc/sign-in")
    await identify(page, house, STRANGER)
    await page.get_by_role("button", name="Continue").click()
    await other.goto(f"{house.pages}/oidc/sign-in")
    await other.get_by_role("link", name="Cancel").click()

    await expect(page.get_by_role("heading", name="Die Anmeldung ist misslungen")).to_be_visible()
    await expect(other.get_by_role("heading", name="You are not signed in")).to_be_visible()


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_nothing_on_the_pages_of_the_sign_in(
    house: Together, browser: Browser, size: tuple[int, int], scheme: Any
) -> None:
    viewport = {"width": size[0], "height": size[1]}
    page = await browser.new_page(locale="en-GB", viewport=viewport, color_scheme=scheme)  # type: ignore[arg-type]  # as both are
    await sign_in(page, house, ANNA)
    await page.get_by_role("button", name="Sign out").click()
    await page.wait_for_url(f"{house.pages}/enter**")
    left = page.url.removeprefix(house.pages)

    for name, path in (
        ("left", left),
        ("over", "/oidc/callback"),
        ("not-entered", "/chats"),
        ("enter", "/enter"),
    ):
        await page.goto(house.pages + path)
        found = (await Axe().run(page)).response["violations"]
        wide = await page.evaluate("document.documentElement.scrollWidth")
        assert (path, found, wide <= size[0]) == (path, [], True)
        if folder := os.environ.get("SCREENSHOTS"):
            await page.screenshot(path=f"{folder}/sign-in-{name}-{size[0]}-{scheme}.png")
