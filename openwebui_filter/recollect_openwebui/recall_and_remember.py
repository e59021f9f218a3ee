"""Recalls before an answer, remembers after it, and shows both. May raise: the hook that calls it fails open.

It waits for no model, nor until a status is shown, and keeps a request's state on the request alone.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import msgspec

from recollect.engine import Engine
from recollect.engine.background.model_waits import await_outcome
from recollect.engine.exchange_recorder import ExchangeRecord
from recollect.engine.live.live_engine import LiveEngine
from recollect.engine.turns.prompt_content import NO_OPTIONS
from recollect.model import Became, News, Outcome, Recollection, Turn, Written, person_of, project_of
from recollect.request_composition import compose_request
from recollect.text.tokens import token_counter
from recollect.wire import COMPLETIONS, ChatMessage, authored_text
from recollect.wire.insertion import GAP
from recollect_openwebui.button_actions import button_name, changes_line
from recollect_openwebui.hook_call import Call, folder_title, in_background, note_folder
from recollect_openwebui.notices import NEWS_AGE, Event, Notices, language_of, notices_of, status

_OPENING_SECONDS = 1.0
"""How long a chat waits at most for an engine that is being opened."""

_IMPORT_SECONDS = 1.0
"""How long the first chats of a process wait for the engine's modules; then they go without memory, and are remembered all the same."""

_OUTCOME_SECONDS = 300.0
"""How long after an answer its status may still show new memories; after that the person's next answer shows them."""

FindEngine: TypeAlias = Callable[[], Awaitable[LiveEngine]]


@dataclass
class AnswerState:
    """The state of one answer. A request to several models has an answer of each.

    Attributes:
        is_prepared: Whether memories were recalled for it; the model may be asked again, with the results of tools.
        is_answered: Whether the answer is complete.
        included: The recollections in its prompt.
        blocks: The texts that were added to its prompt.
        notices: The notices in the person's language.
        exchange_record: Writes the exchange to the log; None if it is not kept, or not yet.
        chat_priority: Until it is closed, formation yields to this answer.
    """

    is_prepared: bool = False
    is_answered: bool = False
    included: Sequence[Recollection] = ()
    blocks: Sequence[str] = ()
    notices: Notices = field(default_factory=Notices)
    exchange_record: ExchangeRecord | None = None
    chat_priority: ExitStack = field(default_factory=ExitStack)


def answer_state(call: Call) -> AnswerState:
    """Return the state of the answer that a hook is called for; a new one, kept nowhere, if the hook is given no request."""
    if call.request is None:
        return AnswerState()
    state = call.request.state
    if not hasattr(state, "recollect_answers"):
        state.recollect_answers = {}
    known: AnswerState = state.recollect_answers.setdefault(
        (call.metadata or {}).get("message_id"), AnswerState()
    )
    return known


async def recall(body: Any, call: Call, find_engine: FindEngine) -> None:
    """Add memories that help with this turn to the prompt in ``body``.

    The model may be asked several times for one answer, with the results of tools. Open WebUI then passes the messages as they were
    composed, as they came, or a mixture; so the earlier blocks are removed first, and each time the same is added.
    """
    if not await _is_found(find_engine):
        if call.shows:
            in_background(_show(call, body, "starting"))
        return
    await note_folder(call)
    answer = answer_state(call)
    is_first, answer.is_prepared = not answer.is_prepared, True
    if is_first:
        if call.shows and (off := call.off(body["messages"])):
            in_background(_show(call, body, off))
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


async def _is_found(find_engine: FindEngine) -> bool:
    """Return whether there is an engine to ask, open or not; as long as its libraries are imported a chat waits a second."""
    finding = asyncio.ensure_future(find_engine())
    await asyncio.wait({finding}, timeout=_IMPORT_SECONDS)
    if finding.done():
        finding.result()
        return True
    finding.add_done_callback(lambda found: found.cancelled() or found.exception())  # the next chat shows it
    return False


async def _prioritize_chat(call: Call, find_engine: FindEngine) -> None:
    """Let formation yield to this answer until it is complete, or the task that produces it has ended."""
    answering = asyncio.current_task()
    if answering is None or call.request is None:
        return
    chat_priority = answer_state(call).chat_priority
    chat_priority.enter_context((await find_engine()).chat())
    answering.add_done_callback(lambda _: chat_priority.close())


