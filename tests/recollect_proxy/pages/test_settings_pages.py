"""Settings and profiles on the pages: a person has five switches, an administrator every setting, of one and of everybody.

A profile is allowed, written, proposed, confirmed, refused, taken back; by its person, and seen by others.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import asdict, fields
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest
import structlog
from tests.recollect_proxy.memory_api.serving import TOKEN, engine_over
from tests.recollect_proxy.pages.served_pages import Elements, Pages, Visitor, says, serve_pages, text_of
from tests.scripted.models import BrokenEmbedder
from tests.support.stores import Store
from tests.support.tables import table
from uuid_utils.compat import uuid7

from recollect.model import OF_ONE, EntryState, Flags, Memory, Placement, ProfileEntry, ProfileField, Strategy
from recollect.store import Postgres
from recollect_proxy.access.access_keys import KeyRole, add_access_key

EVERY = {each.name for each in fields(Flags)} - {"told_zone", "told_name"}


@pytest.fixture
def own_pages(session_pages: Pages, own_postgres: Postgres) -> Iterator[Pages]:
    """Pages over a database of the test's own: everybody's settings are changed."""
    with session_pages.over(engine_over(own_postgres)):
        yield session_pages


def named(html: str, *, disabled: bool = False) -> set[str]:
    """Return the names of a page's setting fields, or only of the disabled ones."""
    return {
        attributes.get("name") or ""
        for tag, attributes in Elements(html).found
        if tag in {"input", "select", "textarea"} and (not disabled or "disabled" in attributes)
    } & EVERY


async def test_a_person_sees_seven_settings_an_administrator_all_but_consent(pages: Pages) -> None:
    persons = await (await pages.person()).html("/settings")
    admins = await (await pages.administrator(looks_at=pages.anna)).html("/settings")

    switches = {"record", "recall", "standing", "summaries", "approve_first"}
    assert named(persons) == switches | {"instructions", "lifetimes"}
    assert named(admins) == EVERY - {"profile"}
    assert "As for everybody: on" in text_of(admins)


async def test_an_administrator_changes_what_differs_and_takes_it_back(pages: Pages) -> None:
    visitor = await pages.administrator(looks_at=pages.anna)
    sent = {"formation": "off", "lexical": "false", "max_memory_tokens": "300", "minimum_importance": "0.5"}
    for name, value in (
        ("max_memory_tokens", "49"),
        ("minimum_importance", "nan"),
        ("formation", "sometimes"),
    ):
        assert (await visitor.post("/settings/more", sent | {name: value})).status == 400, name
    assert await pages.engine.flags(pages.anna) == Flags()

    page = await visitor.sent("/settings/more", {**sent, "placement": "", "summary_turns": " "})
    changed = await pages.engine.flags(pages.anna)
    await visitor.post("/settings/more", {"formation": "", "lexical": "true", "max_memory_tokens": ""})
    taken_back = await pages.engine.flags(pages.anna)

    assert "Saved." in page
    off = {"formation": Strategy.OFF, "lexical": False, "max_memory_tokens": 300, "minimum_importance": 0.5}
    assert asdict(changed) == asdict(Flags()) | off
    says(page, 'value="300"', '<option value="off" selected>')
    assert taken_back == Flags(lexical=True, minimum_importance=0.5)
    assert await pages.engine.flags(pages.ben) == Flags()


async def test_an_administrator_changes_settings_for_everybody(own_pages: Pages) -> None:
    admin = await own_pages.administrator()
    before = await admin.html("/everybody")

    sent = {"recall": "false", "placement": "system", "session_cap": "40", "profile": "true"}
    page = await admin.sent("/everybody", sent)
    of_one = text_of(await (await own_pages.administrator(looks_at=own_pages.anna)).html("/settings"))

    assert named(before) == EVERY - set(OF_ONE)
    assert "As started: on" in text_of(before)
    assert "Saved." in page
    assert await own_pages.engine.flags() == Flags(recall=False, placement=Placement.SYSTEM, session_cap=40)
    says(of_one, "As for everybody: in the system prompt", "as for everybody, 40.")
    with structlog.testing.capture_logs() as logs:
        await admin.post("/everybody", {"recall": "", "placement": "", "session_cap": "", "lexical": ""})
    assert await own_pages.engine.flags() == Flags()
    [names] = [each["names"] for each in logs if each["event"] == "settings_changed"]
    assert names == ["placement", "recall", "session_cap"]


