"""Projects, agents' memories and teams, through a proxy: what is said in one is recalled there, and nowhere else."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from tests.recollect_proxy.given import TEA, WHICH_TEA
from tests.recollect_proxy.openai_sdk.application import sdk
from tests.recollect_proxy.own_proxies import OwnProxies
from tests.scripted.extraction import Lesson, Pupil
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import CHAT, RunningProxy, User, chat_body
from tests.support.raw_client import Response
from tests.support.tables import table

from recollect.model import project_scope
from recollect_proxy.identity.api_key import add_key
from recollect_proxy.settings.proxy_settings import IdentityMode

BOAT, WHICH_BOAT = "The name of my boat is Petrel.", "What is the name of my boat?"
IN_BOAT = [(b"X-Recollect-Project", b"boat")]


@pytest.fixture
async def sailor(proxy: RunningProxy, user: User) -> User:
    """Somebody who said one thing in no project, and one in a project."""
    await proxy.say(user, TEA, chat="of tea")
    await proxy.say(user, BOAT, chat="of the boat", extra=IN_BOAT)
    await proxy.memories(user)
    await proxy.memories(User(f"{user.known_as}\x1fboat"))
    return user


@table(
    ("question", "project", "recalled"),
    [
        (WHICH_TEA, b"", TEA),
        (WHICH_TEA, b"boat", TEA),
        (WHICH_TEA, b"house", TEA),
        (WHICH_BOAT, b"boat", BOAT),
        (WHICH_BOAT, b"", None),
        (WHICH_BOAT, b"house", None),
    ],
)
async def test_what_is_said_in_a_project_is_recalled_in_its_chats_alone(
    proxy: RunningProxy,
    upstream: ScriptedUpstream,
    sailor: User,
    question: str,
    project: bytes,
    recalled: str | None,
) -> None:
    extra = [(b"X-Recollect-Project", project)] if project else []

    await proxy.say(sailor, question, chat="asking", extra=extra)

    assert (recalled or "") in upstream.last.system
    assert (BOAT in upstream.last.system) == (recalled == BOAT)
    assert upstream.last.values(b"x-recollect-project") == []


async def test_a_persons_own_id_may_not_hold_a_projects(
    proxy: RunningProxy, upstream: ScriptedUpstream, sailor: User
) -> None:
    disguised = User(f"{sailor.id}%1Fboat")

    answer = await proxy.fetch(b"POST", CHAT, disguised.headers(chat="asking"), chat_body(WHICH_BOAT))

    assert answer.header(b"x-recollect-skipped") == b"bad-identity"
    assert upstream.last.body == chat_body(WHICH_BOAT)


LINT, AT_WORK = "Run `make lint` before each commit", "Drinks green tea at work"
WHEN_LINT, WHICH_AT_WORK = "What is to be run before each commit?", "Which tea is drunk at work?"


@dataclass
class Coder:
    """A coding agent of Anna's, with its key and with hers."""

    proxy: RunningProxy
    keys: dict[str, str]

    async def ask(self, key: str, said: str, *named: tuple[bytes, bytes]) -> Response:
        """Say something in a new chat, by the agent's key or Anna's."""
        authorized = (b"Authorization", f"Bearer {self.keys[key]}".encode())
        return await self.proxy.fetch(b"POST", CHAT, [authorized, *named], chat_body(said))

    async def fetch(self, key: str, path: str, *named: tuple[bytes, bytes]) -> Response:
        """Get something under `/memory`."""
        authorized = (b"Authorization", f"Bearer {self.keys[key]}".encode())
        return await self.proxy.fetch(b"GET", f"/memory{path}".encode(), [authorized, *named])


@pytest.fixture(scope="module")
async def coder(own_proxies: OwnProxies, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Coder]:
    file: Path = tmp_path_factory.mktemp("keys") / "api-keys"
    keys = {"coder": add_key(file, "anna", "agent:coder"), "anna": add_key(file, "anna")}
    keys["mate"] = add_key(file, "anna", "boat")
    async with own_proxies.serve(identity=(IdentityMode.API_KEY,), api_keys=file) as proxy:
        await proxy.engine.add(project_scope("anna", "agent:coder"), LINT)
        await proxy.engine.add("anna", AT_WORK)
        yield Coder(proxy, keys)