async def _add_memories(body: Any, call: Call, find_engine: FindEngine, *, is_first: bool) -> None:
    answer = answer_state(call)
    detected = call.detect_turn(body, without_blocks(body["messages"], answer.blocks), setting="recall")
    if detected.turn is None or detected.body is None:
        return
    engine = await find_engine()
    if engine.failure is None:
        await engine.ready(_OPENING_SECONDS)
    if engine.engine is None and engine.failure is None and is_first and call.shows:
        in_background(_show(call, body, "starting"))
    prepared = await engine.prepare(detected.turn, NO_OPTIONS, count=token_counter(detected.turn.model))
    composed = compose_request(COMPLETIONS, detected.body, prepared.placed)
    engine.note_turn(detected.turn, prepared, record=answer.exchange_record if is_first else None)
    if is_first and call.shows:
        notices = notices_of(detected.turn, call.language, [each.item.content for each in prepared.included])
        in_background(_emit(call, notices.before_answer(prepared, detected.turn)))
        answer.notices = notices
    if composed is None:
        return
    body["messages"] = msgspec.json.decode(composed)["messages"]
    answer.included = tuple(prepared.included)
    answer.blocks = tuple(filter(None, (prepared.placed.system, *prepared.placed.beside.values())))


async def _begun(body: Any, call: Call, find_engine: FindEngine) -> ExchangeRecord | None:
    """Begin to log the turn, if its message has an id by which the chat knows it again."""
    if call.request is None or not (call.metadata or {}).get("user_message_id"):
        return None
    detected = call.detect_turn(body, body["messages"], setting="remember")
    if detected.turn is None or not detected.forms:
        return None
    return (await find_engine()).begin_turn(detected.turn, credential=None)


async def remember(body: Any, call: Call, find_engine: FindEngine) -> None:
    """Log the exchange in the background, and show its memories.

    Recollections are shown as sources only now: Open WebUI lets the sources of a document replace any that were there before
    them, or leaves the earlier ones out on its page.
    """
    answer_state(call).is_answered = True
    answer_state(call).chat_priority.close()
    await note_folder(call)
    *said, answer = body["messages"]
    reply = (
        authored_text(ChatMessage("assistant", answer["content"])) if answer["role"] == "assistant" else ""
    )
    if not reply.strip():
        return
    if call.shows:
        notices, included = answer_state(call).notices, answer_state(call).included
        sources = notices.citations(included, hides_standing=call.has_switched_on("hide_known"))
        in_background(_emit(call, sources))
    await _remember_turn(body, said, reply, call, find_engine)


def _remember_if_stopped(body: Any, call: Call, find_engine: FindEngine) -> None:
    """Log the turn if the user stops the answer, which Open WebUI tells no filter: it cancels the task that this is called in."""

    def ended(task: "asyncio.Task[Any]") -> None:
        if task.cancelling() and not answer_state(call).is_answered:
            in_background(_remember_turn(body, body["messages"], "", call, find_engine))

    answering = asyncio.current_task()
    if answering is not None and call.request is not None and (call.metadata or {}).get("session_id"):
        answering.add_done_callback(ended)


async def _remember_turn(body: Any, said: list[Any], reply: str, call: Call, find_engine: FindEngine) -> None:
    detected = call.detect_turn(body, said, setting="remember")
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
    if remembering is not None and project_of(detected.turn.scope.user_id):
        in_background(_name_project(call, engine, detected.turn, remembering))
    if call.shows and remembering is not None:
        in_background(_tell_outcome(call, engine, detected.turn, remembering))


async def _name_project(
    call: Call, live: LiveEngine, turn: Turn, remembering: "asyncio.Task[Became]"
) -> None:
    """Call a folder's project as Open WebUI calls the folder, once there is something in it."""
    await asyncio.shield(remembering)
    named = await folder_title(call)
    if named is None or live.engine is None:
        return
    (project, title), person = named, person_of(turn.scope.user_id)
    known = await live.engine.projects(person, measured=False)
    if any(each.name == project and each.title != title for each in known):
        await live.engine.change_project(person, project, title=title)


