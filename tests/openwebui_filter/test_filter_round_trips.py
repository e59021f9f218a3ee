"""A turn through the filter is one round trip before its answer and one after it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.openwebui_filter.conftest import SECONDS_TO_OPEN
from tests.openwebui_filter.openwebui import Chat
from tests.openwebui_filter.telling import LISBON, WHERE, formed, settled
from tests.servers.databases import administrator
from tests.support.people import Person
from tests.support.round_trips import Statements, counting_statements

READS, WRITES = "recall_state(", "write_turn("


@pytest.fixture
def statements() -> Iterator[Statements]:
    with counting_statements() as counted:
        yield counted


async def test_a_short_answers_turn_is_read_once_and_written_once(
    statements: Statements, new_filter: Callable[..., Any], alice: Person
) -> None:
    memory = new_filter()
    assert await (await memory._engine()).ready(SECONDS_TO_OPEN)
    await Chat(memory, alice).says(LISBON)
    await formed(memory, alice, 1)
    chat = Chat(memory, alice, valves={"show_status": False})
    statements.sent.clear()

    assert LISBON in await chat.says(WHERE)
    await settled(memory)

    of_turn = [sent for _, sent in statements.sent if READS in sent or WRITES in sent]
    assert [READS in sent for sent in of_turn] == [True, False]
    async with administrator(memory.valves.database_url) as connection:
        kept = await connection.fetchval(
            "SELECT count(*) FROM recollect.injections WHERE user_id = $1 AND session_id = $2",
            alice,
            chat.chat_id,
        )
    assert kept == 1
