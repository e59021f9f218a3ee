"""An upstream that can't be asked, or does not answer: 502, 503 or 504, in OpenAI's shape, naming who failed."""

import asyncio

from tests.recollect_proxy.wire.routes import Route, on_every_route, said_by
from tests.scripted.upstream import End, ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User

CAT = "I have a cat called Minka."


@on_every_route
async def test_a_refusal_is_a_502_on_every_route(lonely: RunningProxy, user: User, route: Route) -> None:
    answer = await route.ask(lonely, user)

    assert answer.status == 502
    assert said_by(answer) == "upstream_unreachable"


async def test_an_upstream_that_says_nothing_is_a_504(
    impatient: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    upstream.otherwise = lambda _request: (End.SILENCE,)

    for answer in (await impatient.say(user, CAT), await impatient.fetch(b"GET", b"/v1/models")):
        assert answer.status == 504
        assert said_by(answer) == "upstream_timeout"
    async with asyncio.timeout(20):
        await upstream.last.client_left.wait()
    assert await impatient.logged(user) == [("user", CAT)]