async def test_settings_for_everybody_are_an_administrators(own_postgres: Postgres, tmp_path: Path) -> None:
    keys = tmp_path / "access-keys"
    key = add_access_key(keys, KeyRole.READER, "support")
    async with serve_pages(engine_over(own_postgres), keys=keys) as served:
        person, reader = await served.person(), await served.administrator(key)
        admin, stranger = await served.administrator(TOKEN), Visitor(served.port)
        shown = await reader.html("/everybody")
        off, elsewhere = {"recall": "false"}, (b"Sec-Fetch-Site", b"cross-site")
        anothers = off | {"form_token": await reader.form_token()}
        answers = {
            "person reads": await person.get("/everybody"),
            "person writes": await person.post("/everybody", off),
            "person writes numbers": await person.post("/settings/more", {"user_cap": "1"}),
            "reader writes": await reader.post("/everybody", off),
            "stranger reads": await stranger.get("/everybody"),
            "stranger writes": await stranger.post("/everybody", {"form_token": "x"}),
            "another session's form": await admin.post("/everybody", anothers),
            "another site's form": await admin.post("/everybody", off, elsewhere),
        }

        assert named(shown, disabled=True) == EVERY - set(OF_ONE)
        for what, answer in answers.items():
            refused = 404 if "person" in what else 401 if "stranger" in what else 403
            assert answer.status == refused, what
        assert await served.engine.flags() == await served.engine.flags(served.anna) == Flags()


async def test_a_person_sees_who_changed_their_settings_and_how(pages: Pages) -> None:
    person, admin = await pages.person(), await pages.administrator(looks_at=pages.anna)
    await person.post("/settings", {"record": "on", "standing": "on", "summaries": "on"})
    await admin.post("/settings/more", {"lexical": "false", "user_cap": "500"})
    await person.post("/profile/consent", {"allows": "yes"})

    told = await person.text("/reads")

    assert "Recall: as for everybody → off" in told
    assert "an administrator (admin-token)Search by words: as for everybody → off" in told
    assert "you (own-page)Profile: off → on" in told
    assert (await pages.engine.settings_changes(pages.ben, limit=5)) == []


async def test_what_is_saved_as_it_was_is_no_change(pages: Pages) -> None:
    person = await pages.person()
    everything = {"record": "on", "recall": "on", "standing": "on"}

    await person.post("/settings", everything)

    assert await pages.engine.settings_changes(pages.anna, limit=5) == []
    assert "Nothing was changed." in await person.text("/reads")


async def test_a_person_writes_instructions_and_reads_the_operators(own_pages: Pages) -> None:
    operators = Flags(operator_instructions="Keep <i>editors</i>.")
    await own_pages.engine.change_flags(operators, ("operator_instructions",))
    person = await own_pages.person()
    switches = {"record": "on", "recall": "on", "standing": "on", "summaries": ""}
    text = "Never remember my health.\r\n</textarea><b>Remember my garden.</b>"

    given = {"instructions": text, "lifetimes": "todo:30,#home:9"}
    page = await person.sent("/settings", switches | given)
    for wrong in ({"instructions": "x" * 2_001}, {"lifetimes": "soon"}):
        assert (await person.post("/settings", switches | wrong)).status == 400
    kept = await own_pages.engine.flags(own_pages.anna)
    await person.post("/settings", switches | {"instructions": " ", "lifetimes": ""})

    assert "Never remember my health.\n&lt;/textarea&gt;&lt;b&gt;Remember my garden." in page
    assert "Keep &lt;i&gt;editors&lt;/i&gt;." in page
    assert "may err" in text_of(page)
    assert 'value="todo:30,#home:9"' in page
    assert kept == Flags(instructions=text.replace("\r\n", "\n"), lifetimes="todo:30,#home:9")
    assert await own_pages.engine.flags(own_pages.anna) == Flags()


