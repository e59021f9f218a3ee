"""Recalls before an answer, remembers after it, and shows both. May raise: a hook fails open around it.

Never: waits for a model, or with a status; keeps anything of a request but on the request itself.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias

import msgspec

from recollect.chat import COMPLETIONS
from recollect.engine import Engine
from recollect.engine.exchanges import ExchangeRecord
from recollect.engine.live import LiveEngine
from recollect.engine.prepared import NO_WISHES
from recollect.model import Became, News, Outcome, Progress, Recollection, Turn, Written
from recollect.prompting import compose_request
from recollect.text.tokens import token_counter
from recollect_openwebui import telling
from recollect_openwebui.background import in_background
from recollect_openwebui.hearing import Call
from recollect_openwebui.noted import noted
from recollect_openwebui.taking_out import without_blocks

_OPENING_SECONDS = 1.0
"""What a chat waits at most for an engine that is just being opened; the first ones wait as long for the package before."""

_OUTCOME_SECONDS = 30.0
"""For how long after an answer it is still told under it what was remembered of it; then the chat's next answer tells it."""

_LOOK_SECONDS = 0.5

FindEngine: TypeAlias = Callable[[], Awaitable[LiveEngine]]


async def recall(body: Any, call: Call, find_engine: FindEngine) -> None:
    """Add to the prompt in ``body`` what the person said in other chats and what helps with this turn.

    The model may be asked several times for one answer, with what tools say. Each time the same is added to the messages as
    they would be without it: Open WebUI hands them over as they were composed, as they came, or some so and some so.
    """
    answer = noted(call)
    is_first, answer.is_prepared = not answer.is_prepared, True
    if is_first:
        await _come_first(call, find_engine)
        _remember_if_stopped(dict(body), call, find_engine)
        answer.exchange_record = await _begun(body, call, find_engine)
    try:
        await _add_memories(body, call, find_engine, is_first=is_first)
    finally:
        if is_first and answer.exchange_record is not None:
            if call.shows:
                in_background(_tell_meanwhile(call, await find_engine(), answer.exchange_record.turn))
            await answer.exchange_record.durable()


async def _come_first(call: Call, find_engine: FindEngine) -> None:
    """Let formation yield to this answer until it is over, or the task that answers is done, however that ends."""
    answering = asyncio.current_task()
    if answering is None or call.request is None:
        return
    coming_first = noted(call).coming_first
    coming_first.enter_context((await find_engine()).chat())
    answering.add_done_callback(lambda _: coming_first.close())


async def _add_memories(body: Any, call: Call, find_engine: FindEngine, *, is_first: bool) -> None:
    answer = noted(call)
    heard = call.hear(body, without_blocks(body["messages"], answer.blocks), wish="recall")
    if heard.turn is None or heard.body is None:
        return
    engine = await find_engine()
    if engine.failure is None:
        await engine.ready(_OPENING_SECONDS)
    if engine.engine is None and engine.failure is None and is_first and call.shows:
        in_background(call.emit(telling.starting()))
    prepared = await engine.prepare(heard.turn, NO_WISHES, count=token_counter(heard.turn.model))
    composed = compose_request(COMPLETIONS, heard.body, prepared.placed)
    engine.note(heard.turn, prepared)
    if is_first and call.shows and (prepared.found or prepared.in_place):
        in_background(call.emit(telling.recalled(prepared.found, prepared.in_place)))
    if composed is None:
        return
    body["messages"] = msgspec.json.decode(composed)["messages"]
    answer.included = tuple(prepared.included)
    answer.blocks = tuple(filter(None, (prepared.placed.system, *prepared.placed.beside.values())))


async def _begun(body: Any, call: Call, find_engine: FindEngine) -> ExchangeRecord | None:
    """Begin to write what the person says, where the chat it is said in knows the message again by its id."""
    if call.request is None or not (call.metadata or {}).get("user_message_id"):
        return None
    heard = call.hear(body, body["messages"], wish="remember")
    if heard.turn is None or not heard.forms:
        return None
    return (await find_engine()).begin(heard.turn, credential=None)


