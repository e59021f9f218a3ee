"""The pages as the whole proxy serves them: a link of the memory API opens them."""

from tests.recollect_proxy.settings import proxy_settings
from tests.servers.running_proxy import running_proxy, somebody
from tests.support.raw_client import fetch

from recollect_proxy.app import App


async def test_a_link_of_the_memory_api_opens_the_page(own_dsn: str) -> None:
    user = somebody()
    async with running_proxy(
        proxy_settings(database_url=own_dsn, upstream="http://127.0.0.1:1/v1"), forms=False
    ) as proxy:
        assert isinstance(proxy.app, App)
        made = await proxy.api(b"POST", f"/users/{user.known_as}/page-links")
        path = made.json["url"].partition("/memory/ui")[2]
        entered = await fetch(proxy.port, b"GET", f"/memory/ui{path}".encode())
        cookie = (entered.header(b"set-cookie") or b"").partition(b";")[0]
        page = await fetch(proxy.port, b"GET", b"/memory/ui", [(b"Cookie", cookie)])
        neighbour = await fetch(proxy.port, b"GET", b"/memory/uix", [(b"Cookie", cookie)])

    assert entered.status == 303
    assert page.status == 200
    assert b"My memories" in page.body
    assert neighbour.status in {401, 404}
    assert neighbour.header(b"content-type") == b"application/problem+json"
