"""Settings changed at run time apply from the next request on, for all users or for one."""

from collections.abc import AsyncIterator

import pytest
from tests.recollect_proxy.given import TEA, WHICH_TEA, given_memory
from tests.recollect_proxy.own_proxies import OwnProxies
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User, chat_body

FOR = pytest.mark.parametrize("path", ["/settings", "/users/{user}/settings"], ids=["everybody", "one user"])


@pytest.fixture(scope="module")
async def changeable(own_proxies: OwnProxies) -> AsyncIterator[RunningProxy]:
    async with own_proxies.serve() as proxy:
        yield proxy


@pytest.fixture
async def own_proxy(changeable: RunningProxy, upstream: ScriptedUpstream) -> AsyncIterator[RunningProxy]:
    """A proxy whose settings are this test's alone."""
    assert upstream.base_url == changeable.settings.upstream
    yield changeable
    await changeable.all_formed()
    as_before = dict.fromkeys(("record", "recall", "formation", "placement"))
    assert (await changeable.api(b"PATCH", "/settings", as_before)).status == 200


async def change(proxy: RunningProxy, path: str, user: User, **flags: object) -> None:
    answer = await proxy.api(b"PATCH", path.format(user=user.id), flags)
    assert answer.status == 200, answer.body


@FOR
async def test_recall_is_off_and_on_again_at_once(
    own_proxy: RunningProxy, upstream: ScriptedUpstream, user: User, other_user: User, path: str
) -> None:
    for each in (user, other_user):
        await given_memory(own_proxy, each)

    await change(own_proxy, path, user, recall=False)
    off = await own_proxy.say(user, WHICH_TEA, chat="off")
    as_it_came = upstream.last.body
    await own_proxy.say(other_user, WHICH_TEA, chat="off")
    others = upstream.last.system
    await change(own_proxy, path, user, recall=None)
    await own_proxy.say(user, WHICH_TEA, chat="on")

    assert off.header(b"x-recollect-skipped") == b"off"
    assert as_it_came == chat_body(WHICH_TEA)
    assert (TEA in others) is ("users" in path)
    assert TEA in upstream.last.system