async def _emit(call: Call, events: Iterable[Event]) -> None:
    for each in events:
        await call.emit(each)


async def _show(call: Call, body: Any, key: str) -> None:
    texts = (each.get("content") for each in reversed(body["messages"]) if each.get("role") == "user")
    said = (each for each in texts if isinstance(each, str))  # parts may hold files of megabytes
    await call.emit(status(Notices(language_of(call.language, said))(key)))


async def _tell_outcome(
    call: Call, engine: LiveEngine, turn: Turn, remembering: "asyncio.Task[Became]"
) -> None:
    """Show new memories, if they are known in time; otherwise the person's next answer shows them."""
    try:
        async with asyncio.timeout(_OUTCOME_SECONDS):
            became = await asyncio.shield(remembering)
            # It may be waiting for an engine that is being opened, as at a process's first chat, or for its store.
            if isinstance(became, Awaitable):
                became = await asyncio.shield(became)
            # A second answer to the same message changes nothing.
            outcome = await _outcome(engine, turn) if became is Written.NEW else None
    except TimeoutError:
        return
    if outcome is not None and engine.engine is not None:
        opened, user_id = engine.engine, turn.scope.user_id
        news = await opened.take_news(turn.scope, turn.key)
        button = await button_name() if news.updates else None
        line = await changes_line(opened, user_id, news.updates[::-1], _notices(call, turn, news), button)
        await _show_status(call, opened, news, line)


async def _tell_meanwhile(call: Call, live: LiveEngine, turn: Turn) -> None:
    """Show memories formed since the person's last status, in any chat."""
    if live.engine is not None:
        news = await live.engine.take_news(turn.scope, turn.key, since=turn.at - NEWS_AGE)
        await _show_status(call, live.engine, news, _notices(call, turn, news).meanwhile(news.updates[::-1]))


async def _show_status(call: Call, engine: Engine, news: News, told: str) -> None:
    """Show a status, if there is one; what can't be shown is left to the person's next answer."""
    if not told:
        return
    is_shown = False
    try:
        await call.emit(status(told))
        is_shown = True
    finally:
        if not is_shown:
            await engine.requeue_news(news)


def _notices(call: Call, turn: Turn, news: News) -> Notices:
    return notices_of(turn, call.language, [each.after or each.before or "" for each in news.updates])


async def _outcome(live: LiveEngine, turn: Turn) -> Outcome | None:
    """Wait until memories of the turn are formed, or never will be; None if that can't be known."""

    async def look() -> Outcome | None:
        return None if live.engine is None else await live.engine.outcome(turn.scope, turn.key)

    return await await_outcome(look, _OUTCOME_SECONDS)


def without_blocks(messages: Sequence[Any], blocks: Sequence[str]) -> list[Any]:
    """Return messages without these blocks, wherever they stand and whatever text they were joined to.

    When a model has called tools, Open WebUI asks it again, with the messages as they were composed or with some of them as
    they were before. A message or part that contains nothing but blocks is left out.
    """
    if not blocks:
        return list(messages)
    left = [(each, _without(each, blocks)) for each in messages]
    return [now for before, now in left if now is before or now.get("content")]


def _without(message: Any, blocks: Sequence[str]) -> Any:
    content = message.get("content")
    if isinstance(content, str):
        text = _text_without(content, blocks)
        return message if text == content else {**message, "content": text}
    if not isinstance(content, list):
        return message
    parts = [(each, _part_without(each, blocks)) for each in content]
    if all(now is before for before, now in parts):
        return message
    return {**message, "content": [now for before, now in parts if now is before or now.get("text")]}


def _part_without(part: Any, blocks: Sequence[str]) -> Any:
    text = part.get("text") if isinstance(part, dict) else None
    if not isinstance(text, str):
        return part
    left = _text_without(text, blocks)
    return part if left == text else {**part, "text": left}


def _text_without(text: str, blocks: Sequence[str]) -> str:
    for block in blocks:
        text = text.replace(f"{GAP}{block}", "").replace(block, "")
    return text
