"""A request may name a project of its user, or a team; what concerns the person takes none."""

from typing import Any
from urllib.parse import quote

import pytest
from tests.recollect_proxy.memory_api.serving import TOKEN, Api, assert_error, bearer, path_of
from tests.support.people import Person, person
from tests.support.raw_client import Response
from tests.support.tables import table

from recollect_proxy.access.person_tokens import Audience

BOAT = "The boat is called Petrel."
CHINESE = "\u8239"


def named(project: str) -> tuple[bytes, bytes]:
    return b"X-Recollect-Project", quote(project, safe="").encode()


async def call(api: Api, method: str, path: str, body: Any = None, *, project: str = "boat") -> Response:
    return await api.call(method, path, body, also=[named(project)])


async def contents(api: Api, project: str) -> list[str]:
    listed = (await call(api, "GET", api.memories, project=project)).json["memories"]
    assert {each["project"] for each in listed} <= {project}
    return [each["content"] for each in listed]


@pytest.fixture
async def known(api: Api) -> Any:
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


@table("header", [b"", b"%0A", b"x" * 65, b"%1F", b"\xff%00"])
async def test_a_name_that_can_be_no_projects_is_refused(api: Api, header: bytes) -> None:
    refused = await api.call("GET", api.memories, also=[(b"X-Recollect-Project", header)])

    assert_error(refused, 400, "invalid_parameter", "X-Recollect-Project")


@table(
    ("method", "path"),
    [("DELETE", ""), ("GET", "/export"), ("GET", "/settings"), ("GET", "/profile"), ("GET", "/usage")],
)
@pytest.mark.usefixtures("known")
async def test_what_concerns_the_person_takes_no_project(api: Api, method: str, path: str) -> None:
    refused = await call(api, method, f"{api.user}{path}")
    assert_error(refused, 400, "invalid_parameter", "X-Recollect-Project")
    assert await contents(api, "boat") == [BOAT]


NUTS = "I am allergic to nuts."


class Family:
    """A team: Anna owns it, Ben writes, Dora reads; Mallory is not in it."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.ben, self.dora, self.mallory = (person(each) for each in ("ben", "dora", "mallory"))
        self.id = f"family {self.ben}"
        self.path = f"/memory/teams/{quote(self.id)}"

    async def call(
        self, who: str | None, method: str, path: str, body: Any = None, *, team: str | None = None
    ) -> Response:
        tokens = self.api.authentication.person_tokens
        token = TOKEN if who is None else tokens.make(who, Audience.API)[0]
        also = [] if team is None else [named(f"team:{team}")]
        return await self.api.call(method, path, body, headers=bearer(token), also=also)

    async def of(self, who: Person | str, method: str = "GET", path: str = "", body: Any = None) -> Response:
        """Send a request of somebody's to their memories in the team."""
        return await self.call(who, method, f"{path_of(who)}/memories{path}", body, team=self.id)


@pytest.fixture
async def family(api: Api) -> Family:
    made = Family(api)
    await made.call(None, "POST", "/memory/teams", {"id": made.id, "title": "The family"})
    people = (api.anna, "owner", "Anna"), (made.ben, "writer", "Ben"), (made.dora, "reader", "Dora")
    for who, role, name in people:
        member = {"person": who, "role": role, "name": name}
        added = await made.call(None, "POST", f"{made.path}/members", member)
        assert added.status == 200, added.body
    return made


async def test_owners_and_administrators_say_who_is_in_it(api: Api, family: Family) -> None:
    carl, members = person("carl"), f"{family.path}/members"
    roles = {api.anna: "owner", family.ben: "writer", family.dora: "reader"}
    for who in (*roles, None):
        told = (await family.call(who, "GET", family.path)).json
        assert {each["person"]: each["role"] for each in told["members"]} == roles
        assert told in (await family.call(who, "GET", "/memory/teams")).json["teams"]
    assert (await family.call(family.mallory, "GET", "/memory/teams")).json == {"teams": []}
    for path in (family.path, "/memory/teams/nowhere"):
        hidden = await family.call(family.mallory, "GET", path)
        assert_error(hidden, 404, "team_not_found", "team")
    for who in (family.ben, family.dora):
        for method, path, body in (
            ("POST", members, {"person": carl, "role": "reader"}),
            ("DELETE", f"{members}/{quote(api.anna)}", None),
            ("DELETE", family.path, None),
            ("POST", "/memory/teams", {"id": family.id, "title": "Mine"}),
        ):
            refused = await family.call(who, method, path, body)
            assert_error(refused, 403, "not_allowed_in_team", "team")
    hidden = await family.call(family.mallory, "POST", "/memory/teams", {"id": "new"})
    assert_error(hidden, 404, "team_not_found", "team")

    wrong = await family.call(api.anna, "POST", members, {"person": "{{USER_ID}}", "role": "writer"})
    assert_error(wrong, 422, "invalid_field", "person")
    for name in ("a\nb", "{{TEAM}}"):
        wrong = await family.call(None, "POST", "/memory/teams", {"id": name})
        assert_error(wrong, 422, "invalid_field", "id")
    added = await family.call(api.anna, "POST", members, {"person": carl, "role": "writer"})
    renamed = await family.call(api.anna, "POST", "/memory/teams", {"id": family.id, "title": "We"})
    left = await family.call(family.ben, "DELETE", f"{members}/{quote(family.ben)}")

    assert {"person": carl, "role": "writer", "name": carl} in added.json["members"]
    assert renamed.json["title"] == "We"
    assert {"person": family.ben, "role": "former", "name": "Ben"} in left.json["members"]
    assert_error(await family.of(family.ben), 404, "team_not_found", "team")
    assert (await family.call(api.anna, "DELETE", family.path)).status == 200
    assert_error(await family.call(api.anna, "GET", family.path), 404, "team_not_found", "team")


@table("path", ["/memories", "/recalls", "/messages?q=nuts"])
async def test_no_stranger_sees_a_team(api: Api, family: Family, path: str) -> None:
    await family.of(api.anna, "POST", "", {"content": NUTS})
    answers = [
        await family.call(family.mallory, "GET", f"{path_of(family.mallory)}{path}", team=team)
        for team in (family.id, "nowhere")
    ]

    assert answers[0].json == answers[1].json
    if path == "/memories":
        assert_error(answers[0], 404, "team_not_found", "team")
