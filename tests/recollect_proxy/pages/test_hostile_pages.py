"""Memories, quotes, chat ids and user ids stay text: nothing in them becomes a part of a page."""

import json
from datetime import UTC, datetime, timedelta
from typing import TypeAlias
from urllib.parse import quote

import pytest
from tests.recollect_proxy.pages.served_pages import Elements, Pages, Visitor
from tests.support.stores import Store, store_over
from uuid_utils.compat import uuid7

from recollect.model import Actor, Add, Flags, ProfileField, Provenance, Quarantine, Reason, Scope
from recollect.store import Postgres

HOSTILE = (
    "<script>document.title='owned'</script>",
    "</title></style></textarea></script><img src=x onerror=document.title='owned'>",
    "\"><svg/onload=document.title='owned'>",
    "' autofocus onfocus=document.title='owned' x='",
    "javascript:document.title='owned'",
    "<a href=\"javascript:document.title='owned'\">tea</a>",
    "<iframe srcdoc='<script>parent.document.title=`owned`</script>'></iframe>",
    "<form action=https://evil.example><button>go</button></form>",
    "<p hx-get=/memory/ui/erase hx-trigger=load data-hx-post=/memory/ui/erase>x</p>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "{{ 7919 * 7907 }}{% raw %}{{ config }}{% endraw %}{ t.words } {0} {count.__class__}",
    "<!-- --!><script>document.title='owned'</script>",
    "<math><mtext></p><style><img title='</style><img src=x onerror=document.title=1>'>",
    "\u202e<script>\u2028document.title='owned'</script>\ufeff",
    "&lt;script&gt;document.title='owned'&lt;/script&gt; &#x3c;b&#x3e;",
)
_OF_MEMORIES = ("", "?words={words}", "?chat={chat}", "/review", "/held", "/profile", "/changes")
PAGES = (*_OF_MEMORIES, "/chats", "/recalls", "/settings", "/data", "/reads")


Skeleton: TypeAlias = list[tuple[str, tuple[str, ...]]]


async def live_with(pages: Pages, store: Store, user_id: str, text: str, chat: str) -> str:
    """Make a user whose data all contains ``text``; return the id of a memory."""
    scope, old = Scope(user_id, chat), datetime.now(UTC) - timedelta(days=200)
    told = Provenance(session_id=chat, evidence=text)
    memory = store.memory(text, scope, importance=0.9, observed_at=old, provenance=told)
    held = store.memory(f"{text} held", scope, provenance=told)
    other = store.memory(f"{text} too", scope, observed_at=datetime.now(UTC), provenance=told)
    await store.memories.apply(scope, [Add(memory), Add(other)], actor=Actor.FORMATION, at=old)
    await store.memories.apply(scope, [Quarantine(held, Reason.INSTRUCTION)], actor=Actor.FORMATION, at=old)
    await store.log.append(store.exchange(text, scope))
    await pages.engine.change_flags(Flags(profile=True), ("profile",), user_id)
    await pages.engine.add_to_profile(user_id, ProfileField.NOTES, f"{text} written")
    proposals = {uuid7(): (memory.id, ProfileField.GOALS), uuid7(): (other.id, ProfileField.DOMAIN)}
    await store.profiles.propose(user_id, proposals, at=datetime.now(UTC))
    await pages.engine.confirm_in_profile(user_id, next(iter(proposals)))  # outdated by the revision below
    await pages.engine.revise(user_id, memory.id, content=f"{text} now", actor=Actor.USER)
    return str(memory.id)


def skeleton(html: str) -> Skeleton:
    """Return the elements of a page with the names of their attributes, which must not depend on a memory."""
    return [(tag, tuple(sorted(attributes))) for tag, attributes in Elements(html).found]


async def shown(visitor: Visitor, memory_id: str, words: str, chat: str) -> list[str]:
    paths = [each.format(words=quote(words), chat=quote(chat)) for each in PAGES]
    return [await visitor.html(path) for path in (*paths, f"/memory?id={memory_id}")]


async def shown_to_administrators(
    pages: Pages, store: Store, user_id: str, text: str, chat: str
) -> dict[str, str]:
    """Make a user whose data all contains ``text``, and return each page by its path."""
    memory_id = await live_with(pages, store, user_id, text, chat)
    admin = await pages.administrator(looks_at=user_id)
    found = await shown(admin, memory_id, text.split(maxsplit=1)[0], chat)
    users = await admin.html(f"/users?words={user_id[-32:]}")
    return dict(zip((*PAGES, "/memory", "/users"), (*found, users), strict=True))


@pytest.fixture(scope="module")
async def plain(postgres: Postgres, session_pages: Pages) -> dict[str, Skeleton]:
    """The skeletons of the pages of a user without hostile texts."""
    found = await shown_to_administrators(
        session_pages, store_over(postgres), f"plain-{uuid7().hex}", "tea is what she drinks", "chat"
    )
    return {path: skeleton(html) for path, html in found.items()}


@pytest.mark.parametrize("text", HOSTILE)
async def test_no_element_changes(pages: Pages, store: Store, plain: dict[str, Skeleton], text: str) -> None:
    name = text.replace("{", "").replace("}", "")  # a template is no id
    user_id = f"{name}-{uuid7().hex}"

    found = await shown_to_administrators(pages, store, user_id, text, name)

    for path, html in found.items():
        assert skeleton(html) == plain[path], path
    assert "62615533" not in Elements(found[""]).text.replace(user_id, "") or "7919 * 7907" in found[""]
    own = await pages.person(user_id)
    assert json.loads((await own.get("/export")).body)["user_id"] == user_id


async def test_the_only_scripts_and_styles_are_our_own_files(pages: Pages, visitor: Visitor) -> None:
    memory = await pages.engine.add(pages.anna, "Drinks green tea")

    for html in await shown(visitor, str(memory.id), "tea", "chat"):
        for tag, attributes in Elements(html).found:
            assert tag != "style"
            assert "style" not in attributes
            assert not [name for name in attributes if name.startswith("on")]
            if tag == "script":
                assert attributes["src"] in {
                    "/memory/ui/static/htmx.js",
                    "/memory/ui/static/menus.js",
                }
            for name in ("href", "src", "action"):
                assert (attributes.get(name) or "/memory/ui").startswith(("/memory/ui", "#"))
        assert html.count("<script") == 2
