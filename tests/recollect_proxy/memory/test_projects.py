"""Projects, agents' memories and teams, through a proxy: what is said in one is recalled there, and nowhere else."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.recollect_proxy.given import TEA, WHICH_TEA
from tests.recollect_proxy.own_proxies import OwnProxies
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import CHAT, RunningProxy, User, chat_body
from tests.support.raw_client import Response
from tests.support.tables import table

from recollect.model import TeamRole, project_scope
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


PLUMBER, WHICH_PLUMBER = "The plumber's number is 555 0199", "What is the plumber's number?"


async def test_a_team_that_a_request_names_is_recalled_for_its_members_alone(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, other_user: User
) -> None:
    team = f"team:of {user.known_as}"
    await proxy.engine.keep_team(team.removeprefix("team:"), "The family")
    await proxy.engine.set_member(team.removeprefix("team:"), user.known_as, TeamRole.OWNER, "Clara")
    await proxy.engine.add(project_scope(user.known_as, team), PLUMBER)

    await proxy.say(user, WHICH_PLUMBER, recollect={"project": team})
    assert f"Clara (the user): {PLUMBER}" in upstream.last.system
    answer = await proxy.say(other_user, WHICH_PLUMBER, recollect={"project": team})
    assert PLUMBER not in upstream.last.system
    assert answer.header(b"x-recollect-skipped") == b"not-in-team"
