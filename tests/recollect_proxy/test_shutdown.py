"""A served proxy as a process: it drains what runs when it is told to stop."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator

import pytest
from tests.databases import administrator
from tests.raw_client import RawConnection
from tests.running_proxy import User, chat_request
from tests.scripted_upstream import End, ScriptedUpstream, events, streamed
from tests.served_process import ServedProcess, environment, served_process
from tests.waiting import until

from recollect_proxy.settings import ProxySettings

CAT = "I have a cat called Minka."


@pytest.fixture
async def served(fresh_settings: ProxySettings, upstream: ScriptedUpstream) -> AsyncIterator[ServedProcess]:
    assert fresh_settings.database_url is not None
    environ = environment(
        upstream=upstream.base_url,
        data_dir=fresh_settings.data_dir,
        database_url=fresh_settings.database_url.get_secret_value(),
        formation="qa_turn",
        shutdown_seconds=1,
    )
    async with served_process(environ=environ) as served:
        yield served


async def logged(settings: ProxySettings) -> list[str]:
    """Return what the database holds of what was said."""
    assert settings.database_url is not None
    async with administrator(settings.database_url.get_secret_value()) as connection:
        rows = await connection.fetch("SELECT content FROM recollect.messages ORDER BY turn_index")
    return [row["content"] for row in rows]


async def refused(port: int) -> None:
    """Wait until nobody is let in any more."""

    async def is_refused() -> bool:
        try:
            async with RawConnection(port):
                return False
        except OSError:
            return True

    await until(is_refused)


async def test_a_running_stream_is_finished_before_the_process_ends(
    served: ServedProcess, upstream: ScriptedUpstream, user: User, fresh_settings: ProxySettings
) -> None:
    go_on = asyncio.Event()
    first, *rest = events("Min", "ka")
    upstream.answers.append(streamed(first, go_on, *rest))
    async with RawConnection(served.port) as client:
        await client.send(chat_request(user, CAT, stream=True))
        await client.read_head()
        await client.read_until(b"\n\n")
        served.signal(signal.SIGTERM)
        await refused(served.port)
        go_on.set()
        end = await client.read_until(b"0\r\n\r\n")

    assert end.endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n")
    assert await served.ended() == 0
    assert await logged(fresh_settings) == [CAT, "Minka"]
    assert [json.loads(line)["event"] for line in served.logged if "error" in line] == []


async def test_a_stream_that_does_not_end_is_cut_when_the_time_is_over(
    served: ServedProcess, upstream: ScriptedUpstream, user: User, fresh_settings: ProxySettings
) -> None:
    upstream.answers.append(streamed(*list(events("Min", "ka"))[:2], End.SILENCE))
    async with RawConnection(served.port) as client:
        await client.send(chat_request(user, CAT, stream=True))
        await client.read_head()
        await client.read_until(b'"Min"')
        served.signal(signal.SIGINT)
        answer = await client.read_rest()

    assert not answer.endswith(b"0\r\n\r\n")
    assert await served.ended() == 0
    assert await logged(fresh_settings) == [CAT, "Min"]
