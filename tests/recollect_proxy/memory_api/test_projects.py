"""A request may name a project of its user; what concerns the person takes none."""

from typing import Any
from urllib.parse import quote

import pytest
from tests.recollect_proxy.memory_api.serving import TOKEN, Api, assert_error
from tests.support.raw_client import Response
from tests.support.tables import table

from recollect.api.memories import NewMemory
from recollect.api.operations import Memories
from recollect.client import AsyncMemoryClient

BOAT = "The boat is called Petrel."
CHINESE = "\u8239"


async def call(api: Api, method: str, path: str, body: Any = None, *, project: str = "boat") -> Response:
    """Send a request that names a project."""
    headers = [
        (b"Authorization", f"Bearer {TOKEN}".encode()),
        (b"X-Recollect-Project", quote(project, safe="").encode()),
    ]
    return await api.call(method, path, body, headers=headers)


async def contents(api: Api, project: str) -> list[str]:
    listed = (await call(api, "GET", api.memories, project=project)).json["memories"]
    assert {each["project"] for each in listed} <= {project}
    return [each["content"] for each in listed]


@pytest.fixture
async def known(api: Api) -> Any:
    """A memory of a project of Anna's."""
    response = await call(api, "POST", api.memories, {"content": BOAT})
    assert response.status == 201, response.body
    return response.json


@table("project", ["boat", CHINESE, "a b/c"])
async def test_a_memory_is_in_the_project_that_the_request_names_alone(api: Api, project: str) -> None:
    written = await call(api, "POST", api.memories, {"content": BOAT}, project=project)

    assert written.json["project"] == project
    assert await contents(api, project) == [BOAT]
    assert BOAT not in await api.contents()
    assert await contents(api, "another") == []
    elsewhere = await api.call("GET", f"{api.memories}/{written.json['id']}")
    assert_error(elsewhere, 404, "memory_not_found")


@pytest.mark.usefixtures("known")
async def test_projects_are_listed_renamed_and_erased(api: Api) -> None:
    await api.write("Likes tea.")
    of_boat = f"{api.user}/projects/boat"

    changed = await api.call("PATCH", of_boat, {"title": "The\nPetrel\x1f", "alone": True})
    listed = await api.call("GET", f"{api.user}/projects")

    boat = {"name": "boat", "title": "The Petrel", "alone": True, "memories": 1, "chats": 0}
    assert (changed.json, listed.json) == (boat, {"projects": [boat]})
    erased = await api.call("DELETE", of_boat)
    assert (erased.status, erased.json["rows"]["users_vectors"]) == (200, 1)
    assert (await api.call("GET", f"{api.user}/projects")).json == {"projects": []}
    assert await api.contents() == ["Likes tea."]
    for method, body in (("PATCH", {"alone": False}), ("DELETE", None)):
        assert_error(await api.call(method, of_boat, body), 404, "project_not_found", "project")


async def test_a_memory_is_moved_out_of_a_project_and_that_is_undone(api: Api, known: Any) -> None:
    moved = await call(api, "POST", f"{api.memories}/{known['id']}/move", {"project": None})

    assert (moved.status, moved.json["project"], moved.json["content"]) == (200, "", BOAT)
    assert (await api.contents(), await contents(api, "boat")) == ([BOAT], [])
    [change] = (await api.call("GET", f"{api.memories}/{moved.json['id']}/changes")).json["changes"]
    assert change["reason"] == "moved"
    await api.call("POST", f"{api.memories}/changes/{change['id']}/undo")
    assert (await api.contents(), await contents(api, "boat")) == ([], [BOAT])


async def test_a_memory_is_moved_to_the_project_that_requests_name(api: Api, known: Any) -> None:
    moved = await call(api, "POST", f"{api.memories}/{known['id']}/move", {"project": " the  house "})

    assert moved.json["project"] == "the house"
    assert await contents(api, "the house") == [BOAT]


@table("name", ["", " ", "a\x1fb", "a\nb"])
async def test_a_memory_is_not_moved_to_a_name_that_can_be_no_projects(
    api: Api, known: Any, name: str
) -> None:
    refused = await call(api, "POST", f"{api.memories}/{known['id']}/move", {"project": name})

    assert_error(refused, 422, "invalid_field", "project")
    assert await contents(api, "boat") == [BOAT]


@table("header", [b"", b"%0A", b"x" * 65, b"%1F", b"\xff%00"])
async def test_a_name_that_can_be_no_projects_is_refused(api: Api, header: bytes) -> None:
    headers = [(b"Authorization", f"Bearer {TOKEN}".encode()), (b"X-Recollect-Project", header)]

    refused = await api.call("GET", api.memories, headers=headers)

    assert_error(refused, 400, "invalid_parameter", "X-Recollect-Project")


@table(
    ("method", "path"),
    [("DELETE", ""), ("GET", "/export"), ("GET", "/settings"), ("GET", "/profile"), ("GET", "/usage")],
)
@pytest.mark.usefixtures("known")
async def test_what_concerns_the_person_is_refused_with_a_project_named(
    api: Api, method: str, path: str
) -> None:
    assert_error(
        await call(api, method, f"{api.user}{path}"), 400, "invalid_parameter", "X-Recollect-Project"
    )
    assert await contents(api, "boat") == [BOAT]


async def test_what_concerns_no_user_takes_no_notice_of_a_project(api: Api) -> None:
    assert (await call(api, "GET", "/memory/health")).status == 200


@pytest.mark.usefixtures("known")
async def test_nobody_reaches_a_project_by_an_id_of_their_own(api: Api) -> None:
    disguised = quote(f"{api.anna}\x1fboat", safe="")

    refused = await api.call("GET", f"/memory/users/{disguised}/memories")

    assert_error(refused, 400, "invalid_parameter", "user_id")


async def test_the_client_names_a_project(api: Api) -> None:
    async with AsyncMemoryClient(f"http://127.0.0.1:{api.port}", TOKEN) as client:
        await client.ask(Memories.add_memory, api.anna, send=NewMemory(BOAT), project=CHINESE)
        listed = [each async for each in client.each(Memories.list_memories, api.anna, project=CHINESE)]

    assert [(each.content, each.project) for each in listed] == [(BOAT, CHINESE)]
