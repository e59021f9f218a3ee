"""Administrators make teams, owners say who is in them, and a request names one as it names a project."""

from typing import Any
from urllib.parse import quote

import pytest
from tests.recollect_proxy.memory_api.serving import TOKEN, Api, assert_error, path_of
from tests.support.people import Person, person
from tests.support.raw_client import Response
from tests.support.tables import table

from recollect.api.operations import Memories, Teams
from recollect.api.teams import NewMember, NewTeam
from recollect.client import AsyncMemoryClient
from recollect.model import TeamRole
from recollect_proxy.access import Audience

NUTS, CATS = "I am allergic to nuts.", "I am allergic to cats."


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
        """Send a request with the token of a person, or of the administrator."""
        tokens = self.api.authentication.person_tokens
        token = TOKEN if who is None else tokens.make(who, Audience.API)[0]
        headers = [(b"Authorization", f"Bearer {token}".encode())]
        if team is not None:
            headers.append((b"X-Recollect-Project", quote(f"team:{team}", safe="").encode()))
        return await self.api.call(method, path, body, headers=headers)

    async def of(self, who: Person | str, method: str = "GET", path: str = "", body: Any = None) -> Response:
        """Send a request of somebody's to their memories in the team."""
        return await self.call(who, method, f"{path_of(who)}/memories{path}", body, team=self.id)


@pytest.fixture
async def family(api: Api) -> Family:
    made = Family(api)
    await made.call(None, "POST", "/memory/teams", {"id": made.id, "title": "The family"})
    for who, role, name in (
        (api.anna, "owner", "Anna"),
        (made.ben, "writer", "Ben"),
        (made.dora, "reader", "Dora"),
    ):
        added = await made.call(
            None, "POST", f"{made.path}/members", {"person": who, "role": role, "name": name}
        )
        assert added.status == 200, added.body
    return made


async def test_members_see_their_team_and_nobody_else_does(api: Api, family: Family) -> None:
    members = [
        {"person": each, "role": role, "name": name}
        for each, role, name in sorted(
            [(api.anna, "owner", "Anna"), (family.ben, "writer", "Ben"), (family.dora, "reader", "Dora")]
        )
    ]
    told = {"id": family.id, "title": "The family", "members": members}

    for who in (api.anna, family.ben, family.dora, None):
        assert (await family.call(who, "GET", family.path)).json == told
        assert told in (await family.call(who, "GET", "/memory/teams")).json["teams"]
    assert (await family.call(family.mallory, "GET", "/memory/teams")).json == {"teams": []}
    there = await family.call(family.mallory, "GET", family.path)
    missing = await family.call(family.mallory, "GET", "/memory/teams/nowhere")
    assert_error(there, 404, "team_not_found", "team")
    assert (there.status, there.json) == (missing.status, missing.json)


async def test_owners_and_administrators_say_who_is_in_it(api: Api, family: Family) -> None:
    carl, members = person("carl"), f"{family.path}/members"
    for who in (family.ben, family.dora):
        for method, path, body in (
            ("POST", members, {"person": carl, "role": "reader"}),
            ("DELETE", f"{members}/{quote(api.anna)}", None),
            ("DELETE", family.path, None),
            ("POST", "/memory/teams", {"id": family.id, "title": "Mine"}),
        ):
            refused = await family.call(who, method, path, body)
            assert_error(refused, 403, "not_allowed_in_team", "team")
    assert_error(
        await family.call(family.mallory, "POST", "/memory/teams", {"id": "new"}),
        404,
        "team_not_found",
        "team",
    )

    added = await family.call(api.anna, "POST", members, {"person": carl, "role": "writer"})
    renamed = await family.call(api.anna, "POST", "/memory/teams", {"id": family.id, "title": "We"})
    left = await family.call(family.ben, "DELETE", f"{members}/{quote(family.ben)}")

    assert {"person": carl, "role": "writer", "name": carl} in added.json["members"]
    assert renamed.json["title"] == "We"
    assert {"person": family.ben, "role": "former", "name": "Ben"} in left.json["members"]
    assert_error(await family.of(family.ben), 404, "team_not_found", "team")
    assert (await family.call(api.anna, "DELETE", family.path)).status == 200
    assert_error(await family.call(api.anna, "GET", family.path), 404, "team_not_found", "team")


