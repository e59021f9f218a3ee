"""Recalls before an answer, remembers after it, and shows both. May raise: a hook fails open around it.

Never: waits for a model, or with a status; keeps anything of a request but on the request itself.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias

import msgspec

from recollect.chat import COMPLETIONS
from recollect.engine import Engine
from recollect.engine.live_engine import LiveEngine
from recollect.engine.recalling import NO_WISHES
from recollect.engine.saying import Saying
from recollect.model import Became, News, Outcome, Progress, Recollection, Turn, Written
from recollect.request_composition import compose_request
from recollect.text.tokens import token_counter
from recollect_openwebui import notices
from recollect_openwebui.answer_state import answer_state
from recollect_openwebui.background import in_background
from recollect_openwebui.block_removal import without_blocks
from recollect_openwebui.hook_call import Call

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
    answer = answer_state(call)
    is_first, answer.is_prepared = not answer.is_prepared, True
    if is_first:
        await _prioritize_chat(call, find_engine)
        _remember_if_stopped(dict(body), call, find_engine)
        answer.exchange_record = await _begun(body, call, find_engine)
    try:
        await _add_memories(body, call, find_engine, is_first=is_first)
    finally:
        if is_first and answer.exchange_record is not None:
            if call.shows:
                in_background(_tell_meanwhile(call, await find_engine(), answer.exchange_record.turn))
            await answer.exchange_record.durable()


async def _prioritize_chat(call: Call, find_engine: FindEngine) -> None:
    """Let formation yield to this answer until it is over, or the task that answers is done, however that ends."""
    answering = asyncio.current_task()
    if answering is None or call.request is None:
        return
    chat_priority = answer_state(call).chat_priority
    chat_priority.enter_context((await find_engine()).chat())
    answering.add_done_callback(lambda _: chat_priority.close())


async def _add_memories(body: Any, call: Call, find_engine: FindEngine, *, is_first: bool) -> None:
    answer = answer_state(call)
    detected = call.detect_turn(body, without_blocks(body["messages"], answer.blocks), wish="recall")
    if detected.turn is None or detected.body is None:
        return
    engine = await find_engine()
    if engine.failure is None:
        await engine.ready(_OPENING_SECONDS)
    if engine.engine is None and engine.failure is None and is_first and call.shows:
        in_background(call.emit(notices.starting()))
    prepared = await engine.prepare(detected.turn, NO_WISHES, count=token_counter(detected.turn.model))
    composed = compose_request(COMPLETIONS, detected.body, prepared.placed)
    engine.note(detected.turn, prepared)
    if is_first and call.shows and (prepared.found or prepared.in_place):
        in_background(call.emit(notices.recalled(prepared.found, prepared.in_place)))
    if composed is None:
        return
    body["messages"] = msgspec.json.decode(composed)["messages"]
    answer.included = tuple(prepared.included)
    answer.blocks = tuple(filter(None, (prepared.placed.system, *prepared.placed.beside.values())))


async def _begun(body: Any, call: Call, find_engine: FindEngine) -> Saying | None:
    """Begin to write what the person says, where the chat it is said in knows the message again by its id."""
    if call.request is None or not (call.metadata or {}).get("user_message_id"):
        return None
    detected = call.detect_turn(body, body["messages"], wish="remember")
    if detected.turn is None or not detected.forms:
        return None
    return (await find_engine()).begin(detected.turn, credential=None)


async def remember(body: Any, call: Call, find_engine: FindEngine) -> None:
    """Remember, in the background, what the person said and what was answered; then show what that was.

    What was recalled becomes a source of the answer only now: Open WebUI would put the sources of a document in the
    place of any that came before them, or, on the page, leave those out.
    """
    answer_state(call).is_answered = True
    answer_state(call).chat_priority.close()
    *said, answer = body["messages"]
    reply = answer["content"] if answer["role"] == "assistant" else None
    if not isinstance(reply, str) or not reply.strip():
        return
    included = answer_state(call).included
    if call.shows and included:
        in_background(_cite(call, included))
    await _remember_turn(body, said, reply, call, find_engine)


def _remember_if_stopped(body: Any, call: Call, find_engine: FindEngine) -> None:
    """Remember what the person said if they stop the answer, of which Open WebUI tells no filter.

    It cancels the task that answers, in which this is called.
    """

    def ended(task: "asyncio.Task[Any]") -> None:
        if task.cancelling() and not answer_state(call).is_answered:
            in_background(_remember_turn(body, body["messages"], "", call, find_engine))

    answering = asyncio.current_task()
    if answering is not None and call.request is not None and (call.metadata or {}).get("session_id"):
        answering.add_done_callback(ended)


async def _remember_turn(body: Any, said: list[Any], reply: str, call: Call, find_engine: FindEngine) -> None:
    detected = call.detect_turn(body, said, wish="remember")
    if detected.turn is None or not detected.forms:
        return
    engine, begun, included = (
        await find_engine(),
        answer_state(call).exchange_record,
        answer_state(call).included,
    )
    if begun is not None and (begun.turn.scope, begun.turn.key) == (detected.turn.scope, detected.turn.key):
        remembering: asyncio.Task[Became] | None = begun.end(reply, recollections=included)
    else:
        remembering = engine.remember(detected.turn, reply, recollections=included, credential=None)
    if call.shows and remembering is not None:
        in_background(_tell_outcome(call, engine, detected.turn, remembering))


async def _cite(call: Call, included: Sequence[Recollection]) -> None:
    for each in included:
        if each.is_found:
            await call.emit(notices.citation(each))


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
        await _tell(call, engine.engine, news, notices.changes(news.updates[::-1]))


async def _tell_meanwhile(call: Call, live: LiveEngine, turn: Turn) -> None:
    """Say what was remembered in this chat since something was last shown in it."""
    if live.engine is not None:
        news = await live.engine.tell(turn.scope, turn.key)
        await _tell(call, live.engine, news, notices.meanwhile(news.updates[::-1]))


async def _tell(call: Call, engine: Engine, news: News, told: str) -> None:
    """Say it, if it is anything; what can't be said is news to the chat's next answer."""
    if not told:
        return
    is_told = False
    try:
        await call.emit(notices.status(told))
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
