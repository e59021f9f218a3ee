"""A turn asks the database a small number of times: everything after its answer is one round trip."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import pytest
from tests.recollect_proxy.settings import changed
from tests.scripted.upstream import ScriptedUpstream, completion, completion_body, whole
from tests.servers.running_proxy import RunningProxy, User, running_proxy
from tests.support.round_trips import Statements, counting_statements

from recollect.model import TeamRole
from recollect_proxy.settings.proxy_settings import ProxySettings

WRITES = "write_turn("
LOOKS = "erased_at > $1"
"""Once a second a process looks for erasures by others: that is of no turn."""


@pytest.fixture
def statements() -> Iterator[Statements]:
    with counting_statements() as counted:
        yield counted


@pytest.fixture
async def counted_proxy(
    statements: Statements, session_settings: ProxySettings, own_dsn: str, upstream: ScriptedUpstream
) -> AsyncIterator[RunningProxy]:
    assert upstream.base_url == session_settings.upstream
    assert statements.sent == []
    async with running_proxy(changed(session_settings, database_url=own_dsn), forms=False) as proxy:
        yield proxy


async def of_one_turn(
    proxy: RunningProxy, user: User, statements: Statements, *, extra: Sequence[tuple[bytes, bytes]] = ()
) -> list[list[str]]:
    """Return the transactions of a turn in a conversation that runs."""
    said = [{"role": "user", "content": "I drink green tea at noon."}]
    await proxy.say(user, said, extra=extra)
    await proxy.settle()
    statements.sent.clear()
    said += [
        {"role": "assistant", "content": "All right."},
        {"role": "user", "content": "When do I drink tea?"},
    ]
    await proxy.say(user, said, extra=extra)
    await proxy.settle()
    return [each for each in statements.transactions if not any(LOOKS in sent for sent in each)]


async def test_all_that_a_turn_writes_is_one_round_trip(
    counted_proxy: RunningProxy, user: User, statements: Statements
) -> None:
    await counted_proxy.engine.add(user.known_as, "Anna drinks green tea at noon")

    transactions = await of_one_turn(counted_proxy, user, statements)

    writing = [each for each in transactions if any(WRITES in sent for sent in each)]
    assert [len(each) for each in writing] == [1]
    assert not any(" INSERT " in sent or " UPDATE " in sent for each in transactions for sent in each)
    [row] = await counted_proxy.rows(
        """
        SELECT (SELECT count(*) FROM recollect.messages) AS messages, (SELECT count(*) FROM recollect.request_metrics) AS requests,
            (SELECT count(*) FROM recollect.injections) AS blocks, (SELECT count(*) FROM recollect.pgqueuer) AS jobs
        """
    )
    # A job for each turn, and one for the hints of the memory that was added.
    assert dict(row) == {"messages": 4, "requests": 2, "blocks": 1, "jobs": 3}


@pytest.mark.parametrize("project", ["tea house", "team:tea house"])
async def test_a_turn_in_a_project_takes_no_further_round_trip(
    counted_proxy: RunningProxy, upstream: ScriptedUpstream, user: User, statements: Statements, project: str
) -> None:
    engine = counted_proxy.engine
    await engine.keep_team("tea house")
    await engine.set_member("tea house", user.known_as, TeamRole.WRITER)
    await engine.add(user.known_as, "Anna drinks green tea at noon")
    without = await of_one_turn(counted_proxy, user, statements)

    within = await of_one_turn(
        counted_proxy, user, statements, extra=[(b"X-Recollect-Project", project.encode())]
    )

    assert "Anna drinks green tea at noon" in str(upstream.last.json)
    assert [len(each) for each in within] == [len(each) for each in without]


async def test_a_turn_whose_answer_takes_long_is_written_before_and_behind_it(
    counted_proxy: RunningProxy, upstream: ScriptedUpstream, user: User, statements: Statements
) -> None:
    written = asyncio.Event()
    statements.when_sent(WRITES, written.set)
    upstream.answers.append((written, *completion("All right.")))
    await counted_proxy.say(user, "When do I drink tea?")
    await counted_proxy.settle()

    assert (
        sum(WRITES in sent for _, sent in statements.sent) == 3
    )  # the turn, its notes with the first byte, the end


async def test_a_request_with_a_tools_results_finds_the_block_that_its_turn_was_given(
    counted_proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    await counted_proxy.engine.add(user.known_as, "Anna drinks green tea at noon")
    call: dict[str, Any] = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "clock", "arguments": "{}"},
    }
    upstream.answers.append(whole(completion_body(None, tool_calls=[call])))
    said: list[dict[str, Any]] = [{"role": "user", "content": "When do I drink tea?"}]
    await counted_proxy.say(user, said)
    first = upstream.last.json["messages"]
    said += [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "It is noon."},
    ]
    await counted_proxy.say(user, said)
    await counted_proxy.settle()

    assert upstream.last.json["messages"] == [*first, *said[1:]]
    rows = await counted_proxy.rows("SELECT items FROM recollect.request_metrics ORDER BY at")
    assert [row["items"] for row in rows] == [1, 0]
