"""The filter recalls and remembers, on the real engine."""

import asyncio
import sys
from collections.abc import Callable
from copy import deepcopy
from types import SimpleNamespace
from typing import Any

import pytest
from tests.openwebui_filter.openwebui import Chat
from tests.openwebui_filter.processes import Process
from tests.openwebui_filter.telling import DOG, LISBON, WHERE, answers, formed, settled, told
from tests.servers.databases import strangers
from tests.support.people import Person, person

from recollect.composition import FENCE
from recollect.engine import Engine
from recollect.model import Scope


async def contents(engine: Engine, user_id: str) -> list[str]:
    return [memory.content for memory in (await engine.page(user_id, limit=100)).memories]


async def test_what_was_told_in_one_chat_is_recalled_in_another(memory: Any, alice: Person) -> None:
    await Chat(memory, alice).says(LISBON, "What a lovely city.")
    await formed(memory, alice, 1)

    told = await Chat(memory, alice).says(WHERE)

    assert told.startswith(f"<{FENCE}>")
    assert LISBON in told


async def test_nobody_recalls_what_another_told(memory: Any, alice: Person, bob: Person) -> None:
    await Chat(memory, alice).says(LISBON)
    await formed(memory, alice, 1)

    assert await Chat(memory, bob).says(WHERE) == ""


async def test_many_users_of_one_filter_at_once_each_recall_their_own(memory: Any) -> None:
    cities = {person("alice"): city for city in ("Lisbon", "Oslo", "Quito", "Perth", "Kyoto")}
    await asyncio.gather(
        *(Chat(memory, user).says(f"I live in {city} with my dog.") for user, city in cities.items())
    )
    for user in cities:
        await formed(memory, user, 1)

    asked = await asyncio.gather(*(Chat(memory, user).says(WHERE) for user in [*cities] * 4))

    for (_, own), heard in zip([*cities.items()] * 4, asked, strict=True):
        assert [city for city in cities.values() if city in heard] == [own]


@pytest.mark.parametrize("chat_id", ["", "7d9c1f52-2f1b-4c6e-9a53-0a8a3c1b7a11"])
async def test_what_was_recalled_is_not_taken_for_the_users_words(
    chat_id: str, memory: Any, engine: Engine, alice: Person
) -> None:
    await Chat(memory, alice).says(LISBON)
    await formed(memory, alice, 1)
    assert LISBON in await Chat(memory, alice, chat_id).says(WHERE, "In a city by the sea.")
    await formed(memory, alice, 2)

    [newest, _] = await contents(engine, alice)

    assert WHERE in newest
    assert "In a city by the sea." in newest
    assert "Lisbon" not in newest
    assert FENCE not in newest


async def test_of_an_answer_the_words_are_remembered_without_the_thought(memory: Any, alice: Person) -> None:
    await Chat(memory, alice).says(
        WHERE, '<details type="reasoning" done="true">\n> maybe Rome\n</details>\nIn a city by the sea.'
    )

    assert await answers(memory, alice) == ["In a city by the sea."]


@pytest.mark.parametrize("chat_id", ["", "7d9c1f52-2f1b-4c6e-9a53-0a8a3c1b7a11"])
async def test_an_answer_given_anew_is_not_another_exchange(chat_id: str, memory: Any, alice: Person) -> None:
    chat = Chat(memory, alice, chat_id)
    await chat.says(LISBON)
    chat.history, said = [], chat.history[0]
    chat._message = lambda role, content: (  # type: ignore[method-assign]  # the same message, sent again
        said if role == "user" else Chat._message(role, content)
    )
    await chat.says(LISBON, "Another answer.")
    await settled(memory)
    await formed(memory, alice, 1)


async def test_images_and_the_administrators_prompt_stay_as_they_were(memory: Any, alice: Person) -> None:
    await Chat(memory, alice).says(LISBON)
    await formed(memory, alice, 1)
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    chat = Chat(memory, alice)
    chat.history.append({"id": "s", "role": "system", "content": "Answer in rhymes."})

    told = await chat.says([{"type": "text", "text": WHERE}, picture])

    assert told.startswith(f"Answer in rhymes.\n\n<{FENCE}>")
    assert chat.history[1]["content"][1] == picture


