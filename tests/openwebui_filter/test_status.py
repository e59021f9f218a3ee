"""The filter shows status lines over an answer, and cites recalled memories as its sources."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.openwebui_filter.openwebui import Chat
from tests.openwebui_filter.telling import DOG, LISBON, ROME, WHERE, formed, settled, told
from tests.scripted.extraction import Pupil
from tests.scripted.upstream import ScriptedUpstream
from tests.support.people import Person
from tests.support.waiting import until

from recollect.engine import Engine
from recollect.engine.exchange_recorder import ExchangeRecord
from recollect.errors import StoreUnavailableError
from recollect.model import Hints, Use
from recollect_openwebui import recall_and_remember


async def test_what_was_recalled_is_counted_before_the_answer_and_cited_after_it(
    memory: Any, engine: Engine, alice: Person
) -> None:
    written = await engine.add(alice, LISBON)
    chat = Chat(memory, alice)

    await chat.says(WHERE)
    await told()

    assert [event["type"] for event in chat.shown] == ["status", "source"]
    assert chat.statuses == ["Recalled 1 memory"]
    assert chat.sources == [
        {
            "source": {"name": f"{LISBON} (fact, {written.observed_at.date().isoformat()})"},
            "document": [LISBON],
            "metadata": [{"source": f"recollect:{written.id}"}],
        }
    ]


async def test_what_stands_in_every_chat_is_counted_and_cited_only_if_the_person_wants_that(
    memory: Any, engine: Engine, alice: Person
) -> None:
    await engine.add(alice, DOG, hints=Hints(Use.ALWAYS))
    for valves, cited in (({}, []), ({"hide_known": False}, [[DOG]])):
        chat = Chat(memory, alice, valves=valves)

        assert DOG in await chat.says("Good morning!")
        await told()

        assert chat.statuses == ["Knows 1 thing about you"]
        assert [each["document"] for each in chat.sources] == cited


async def test_nothing_is_shown_where_nothing_was_recalled_and_nothing_understood(
    memory: Any, engine: Engine, alice: Person
) -> None:
    chat = Chat(memory, alice)
    await chat.says(LISBON)
    await formed(memory, alice, 1)
    await told()

    assert [memory.content for memory in (await engine.page(alice, limit=9)).memories]
    assert chat.shown == []


async def test_what_was_remembered_is_told_after_the_answer_and_not_again_with_another(
    taught: Any, alice: Person
) -> None:
    chat = Chat(taught, alice)
    await chat.says(f"{DOG} {ROME}")
    await told()
    await chat.asks_again("Another answer.")
    await told()

    assert chat.statuses == [f"Remembered 2: {DOG[:-1]} \u00b7 {ROME[:-1]}"]


async def test_what_is_said_before_the_engine_is_open_is_told_once_it_is_and_once_alone(
    taught: Any, alice: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    live, chat = await taught._engine(), Chat(taught, alice)
    with monkeypatch.context() as opening:
        opening.setattr(live, "_engine", None)
        opening.setattr(recall_and_remember, "_OPENING_SECONDS", 0.0)
        await chat.says(DOG)
        await chat.asks_again("Another answer.")
        await until(lambda: live.log_writer.waiting.exchanges == 2)
    live.log_writer.wake()
    await told()

    assert chat.statuses == ["Memory is starting"] * 2 + [f"Remembered: {DOG}"]


async def test_who_wants_no_status_and_a_call_of_the_api_are_shown_none_and_have_memory_all_the_same(
    taught: Any, learning: Engine, alice: Person
) -> None:
    await learning.add(alice, LISBON)
    unread = Chat(taught, alice, valves=None)
    for chat in (Chat(taught, alice, valves={"show_status": False}), Chat(taught, alice, chat_id=""), unread):
        recalled = await chat.says(f"{WHERE} {DOG}")
        await settled(taught)
        await told()

        assert (LISBON in recalled) == (chat is not unread)
        assert chat.shown == []


async def test_no_answer_is_held_while_a_model_that_extracts_never_answers(
    taught: Any, alice: Person, model: ScriptedUpstream, pupil: Pupil
) -> None:
    go_on = asyncio.Event()
    model.otherwise = lambda request: (go_on, *pupil(request))
    chat = Chat(taught, alice)

    async with asyncio.timeout(30):
        await chat.says(DOG)  # both its hooks come back
        await chat.says("Good morning!")
    assert chat.statuses == []
    go_on.set()
    await told()

    assert chat.statuses == [f"Remembered: {DOG}"]


async def test_what_a_browser_could_not_be_told_its_next_answer_tells(
    taught: Any, alice: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = Chat(taught, alice)

    async def broken(_event: dict[str, Any]) -> None:
        raise RuntimeError("Nobody listens.")

    with monkeypatch.context() as away:
        away.setattr(chat, "_show", broken)
        await chat.says(DOG)
        await told()
    assert chat.statuses == []

    await chat.says("Good morning!")
    await told()
    assert chat.statuses == [f"Meanwhile remembered: {DOG}"]


async def test_an_engine_that_is_closed_meanwhile_has_nothing_to_tell(
    taught: Any, alice: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = await taught._engine()
    chat = Chat(taught, alice)

    async def closed() -> bool:
        monkeypatch.setattr(live, "_engine", None)
        return True

    monkeypatch.setattr(ExchangeRecord, "end", lambda *_, **__: asyncio.create_task(closed()))
    await chat.says(DOG)
    await told()

    assert chat.statuses == []


async def test_a_store_that_is_away_costs_a_status_and_is_told_by_its_name(
    taught: Any, learning: Engine, alice: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: Any) -> None:
        raise StoreUnavailableError

    monkeypatch.setattr(learning, "outcome", away)
    chat = Chat(taught, alice)
    with capture_logs() as logs:
        await chat.says(DOG)
        await told()

    assert chat.statuses == []
    [line] = [line for line in logs if line["event"] == "openwebui_notification_failed"]
    assert line["error"] == "StoreUnavailableError"
    assert "Pipa" not in str(line)


async def test_of_several_models_that_one_message_goes_to_each_has_sources_of_its_own(
    memory: Any, engine: Engine, alice: Person
) -> None:
    await engine.add(alice, LISBON)
    chat = Chat(memory, alice)
    user, request = {"id": alice, "valves": memory.UserValves()}, SimpleNamespace(state=SimpleNamespace())
    shown: dict[str, list[str]] = {"first": [], "second": []}

    async def hook(name: str, answer: str, *messages: dict[str, str]) -> None:
        async def show(event: dict[str, Any]) -> None:
            shown[answer].append(event["type"])

        await getattr(memory, name)(
            body={"model": "some-model", "messages": list(messages)},
            __user__=dict(user),
            __metadata__={"chat_id": chat.chat_id, "user_message_id": "asked", "message_id": answer},
            __request__=request,
            __event_emitter__=show,
        )
        await settled(memory)  # the second gets the block of the first, which is noted by now
        await told()

    asked, answered = {"role": "user", "content": WHERE}, {"role": "assistant", "content": "In Lisbon."}
    for answer in shown:
        await hook("request", answer, asked)
    for answer in shown:
        await hook("outlet", answer, asked, answered)

    assert shown == {"first": ["status", "source"], "second": []}


async def test_a_question_asked_again_in_a_chat_says_that_its_notes_are_used(
    memory: Any, engine: Engine, alice: Person
) -> None:
    await engine.add(alice, LISBON)
    chat = Chat(memory, alice)

    first = await chat.says(WHERE)
    await until(lambda: chat.statuses == ["Recalled 1 memory"])
    await settled(memory)  # nobody asks again before it is noted what the chat was given
    again = await chat.says(WHERE)
    await until(lambda: len(chat.statuses) > 1)

    assert LISBON in first
    assert again == first, "it stands where it stood"
    assert chat.statuses == ["Recalled 1 memory", "Using 1 memory recalled earlier in this chat"]
