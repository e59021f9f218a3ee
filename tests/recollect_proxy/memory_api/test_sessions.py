"""A user's chats through the Memory API: listed, and erased one by one."""

from datetime import UTC, timedelta, timezone
from urllib.parse import quote

from tests.recollect_proxy.memory_api.serving import Api, path_of
from tests.support.people import person
from tests.support.stores import NOON, Store
from tests.support.tables import table

ODD_IDS = ["chat-1", "a/b", "50%", "temporary", "users", "..", "ж ü", "a?b#c"]


async def sessions(api: Api, user_id: str | None = None, asked: str = "") -> list[str]:
    """Return a user's chats, Anna's unless told otherwise."""
    path = f"{path_of(user_id or api.anna)}/sessions{asked}"
    told: list[str] = (await api.call("GET", path)).json["sessions"]
    return told


@table("session_id", ODD_IDS)
async def test_the_chat_that_is_named_is_erased_and_no_other(api: Api, store: Store, session_id: str) -> None:
    anna, ben = person("anna"), person("ben")
    for scope in (anna.chat(session_id), anna.chat("another"), ben.chat(session_id)):
        await store.log.append(store.exchange("I live in Ghent", scope))
    assert set(await sessions(api, anna)) == {session_id, "another"}

    response = await api.call("DELETE", f"{path_of(anna)}/sessions/{quote(session_id, safe='')}")

    assert response.status == 200
    assert response.json["rows"]["messages"] == 2
    assert await sessions(api, anna) == ["another"]
    assert await sessions(api, ben) == [session_id]


async def test_a_chat_nobody_has_heard_of_is_erased_by_deleting_nothing(api: Api) -> None:
    response = await api.call("DELETE", f"{api.user}/sessions/nothing")

    assert response.status == 200
    assert set(response.json["rows"].values()) == {0}
    assert await sessions(api) == []


async def test_only_chats_are_listed_that_had_begun_by_some_time(api: Api, store: Store) -> None:
    for number, session_id in enumerate(("first", "second")):
        at = NOON + timedelta(hours=number)
        await store.log.append(store.exchange("I live in Ghent", store.anna.chat(session_id), at=at))

    async def begun_before(time: str) -> list[str]:
        return await sessions(api, asked=f"?begun_before={quote(time, safe='')}")

    for zone in (UTC, timezone(timedelta(hours=5, minutes=45)), timezone(timedelta(hours=-8))):
        assert await begun_before(NOON.astimezone(zone).isoformat()) == ["first"]
    assert await begun_before((NOON + timedelta(hours=1)).isoformat()) == ["second", "first"]
    assert await begun_before((NOON - timedelta(microseconds=1)).isoformat()) == []
    assert await begun_before("0001-01-01T00:00:00Z") == []
    assert await begun_before("9999-12-31T23:59:59.999999Z") == ["second", "first"]


async def test_what_can_be_no_chat_is_refused(api: Api) -> None:
    for segment in ("%00", "%8F", "%20", "undefined", "*", "x" * 257):
        response = await api.call("DELETE", f"{api.user}/sessions/{segment}")
        assert response.status == 400
        assert "session_id" in response.json["error"]["message"]
