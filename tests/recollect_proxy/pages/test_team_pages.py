"""The pages show a team's memory to its members, with who stated what, and let owners say who is in it."""

import pytest
from tests.recollect_proxy.pages.served_pages import Pages, text_of
from tests.support.people import person

from recollect.model import TeamRole, project_scope

NUTS, BOAT = "Is allergic to nuts", "The boat is called Petrel"


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

    html = await visitor.followed(await visitor.post("/project", {"name": team}))
    refused = await visitor.post("/add", {"content": BOAT, "kind": "fact", "project": team})
    added = await visitor.post(
        "/team/member", {"person": "carl", "role": "owner", "name": "", "project": team}
    )

    assert f"Anna: {NUTS}" in text_of(html)
    assert "The crew" in text_of(html)
    assert "/ui/add" not in html
    assert "/ui/team/member" not in html
    assert (refused.status, added.status) == (403, 403)


async def test_an_owner_says_who_is_in_the_team(pages: Pages, team: str) -> None:
    visitor, name = await pages.person(), team.removeprefix("team:")
    await visitor.post("/project", {"name": team})

    changed = await visitor.followed(
        await visitor.post(
            "/team/member", {"person": pages.ben, "role": "writer", "name": "", "project": team}
        )
    )
    wrong = await visitor.post("/team/member", {"person": "carl", "role": "king", "project": team})

    assert "Saved." in text_of(changed)
    assert "writes" in text_of(changed)
    assert wrong.status == 400
    [ben] = [each for each in (await pages.engine.team(name, None)).members if each.person == pages.ben]
    assert (ben.role, ben.name) == (TeamRole.WRITER, "Ben")


async def test_who_has_left_erases_what_they_stated(pages: Pages, team: str) -> None:
    part, visitor = project_scope(pages.anna, team), await pages.person()
    assert "a team that you left" not in await visitor.html("/data")
    await pages.engine.leave_team(team.removeprefix("team:"), pages.anna)

    assert f"{team.removeprefix('team:')}, a team that you left" in text_of(await visitor.html("/data"))
    form = {"project": team, "typed": "erase"}
    refused = await visitor.post("/project/erase", form | {"typed": "no"})
    erased = await visitor.post("/project/erase", form)

    assert (refused.status, erased.status) == (400, 303)
    assert part not in await pages.engine.scopes_of(pages.anna)
    assert "a team that you left" not in await visitor.html("/data")


async def test_who_leaves_sees_nothing_of_the_team_and_neither_does_anybody_else(
    pages: Pages, team: str
) -> None:
    visitor = await pages.person(pages.ben)
    await visitor.post("/project", {"name": team})

    left = await visitor.followed(await visitor.post("/team/leave", {"project": team}))
    again = await visitor.post("/add", {"content": BOAT, "kind": "fact", "project": team})
    stranger = await pages.person(person("stranger"))
    shown = await stranger.followed(await stranger.post("/project", {"name": team}))

    assert again.status == 404
    for html in (left, await visitor.html(""), shown):
        assert NUTS not in text_of(html)
        assert "The crew" not in text_of(html)
