"""Streams of events: as things happen, from where a client was, bounded, and until the user is erased."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from tests.recollect_proxy.memory_api.serving import TOKEN, Api, assert_error, engine_over, path_of, serve
from tests.servers.running_proxy import ADMIN_TOKEN, running_proxy
from tests.support.raw_client import RawConnection
from tests.support.stores import Store
from tests.support.waiting import until

from recollect_proxy.memory_api import event_streams
from recollect_proxy.settings.proxy_settings import ProxySettings

NO_ID = "0" * 32 + ".0"


class Stream:
    """A client of a stream, and the id with which it began."""

    def __init__(self, connection: RawConnection, began: str = "") -> None:
        self._connection = connection
        self.began = began

    async def event(self) -> tuple[str, Any]:
        while True:
            piece = (await self._connection.read_until(b"\n\n")).decode()
            fields = dict(line.split(": ", 1) for line in piece.splitlines() if ": " in line)
            if "data" in fields:
                event = json.loads(fields["data"])
                assert event["type"] == fields["event"]
                return fields["id"], event

    async def beat(self) -> None:
        """Wait for a comment."""
        await self._connection.read_until(b": still here\n\n")

    async def end(self) -> None:
        await self._connection.read_until(b"\r\n0\r\n\r\n")


@asynccontextmanager
async def streamed(
    api: Api, *, last: str | None = None, user_id: str | None = None, headers: str = ""
) -> AsyncIterator[Stream]:
    async with RawConnection(api.port) as connection:
        resumed = "" if last is None else f"Last-Event-ID: {last}\r\n"
        await connection.send(_asked(user_id or api.anna, TOKEN, f"{resumed}{headers}"))
        assert await connection.read_head() == 200
        head = (await connection.read_until(b"retry: 2000\n\n")).decode()
        yield Stream(connection, head.partition("id: ")[2].partition("\n")[0])


def _asked(user_id: str, token: str, headers: str = "") -> bytes:
    head = f"GET {path_of(user_id)}/events HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer {token}"
    return f"{head}\r\n{headers}\r\n".encode()


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have streams look and beat more often."""
    monkeypatch.setattr(event_streams, "_LOOK_SECONDS", 0.02)
    monkeypatch.setattr(event_streams, "_BEAT_SECONDS", 0.1)


async def test_a_change_comes_as_it_happens_and_another_users_does_not(api: Api) -> None:
    await api.write("Lives in Porto")
    answer = await api.call("GET", f"{path_of(api.anna)}/events", also=[(b"Last-Event-ID", b"7")])
    assert_error(answer, 400, "invalid_parameter", "Last-Event-ID")
    async with streamed(api, last="") as stream:
        await stream.beat()
        await api.write("Has a dog", api.ben)
        new = await api.write("Has a cat")
        _, event = await stream.event()
    assert (event["type"], event["data"]["memory_id"]) == ("memory.remembered", new["id"])
    assert event["data"]["user_id"] == api.anna
    assert "cat" not in json.dumps(event)


async def test_a_client_that_comes_again_misses_nothing(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    async with streamed(api) as stream:
        first = await api.write("Lives in Porto")
        last, event = await stream.event()
        assert event["data"]["memory_id"] == first["id"]
    missed = [(await api.write(f"Has cat {number}"))["id"] for number in range(5)]
    monkeypatch.setattr(event_streams, "_AT_ONCE", 2)
    async with streamed(api, last=last) as stream:
        events = [await stream.event() for _ in missed]
    assert [event["data"]["memory_id"] for _, event in events] == missed

    async with streamed(api, last=NO_ID) as stream:
        assert [(await stream.event())[1]["data"]["memory_id"] for _ in range(6)] == [first["id"], *missed]


async def test_a_client_misses_nothing_that_left_before_its_first_event(api: Api) -> None:
    async with streamed(api, user_id=api.ben) as of_nobody:
        pass
    await api.write("Lives in Porto")
    async with streamed(api) as stream:
        pass
    new, dog = await api.write("Has a cat"), await api.write("Has a dog", api.ben)
    async with (
        streamed(api, last=stream.began) as again,
        streamed(api, last=of_nobody.began, user_id=api.ben) as of_ben,
    ):
        assert (await again.event())[1]["data"]["memory_id"] == new["id"]
        assert (await of_ben.event())[1]["data"]["memory_id"] == dog["id"]


async def test_a_stream_ends_with_the_erasure_of_its_user_and_of_nobody_else(api: Api) -> None:
    await api.write("Lives in Porto")
    async with streamed(api) as stream, streamed(api, user_id=api.ben) as other:
        assert (await api.call("DELETE", path_of(api.anna))).status == 200
        last, event = await stream.event()
        assert (event["type"], event["data"]["user_id"], last) == ("user.erased", api.anna, NO_ID)
        await stream.end()
        await other.beat()
    new = await api.write("Lives in Faro")
    async with streamed(api, last=last) as stream:
        assert (await stream.event())[1]["data"]["memory_id"] == new["id"]


async def test_a_projects_events_are_its_own_and_of_any_process(api: Api, store: Store) -> None:
    project = [(b"X-Recollect-Project", b"boat")]
    async with (
        serve(engine_over(store)) as other,
        streamed(api, headers="X-Recollect-Project: boat\r\n") as stream,
    ):
        await api.write("Lives in Porto")
        new = await other.call("POST", api.memories, {"content": "Paints it blue"}, also=project)
        _, event = await stream.event()
    assert (event["data"]["memory_id"], event["data"]["project"]) == (new.json["id"], "boat")


async def test_a_users_streams_are_limited(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_streams, "_MOST_OF_ONE", 1)
    path = f"{path_of(api.anna)}/events"
    async with streamed(api), streamed(api, user_id=api.ben):
        assert_error(await api.call("GET", path), 429, "too_many_streams")
        assert (await api.call("HEAD", path)).status == 429

    async def is_free() -> bool:
        return (await api.call("HEAD", path)).status == 200

    await until(is_free)


async def test_streams_that_begin_together_are_counted(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_streams, "_MOST_OF_ONE", 2)
    streams = event_streams.EventStreams(api.live, lambda: False)
    begun = await asyncio.gather(
        *(streams.begin(api.engine, api.anna, None) for _ in range(5)), return_exceptions=True
    )
    opened = [each for each in begun if not isinstance(each, BaseException)]
    assert len(opened) == 2
    for each in opened:
        await each.aclose()
    await (await streams.begin(api.engine, api.anna, None)).aclose()


async def test_all_streams_ask_together(api: Api, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []
    places = store.events.places

    async def counted(users: list[str]) -> Any:
        asked.append(sorted(users))
        return await places(users)

    monkeypatch.setattr(api.engine, "event_places", counted)
    async with streamed(api) as one, streamed(api), streamed(api, user_id=api.ben) as other:
        asked.clear()
        await one.beat()
        await other.beat()
    assert asked
    assert all(each == sorted([api.anna, api.ben]) for each in asked[1:-1])


async def test_a_proxy_that_stops_ends_its_streams_in_order(fresh_settings: ProxySettings) -> None:
    async with AsyncExitStack() as client:
        async with running_proxy(fresh_settings) as proxy:
            assert await proxy.app.engine.ready(60)
            connection = await client.enter_async_context(RawConnection(proxy.port))
            await connection.send(_asked("anna", ADMIN_TOKEN))
            assert await connection.read_head() == 200
            await connection.read_until(b"retry: 2000\n\n")
        await Stream(connection).end()
