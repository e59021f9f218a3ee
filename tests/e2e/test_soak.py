"""What only many show: of 2,000 requests cancelled at random no connection, socket or task is left."""

from pathlib import Path

from tests.recollect_proxy.settings import proxy_settings
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import User, running_proxy
from tests.support.cancelling import survives_cancelling


async def test_of_2000_requests_cancelled_at_random_nothing_is_left(own_dsn: str, tmp_path: Path) -> None:
    async with ScriptedUpstream() as upstream:
        settings = proxy_settings(
            upstream=upstream.base_url, database_url=own_dsn, data_dir=tmp_path, formation="off"
        )
        async with running_proxy(settings) as proxy:
            await survives_cancelling(proxy, upstream, User("anna"), count=2000, least=300, answers=100)