async def remember(body: Any, call: Call, find_engine: FindEngine) -> None:
    """Remember, in the background, what the person said and what was answered; then show what that was.

    What was recalled becomes a source of the answer only now: Open WebUI would put the sources of a document in the
    place of any that came before them, or, on the page, leave those out.
    """
    noted(call).is_given = True
    noted(call).coming_first.close()
    *said, answer = body["messages"]
    reply = answer["content"] if answer["role"] == "assistant" else None
    if not isinstance(reply, str) or not reply.strip():
        return
    included = noted(call).included
    if call.shows and included:
        in_background(_cite(call, included))
    await _remember_turn(body, said, reply, call, find_engine)


def _remember_if_stopped(body: Any, call: Call, find_engine: FindEngine) -> None:
    """Remember what the person said if they stop the answer, of which Open WebUI tells no filter.

    It cancels the task that answers, in which this is called.
    """

    def ended(task: "asyncio.Task[Any]") -> None:
        if task.cancelling() and not noted(call).is_given:
            in_background(_remember_turn(body, body["messages"], "", call, find_engine))

    answering = asyncio.current_task()
    if answering is not None and call.request is not None and (call.metadata or {}).get("session_id"):
        answering.add_done_callback(ended)


async def _remember_turn(body: Any, said: list[Any], reply: str, call: Call, find_engine: FindEngine) -> None:
    heard = call.hear(body, said, wish="remember")
    if heard.turn is None or not heard.forms:
        return
    engine, begun, included = await find_engine(), noted(call).exchange_record, noted(call).included
    if begun is not None and (begun.turn.scope, begun.turn.key) == (heard.turn.scope, heard.turn.key):
        remembering: asyncio.Task[Became] | None = begun.end(reply, recollections=included)
    else:
        remembering = engine.remember(heard.turn, reply, recollections=included, credential=None)
    if call.shows and remembering is not None:
        in_background(_tell_outcome(call, engine, heard.turn, remembering))


async def _cite(call: Call, included: Sequence[Recollection]) -> None:
    for each in included:
        if each.is_found:
            await call.emit(telling.citation(each))


async def _tell_outcome(
    call: Call, engine: LiveEngine, turn: Turn, remembering: "asyncio.Task[Became]"
) -> None:
    """Say what was remembered, if anything was and it is known in time; if not, the chat's next answer says it."""
    try:
        async with asyncio.timeout(_OUTCOME_SECONDS):
            became = await asyncio.shield(remembering)
            # It may wait: for an engine that is just being opened, as of a process's first chat, or for its store.
            if isinstance(became, Awaitable):
                became = await asyncio.shield(became)
            # Another answer to the same message changes nothing, and says nothing.
            outcome = await _outcome(engine, turn) if became is Written.NEW else None
    except TimeoutError:
        return
    if outcome is not None and engine.engine is not None:
        news = await engine.engine.tell(turn.scope, turn.key, own=True)
        await _tell(call, engine.engine, news, telling.changes(news.updates[::-1]))


async def _tell_meanwhile(call: Call, live: LiveEngine, turn: Turn) -> None:
    """Say what was remembered in this chat since something was last shown in it."""
    if live.engine is not None:
        news = await live.engine.tell(turn.scope, turn.key)
        await _tell(call, live.engine, news, telling.meanwhile(news.updates[::-1]))


async def _tell(call: Call, engine: Engine, news: News, told: str) -> None:
    """Say it, if it is anything; what can't be said is news to the chat's next answer."""
    if not told:
        return
    is_told = False
    try:
        await call.emit(telling.status(told))
        is_told = True
    finally:
        if not is_told:
            await engine.untell(news)


async def _outcome(live: LiveEngine, turn: Turn) -> Outcome | None:
    """Wait until the turn is formed, or will not be; None: nobody knows."""
    while (engine := live.engine) is not None:
        outcome = await engine.outcome(turn.scope, turn.key)
        if outcome is None or outcome.progress is not Progress.PENDING:
            return outcome
        await asyncio.sleep(_LOOK_SECONDS)
    return None
