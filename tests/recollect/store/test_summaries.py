"""What becomes of a chat that is to be summarized while it is read."""

from collections.abc import Awaitable, Callable
from typing import Any

from tests.stores import NOON, Store

from recollect.model import Formed
from recollect.store import Postgres
from recollect.store.inbox.summaries import read_conversation


class Interrupted:
    """A connection that lets something else be done after the first thing that it reads."""

    def __init__(self, connection: Any, between: Callable[[], Awaitable[object]]) -> None:
        self._connection = connection
        self._between = between

    async def fetchrow(self, *arguments: Any) -> Any:
        found = await self._connection.fetchrow(*arguments)
        await self._between()
        return found

    async def fetch(self, *arguments: Any) -> Any:
        return await self._connection.fetch(*arguments)


async def test_a_chat_that_is_erased_while_it_is_read_is_not_due(store: Store, postgres: Postgres) -> None:
    said = store.exchange("I like tea")
    await store.log.append(said)
    await store.inbox.complete([Formed(said)], at=NOON)

    async with postgres.database.for_user(store.anna) as connection:
        interrupted: Any = Interrupted(connection, lambda: store.memories.erase(store.anna, at=NOON))
        found = await read_conversation(interrupted, store.anna, turns=1, tokens=0, without=())

    assert found is None
