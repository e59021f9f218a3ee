"""A chat's memories where the path names no user: whose they are, and who may do what."""

from urllib.parse import quote

import pytest
from tests.recollect_proxy.memory_api.serving import assert_error
from tests.recollect_proxy.memory_api.test_authorization import UNKNOWN, Askers
from tests.recollect_proxy.memory_api.test_authorization import askers as askers  # noqa: PLC0414 -- a fixture
from tests.recollect_proxy.memory_api.test_sessions import chat_of
from tests.support.raw_client import Response
from tests.support.stores import Store
from tests.support.tables import table

ALIAS = "/api/sessions/a%2Fb/memories"


@pytest.fixture(autouse=True)
async def chats(store: Store) -> None:
    """A chat of the same id of two people's."""
    for scope in (store.anna.chat("a/b"), store.ben.chat("a/b")):
        await store.log.append(store.exchange("I live in Ghent", scope))


async def ask(
    askers: Askers,
    asker: str,
    method: str = "GET",
    path: str = ALIAS,
    user: str | None = None,
    content: str = "",
) -> Response:
    named = [] if user is None else [(b"X-Recollect-User", quote(user, safe="").encode())]
    body = {"content": content} if content else None
    return await askers.api.call(method, path, body, headers=askers.headers[asker] + named)


@table("asker", ["own", "acting", "admin"])
async def test_who_may_writes_lists_reads_and_takes_away(askers: Askers, asker: str) -> None:
    user = None if asker == "own" else askers.api.anna
    made = await ask(askers, asker, "POST", user=user, content="Likes tea.")
    assert made.status == 201, made.body
    one = f"{ALIAS}/{made.json['id']}"

    listed = await ask(askers, asker, user=user)
    assert [each["content"] for each in listed.json["memories"]] == ["Likes tea."]
    same = await askers.api.call("GET", f"{chat_of(askers.api.anna)}/memories", headers=askers.headers["own"])
    assert same.json == listed.json
    assert (await ask(askers, asker, path=one, user=user)).json == made.json
    assert (await ask(askers, asker, path=f"{ALIAS}?limit=0", user=user)).status == 400
    assert (await ask(askers, asker, "DELETE", one, user=user)).status == 204
    assert (await ask(askers, asker, user=user)).json["memories"] == []
    assert (await ask(askers, "wrong-user")).json["memories"] == []


async def test_nobody_gets_at_what_is_somebody_elses(askers: Askers) -> None:
    await ask(askers, "own", "POST", content="Likes tea.")

    assert (await ask(askers, "own", user=askers.api.anna)).status == 200
    anna, ben = askers.api.anna, askers.api.ben
    for asker, user in (("own", ben), ("wrong-user", anna), ("acting-for-others", anna)):
        assert_error(await ask(askers, asker, user=user), 403, "forbidden")
    assert (await ask(askers, "wrong-user")).json["memories"] == []
    for asker in sorted(UNKNOWN):
        for named in (askers.api.anna, None):
            askers.api.forget_failures()
            refused = await ask(askers, asker, user=named)
            assert_error(refused, 401, "unauthorized")
            assert refused.header(b"www-authenticate") == b"Bearer"


@table("asker", ["acting", "admin", "reader"])
async def test_a_token_that_is_nobodys_own_has_to_name_one_user(askers: Askers, asker: str) -> None:
    for named in ([], [b""], [b"*"], [b"%00"], [b"%8F"], [askers.api.anna.encode(), askers.api.ben.encode()]):
        headers = askers.headers[asker] + [(b"X-Recollect-User", each) for each in named]
        refused = await askers.api.call("GET", ALIAS, headers=headers)
        assert_error(refused, 400, "invalid_parameter", "X-Recollect-User")


@table("path", ["/api/sessions/", "/api/sessions/x", "/api/sessions//memories", "/api/sessions/x/messages"])
async def test_nothing_else_is_served_there(askers: Askers, path: str) -> None:
    assert_error(await ask(askers, "own", path=path), 404, "not_found")
