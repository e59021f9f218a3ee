"""A webhook is sent each change at least once, a person's in order, signed; and nobody waits for it."""

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from typing import Any

import httpx
import pytest
from structlog.testing import capture_logs
from tests.recollect.store.keeping import apply, kept
from tests.servers.databases import run_sql
from tests.support.stores import LATER, NOON, Store
from tests.support.waiting import until

from recollect.engine.background.webhook_delivery import WebhookDelivery
from recollect.errors import ConfigurationError
from recollect.model import Add, Reason, Retire, Scope
from recollect.webhook import Webhook

KEY = b"a key of thirty-two bytes, for us"[:32]
SECRET = "whsec_" + base64.b64encode(KEY).decode()


class Receiver:
    """A server on the loopback that answers as it is told, then 204, and verifies each signature by the words of the specification."""

    def __init__(self) -> None:
        self.answers: list[int] = []
        self.taken: list[Any] = []
        self.refused: list[Any] = []
        self.port = 0

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head, _, _ = (await reader.readuntil(b"\r\n\r\n")).partition(b"\r\n\r\n")
        headers = {
            name.decode().lower(): value.strip().decode()
            for name, _, value in (line.partition(b":") for line in head.split(b"\r\n")[1:])
        }
        body = await reader.readexactly(int(headers["content-length"]))
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        expected = base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
        assert headers["webhook-signature"] == f"v1,{expected}"
        event = json.loads(body)
        assert event["data"]["id"] == headers["webhook-id"]
        status = self.answers.pop(0) if self.answers else 204
        (self.taken if status == 204 else self.refused).append(event)
        place = f"Location: http://127.0.0.1:{self.port}/elsewhere\r\n" if status == 307 else ""
        writer.write(f"HTTP/1.1 {status} X\r\n{place}Content-Length: 0\r\nConnection: close\r\n\r\n".encode())
        writer.close()


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.engine.background.webhook_delivery._LOOK_SECONDS", 0.05)


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    receiver = Receiver()
    server = await asyncio.start_server(receiver.answer, "127.0.0.1", 0)
    receiver.port = server.sockets[0].getsockname()[1]
    async with server:
        yield receiver


@asynccontextmanager
async def telling(
    store: Store,
    receiver: Receiver,
    *,
    processes: int = 1,
    with_text: bool = False,
    late: timedelta = timedelta(),
) -> AsyncIterator[None]:
    """Send the store's events to the receiver during the body."""
    async with httpx.AsyncClient() as client:
        webhook = Webhook(f"http://127.0.0.1:{receiver.port}/hook", SECRET, client, with_text=with_text)
        running = [
            asyncio.create_task(WebhookDelivery(store.events, webhook, lambda: NOON + late).run())
            for _ in range(processes)
        ]
        try:
            yield
        finally:
            for each in running:
                each.cancel()
            await asyncio.wait(running)


