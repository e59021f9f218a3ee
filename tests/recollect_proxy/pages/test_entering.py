"""Who gets in: by a link or a key, for how long; and whose forms count."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeAlias

import jwt
import pytest
from tests.recollect_proxy.memory_api.serving import TOKEN, bearer, engine_over
from tests.recollect_proxy.pages.served_pages import FORM, Pages, Visitor, says, serve_pages, text_of
from tests.recollect_proxy.settings import proxy_settings
from tests.servers.running_proxy import running_proxy, somebody
from tests.support.raw_client import fetch
from tests.support.stores import Store
from tests.support.tables import table

from recollect.model import Flags
from recollect.store import Postgres
from recollect_proxy.access.access_keys import KeyRole, add_access_key
from recollect_proxy.access.failed_attempts import FailedAttempts, source_of
from recollect_proxy.access.person_tokens import Audience
from recollect_proxy.app import App
from recollect_proxy.identity.signed_token import OpenWebUIToken
from recollect_proxy.pages import application

Caller: TypeAlias = tuple[str | None, str | None]
OF_FRONTEND = "5f0c9a1be2d347869c1d0f6a7b8e4c23"


def paths_of(method: str) -> list[str]:
    found = (path for each in application._routes() if method in each.http_methods for path in each.paths)
    return sorted(path.replace("{use:str}", "always").rstrip("/") for path in found)


CHANGING = [each for each in paths_of("POST") if each not in {"/enter", "/language", "/project"}]
_ELSEWHERE = ("/enter", "/oidc", "/static", "/users", "/analytics", "/everybody")
SHOWING = [each for each in paths_of("GET") if not each.startswith(_ELSEWHERE)]
"""The pages of a memory."""


async def test_the_cookie_is_the_pages_alone_and_the_ticket_leaves_the_address(pages: Pages) -> None:
    answer = await Visitor(pages.port).get(f"/enter?ticket={pages.ticket(pages.anna)}")

    assert answer.status == 303
    assert answer.header(b"location") == b"/memory/ui"
    cookie = (answer.header(b"set-cookie") or b"").decode().lower()
    assert {"httponly", "path=/memory/ui", "samesite=lax", "max-age=3600"} <= set(cookie.split("; "))
    assert "secure" not in cookie
    async with serve_pages(pages.engine, public_url="https://memory.example.org") as served:
        safe = await Visitor(served.port).get(f"/enter?ticket={served.ticket(pages.anna)}")
    assert "secure" in (safe.header(b"set-cookie") or b"").decode().lower().split("; ")


async def test_a_link_opens_one_session(pages: Pages) -> None:
    link = f"/enter?ticket={pages.ticket(pages.anna)}"
    first, second = Visitor(pages.port), Visitor(pages.port)
    assert (await first.get(link)).status == 303

    again, elsewhere = await first.get(link), await second.get(link)
    bens = await (await pages.person(pages.ben)).get(link)

    assert (again.status, again.header(b"set-cookie")) == (303, None)  # loaded again in the same browser
    for other in (elsewhere, bens):
        assert (other.status, other.header(b"set-cookie")) == (401, None)
    assert (await (await pages.person(pages.anna)).get("/settings")).status == 200


async def test_a_ticket_that_is_over_gets_a_page_that_says_so(postgres: Postgres, store: Store) -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    async with serve_pages(engine_over(postgres), clock=lambda: now) as served:
        good = served.ticket(store.anna)
        other, _ = served.authentication.person_tokens.make(store.anna, Audience.API)
        now += timedelta(minutes=6)
        for ticket in (good, other, good[:-3] + "AAA", "", "..", "a.b.c", "%00"):
            answer = await Visitor(served.port).get(f"/enter?ticket={ticket}")
            assert answer.status == 401
            assert answer.header(b"set-cookie") is None
            assert "Ask for a new one" in text_of(answer.body.decode())


async def test_a_session_ends_after_an_hour(postgres: Postgres, store: Store) -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    async with serve_pages(engine_over(postgres), clock=lambda: now) as served:
        visitor = await served.person(store.anna)
        for minutes, status in ((59, 200), (2, 401)):
            now += timedelta(minutes=minutes)
            assert (await visitor.get("/settings")).status == status


async def test_without_a_session_no_page_shows_anything(pages: Pages) -> None:
    await pages.engine.add(pages.anna, "Drinks green tea")
    strangers = (
        Visitor(pages.port),
        Visitor(pages.port, {"recollect_page": "a.b.c"}),
        Visitor(pages.port, {"recollect_page": pages.ticket(pages.anna)}),
    )

    for stranger in strangers:
        for path in (*SHOWING, "/users", "/analytics", "/everybody"):
            answer = await stranger.get(path)
            assert answer.status == 401, path
            assert b"green tea" not in answer.body
        for path in CHANGING:
            assert (await stranger.post(path, {"form_token": "x"})).status == 401, path
        piece = await stranger.get("", (b"HX-Request", b"true"))
        assert (piece.status, piece.header(b"hx-refresh"), piece.body) == (401, b"true", b"")


async def test_the_user_is_who_the_cookie_says_whatever_else_a_request_names(pages: Pages) -> None:
    bens = await pages.engine.add(pages.ben, "Drinks black coffee")
    visitor = await pages.person(pages.anna)

    named = [(b"X-OpenWebUI-User-Id", str(pages.ben).encode()), *bearer(TOKEN)]
    queries = (f"?{name}={pages.ben}" for name in ("user", "user_id", "looks_at"))
    for path in (*queries, "/changes", "/export"):
        answer = await visitor.get(path, *named)
        assert answer.status == 200, path
        assert b"black coffee" not in answer.body
    assert (await visitor.get(f"/memory?id={bens.id}", *named)).status == 404
    for path in ("/correct", "/forget", "/confirm"):
        fields = {"id": str(bens.id), "content": "mine", "user": pages.ben, "user_id": pages.ben}
        assert (await visitor.post(path, fields, *named)).status == 404, path
    assert (await visitor.get("/users")).status == 404
    assert (await visitor.post("/look", {"user": pages.ben})).status == 404
    assert (await pages.engine.get(pages.ben, bens.id)).content == "Drinks black coffee"


async def test_a_form_counts_only_from_a_page_of_its_own_session(pages: Pages) -> None:
    memory = await pages.engine.add(pages.anna, "Drinks green tea")
    visitor, other = await pages.person(pages.anna), await pages.person(pages.anna)

    for token in ("", "0" * 64, await other.form_token(), "ü"):
        answer = await visitor.post("/forget", {"id": str(memory.id), "form_token": token})
        assert answer.status == 403
    assert (await pages.engine.get(pages.anna, memory.id)).content == "Drinks green tea"


@table(
    "header",
    [
        *((b"Origin", each) for each in (b"https://evil.example", b"null")),
        *((b"Sec-Fetch-Site", each) for each in (b"cross-site", b"same-site")),
    ],
)
async def test_no_other_sites_form_counts(
    pages: Pages, visitor: Visitor, header: tuple[bytes, bytes]
) -> None:

    for path in CHANGING:
        assert (await visitor.post(path, {}, header)).status == 403, path
    for path, choice in (("/language", {"language": "es"}), ("/project", {"name": "boat"})):
        chosen = await visitor.post(path, choice, header)
        assert (chosen.status, chosen.header(b"set-cookie")) == (403, None), path
    ours = (b"Origin", b"http://proxy.test"), (b"Sec-Fetch-Site", b"same-origin")
    assert (await visitor.post("/settings", {}, *ours)).status == 303
    assert (await Visitor(pages.port).post("/enter", {"key": TOKEN}, header)).status == 403


async def test_signing_out_takes_the_cookie_away(visitor: Visitor) -> None:
    assert (await visitor.post("/sign-out")).status == 303
    assert "recollect_page" not in visitor.cookies


async def test_every_answer_forbids_framing_caching_and_scripts_of_others(visitor: Visitor) -> None:

    for path in (*SHOWING, "/enter", "/nowhere", "/enter?ticket=x"):
        answer = await visitor.get(path)
        policy = (answer.header(b"content-security-policy") or b"").decode()
        assert "default-src 'none'" in policy, path
        says(policy, "frame-ancestors 'none'", lacks=("unsafe",))
        assert answer.header(b"cache-control") == b"no-store"
        assert answer.header(b"x-content-type-options") == b"nosniff"
        assert answer.header(b"referrer-policy") == b"same-origin"


async def failing(visitor: Visitor, times: int) -> list[int]:
    """Return the statuses of so many attempts with wrong keys."""
    return [(await visitor.post("/enter", {"key": f"guess {n}"})).status for n in range(times)]


async def test_who_fails_too_often_waits_and_a_right_key_gets_in_meanwhile(pages: Pages) -> None:
    statuses = await failing(Visitor(pages.port), 11)
    refused = await Visitor(pages.port).post("/enter", {"key": "guess"})
    for _ in range(12):  # right keys do not count
        right = await Visitor(pages.port).post("/enter", {"key": TOKEN})
    again = await failing(Visitor(pages.port), 1)

    assert statuses == [401] * 10 + [429]
    assert (refused.status, refused.header(b"retry-after")) == (429, b"60")
    assert right.status == 303
    assert again == [429]  # whoever guesses at the address waits still


async def test_a_persons_failures_count_for_that_person_alone(pages: Pages) -> None:
    anna, ben = await pages.person(pages.anna), await pages.person(pages.ben)
    annas = await failing(anna, 11)
    bens, strangers = await failing(ben, 1), await failing(Visitor(pages.port), 1)
    elsewhere = await failing(await pages.person(pages.anna), 1)

    assert annas == [401] * 10 + [429]
    assert bens == strangers == [401]
    assert elsewhere == [429]


def test_failures_count_for_a_minute_and_for_their_source_alone() -> None:
    now = 100.0
    failed = FailedAttempts(lambda: now)
    for _ in range(10):
        assert failed.seconds_to_wait("peer 192.0.2.1") == 0
        failed.fail("peer 192.0.2.1")

    assert failed.seconds_to_wait("peer 192.0.2.1") == 61
    assert failed.seconds_to_wait("peer 192.0.2.2") == 0
    now += 30
    for _ in range(10):
        failed.fail("peer 192.0.2.1")  # whoever goes on does not wait longer for it
    now += 30
    assert failed.seconds_to_wait("peer 192.0.2.1") == 0


@table(
    ("first", "second", "same"),
    [
        *(((None, "192.0.2.1"), (None, each), ":" in each) for each in ("192.0.2.2", "::ffff:192.0.2.1")),
        ((None, "2001:db8::1"), (None, "2001:db8::ffff:1"), True),
        ((None, "2001:db8:0:1::1"), (None, "2001:db8:0:2::1"), False),
        ((None, "fe80::1%eth0"), (None, "fe80::2%eth1"), True),
        (("anna", "192.0.2.1"), ("anna", "198.51.100.7"), True),
        (("anna", "192.0.2.1"), ("ben", "192.0.2.1"), False),
        (("192.0.2.1", None), (None, "192.0.2.1"), False),
        ((None, None), (None, "a unix socket"), False),
    ],
)
def test_whom_failures_count_for(first: Caller, second: Caller, *, same: bool) -> None:
    assert (source_of(*first) == source_of(*second)) is same


def proof(user_id: str, secret: str = OF_FRONTEND, **changed: object) -> tuple[bytes, bytes]:
    """Return the header with which a frontend proves who a person is."""
    claims = {"sub": user_id, "iss": "open-webui", "iat": 1, "exp": 4_000_000_000, **changed}
    return b"X-OpenWebUI-User-Jwt", jwt.encode(claims, secret, algorithm="HS256").encode()


@pytest.fixture
async def proving(postgres: Postgres, store: Store) -> AsyncIterator[Pages]:
    """Pages to which a frontend proves people; Anna has a memory."""
    engine, mode = engine_over(postgres), OpenWebUIToken(OF_FRONTEND, header="x-openwebui-user-jwt")
    await engine.add(store.anna, "Drinks green tea")
    async with serve_pages(engine, modes=(mode,)) as served:
        yield replace(served, anna=store.anna, ben=store.ben)


@table(
    ("secret", "changed"),
    [
        ("a1b2c3d4e5f60718293a4b5c6d7e8f90", {}),
        *((OF_FRONTEND, each) for each in ({"exp": 1}, {"iss": "another"})),
    ],
)
async def test_nobody_enters_unsigned(proving: Pages, secret: str, changed: dict[str, object]) -> None:
    visitor = Visitor(proving.port)

    assert (await visitor.get("/enter", proof(proving.anna, secret, **changed))).status == 200
    assert (await visitor.get("")).status == 401


async def test_a_person_enters_by_a_proof_and_the_next_one_does_not(proving: Pages) -> None:
    visitor = Visitor(proving.port)
    await visitor.get("/enter", proof(proving.anna))
    annas = await visitor.get("", proof(proving.anna))
    bens = await visitor.get("", proof(proving.ben))
    await visitor.get("/enter", proof(proving.ben))
    entered = await visitor.get("", proof(proving.ben))

    leaving = await visitor.post("/sign-out", None, proof(proving.ben))
    location = (leaving.header(b"location") or b"").decode()
    left = await visitor.get(location.removeprefix("/memory/ui"), proof(proving.ben))

    assert (annas.status, bens.status, entered.status) == (200, 401, 200)
    assert (left.status, left.header(b"set-cookie")) == (200, None)
    assert b'name="key"' in left.body
    assert b"green tea" in annas.body
    assert b"green tea" not in bens.body + entered.body


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    return tmp_path / "access-keys"


async def test_an_administrator_opens_a_user_and_that_user_is_told(pages: Pages) -> None:
    memory = await pages.engine.add(pages.anna, "Drinks green tea")
    await pages.engine.change_flags(Flags(told_name="Zé Almeida"), ("told_name",), pages.anna)
    admin = await pages.administrator()
    found = await admin.text(f"/users?words={pages.anna.upper()}")
    assert (await admin.get("")).status == 303  # nobody's is open yet
    await admin.post("/look", {"user": pages.anna})
    page = await admin.text("")
    await admin.sent("/correct", {"id": str(memory.id), "content": "Drinks white tea"})
    person = await pages.person(pages.anna)
    told = await person.text("/reads")

    assert pages.anna in found
    says(found, "Memories: 1", f"Zé Almeida {pages.anna}")
    says(page, f"You are looking at the memory of Zé Almeida ({pages.anna}).", "green tea")
    assert "administrator's. Other users" in page
    says(told, "admin-token", "page: memories")
    assert "by an administrator" in await person.text("/changes")


async def test_a_readers_key_reads_and_changes_nothing(postgres: Postgres, store: Store, keys: Path) -> None:
    key = add_access_key(keys, KeyRole.READER, "support")
    async with serve_pages(engine_over(postgres), keys=keys) as served:
        memory = await served.engine.add(store.anna, "Drinks green tea")
        reader = await served.administrator(key, looks_at=store.anna)
        page = await reader.html("")
        token = await reader.form_token()

        says(page, "You can only read", lacks=("/memory/ui/forget",))
        for path in CHANGING:
            if path not in {"/sign-out", "/look"}:
                answer = await reader.post(path, {"id": str(memory.id), "form_token": token})
                assert answer.status == 403, path
        [*_, read] = await served.engine.admin_reads(store.anna, limit=50)
        assert read.reader == "support"
        keys.write_text("")  # noqa: ASYNC240 -- a few bytes; the key is taken out: its sessions end
        assert (await reader.get("")).status == 401


async def test_other_keys_are_no_administrators(postgres: Postgres, store: Store, keys: Path) -> None:
    acting = add_access_key(keys, KeyRole.ACTING, "openwebui")
    elsewhere = add_access_key(keys, KeyRole.ADMIN, "office", networks=["203.0.113.0/24"])
    async with serve_pages(engine_over(postgres), keys=keys) as served:
        own, _ = served.authentication.person_tokens.make(store.anna, Audience.API)
        for key in (acting, elsewhere, own, "", TOKEN + "x"):
            assert (await Visitor(served.port).post("/enter", {"key": key})).status == 401


async def test_a_page_of_one_user_left_open_changes_nothing_of_the_next(pages: Pages) -> None:
    await pages.engine.add(pages.anna, "Drinks green tea")
    admin = await pages.administrator(looks_at=pages.anna)
    old_page = await admin.form_token()
    await admin.post("/look", {"user": pages.ben})

    answer = await admin.post("/erase", {"typed": "erase", "form_token": old_page})

    assert answer.status == 403


async def test_while_the_database_is_away_pages_say_so(pages: Pages, visitor: Visitor) -> None:
    with pages.over(None):
        for path in SHOWING:
            answer = await visitor.get(path)
            assert answer.status in {400, 503}, path
        assert "Nothing is lost" in text_of((await visitor.get("")).body.decode())


async def test_the_language_is_the_browsers_or_the_chosen_one(pages: Pages) -> None:
    german = await pages.person(language="de-AT,de;q=0.9,en;q=0.5")
    other = await pages.person(language="xx, ;q=, *;q=0.1,fr;q=nonsense")

    assert "Meine Erinnerungen" in await german.html("")
    assert "My memories" in await other.html("")
    assert "Mis recuerdos" in await german.sent("/language", {"language": "es", "back": ""})
    for back in ("//evil.example", "/../../x", "https://evil.example", "/a/b", "/\\evil"):
        answer = await german.post("/language", {"language": "zh", "back": back})
        assert answer.header(b"location") == b"/memory/ui"


async def test_a_broken_form_is_refused(visitor: Visitor) -> None:
    long = {"form_token": await visitor.form_token(), "id": "x" * 70_000}

    assert (await visitor.post("/forget", long)).status == 413
    raw = await visitor._ask("POST", "/forget", [FORM], b"%ff%fe&&&===\xff")
    assert raw.status in {400, 403}


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
