import asyncio
import threading

import pytest

from recollect_proxy.app import LazyApplication
from recollect_proxy.web.asgi import Application, Event, Receive, Scope, Send


class Build:
    """Builds an application that notes each request, once it is allowed to.

    Attributes:
        count: How often it was called.
        asked: The paths that were asked for.
    """

    def __init__(self) -> None:
        self.count = 0
        self.asked: list[str] = []
        self.allowed = threading.Event()

    def __call__(self) -> Application:
        self.count += 1
        assert self.allowed.wait(20)
        return self.answer

    async def answer(self, scope: Scope, _receive: Receive, _send: Send) -> None:
        self.asked.append(scope["path"])


async def nothing() -> Event:
    return {"type": "http.disconnect"}


async def nowhere(_event: Event) -> None:
    return


async def test_requests_wait_for_it_and_it_is_built_once() -> None:
    build = Build()
    application = LazyApplication(build)
    application.start()
    asking = [asyncio.create_task(application({"path": path}, nothing, nowhere)) for path in ("/a", "/b")]
    await asyncio.sleep(0)
    assert build.asked == []

    build.allowed.set()
    await asyncio.gather(*asking)
    await application({"path": "/c"}, nothing, nowhere)

    assert build.asked == ["/a", "/b", "/c"]
    assert build.count == 1


async def test_the_first_request_begins_it_where_nobody_did() -> None:
    build = Build()
    build.allowed.set()

    await LazyApplication(build)({"path": "/a"}, nothing, nowhere)

    assert build.asked == ["/a"]


async def test_a_request_that_is_given_up_does_not_end_the_building() -> None:
    build = Build()
    application = LazyApplication(build)
    given_up = asyncio.create_task(application({"path": "/a"}, nothing, nowhere))
    await asyncio.sleep(0)
    given_up.cancel()
    with pytest.raises(asyncio.CancelledError):
        await given_up
    build.allowed.set()

    await application({"path": "/b"}, nothing, nowhere)

    assert build.asked == ["/b"]
    assert build.count == 1