@pytest.mark.parametrize("chat_id", ["temporary:abc", "local:abc", "channel:abc"])
async def test_a_chat_that_is_not_a_users_own_has_no_memory(chat_id: str, memory: Any, alice: Person) -> None:
    await Chat(memory, alice).says(LISBON)
    await formed(memory, alice, 1)

    assert await Chat(memory, alice, chat_id).says(WHERE) == ""
    await settled(memory)
    await formed(memory, alice, 1)


@pytest.mark.parametrize(
    "metadata", [{"task": "title_generation"}, {"internal": True}, {"automation_id": "nightly"}]
)
async def test_what_no_person_says_has_no_memory(
    metadata: dict[str, Any], memory: Any, alice: Person
) -> None:
    await Chat(memory, alice).says(LISBON)
    await formed(memory, alice, 1)

    assert await Chat(memory, alice, metadata=metadata).says(WHERE) == ""
    await settled(memory)
    await formed(memory, alice, 1)


async def test_a_user_who_switched_recall_off_is_not_recalled_for(memory: Any, alice: Person) -> None:
    await Chat(memory, alice).says(LISBON)
    await formed(memory, alice, 1)

    assert await Chat(memory, alice, valves={"recall": False}).says(WHERE) == ""
    await formed(memory, alice, 2)


@pytest.mark.parametrize("valves", [{"remember": False}, None])
async def test_a_user_who_switched_remembering_off_or_whose_setting_is_unknown_is_not_remembered(
    valves: dict[str, bool] | None, memory: Any, alice: Person
) -> None:
    await Chat(memory, alice, valves=valves).says(LISBON)
    await settled(memory)
    await formed(memory, alice, 0)


@pytest.mark.parametrize("user_id", ["", None])
async def test_nobody_has_no_memory(user_id: Any, memory: Any) -> None:
    await Chat(memory, user_id).says(LISBON)
    await settled(memory)
    assert await strangers(memory.valves.database_url) == []


@pytest.mark.parametrize("reply", ["", "  \n", None])
async def test_without_an_answer_there_is_nothing_to_remember(reply: Any, memory: Any, alice: Person) -> None:
    await Chat(memory, alice).says(LISBON, reply)
    await settled(memory)
    await formed(memory, alice, 0)


@pytest.mark.parametrize(
    "messages", [[], [{"role": "user", "content": LISBON}], [{"role": "user", "content": LISBON}] * 2]
)
async def test_a_chat_that_no_model_answered_is_not_remembered(
    messages: list[Any], memory: Any, alice: Person
) -> None:
    user = {"id": alice, "valves": memory.UserValves()}
    body = {"model": "some-model", "messages": messages}

    assert await memory.outlet(body=body, __user__=user, __metadata__={"chat_id": "c"}) is body
    await settled(memory)
    await formed(memory, alice, 0)


async def test_a_recalled_turn_needs_no_request_to_be_noted_on(memory: Any, alice: Person) -> None:
    await Chat(memory, alice).says(LISBON)
    await formed(memory, alice, 1)
    body = {"model": "some-model", "messages": [{"role": "user", "content": WHERE}]}

    composed = await memory.request(body=body, __user__={"id": alice, "valves": memory.UserValves()})

    assert LISBON in composed["messages"][0]["content"]


CALLED = [
    {"role": "assistant", "content": "", "tool_calls": [{"id": "call-1"}]},
    {"role": "tool", "tool_call_id": "call-1", "content": "It is noon."},
]
SYSTEM = {"role": "system", "content": "You are helpful."}
EARLIER = [{"role": "user", "content": "Good morning!"}, {"role": "assistant", "content": "Good morning."}]


