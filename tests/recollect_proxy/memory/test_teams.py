"""A family and a company's team share a memory, each by an application of OpenAI's SDK; the model extracts as it is taught."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest
from tests.recollect_proxy.openai_sdk.application import sdk
from tests.scripted.extraction import Lesson, Pupil
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User

PLUMBER = "The plumber's number is 555 0199"
NUTS = "I am allergic to nuts"
TEA = "I drink green tea in the morning"


@dataclass
class Shared:
    """A team and the applications of its members."""

    proxy: RunningProxy
    upstream: ScriptedUpstream
    id: str

    async def says(self, who: User, text: str, *, chat: str, team: str | None = None) -> str:
        """Say something in a chat of the team by the SDK, and return what the model was given with it."""
        async with sdk(self.proxy, who) as client:
            recollect: dict[str, Any] = {"session": chat, "project": f"team:{team or self.id}"}
            answer = await client.chat.completions.with_raw_response.create(
                model="scripted",
                messages=[{"role": "user", "content": text}],
                extra_body={"recollect": recollect},
            )
        assert answer.parse().choices[0].message.content
        self.skipped = answer.headers.get("x-recollect-skipped")
        return self.upstream.last.system

    async def knows(self, who: User, *, at_least: int = 1) -> dict[str, str]:
        """Return the memories of the team by who stated them, once so many are formed."""
        await self.proxy.memories(User(f"{who.known_as}\x1fteam:{self.id}"), at_least=at_least)
        answer = await self.proxy.api(b"GET", f"/users/{who.id}/memories", extra=self.header)
        return {each["content"]: each["said_by"] for each in answer.json["memories"]}

    @property
    def header(self) -> list[tuple[bytes, bytes]]:
        """The header that names the team."""
        return [(b"X-Recollect-Project", quote(f"team:{self.id}", safe="").encode())]


async def team_of(proxy: RunningProxy, upstream: ScriptedUpstream, **members: tuple[User, str]) -> Shared:
    """Make a team by the memory API, of members by their names, each with a role."""
    first, _ = next(iter(members.values()))
    shared = Shared(proxy, upstream, f"of {first.known_as}"[:59])
    made = await proxy.api(b"POST", "/teams", {"id": shared.id})
    assert made.status == 200, made.body
    for name, (who, role) in members.items():
        sent = {"person": who.known_as, "role": role, "name": name}
        added = await proxy.api(b"POST", f"/teams/{quote(shared.id)}/members", sent)
        assert added.status == 200, added.body
    return shared


@pytest.fixture
def people(user: User) -> list[User]:
    """Four people whom no other test knows."""
    return [User(f"{user.known_as}-{each}") for each in ("clara", "ben", "dora", "mallory")]


async def test_a_family_asks_for_what_one_of_them_said(
    proxy: RunningProxy, upstream: ScriptedUpstream, pupil: Pupil, people: list[User]
) -> None:
    clara, ben, dora, mallory = people
    pupil.lessons = [Lesson(PLUMBER), Lesson(NUTS, importance=0.9), Lesson(TEA)]
    family = await team_of(
        proxy, upstream, Clara=(clara, "owner"), Ben=(ben, "writer"), Dora=(dora, "reader")
    )

    # Clara tells the family two things, and keeps one to herself.
    await family.says(clara, f"{PLUMBER}.", chat="home")
    await family.says(clara, f"{NUTS}.", chat="home")
    await proxy.say(clara, f"{TEA}.", chat="own")
    await proxy.memories(clara)
    assert await family.knows(clara, at_least=2) == {PLUMBER: clara.known_as, NUTS: clara.known_as}

    # Ben and Dora are told, with her name; nobody but her is told of her tea.
    for who in (ben, dora):
        assert f"Clara: {PLUMBER}" in await family.says(who, "What is the plumber's number?", chat="water")
        assert f"Clara: {NUTS}" in await family.says(who, "Is anybody allergic to nuts?", chat="cake")
        assert TEA not in await family.says(who, "Who drinks green tea in the morning?", chat="tea")
    assert TEA in await family.says(clara, "What do I drink in the morning?", chat="tea")

    # Ben's page of recalls has what he was given; neither chats nor recalls of another's are there.
    await proxy.settle()
    recalls = await proxy.api(b"GET", f"/users/{ben.id}/recalls", extra=family.header)
    chats = await proxy.api(b"GET", f"/users/{ben.id}/sessions", extra=family.header)
    assert PLUMBER.encode() in recalls.body
    assert TEA.encode() not in recalls.body
    assert set(chats.json["sessions"]) == {"water", "cake", "tea"}

    # Nothing of it is met outside of the family's chats, nor by Mallory in any.
    await proxy.say(ben, "What is the plumber's number?", chat="elsewhere")
    assert PLUMBER not in upstream.last.system
    for team in (family.id, "no such team"):
        system = await family.says(mallory, "What is the plumber's number?", chat="water", team=team)
        assert (PLUMBER not in system, family.skipped) == (True, "not-in-team")
    outside = await proxy.api(b"GET", f"/users/{mallory.id}/recalls", extra=family.header)
    assert outside.json["recalls"] == []

    # What Dora says is no memory of the family's, as she only reads.
    pupil.lessons.append(Lesson("The bakery closes at six"))
    await family.says(dora, "The bakery closes at six.", chat="bread")
    await proxy.settle()
    assert set(await family.knows(ben)) == {PLUMBER, NUTS}
