"""The pages show the memory of the person, or of a project that they choose, and move memories between them."""

import pytest
from tests.recollect_proxy.pages.served_pages import Pages, text_of

from recollect.model import project_scope

TEA, BOAT = "Drinks green tea", "The boat is called Petrel"


@pytest.fixture
async def boat(pages: Pages) -> str:
    """The id of a project of Anna's, with a memory; she has another one of her own."""
    scope = project_scope(pages.anna, "boat")
    await pages.engine.add(pages.anna, TEA)
    await pages.engine.add(scope, BOAT)
    return scope


@pytest.mark.usefixtures("boat")
async def test_a_project_is_chosen_and_left(pages: Pages) -> None:
    visitor = await pages.person()
    assert BOAT not in text_of(await visitor.html(""))

    shown = text_of(await visitor.followed(await visitor.post("/project", {"name": "boat"})))

    assert BOAT in shown
    assert TEA not in shown
    assert BOAT in text_of(await visitor.html("/changes"))
    assert TEA in text_of(await visitor.followed(await visitor.post("/project", {"name": ""})))


@pytest.mark.usefixtures("boat")
async def test_a_project_of_another_person_shows_ones_own_memory(pages: Pages) -> None:
    visitor = await pages.person(pages.ben)

    shown = text_of(await visitor.followed(await visitor.post("/project", {"name": "boat"})))

    assert BOAT not in shown
    assert "boat" not in shown


async def test_a_form_changes_the_memory_that_it_was_shown_with(pages: Pages, boat: str) -> None:
    visitor = await pages.person()

    await visitor.post("/add", {"content": "The mast is new", "kind": "fact", "project": "boat"})

    assert {each.content for each in (await pages.engine.page(boat, limit=9)).memories} == {
        BOAT,
        "The mast is new",
    }


async def test_a_memory_is_moved_and_that_is_undone(pages: Pages, boat: str) -> None:
    visitor = await pages.person()
    [tea] = (await pages.engine.page(pages.anna, limit=9)).memories

    page = await visitor.html(f"/memory?id={tea.id}")
    moved = await visitor.followed(await visitor.post("/move", {"id": str(tea.id), "to": "boat"}))

    assert 'action="/memory/ui/move"' in page
    assert "Moved." in text_of(moved)
    assert len((await pages.engine.page(boat, limit=9)).memories) == 2
    [gone, *_] = await pages.engine.history(pages.anna, tea.id)
    await visitor.post("/undo", {"change": str(gone.id)})
    assert [each.content for each in (await pages.engine.page(boat, limit=9)).memories] == [BOAT]


@pytest.mark.usefixtures("boat")
async def test_a_project_is_renamed_recalled_alone_and_erased(pages: Pages) -> None:
    visitor = await pages.person()
    of_boat = {"project": "boat"}

    await visitor.post("/project/change", {"title": "The Petrel", "alone": "yes", **of_boat})
    [known] = await pages.engine.projects(pages.anna)
    wrong = await visitor.post("/project/erase", {"typed": "no", **of_boat})

    assert (known.title, known.alone) == ("The Petrel", True)
    assert wrong.status == 400
    erased = await visitor.followed(await visitor.post("/project/erase", {"typed": "erase", **of_boat}))
    assert "The project is erased." in text_of(erased)
    assert await pages.engine.projects(pages.anna) == []
    assert TEA in text_of(erased)


async def test_all_is_exported_and_erased_whatever_project_is_shown(pages: Pages, boat: str) -> None:
    visitor = await pages.person()
    await visitor.post("/project", {"name": "boat"})

    counted = text_of(await visitor.html("/data"))
    exported = await visitor.html("/export")
    await visitor.post("/erase", {"typed": "erase", "project": "boat"})

    assert "Memories2" in counted.replace(" ", ""), counted
    assert TEA in exported
    assert BOAT in exported
    for scope in (pages.anna, boat):
        assert (await pages.engine.page(scope, limit=9)).memories == ()
