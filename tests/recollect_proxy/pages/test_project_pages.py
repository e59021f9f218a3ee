"""The pages show the memory of the person, or of a project or a team that they choose, and move memories between them."""

import pytest
from tests.recollect_proxy.pages.served_pages import Pages, Visitor, says, text_of
from tests.support.people import person

from recollect.model import TeamRole, project_scope

TEA, BOAT, NUTS = "Drinks green tea", "The boat is called Petrel", "Is allergic to nuts"


@pytest.fixture
async def boat(pages: Pages) -> str:
    """The id of a project of Anna's, with a memory; she has another one of her own."""
    scope = project_scope(pages.anna, "boat")
    await pages.engine.add(pages.anna, TEA)
    await pages.engine.add(scope, BOAT)
    return scope


@pytest.mark.usefixtures("boat")
async def test_a_project_is_chosen_and_left(visitor: Visitor) -> None:
    assert BOAT not in await visitor.text("")

    shown = text_of(await visitor.sent("/project", {"name": "boat"}))

    says(shown, BOAT, lacks=(TEA,))
    assert BOAT in await visitor.text("/changes")
    assert TEA in text_of(await visitor.sent("/project", {"name": ""}))


async def test_a_form_changes_the_memory_it_shows(pages: Pages, visitor: Visitor, boat: str) -> None:

    await visitor.post("/add", {"content": "The mast is new", "kind": "fact", "project": "boat"})

    assert {each.content for each in (await pages.engine.page(boat, limit=9)).memories} == {
        BOAT,
        "The mast is new",
    }
    for name in (" boat", "boat\x1fmast", "cafe\u0301", "x" * 65, "a\nb"):
        refused = await visitor.post("/add", {"content": "Elsewhere", "kind": "fact", "project": name})
        assert refused.status == 400, name


async def test_a_memory_is_moved_and_that_is_undone(pages: Pages, visitor: Visitor, boat: str) -> None:
    [tea] = (await pages.engine.page(pages.anna, limit=9)).memories

    page = await visitor.html(f"/memory?id={tea.id}")
    moved = await visitor.sent("/move", {"id": str(tea.id), "to": "boat"})

    assert 'action="/memory/ui/move"' in page
    assert "Moved." in text_of(moved)
    assert len((await pages.engine.page(boat, limit=9)).memories) == 2
    [gone, *_] = await pages.engine.history(pages.anna, tea.id)
    await visitor.post("/undo", {"change": str(gone.id)})
    assert [each.content for each in (await pages.engine.page(boat, limit=9)).memories] == [BOAT]


@pytest.mark.usefixtures("boat")
async def test_a_project_is_renamed_recalled_alone_and_erased(pages: Pages, visitor: Visitor) -> None:
    of_boat = {"project": "boat"}

    await visitor.post("/project/change", {"title": "The Petrel", "alone": "yes", **of_boat})
    [known] = await pages.engine.projects(pages.anna)
    wrong = await visitor.sent("/project/erase", {"typed": "no", **of_boat})

    assert (known.title, known.alone) == ("The Petrel", True)
    assert "Nothing was erased." in text_of(wrong)
    erased = await visitor.sent("/project/erase", {"typed": "erase", **of_boat})
    assert "The project is erased." in text_of(erased)
    assert await pages.engine.projects(pages.anna) == []
    assert TEA in text_of(erased)


async def test_all_is_exported_and_erased_in_any_project(pages: Pages, visitor: Visitor, boat: str) -> None:
    await visitor.post("/project", {"name": "boat"})

    counted = await visitor.text("/data")
    exported = await visitor.get("/export")
    await visitor.post("/erase", {"typed": "erase", "project": "boat"})

    assert "Memories2" in counted.replace(" ", ""), counted
    assert exported.header(b"content-type") == b"application/json"
    assert b"attachment" in (exported.header(b"content-disposition") or b"")
    assert {TEA, BOAT} == {each["content"] for each in exported.json["memories"]}
    for scope in (pages.anna, boat):
        assert (await pages.engine.page(scope, limit=9)).memories == ()


@pytest.fixture
async def team(pages: Pages) -> str:
    """The name of a project of a team that Anna owns and Ben reads; she stated something in it."""
    made = await pages.engine.keep_team(f"crew {pages.anna}", "The crew")
    await pages.engine.set_member(made.id, pages.anna, TeamRole.OWNER, "Anna")
    await pages.engine.set_member(made.id, pages.ben, TeamRole.READER, "Ben")
    await pages.engine.add(project_scope(pages.anna, f"team:{made.id}"), NUTS)
    return f"team:{made.id}"


async def test_a_reader_sees_who_stated_what_and_changes_nothing(pages: Pages, team: str) -> None:
    visitor = await pages.person(pages.ben)

    html = await visitor.sent("/project", {"name": team})
    refused = await visitor.post("/add", {"content": BOAT, "kind": "fact", "project": team})
    added = await visitor.post(
        "/team/member", {"person": "carl", "role": "owner", "name": "", "project": team}
    )

    says(text_of(html), f"Anna: {NUTS}", "The crew")
    says(html, lacks=("/ui/add", "/ui/team/member"))
    assert (refused.status, added.status) == (403, 403)


async def test_an_owner_says_who_is_in_the_team(pages: Pages, team: str) -> None:
    visitor, name = await pages.person(), team.removeprefix("team:")
    await visitor.post("/project", {"name": team})

    changed = await visitor.sent(
        "/team/member", {"person": pages.ben, "role": "writer", "name": "", "project": team}
    )
    wrong = await visitor.post("/team/member", {"person": "carl", "role": "king", "project": team})

    says(text_of(changed), "Saved.", "writes")
    assert wrong.status == 400
    [ben] = [each for each in (await pages.engine.team(name, None)).members if each.person == pages.ben]
    assert (ben.role, ben.name) == (TeamRole.WRITER, "Ben")


async def test_who_has_left_erases_what_they_stated(pages: Pages, team: str) -> None:
    part, visitor = project_scope(pages.anna, team), await pages.person()
    for member in (await visitor.html("/data"), await visitor.sent("/erase", {"typed": "no"})):
        assert "a team that you left" not in member
    await pages.engine.leave_team(team.removeprefix("team:"), pages.anna)

    assert f"{team.removeprefix('team:')}, a team that you left" in await visitor.text("/data")
    form = {"project": team, "typed": "erase"}
    refused = await visitor.post("/project/erase", form | {"typed": "no"})
    erased = await visitor.post("/project/erase", form)

    assert b"nothing_erased" in (refused.header(b"location") or b"")
    assert erased.status == 303
    assert part not in await pages.engine.scopes_of(pages.anna)
    assert "a team that you left" not in await visitor.html("/data")


async def test_who_leaves_sees_nothing_of_the_team_nor_does_a_stranger(pages: Pages, team: str) -> None:
    visitor = await pages.person(pages.ben)
    await visitor.post("/project", {"name": team})

    left = await visitor.sent("/team/leave", {"project": team})
    again = await visitor.post("/add", {"content": BOAT, "kind": "fact", "project": team})
    stranger = await pages.person(person("stranger"))
    shown = await stranger.sent("/project", {"name": team})

    assert again.status == 404
    for html in (left, await visitor.html(""), shown):
        says(text_of(html), lacks=(NUTS, "The crew"))
