"""Clients that leave, and requests that are cancelled, at moments nobody chose; and what is left of them."""

import asyncio
import random
from types import CoroutineType

from tests.scripted.upstream import Answer, End, Received, ScriptedUpstream, completion, events, streamed
from tests.servers.running_proxy import RunningProxy, User, chat_request
from tests.support.raw_client import RawConnection, request_bytes
from tests.support.waiting import until

_CONCURRENCY = 50
_LONGEST_SECONDS = 0.03
_WHOSE = ("recollect_proxy", "/uvicorn/")


async def cancel_at_random(proxy: RunningProxy, upstream: ScriptedUpstream, user: User, *, count: int) -> int:
    """Send ``count`` requests, 50 at a time, of which none is let finish.

    Half of them only lose their client, by FIN or RST. The other half are cancelled as a server does
    whose time is over: once, twice in a row, or together with their client.

    Returns:
        How many were cancelled as a task; the others ended too early, or lost their client alone.
    """
    dice = random.Random(20)
    upstream.otherwise = lambda _request: _some_answer(dice)
    left = iter(range(count))
    cancelled = 0

    async def one_after_the_other() -> None:
        nonlocal cancelled
        for number in left:
            was_cancelled = await _begin_and_leave(proxy, user, number, dice)
            cancelled += was_cancelled

    await asyncio.gather(*(one_after_the_other() for _ in range(_CONCURRENCY)))
    return cancelled


def _some_answer(dice: random.Random) -> Answer:
    pieces = list(events("one ", "two ", "three"))
    pause = dice.uniform(0, _LONGEST_SECONDS)
    return dice.choice(
        [
            (End.SILENCE,),
            (pause, *completion("All right.")),
            streamed(pieces[0], pause, *pieces[1:3], End.SILENCE),
            streamed(*pieces[:2], pause, *pieces[2:]),
            streamed(*pieces[:2], pause, End.RESET),
        ]
    )


async def _begin_and_leave(proxy: RunningProxy, user: User, number: int, dice: random.Random) -> bool:
    request = dice.choice(
        [
            chat_request(user, f"I have {number} cats.", chat=f"chat-{number % 20}", stream=True),
            chat_request(user, f"I have {number} cats.", chat=f"chat-{number % 20}"),
            request_bytes(b"POST", b"/v1/embeddings", (), b"{}"),
            request_bytes(b"GET", b"/v1/models"),
        ]
    )
    before = set(proxy.server.server_state.tasks)
    async with RawConnection(proxy.port) as client:
        await client.send(request)
        await asyncio.sleep(dice.uniform(0, _LONGEST_SECONDS))
        begun = [task for task in proxy.server.server_state.tasks if task not in before]
        if dice.random() < 1 / 2:
            if dice.random() < 1 / 2:
                client.leave()
            return False
        tasks = dice.sample(begun, min(1, len(begun)))
        for task in tasks:
            task.cancel()
            if dice.random() < 1 / 2:
                await asyncio.sleep(dice.choice([0, 0.001]))
                task.cancel()
        if dice.random() < 1 / 2:
            client.leave()
        return bool(tasks)


def tasks_of_the_proxy() -> set["asyncio.Task[object]"]:
    """Return the tasks that run the proxy's code, its client's or its server's."""
    return {task for task in asyncio.all_tasks() if any(whose in _place_of(task) for whose in _WHOSE)}


def _place_of(task: "asyncio.Task[object]") -> str:
    running = task.get_coro()
    return running.cr_code.co_filename if isinstance(running, CoroutineType) else ""


async def nothing_is_left(
    proxy: RunningProxy, upstream: ScriptedUpstream, *, before: set["asyncio.Task[object]"]
) -> None:
    """Wait until no request holds a connection, an open socket or a task.

    Args:
        proxy: Whose requests are over.
        upstream: Whose sockets are counted: those that idle in the proxy's pool may stay.
        before: The proxy's tasks while none was under way.

    Raises:
        TimeoutError: Something stayed.
    """
    await proxy.settle()
    connections = proxy.app.upstream.connections
    await until(lambda: not connections.lent and not connections.waiting, seconds=20)
    await until(lambda: len(upstream._open) <= connections.idle, seconds=20)
    await until(lambda: tasks_of_the_proxy() <= before, seconds=20)


def say_all_right(_request: Received) -> Answer:
    """Answer as an upstream that is well."""
    return completion("All right.")


async def survives_cancelling(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, *, count: int, least: int, answers: int
) -> None:
    """Cancel requests at random, see that nothing is left of them, and have as many answered afterwards."""
    await proxy.say(user, "Is it morning?")
    await proxy.settle()
    before = tasks_of_the_proxy()
    assert await cancel_at_random(proxy, upstream, user, count=count) > least
    await nothing_is_left(proxy, upstream, before=before)
    upstream.otherwise = say_all_right
    answered = await asyncio.gather(*(proxy.say(user, "Is it noon?") for _ in range(answers)))
    assert [answer.status for answer in answered] == [200] * answers
