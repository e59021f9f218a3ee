"""A user's chats through the Memory API: listed, and erased one by one."""

from datetime import UTC, timedelta, timezone
from urllib.parse import quote

import pytest
from tests.contracts.stores import NOON, exchange
from tests.recollect_proxy.memory_api.serving import SECRET, Api, assert_error

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


async def test_only_chats_are_listed_that_had_begun_by_some_time(api: Api, postgres: Postgres) -> None:
    for number, session_id in enumerate(("first", "second")):
        at = NOON + timedelta(hours=number)
        await postgres.log.append(exchange("I live in Ghent", Scope("ada", session_id), at=at))

    async def begun_before(time: str) -> list[str]:
        return await sessions(api, f"{SESSIONS}?begun_before={quote(time, safe='')}")

    for zone in (UTC, timezone(timedelta(hours=5, minutes=45)), timezone(timedelta(hours=-8))):
        assert await begun_before(NOON.astimezone(zone).isoformat()) == ["first"]
    assert await begun_before((NOON + timedelta(hours=1)).isoformat()) == ["second", "first"]
    assert await begun_before((NOON - timedelta(microseconds=1)).isoformat()) == []
    assert await begun_before("0001-01-01T00:00:00Z") == []
    assert await begun_before("9999-12-31T23:59:59.999999Z") == ["second", "first"]


@pytest.mark.parametrize(
    "value",
    [
        "",
        "noon",
        "1800000000",
        "2026-03-15",
        "2026-03-15T09:30:00",
        "2026-03-15T09:30:00 02:00",  # a plus sign that was not encoded
        "2026-02-30T09:30:00Z",
        "0001-01-01T00:00:00%2B14:00",
        "%00",
        "%FF",
        "2026-03-15T09:30:00Z&begun_before=2026",
        SECRET,
    ],
)
async def test_a_time_that_makes_no_sense_or_has_no_zone_is_refused(api_in_memory: Api, value: str) -> None:
    response = await api_in_memory.call("GET", f"{SESSIONS}?begun_before={value.replace(' ', '+')}")

    message = assert_error(response, 400, "invalid_parameter", "begun_before")
    assert "offset from UTC" in message


async def test_what_can_be_no_chat_is_refused(api_in_memory: Api) -> None:
    for segment in ("%00", "%FF", "*", "x" * 257):
        response = await api_in_memory.call("DELETE", f"{SESSIONS}/{segment}")
        assert response.status == 400
        assert "session_id" in response.json["error"]["message"]
