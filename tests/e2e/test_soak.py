"""What only many show: of 2,000 requests cancelled at random no connection, socket or task is left."""

import asyncio
from pathlib import Path

from tests.recollect_proxy.settings import proxy_settings
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import User, running_proxy
from tests.support.cancelling import cancel_at_random, nothing_is_left, say_all_right, tasks_of_the_proxy


async def test_of_2000_requests_cancelled_at_random_nothing_is_left(own_dsn: str, tmp_path: Path) -> None:
    user = User("anna")
    async with ScriptedUpstream() as upstream:
        settings = proxy_settings(
            upstream=upstream.base_url, database_url=own_dsn, data_dir=tmp_path, formation="off"
        )
        async with running_proxy(settings) as proxy:
            await proxy.say(user, "Is it morning?")
            await proxy.settle()
            before = tasks_of_the_proxy()

            cancelled = await cancel_at_random(proxy, upstream, user, count=2000)

            assert cancelled > 300
            await nothing_is_left(proxy, upstream, before=before)
            upstream.otherwise = say_all_right
            answers = await asyncio.gather(*(proxy.say(user, "Is it noon?") for _ in range(100)))
            assert [answer.status for answer in answers] == [200] * 100
