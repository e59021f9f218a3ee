"""The page of the profile: allowed, written, proposed, confirmed, refused, taken back; by its person, and seen by others."""

from datetime import UTC, datetime
from uuid import UUID

from tests.recollect_proxy.memory_api.serving import engine_over
from tests.recollect_proxy.pages.served_pages import Elements, Pages, Visitor, says, serve_pages, text_of
from tests.scripted.models import BrokenEmbedder
from tests.support.stores import Store
from tests.support.tables import table
from uuid_utils.compat import uuid7

from recollect.model import EntryState, Flags, Memory, ProfileEntry, ProfileField
from recollect.store import Postgres


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
        ("/profile", {"field": "name", "content": "x" * 2001}, 400),
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


async def test_it_is_nobody_elses(pages: Pages, visitor: Visitor) -> None:
    await allow(pages, pages.anna)
    await allow(pages, pages.ben)
    bens = await pages.engine.add_to_profile(pages.ben, ProfileField.NAME, "Is called Ben")

    for path in ("/profile/correct", "/profile/confirm", "/profile/refuse", "/profile/erase"):
        fields = {"id": str(bens.id), "field": "notes", "content": "mine"}
        assert (await visitor.post(path, fields)).status == 404, path
    assert "Is called Ben" not in await visitor.html("/profile")
    assert [each.content for each in await entries(pages, pages.ben)] == ["Is called Ben"]


async def test_where_nothing_embeds_no_proposals_are_promised(postgres: Postgres, store: Store) -> None:
    async with serve_pages(engine_over(postgres, BrokenEmbedder())) as served:
        await allow(served, store.anna)
        await served.engine.add(store.anna, "Prefers short answers")
        visitor = await served.person(store.anna)

        answer = await visitor.post("/profile/proposals")

    assert answer.status == 503
    assert "The embedding model does not answer" in text_of(answer.body.decode())
