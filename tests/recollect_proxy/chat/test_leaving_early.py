"""Whoever leaves while the Memory API or a page is being answered is no error: nothing fails, and nothing is logged as failed."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.recollect_proxy.memory_api.serving import TOKEN, GivenEngine, engine_over, path_of
from tests.support.raw_client import RawConnection, request_bytes
from tests.support.stores import Store
from tests.support.waiting import until

from recollect.engine import system_clock
from recollect_proxy.access.authentication import Authentication
from recollect_proxy.access.person_tokens import Audience
from recollect_proxy.memory_api import MemoryApi
from recollect_proxy.pages.application import pages
from recollect_proxy.pages.page_request import PageParts
from recollect_proxy.serving.ephemeral_server import serve_upstream
from recollect_proxy.web.asgi import Application, ClientLeftError, Receive, Scope, Send

AUTHENTICATION = Authentication(TOKEN, system_clock)
MESSAGES, CHARACTERS = 40, 200_000
"""More than the buffers of a connection hold: the answer is under way when its reader leaves."""


@asynccontextmanager
async def watched(application: Application) -> AsyncIterator[tuple[int, list[BaseException | None]]]:
    """Serve an application, and note how each of its requests ends, by what it raises."""
    endings: list[BaseException | None] = []

    async def watching(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await application(scope, receive, send)
        except BaseException as error:
            endings.append(error)
            raise
        endings.append(None)

    async with serve_upstream(watching) as origin:
        yield int(origin.rpartition(":")[2]), endings


async def say_much(store: Store) -> None:
    for number in range(MESSAGES):
        text = f"{number} " + "word " * (CHARACTERS // 5)
        assert await store.log.append(store.exchange(text))


def of_api(store: Store) -> tuple[Application, bytes, list[tuple[bytes, bytes]]]:
    application = MemoryApi(GivenEngine(engine_over(store)), authentication=AUTHENTICATION)
    target = f"{path_of(store.anna)}/export".encode()
    return application, target, [(b"Authorization", f"Bearer {TOKEN}".encode())]


def of_pages(store: Store) -> tuple[Application, bytes, list[tuple[bytes, bytes]]]:
    application = pages(PageParts(GivenEngine(engine_over(store)), AUTHENTICATION))
    ticket = AUTHENTICATION.person_tokens.make(store.anna, Audience.PAGE_LINK)[0]
    return application, b"/memory/ui/export", [(b"x-ticket", ticket.encode())]


async def cookie_of(port: int, ticket: bytes) -> bytes:
    """Enter by a link, and return the cookie of the session."""
    async with RawConnection(port) as connection:
        await connection.send(request_bytes(b"GET", b"/memory/ui/enter?ticket=" + ticket))
        entered = await connection.read_response()
    assert entered.status == 303
    return (entered.header(b"set-cookie") or b"").partition(b";")[0]


@pytest.mark.parametrize("served", [of_api, of_pages])
async def test_who_leaves_while_a_long_answer_comes_is_no_error(
    own_store: Store, served: Callable[[Store], tuple[Application, bytes, list[tuple[bytes, bytes]]]]
) -> None:
    await say_much(own_store)
    application, target, headers = served(own_store)
    with capture_logs() as logged:
        async with watched(application) as (port, endings):
            if headers[0][0] == b"x-ticket":
                headers = [(b"Cookie", await cookie_of(port, headers[0][1]))]
                endings.clear()
            async with RawConnection(port) as connection:
                await connection.send(request_bytes(b"GET", target, headers))
                assert await connection.read_head() == 200
                connection.leave()
            await until(lambda: bool(endings))

    assert_no_failure(endings, logged)


async def test_who_leaves_before_the_answer_is_no_error_either(own_store: Store) -> None:
    """Of a body half of which was sent, when its sender left."""
    application = MemoryApi(GivenEngine(engine_over(own_store)), authentication=AUTHENTICATION)
    target = f"{path_of(own_store.anna)}/memories".encode()
    token = (b"Authorization", f"Bearer {TOKEN}".encode())
    with capture_logs() as logged:
        async with watched(application) as (port, endings):
            async with RawConnection(port) as connection:
                whole = request_bytes(b"POST", target, [token], b'{"content": "Likes tea."}')
                await connection.send(whole[:-9])
                connection.leave()
            await until(lambda: bool(endings))

    assert_no_failure(endings, logged)
    assert isinstance(endings[0], ClientLeftError)


def assert_no_failure(endings: list[BaseException | None], logged: list[Any]) -> None:
    assert all(each is None or type(each) is ClientLeftError for each in endings), endings
    assert [each for each in logged if each["log_level"] in {"error", "warning", "critical"}] == []
