"""A chat names its project in a header or in its body: what is said there is recalled there, and nowhere else."""

import pytest
from tests.recollect_proxy.given import TEA, WHICH_TEA
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import CHAT, RunningProxy, User, chat_body
from tests.support.tables import table

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


async def test_the_body_may_name_the_project(
    proxy: RunningProxy, upstream: ScriptedUpstream, sailor: User
) -> None:
    await proxy.say(sailor, WHICH_BOAT, chat="asking", recollect={"project": "boat"})

    assert BOAT in upstream.last.system
    assert "recollect" not in upstream.last.json


@table("project", [b"%0A", b"x" * 65, b"{{folder}}", b"a%1Fb"])
async def test_a_project_that_can_be_none_is_refused(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, project: bytes
) -> None:
    before = len(upstream.received)

    answer = await proxy.say(user, TEA, extra=[(b"X-Recollect-Project", project)])

    assert answer.status == 400
    assert "project" in answer.json["error"]["message"]
    assert len(upstream.received) == before


async def test_a_persons_own_id_may_not_hold_a_projects(
    proxy: RunningProxy, upstream: ScriptedUpstream, sailor: User
) -> None:
    disguised = User(f"{sailor.id}%1Fboat")

    answer = await proxy.fetch(b"POST", CHAT, disguised.headers(chat="asking"), chat_body(WHICH_BOAT))

    assert answer.header(b"x-recollect-skipped") == b"bad-identity"
    assert upstream.last.body == chat_body(WHICH_BOAT)