async def test_a_chat_by_its_key_recalls_its_own_and_the_persons_memory(
    coder: Coder, upstream: ScriptedUpstream
) -> None:
    await coder.ask("coder", WHEN_LINT)
    _, _, of_agent = upstream.last.system.partition("This agent, ")
    assert LINT in of_agent
    await coder.ask("coder", WHICH_AT_WORK)
    assert AT_WORK in upstream.last.system

    await coder.ask("anna", WHEN_LINT)
    assert LINT not in upstream.last.system
    await coder.ask("anna", WHEN_LINT, (b"X-Recollect-Project", b"agent:coder"))
    assert LINT in upstream.last.system


async def test_a_chat_by_its_key_that_names_another_project_has_no_memory(
    coder: Coder, upstream: ScriptedUpstream
) -> None:
    answer = await coder.ask("coder", WHICH_AT_WORK, (b"X-Recollect-Project", b"boat"))

    assert answer.header(b"x-recollect-skipped") == b"bad-identity"
    assert upstream.last.body == chat_body(WHICH_AT_WORK)


async def test_its_key_opens_its_own_memory_in_the_api_and_no_page(coder: Coder) -> None:
    listed = await coder.fetch("coder", "/users/anna/memories")
    elsewhere = await coder.fetch("coder", "/users/anna/memories", (b"X-Recollect-Project", b"boat"))
    export = await coder.fetch("coder", "/users/anna/export")
    pages = {key: await coder.fetch(key, "/ui/enter") for key in coder.keys}

    assert [(each["content"], each["project"]) for each in listed.json["memories"]] == [(LINT, "agent:coder")]
    assert (elsewhere.status, export.status) == (403, 403)
    assert {key: page.header(b"set-cookie") is not None for key, page in pages.items()} == {
        "coder": False,
        "mate": False,
        "anna": True,
    }


async def test_a_key_for_one_project_stops_nothing_of_the_person_and_says_so(
    coder: Coder, upstream: ScriptedUpstream
) -> None:
    await coder.ask("mate", "Stop remembering me.")

    assert b"[NOT DONE] Nothing was changed" in upstream.last.body
    assert (await coder.proxy.engine.flags("anna")).record is None


PLUMBER = "The plumber's number is 555 0199"
NUTS = "I am allergic to nuts"
TEA_TEAMS = "I drink green tea in the morning"


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
    pupil.lessons = [Lesson(PLUMBER), Lesson(NUTS, importance=0.9), Lesson(TEA_TEAMS)]
    family = await team_of(
        proxy, upstream, Clara=(clara, "owner"), Ben=(ben, "writer"), Dora=(dora, "reader")
    )

    # Clara tells the family two things, and keeps one to herself.
    await family.says(clara, f"{PLUMBER}.", chat="home")
    await family.says(clara, f"{NUTS}.", chat="home")
    await proxy.say(clara, f"{TEA_TEAMS}.", chat="own")
    await proxy.memories(clara)
    assert await family.knows(clara, at_least=2) == {PLUMBER: clara.known_as, NUTS: clara.known_as}

    # Ben and Dora are told, with her name; nobody but her is told of her tea.
    for who in (ben, dora):
        assert f"Clara: {PLUMBER}" in await family.says(who, "What is the plumber's number?", chat="water")
        assert f"Clara: {NUTS}" in await family.says(who, "Is anybody allergic to nuts?", chat="cake")
        assert TEA_TEAMS not in await family.says(who, "Who drinks green tea in the morning?", chat="tea")
    assert TEA_TEAMS in await family.says(clara, "What do I drink in the morning?", chat="tea")

    # Ben's page of recalls has what he was given; neither chats nor recalls of another's are there.
    await proxy.settle()
    recalls = await proxy.api(b"GET", f"/users/{ben.id}/recalls", extra=family.header)
    chats = await proxy.api(b"GET", f"/users/{ben.id}/sessions", extra=family.header)
    assert PLUMBER.encode() in recalls.body
    assert TEA_TEAMS.encode() not in recalls.body
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
