"""A user's chats through the Memory API: listed, and erased one by one."""

from urllib.parse import quote

import pytest
from tests.contracts.stores import exchange
from tests.recollect_proxy.memory_api.serving import Api

from recollect.model import Scope
from recollect.postgres import Postgres

SESSIONS = "/memory/users/ada/sessions"
ODD_IDS = ["chat-1", "a/b", "50%", "temporary", "users", "..", "ж ü", "a?b#c", " "]


async def sessions(api: Api, path: str = SESSIONS) -> list[str]:
    told: list[str] = (await api.call("GET", path)).json["sessions"]
    return told


@pytest.mark.parametrize("session_id", ODD_IDS)
async def test_the_chat_that_is_named_is_erased_and_no_other(
    api: Api, postgres: Postgres, session_id: str
) -> None:
    for scope in (Scope("ada", session_id), Scope("ada", "another"), Scope("bob", session_id)):
        await postgres.log.append(exchange("I live in Ghent", scope))
    assert set(await sessions(api)) == {session_id, "another"}

    response = await api.call("DELETE", f"{SESSIONS}/{quote(session_id, safe='')}")

    assert response.status == 200
    assert response.json["rows"]["messages"] == 2
    assert await sessions(api) == ["another"]
    assert await sessions(api, "/memory/users/bob/sessions") == [session_id]


async def test_a_chat_nobody_has_heard_of_is_erased_by_deleting_nothing(api: Api) -> None:
    response = await api.call("DELETE", f"{SESSIONS}/nothing")

    assert response.status == 200
    assert set(response.json["rows"].values()) == {0}
    assert await sessions(api) == []


async def test_what_can_be_no_chat_is_refused(api_in_memory: Api) -> None:
    for segment in ("%00", "%FF", "*", "x" * 257):
        response = await api_in_memory.call("DELETE", f"{SESSIONS}/{segment}")
        assert response.status == 400
        assert "session_id" in response.json["error"]["message"]