@table(
    "told",
    [
        "",
        "todo:30",
        " todo : 30 ",
        "#work:365",
        "todo:30, #at home:9",
        "soon",
        "todos:3",
        "todo",
        "todo:x",
        "#:3",
        "todo:3,",
    ],
)
async def test_a_browser_takes_the_lifetimes_that_the_server_takes(own_pages: Pages, told: str) -> None:
    person = await own_pages.person()
    [pattern] = re.findall(r'name="lifetimes"[^>]* pattern="([^"]*)"', await person.html("/settings"))

    taken = (await person.post("/settings", {"lifetimes": told})).status == 303

    assert (re.fullmatch(html.unescape(pattern), told) is not None) == taken


async def test_a_person_has_everything_approved_first(own_pages: Pages) -> None:
    person = await own_pages.person()
    rest = {"record": "on", "recall": "on", "standing": "on"}

    await person.post("/settings", rest | {"approve_first": "on"})
    own = await own_pages.engine.flags(own_pages.anna)
    await own_pages.engine.change_flags(Flags(approve_first=True), ("approve_first",))
    page = await person.sent("/settings", rest)

    assert own == Flags(approve_first=True)
    assert await own_pages.engine.flags(own_pages.anna) == own
    assert "The same for everybody." in page
    assert "approve_first" in named(page, disabled=True)


async def allow(pages: Pages, user_id: str) -> None:
    await pages.engine.change_flags(Flags(profile=True), ("profile",), user_id)


async def entries(pages: Pages, user_id: str | None = None) -> tuple[ProfileEntry, ...]:
    return (await pages.engine.profile(user_id or pages.anna)).entries


async def proposed(pages: Pages, store: Store, content: str = "Works on a tea shop") -> tuple[Memory, UUID]:
    """Add a memory of Anna's that proposes its content; return it and the proposal's id."""
    await allow(pages, pages.anna)
    memory = await pages.engine.add(pages.anna, content)
    entry_id = uuid7()
    proposals = {entry_id: (memory.id, ProfileField.GOALS)}
    await store.profiles.propose(pages.anna, proposals, at=datetime.now(UTC))
    return memory, entry_id


async def test_without_consent_it_says_so_and_takes_nothing(visitor: Visitor) -> None:

    html = await visitor.html("/profile")
    refused = await visitor.post("/profile", {"field": "name", "content": "Is called Anna"})

    assert "You have not allowed a profile" in text_of(html)
    assert "textarea" not in html
    assert refused.status == 409
    assert "Allow it on its page first" in text_of(refused.body.decode())


async def test_a_person_allows_it_writes_changes_and_removes(pages: Pages, visitor: Visitor) -> None:

    allowed = text_of(await visitor.sent("/profile/consent", {"allows": "yes"}))
    answers = {"field": "answers", "content": " Short answers\r\nplease "}
    added = text_of(await visitor.sent("/profile", answers))
    [written] = await entries(pages)
    change = {"id": str(written.id), "field": "notes", "content": "Likes tea"}
    changed = text_of(await visitor.sent("/profile/correct", change))
    [after] = await entries(pages)
    removed = text_of(await visitor.sent("/profile/erase", {"id": str(written.id)}))

    says(allowed, "You allow a profile now.", lacks=("Last changed on",))
    says(added, "Added to your profile.", f"Last changed on {written.changed_at:%d %b %Y, %H:%M}")
    assert (written.field, written.content) == (ProfileField.ANSWERS, "Short answers\nplease")
    assert "Corrected in your profile." in changed
    assert (after.field, after.content) == (ProfileField.NOTES, "Likes tea")
    assert "Erased from your profile." in removed
    assert await entries(pages) == ()


async def test_every_field_is_shown_and_can_be_chosen(pages: Pages, visitor: Visitor) -> None:
    await allow(pages, pages.anna)

    found = Elements(await visitor.html("/profile?field=goals")).found

    options = {each["value"]: "selected" in each for tag, each in found if tag == "option"}
    assert {each["id"] for tag, each in found if tag == "h3"} == {f"f-{each}" for each in ProfileField}
    assert {each: options.get(each) for each in ProfileField} == {
        each: each == "goals" for each in ProfileField
    }


