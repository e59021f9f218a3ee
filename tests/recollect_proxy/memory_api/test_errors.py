"""Every error has one shape, says how to mend it, and repeats nothing from the request."""

import re
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest
import structlog
from tests.recollect_proxy.memory_api.serving import (
    SECRET,
    TOKEN,
    Api,
    GivenEngine,
    assert_error,
    bearer,
    engine_over,
    path_of,
)
from tests.support.people import person
from tests.support.raw_client import RawConnection
from tests.support.stores import Store
from tests.support.tables import table
from tests.support.watched_stores import Outage, Through, breakable, with_parts

from recollect.api.endpoint_table import OPERATIONS, Operation, Permission
from recollect.api.failures import STORE_FAILED
from recollect.engine import system_clock
from recollect.errors import StoreError, StoreUnavailableError
from recollect_proxy.access.authentication import Authentication
from recollect_proxy.memory_api import MemoryApi
from recollect_proxy.memory_api.documentation import example_of
from recollect_proxy.web.asgi import ClientLeftError, Event
from recollect_proxy.web.strict_json import shape_fields

USER = path_of(person("anna"))
"""A user without memories."""

MEMORIES = f"{USER}/memories"
ID = "01980f6e-52f2-7d68-9d3f-0b6c2f6f2a10"


def request_of(operation: Operation[Any]) -> tuple[str, str, Any]:
    """Return the method, the target and the body of a request for an operation."""
    ids = {"user_id": USER.rpartition("/")[2], "session_id": "chat-1"}
    target = re.sub(r"\{(\w+)\}", lambda each: ids.get(each[1], ID), operation.path)
    fields = {} if operation.takes is None else shape_fields(operation.takes)
    if operation.takes is not None and operation.takes_body:
        return operation.method, target, example_of(operation.takes)
    query = "&".join(f"{name}=tea" for name, each in fields.items() if each.is_required)
    return operation.method, f"{target}?{query}" if query else target, None


PROTECTED = [each for each in OPERATIONS if each.permission is not Permission.PUBLIC]
OTHERS = {"import_user", "read_embeddings"}
"""Operations with a body of their own, or a part of the store that these tests lack."""
OF_THE_STORE = [each for each in PROTECTED if STORE_FAILED in each.failures and each.name not in OTHERS]


@pytest.fixture
def outage() -> Outage:
    return Outage()


@pytest.fixture
def fragile_api(api: Api, store: Store, outage: Outage) -> Iterator[Api]:
    """The Memory API over a store that fails during an outage."""
    with api.over(engine_over(breakable(store, outage))):
        yield api


async def test_without_the_token_everything_is_refused(fragile_api: Api, outage: Outage) -> None:
    outage.failure = StoreError("nobody should get this far")
    for operation in PROTECTED:
        fragile_api.forget_failures()
        response = await fragile_api.call(*request_of(operation), headers=bearer("another token"))

        assert_error(response, 401, "unauthorized")
        assert response.header(b"www-authenticate") == b"Bearer"


async def test_a_token_in_the_query_string_is_not_accepted(api: Api) -> None:
    for name in ("token", "access_token", "admin_token", "authorization"):
        response = await api.call("GET", f"{MEMORIES}?{name}={TOKEN.replace(' ', '%20')}", headers=[])

        assert_error(response, 401, "unauthorized")


async def test_no_operation_overlooks_a_parameter(api: Api) -> None:
    for operation in OPERATIONS:
        method, target, body = request_of(operation)
        mark = "&" if "?" in target else "?"
        response = await api.call(method, f"{target}{mark}dry_run=true", body)

        assert "unknown parameter" in assert_error(response, 400, "invalid_parameter", "dry_run")


async def test_a_method_that_a_path_does_not_know_is_refused_with_those_it_knows(api: Api) -> None:
    response = await api.call("PUT", MEMORIES, {"content": SECRET})

    assert_error(response, 405, "method_not_allowed")
    allowed = response.header(b"allow") or b""
    assert set(allowed.split(b", ")) == {b"GET", b"OPTIONS", b"POST"}


async def test_a_head_request_is_answered_like_a_get_without_its_body(api: Api) -> None:
    got = await api.call("GET", MEMORIES)
    response = await api.call("HEAD", MEMORIES)

    assert (response.status, response.body) == (200, b"")
    assert response.header(b"content-length") == got.header(b"content-length")


async def test_a_host_that_is_none_is_refused_in_the_same_shape(api: Api) -> None:
    async with RawConnection(api.port) as connection:
        await connection.send(b"GET /memory/health HTTP/1.1\r\nHost: h/x?\r\n\r\n")

        assert_error(await connection.read_response(), 400, "bad_request")


@table(
    ("failure", "code"),
    [
        (None, "store_unavailable"),
        (StoreUnavailableError(), "store_unavailable"),
        (StoreError("serialization failure"), "store_failed"),
    ],
)
async def test_a_failure_may_pass(
    fragile_api: Api, outage: Outage, failure: StoreError | None, code: str
) -> None:
    outage.failure = failure
    with nullcontext() if failure else fragile_api.over(None):
        for operation in OF_THE_STORE:
            response = await fragile_api.call(*request_of(operation))

            assert_error(response, 503, code)
            assert int(response.header(b"retry-after") or b"0") > 0


async def test_a_bug_is_answered_without_its_trace_and_logged_with_it(api: Api, store: Store) -> None:
    class Faulty(Through):
        async def page(self, user_id: str, **_: object) -> Any:
            raise ZeroDivisionError(f"while reading {user_id}")

    faulty = with_parts(store, memories=Faulty(store.memories))
    with structlog.testing.capture_logs() as logs, api.over(engine_over(faulty)):
        response = await api.call("GET", f"{path_of(SECRET)}/memories")

    message = assert_error(response, 500, "internal_error")
    assert not re.search("ZeroDivision|Traceback|line", message)
    [logged] = [entry for entry in logs if entry["event"] == "memory_api_failed"]
    assert isinstance(logged["exc_info"], ZeroDivisionError)


async def test_a_client_that_leaves_amid_its_body_is_no_error_of_ours(store: Store) -> None:
    authentication = Authentication(TOKEN, system_clock)
    application = MemoryApi(GivenEngine(engine_over(store)), authentication=authentication)
    sent: list[Event] = []

    async def receive() -> Event:
        return {"type": "http.disconnect"}

    async def send(event: Event) -> None:
        sent.append(event)

    scope: dict[str, Any] = {"type": "http", "method": "POST", "path": MEMORIES, "query_string": b""}
    scope |= {"raw_path": MEMORIES.encode(), "headers": [*bearer(TOKEN), (b"content-length", b"5")]}
    with structlog.testing.capture_logs() as logs, pytest.raises(ClientLeftError):
        await application(scope, receive, send)
    assert (sent, logs) == ([], [])
