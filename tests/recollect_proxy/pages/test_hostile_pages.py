"""Nothing that a memory, a quote, a chat's id or a user's id holds becomes a part of a page: it stays text."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from tests.recollect_proxy.memory_api.serving import engine_over
from tests.recollect_proxy.pages.served_pages import Elements, Pages, Visitor, serve_pages
from tests.stores import Store
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
    "{{ 7 * 7 }}{% raw %}{{ config }}{% endraw %}{ t.words } {0} {count.__class__}",
    "<!-- --!><script>document.title='owned'</script>",
    "<math><mtext></p><style><img title='</style><img src=x onerror=document.title=1>'>",
    "\u202e<script>\u2028document.title='owned'</script>\ufeff",
    "&lt;script&gt;document.title='owned'&lt;/script&gt; &#x3C;b&#x3E;",
)
PAGES = (
    "",
    "?words={words}",
    "?chat={chat}",
    "/review",
    "/waiting",
    "/profile",
    "/timeline",
    "/chats",
    "/recalls",
    "/switches",
    "/data",
    "/reads",
)


async def live_with(pages: Pages, store: Store, user_id: str, text: str, chat: str) -> str:
    """Have a user of whom everything says ``text``; return the id of a memory."""
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
    await pages.engine.confirm_in_profile(user_id, next(iter(proposals)))  # outdated by what follows
    await pages.engine.revise(user_id, memory.id, content=f"{text} now", actor=Actor.USER)
    return str(memory.id)


def skeleton(html: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the elements of a page with the names of their attributes: what must not depend on a memory."""
    return [(tag, tuple(sorted(attributes))) for tag, attributes in Elements(html).found]


async def shown(visitor: Visitor, memory_id: str, words: str, chat: str) -> list[str]:
    """Return every page of one's memory."""
    from urllib.parse import quote  # noqa: PLC0415 -- used here alone

    paths = [each.format(words=quote(words), chat=quote(chat)) for each in PAGES]
    return [await visitor.html(path) for path in (*paths, f"/memory?id={memory_id}")]


@pytest.mark.parametrize("text", HOSTILE)
async def test_a_hostile_text_changes_no_element_of_any_page(
    postgres: Postgres, store: Store, text: str
) -> None:
    async with serve_pages(engine_over(postgres)) as pages:
        plain_user = f"plain-{uuid7().hex}"
        name = text.replace("{", "").replace("}", "")  # a template is no id
        hostile_user = f"{name}-{uuid7().hex}"
        plain_id = await live_with(pages, store, plain_user, "Drinks green tea", "chat")
        hostile_id = await live_with(pages, store, hostile_user, text, name)
        plain = await pages.administrator(looks_at=plain_user)
        hostile = await pages.administrator(looks_at=hostile_user)

        expected = await shown(plain, plain_id, "tea", "chat")
        found = await shown(hostile, hostile_id, text.split(maxsplit=1)[0], name)

        for path, before, after in zip((*PAGES, "/memory"), expected, found, strict=True):
            assert skeleton(after) == skeleton(before), path
        users = await hostile.html(f"/users?words={hostile_user[-32:]}")
        assert skeleton(users) == skeleton(await plain.html(f"/users?words={plain_user[-32:]}"))
        assert "49" not in Elements(found[0]).text.replace(hostile_user, "") or "7 * 7" in found[0]
        own = await pages.person(hostile_user)
        assert json.loads((await own.get("/export")).body)["user_id"] == hostile_user


async def test_the_only_scripts_and_styles_are_our_own_files(pages: Pages) -> None:
    memory = await pages.engine.add(pages.anna, "Drinks green tea")
    visitor = await pages.person()

    for html in await shown(visitor, str(memory.id), "tea", "chat"):
        for tag, attributes in Elements(html).found:
            assert tag != "style"
            assert "style" not in attributes
            assert not [name for name in attributes if name.startswith("on")]
            if tag == "script":
                assert attributes["src"] == "/memory/ui/static/htmx.js"
            for name in ("href", "src", "action"):
                assert (attributes.get(name) or "/memory/ui").startswith(("/memory/ui", "#"))
        assert html.count("<script") == 1