async def test_a_proposal_is_confirmed_or_refused(pages: Pages, visitor: Visitor, store: Store) -> None:
    memory, first = await proposed(pages, store)
    _, second = await proposed(pages, store, "Drinks green tea")
    _, third = await proposed(pages, store, "Reads novels")

    html = await visitor.html("/profile")
    confirmed = await visitor.sent("/profile/confirm", {"id": str(first)})
    piece = await visitor.post("/profile/refuse", {"id": str(third)}, (b"HX-Request", b"true"))
    refused = await visitor.sent("/profile/refuse", {"id": str(second)})

    assert piece.body.decode().strip().startswith("<li")
    assert 'href="/memory/ui/profile"' in piece.body.decode()

    assert f'href="/memory/ui/memory?id={memory.id}"' in html
    assert html.index("Works on a tea shop") < html.index("What your profile says")
    assert "It is part of your profile now." in text_of(confirmed)
    assert confirmed.index("Works on a tea shop") > confirmed.index("What your profile says")
    assert "It is not proposed again." in text_of(refused)
    assert "Drinks green tea" not in refused
    assert [(each.id, each.state) for each in await entries(pages)] == [(first, EntryState.CONFIRMED)]


async def test_memories_are_asked_for_proposals(pages: Pages, visitor: Visitor) -> None:
    await allow(pages, pages.anna)

    nothing = await visitor.sent("/profile/proposals")
    await pages.engine.add(pages.anna, "Prefers short, direct answers.")
    something = await visitor.sent("/profile/proposals")
    again = await visitor.sent("/profile/proposals")

    assert all("Your memories propose nothing new." in text_of(each) for each in (nothing, again))
    says(text_of(something), "Your memories propose something new.", "Prefers short, direct answers.")


async def test_consent_taken_back_erases_and_says_so(pages: Pages, visitor: Visitor, store: Store) -> None:
    memory, _ = await proposed(pages, store)
    await pages.engine.add_to_profile(pages.anna, ProfileField.NAME, "Is called Anna")

    before = await visitor.text("/profile")
    after = await visitor.sent("/profile/consent", {"allows": "no"})
    await visitor.post("/profile/consent", {"allows": "yes"})

    says(before, "the entries on this page (2)", "their embeddings")
    assert "The profile and its embeddings are erased." in text_of(after)
    assert "Is called Anna" not in after
    assert await entries(pages) == ()
    assert (await pages.engine.get(pages.anna, memory.id)).content == "Works on a tea shop"


@table(
    ("path", "fields", "status"),
    [
        ("/profile", {"field": "shoe_size", "content": "x"}, 400),
        ("/profile", {"field": "name", "content": "x" * 8_001}, 400),
        ("/profile", {"field": "notes", "content": "Is called Anna"}, 409),
        ("/profile/correct", {"id": str(uuid7()), "field": "name", "content": "x"}, 404),
        *((f"/profile/{each}", {"id": str(uuid7())}, 404) for each in ("confirm", "erase")),
        ("/profile/refuse", {}, 400),
        ("/profile/consent", {"allows": "perhaps"}, 400),
    ],
)
async def test_no_nonsense_changes_it(pages: Pages, path: str, fields: dict[str, str], status: int) -> None:
    await allow(pages, pages.anna)
    if not (before := await entries(pages)):
        before = (await pages.engine.add_to_profile(pages.anna, ProfileField.NAME, "Is called Anna"),)

    assert (await (await pages.person()).post(path, fields)).status == status
    assert await entries(pages) == before


async def test_where_nothing_embeds_no_proposals_are_promised(postgres: Postgres, store: Store) -> None:
    async with serve_pages(engine_over(postgres, BrokenEmbedder())) as served:
        await allow(served, store.anna)
        await served.engine.add(store.anna, "Prefers short answers")
        visitor = await served.person(store.anna)

        answer = await visitor.post("/profile/proposals")

    assert answer.status == 503
    assert "The embedding model does not answer" in text_of(answer.body.decode())