@contextmanager
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have refused events sent again at once."""
    with monkeypatch.context() as patched:
        patched.setattr("recollect.engine.background.webhook_delivery._FIRST_WAIT", 0.05)
        yield


async def is_all_told(store: Store) -> bool:
    """Whether the store knows that the receiver has all events."""
    return await store.events.unsent(besides=[], limit=9) == ([], [])


def told(receiver: Receiver) -> list[tuple[str, str | None]]:
    return [(each["type"], each["data"]["memory_id"]) for each in receiver.taken]


async def test_two_processes_send_changes_once_and_in_order(own_store: Store, receiver: Receiver) -> None:
    new = [await kept(own_store, f"Has cat {number}") for number in range(3)]
    async with telling(own_store, receiver, processes=2):
        await until(lambda: len(receiver.taken) == 3)
        await apply(own_store, Retire(new[0].id, Reason.FORGOTTEN))
        await until(lambda: len(receiver.taken) == 4)

    assert told(receiver) == [
        *(("memory.remembered", str(each.id)) for each in new),
        ("memory.forgotten", None),
    ]
    event = receiver.taken[3]
    why = {"kind": "fact", "actor": "formation", "reason": "forgotten", "session_id": None}
    whose = {"id": event["data"]["id"], "user_id": own_store.anna, "project": None, "memory_id": None}
    assert event["data"] == whose | {"gone": [str(new[0].id)]} | why
    assert (event["type"], event["timestamp"]) == ("memory.forgotten", "2026-03-15T12:00:00Z")
    assert event.keys() == {"type", "timestamp", "data"}


async def test_the_texts_are_sent_if_the_operator_says_so(own_store: Store, receiver: Receiver) -> None:
    await kept(own_store, "Lives in Porto")
    async with telling(own_store, receiver, with_text=True):
        await until(lambda: len(receiver.taken) == 1)
    assert receiver.taken[0]["data"]["text"] == {"before": None, "after": "Lives in Porto"}


@pytest.mark.parametrize("status", [500, 307])
async def test_what_is_refused_or_redirected_is_sent_again_before_the_next(
    own_store: Store, receiver: Receiver, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await kept(own_store, "Lives in Porto")
    second = await kept(own_store, "Has a cat")
    receiver.answers = [status, status]
    with impatient(monkeypatch), capture_logs() as logged:
        async with telling(own_store, receiver):
            await until(lambda: len(receiver.taken) == 2)
    failures = [each["reason"] for each in logged if each["event"] == "webhook_failed"]
    assert failures == [str(status)] * 2
    assert told(receiver) == [("memory.remembered", str(each.id)) for each in (first, second)]
    assert [each["data"]["memory_id"] for each in receiver.refused] == [str(first.id)] * 2


async def test_what_one_person_has_to_wait_for_nobody_else_waits_for(
    own_store: Store, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.engine.background.webhook_delivery._LONGER", 10_000)
    await kept(own_store, "Lives in Porto")
    receiver.answers = [400, 400]
    with impatient(monkeypatch):
        async with telling(own_store, receiver):
            await until(lambda: len(receiver.refused) == 2)  # anna waits for minutes now
            await kept(own_store, "Has a dog", own_store.ben.scope)
            await until(lambda: len(receiver.taken) == 1, seconds=20)
    assert receiver.taken[0]["data"]["user_id"] == own_store.ben


async def test_a_row_that_can_not_be_read_stops_its_person_alone(
    own_store: Store, own_dsn: str, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.engine.background.webhook_delivery._AT_ONCE", 1)
    first, second = sorted((own_store.anna, own_store.ben))
    await kept(own_store, "Lives in Porto", Scope(first, ""))
    await run_sql(
        own_dsn, """UPDATE recollect.memory_updates SET action = 'retire', details = '{"heir": "?"}'"""
    )
    await kept(own_store, "Has a dog", Scope(second, ""))
    with impatient(monkeypatch):
        async with telling(own_store, receiver):
            await until(lambda: len(receiver.taken) == 1, seconds=20)
    assert receiver.taken[0]["data"]["user_id"] == second


async def test_events_of_more_than_three_days_are_not_sent(own_store: Store, receiver: Receiver) -> None:
    await kept(own_store, "Lives in Porto")
    late = own_store.memory("Has a cat")
    await apply(own_store, Add(late), at=NOON + timedelta(days=2))
    async with telling(own_store, receiver, late=timedelta(days=4)):
        await until(lambda: len(receiver.taken) == 1)
    assert told(receiver) == [("memory.remembered", str(late.id))]


async def test_an_erased_person_is_told_and_then_nowhere_more(own_store: Store, receiver: Receiver) -> None:
    async with telling(own_store, receiver):
        await kept(own_store, "Lives in Porto")
        await until(lambda: len(receiver.taken) == 1)
        await own_store.memories.erase(own_store.anna, at=NOON)
        await until(lambda: len(receiver.taken) == 2)
        await until(lambda: is_all_told(own_store))
    told_of = receiver.taken[1]
    assert (told_of["type"], told_of["data"]["user_id"]) == ("user.erased", own_store.anna)


async def test_of_two_erasures_the_first_is_told_first(own_store: Store, receiver: Receiver) -> None:
    await kept(own_store, "Lives in Porto")
    async with telling(own_store, receiver):
        await until(lambda: len(receiver.taken) == 1)
    await own_store.memories.erase(own_store.anna, at=NOON)
    await kept(own_store, "Lives in Faro")
    await own_store.memories.erase(own_store.anna, at=LATER)
    async with telling(own_store, receiver):
        await until(lambda: len(receiver.taken) == 3)
    told_at = [(each["type"], each["timestamp"][:10]) for each in receiver.taken[1:]]
    assert told_at == [("user.erased", "2026-03-15"), ("user.erased", "2026-03-16")]


@pytest.mark.parametrize(
    ("url", "secret"),
    [
        ("ftp://here", SECRET),
        ("here", SECRET),
        ("http://", SECRET),
        ("http://here", ""),
        ("http://here", "whsec_c2hvcnQ="),
        ("http://here", SECRET.removeprefix("whsec_")),
        ("http://here", "whsec_no base64"),
    ],
)
def test_a_url_or_a_secret_that_makes_no_sense_is_refused(url: str, secret: str) -> None:
    with pytest.raises(ConfigurationError):
        Webhook(url, secret, httpx.AsyncClient(), with_text=False)