async def test_who_has_left_exports_and_erases_what_they_stated_and_nothing_of_the_others(
    api: Api, family: Family
) -> None:
    await family.of(family.ben, "POST", "", {"content": CATS})
    await family.of(api.anna, "POST", "", {"content": NUTS})
    await family.call(api.anna, "DELETE", f"{family.path}/members/{quote(family.ben)}")
    own, project = path_of(family.ben), f"team:{family.id}"

    exported = (await family.call(family.ben, "GET", f"{own}/export")).json
    listed = (await family.call(family.ben, "GET", f"{own}/projects")).json["projects"]
    assert [(each["project"], each["content"]) for each in exported["memories"]] == [(project, CATS)]
    assert [each["name"] for each in listed] == [project]
    assert_error(await family.of(family.ben), 404, "team_not_found", "team")

    erased = await family.call(family.ben, "DELETE", f"{own}/projects/{quote(project, safe='')}")
    assert erased.status == 200
    assert (await family.call(family.ben, "GET", f"{own}/export")).json["memories"] == []
    assert [each["content"] for each in (await family.of(api.anna)).json["memories"]] == [NUTS]


async def test_a_memory_of_a_team_says_who_stated_it_and_not_in_which_chat(api: Api, family: Family) -> None:
    stated = await family.of(api.anna, "POST", "", {"content": NUTS})
    assert stated.json["said_by"] == api.anna

    for who in (api.anna, family.ben, family.dora):
        [seen] = (await family.of(who)).json["memories"]
        assert (seen["content"], seen["said_by"], seen["project"]) == (NUTS, api.anna, f"team:{family.id}")
        found = (await family.of(who, "GET", "/search?q=nuts")).json["found"]
        assert [each["memory"]["said_by"] for each in found] == [api.anna]
    assert await api.contents() == []


async def test_a_writer_corrects_with_the_etag_and_the_audit_names_them(api: Api, family: Family) -> None:
    one = f"/{(await family.of(api.anna, 'POST', '', {'content': NUTS})).json['id']}"

    read = await family.of(family.ben, "GET", one)
    tokens = api.authentication.person_tokens.make(family.ben, Audience.API)[0]
    headers = [
        (b"Authorization", f"Bearer {tokens}".encode()),
        (b"X-Recollect-Project", quote(f"team:{family.id}", safe="").encode()),
        (b"If-Match", read.values(b"etag")[0]),
    ]
    path = f"{path_of(family.ben)}/memories{one}"
    corrected = await api.call("PATCH", path, {"content": "I am allergic to hazelnuts."}, headers=headers)

    assert (corrected.status, corrected.json["said_by"]) == (200, api.anna)
    [edited, added] = (await family.of(api.anna, "GET", f"{one}/changes")).json["changes"]
    assert (edited["by"], added["by"]) == (family.ben, "")
    assert_error(await family.of(family.dora, "DELETE", one), 403, "not_allowed_in_team", "team")
    assert (await family.of(family.ben, "DELETE", one)).status == 204
    assert (await family.of(api.anna)).json["memories"] == []


@table(
    ("method", "path", "body"),
    [
        ("GET", "/memories", None),
        ("POST", "/memories", {"content": NUTS}),
        ("GET", "/memories/search?q=nuts", None),
        ("GET", "/memories/changes", None),
        ("GET", "/todos", None),
    ],
)
async def test_a_team_that_one_is_not_in_is_like_one_that_is_not_there(
    api: Api, family: Family, method: str, path: str, body: Any
) -> None:
    await family.of(api.anna, "POST", "", {"content": NUTS})
    answers = [
        await family.call(family.mallory, method, f"{path_of(family.mallory)}{path}", body, team=team)
        for team in (family.id, "nowhere")
    ]

    assert_error(answers[0], 404, "team_not_found", "team")
    assert answers[0].json == answers[1].json


@table("path", ["/sessions", "/recalls", "/messages?q=nuts"])
async def test_chats_in_a_team_are_ones_own(family: Family, path: str) -> None:
    mine = await family.call(family.mallory, "GET", f"{path_of(family.mallory)}{path}", team=family.id)
    none = await family.call(family.mallory, "GET", f"{path_of(family.mallory)}{path}", team="nowhere")

    assert (mine.status, mine.json) == (none.status, none.json)


async def test_the_client_makes_a_team_and_writes_in_it(api: Api) -> None:
    team = f"crew of {api.anna}"
    async with AsyncMemoryClient(f"http://127.0.0.1:{api.port}", TOKEN) as client:
        await client.ask(Teams.keep_team, send=NewTeam(team))
        made = await client.ask(Teams.set_member, team, send=NewMember(str(api.anna), TeamRole.OWNER))
        listed = [
            each async for each in client.each(Memories.list_memories, api.anna, project=f"team:{team}")
        ]
        erased = await client.ask(Teams.erase_team, team)

    assert [(each.person, each.role) for each in made.members] == [(api.anna, TeamRole.OWNER)]
    assert (listed, len(erased.parts)) == ([], 1)
