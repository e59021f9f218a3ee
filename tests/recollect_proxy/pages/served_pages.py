"""The pages on a real socket, and somebody who looks at them as a browser without a script does."""

import re
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlencode

from tests.recollect_proxy.memory_api.serving import TOKEN, GivenEngine, Served
from tests.support.raw_client import Response, fetch

from recollect.engine import Engine, system_clock
from recollect.ports import Clock
from recollect_proxy.access.access_keys import AccessKeys
from recollect_proxy.access.authentication import Authentication
from recollect_proxy.access.oidc_sign_in import ProviderSignIn
from recollect_proxy.access.person_tokens import Audience
from recollect_proxy.identity.caller import Mode
from recollect_proxy.pages.application import pages
from recollect_proxy.pages.page_request import PageParts
from recollect_proxy.serving.ephemeral_server import serve_upstream

BASE = "/memory/ui"
FORM = (b"Content-Type", b"application/x-www-form-urlencoded")
_TOKEN = re.compile(r'name="form_token" value="([0-9a-f]{64})"')


class Elements(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@dataclass
class Visitor:
    """Somebody with a browser, its cookies, and the language it asks for."""

    port: int
    cookies: dict[str, str] = field(default_factory=dict)
    language: str = "en"
    _form_tokens: dict[str, str] = field(default_factory=dict)

    async def get(self, path: str, *more: tuple[bytes, bytes]) -> Response:
        return await self._ask("GET", path, list(more), None)

    async def html(self, path: str) -> str:
        response = await self.get(path)
        assert response.status == 200, response.body
        return response.body.decode()

    async def post(
        self, path: str, fields: Mapping[str, str] | None = None, *more: tuple[bytes, bytes]
    ) -> Response:
        """Send a form as it stands on our own page: with its token, where there is a session."""
        given = dict(fields or {})
        if "form_token" not in given and "recollect_page" in self.cookies:
            given["form_token"] = await self.form_token()
        return await self._ask("POST", path, [FORM, *more], urlencode(given).encode())

    async def post_all(self, path: str, name: str, values: Iterable[str | None], **fields: str) -> Response:
        given = [*fields.items(), *((name, each or "") for each in values)]
        given.append(("form_token", await self.form_token()))
        return await self._ask("POST", path, [FORM], urlencode(given).encode())

    async def form_token(self) -> str:
        """Return what forms of this session carry, looked up once."""
        session = self.cookies.get("recollect_page", "")
        if session not in self._form_tokens:
            self._form_tokens[session] = await self._shown_form_token()
        return self._form_tokens[session]

    async def _shown_form_token(self) -> str:
        for path in ("/users", "/settings"):
            if found := _TOKEN.search((await self.get(path)).body.decode()):
                return found[1]
        raise AssertionError("no page has a form")

    async def text(self, path: str) -> str:
        return text_of(await self.html(path))

    async def sent(self, path: str, fields: Mapping[str, str] | None = None) -> str:
        """Send a form, go where the answer leads, and return the page."""
        return await self.followed(await self.post(path, fields))

    async def followed(self, response: Response) -> str:
        """Go where an answer leads, and return the page."""
        assert response.status == 303, response.body
        location = (response.header(b"location") or b"").decode()
        assert location.startswith(BASE)
        return await self.html(location.removeprefix(BASE))

    async def _ask(
        self, method: str, path: str, headers: list[tuple[bytes, bytes]], body: bytes | None
    ) -> Response:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        own = [(b"Cookie", cookies.encode()), (b"Accept-Language", self.language.encode())]
        response = await fetch(self.port, method.encode(), (BASE + path).encode(), [*own, *headers], body)
        for set_cookie in response.values(b"set-cookie"):
            name, _, value = set_cookie.decode().partition(";")[0].partition("=")
            if "Max-Age=0" in set_cookie.decode():
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value
        return response


@dataclass(frozen=True, kw_only=True)
class Pages(Served):
    """Served pages, and what makes their links."""

    authentication: Authentication

    def ticket(self, user_id: str) -> str:
        return self.authentication.person_tokens.make(user_id, Audience.PAGE_LINK)[0]

    async def person(self, user_id: str | None = None, language: str = "en") -> Visitor:
        """Return a person who has entered by their link."""
        visitor = Visitor(self.port, language=language)
        response = await visitor.get(f"/enter?ticket={self.ticket(user_id or self.anna)}")
        assert response.status == 303, response.body
        return visitor

    async def administrator(self, key: str = TOKEN, looks_at: str | None = None) -> Visitor:
        """Return an administrator who has entered, and opened somebody's memory."""
        visitor = Visitor(self.port)
        response = await visitor.post("/enter", {"key": key})
        assert response.status == 303, response.body
        if looks_at is not None:
            assert (await visitor.post("/look", {"user": looks_at})).status == 303
        return visitor


@asynccontextmanager
async def serve_pages(
    engine: Engine | None,
    *,
    keys: Path | None = None,
    clock: Clock = system_clock,
    public_url: str | None = None,
    chat_link: str | None = None,
    admin_token: str = TOKEN,
    modes: tuple[Mode, ...] = (),
    provider: ProviderSignIn | None = None,
) -> AsyncIterator[Pages]:
    live, known = GivenEngine(engine), AccessKeys(keys) if keys else None
    authentication = Authentication(admin_token, clock, keys=known, modes=modes, provider=provider)
    parts = PageParts(live, authentication, public_url, chat_link, meaning_seconds=30.0)
    async with serve_upstream(pages(parts)) as origin:
        yield Pages(port=int(origin.rpartition(":")[2]), live=live, authentication=authentication)


def text_of(html: str) -> str:
    """Return what a page says, in one line."""
    return " ".join(unescape(Elements(html).text).split())


def says(text: str, *words: str, lacks: Iterable[str] = ()) -> None:
    """Check that a text has all of these words, and none of those that it must lack."""
    assert ([each for each in words if each not in text], [each for each in lacks if each in text]) == (
        [],
        [],
    )