@pytest.mark.parametrize("before", [[], [SYSTEM], [SYSTEM, *EARLIER], EARLIER], ids=len)
@pytest.mark.parametrize("left", ["all", "nothing", "the system's", "the user's"])
async def test_a_prompt_has_the_same_notes_however_often_the_model_is_asked_for_one_answer(
    memory: Any, before: list[Any], left: str, alice: Person
) -> None:
    await Chat(memory, alice).says(LISBON)
    await formed(memory, alice, 1)
    body = {"model": "some-model", "messages": [*before, {"role": "user", "content": WHERE}]}
    as_it_came, shown = deepcopy(body["messages"]), []

    async def show(event: dict[str, Any]) -> None:
        shown.append(event)

    given: dict[str, Any] = {
        "__user__": {"id": alice, "valves": memory.UserValves()},
        "__metadata__": {"chat_id": "c", "user_message_id": "asked", "message_id": "answer"},
        "__request__": SimpleNamespace(state=SimpleNamespace()),
        "__event_emitter__": show,
    }
    first = deepcopy((await memory.request(body=body, **given))["messages"])
    assert str(first).count(LISBON) == 1
    again = deepcopy(first)
    if left in {"nothing", "the user's"} and before[:1] == [SYSTEM]:
        again[0] = SYSTEM
    if left in {"nothing", "the system's"}:
        again[-1] = as_it_came[-1]
    if left == "nothing":
        again = as_it_came

    second = (await memory.request(body=body | {"messages": [*again, *CALLED]}, **given))["messages"]

    assert second == [*first, *CALLED]
    await told()
    assert [each["type"] for each in shown] == ["status"]


async def test_what_was_said_is_remembered_once_though_its_answer_is_stopped_and_given_anew(
    taught: Any, alice: Person
) -> None:
    chat = Chat(taught, alice)
    await chat.is_stopped(DOG)
    await told()
    engine = (await taught._engine()).engine

    assert [each.content for each in (await engine.page(alice, limit=9)).memories] == [DOG]
    assert chat.statuses == [f"Remembered: {DOG}"]
    chat.history.append({"role": "assistant"})
    await chat.asks_again("All right.")
    await settled(taught)
    [exchange] = (await engine._backends.chats.chat(Scope(alice, chat.chat_id), exchanges=9)).exchanges
    assert (exchange.said, exchange.reply) == (DOG, "All right.")


@pytest.mark.parametrize("known", [{"internal": True}, {"chat_id": "temporary:x"}, {"session_id": None}])
async def test_what_is_no_turn_of_a_person_is_none_when_it_is_stopped(
    known: dict[str, Any], taught: Any, alice: Person
) -> None:
    chat = Chat(taught, alice, metadata=known)
    await chat.is_stopped(DOG)
    await told()
    await settled(taught)
    await formed(taught, alice, 0)


async def test_who_wants_nothing_remembered_is_not_when_they_stop_an_answer(
    taught: Any, alice: Person
) -> None:
    await Chat(taught, alice, valves={"remember": False}).is_stopped(DOG)
    await told()
    await settled(taught)
    await formed(taught, alice, 0)


async def test_what_a_model_wrote_for_a_timer_is_no_word_of_the_persons(memory: Any, alice: Person) -> None:
    await Chat(memory, alice).says(LISBON)
    await formed(memory, alice, 1)
    written = {"id": "m", "parentId": None, "role": "user", "content": WHERE, "meta": {"internal": True}}
    chat = Chat(memory, alice, metadata={"user_message": written})

    assert await chat.says(WHERE) == ""
    await settled(memory)
    await formed(memory, alice, 1)


async def test_a_reloaded_filter_and_a_second_instance_use_the_same_engine(
    memory: Any, engine: Engine, process: Process, alice: Person
) -> None:
    await Chat(memory, alice).says(LISBON)
    await formed(memory, alice, 1)
    del sys.modules["function_recollect"]
    reloaded = process.load_filter()

    assert type(reloaded) is not type(memory)
    assert (await reloaded._engine()).engine is engine
    assert LISBON in await Chat(reloaded, alice).says(WHERE)


async def test_changed_valves_open_another_engine_and_close_the_first(
    new_filter: Callable[..., Any], alice: Person
) -> None:
    memory = new_filter(recall_deadline_ms=30_000)
    first = await memory._engine()
    assert await first.ready(60)
    await Chat(memory, alice).says(LISBON)
    await formed(memory, alice, 1)

    memory.valves = memory.Valves(**{**memory.valves.model_dump(), "recall_gate": 0.99})
    second = await memory._engine()

    assert await second.ready(60)
    assert first.engine is None
    assert await Chat(memory, alice).says(WHERE) == "", "the gate is shut"


async def test_the_environment_does_not_win_over_a_blank_valve(
    memory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = await memory._engine()
    monkeypatch.setenv("RECOLLECT_EXTRACTION_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "local:no-such-model")

    assert await memory._engine() is live
