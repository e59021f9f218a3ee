"""The filter recalls and remembers, on the real engine."""

import asyncio
import sys
from collections.abc import Callable
from copy import deepcopy
from types import SimpleNamespace
from typing import Any

import pytest
from tests.openwebui_filter.conftest import SECONDS_TO_OPEN
from tests.openwebui_filter.openwebui import OFF, Chat, load
from tests.openwebui_filter.processes import Process
from tests.openwebui_filter.telling import (
    DOG,
    LISBON,
    WHERE,
    answers,
    contents,
    formed,
    nothing_waits,
    settled,
    told,
)
from tests.scripted.extraction import Pupil
from tests.scripted.upstream import Answer, End, Received, ScriptedUpstream
from tests.servers.databases import sql_value, strangers
from tests.support.people import Person, person
from tests.support.round_trips import counting_statements
from tests.support.tables import table
from tests.support.waiting import until

from recollect.composition import FENCE
from recollect.engine import Engine
from recollect.model import Scope


async def test_what_was_told_in_one_chat_is_recalled_in_another(memory: Any, alice: Person) -> None:
    thought = '<details type="reasoning" done="true">\n> maybe Rome\n</details>\n'
    await Chat(memory, alice).says(LISBON, f"{thought}What a lovely city.")
    await formed(memory, alice, 1)

    told = await Chat(memory, alice).says(WHERE)

    assert told.startswith(f"<{FENCE}>")
    assert LISBON in told
    assert (await answers(memory, alice))[0] == "What a lovely city."


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


PROGRAMS: dict[str, Any] = {
    "user_message": {
        "id": "m",
        "parentId": None,
        "role": "user",
        "content": WHERE,
        "meta": {"internal": True},
    }
}
"""The metadata of a request that a model wrote for a timer."""


@pytest.mark.parametrize("stopped", [False, True])
async def test_what_is_no_turn_of_a_person_has_no_memory(
    memory: Any, engine: Engine, alice: Person, *, stopped: bool
) -> None:
    await engine.add(alice, LISBON)
    metadata: list[dict[str, Any]] = [
        *({"chat_id": f"{kind}:abc"} for kind in ("temporary", "local", "channel")),
        *({"task": "title_generation"}, {"internal": True}, {"automation_id": "nightly"}, PROGRAMS),
    ]
    for known in metadata:
        chat = Chat(memory, alice, metadata=known)
        if stopped:
            await chat.is_stopped(WHERE)
        else:
            assert await chat.says(WHERE) == "", known
    await told()
    await settled(memory)

    assert await engine.sessions(alice) == []
    await Chat(memory, alice, metadata={"session_id": None}).is_stopped(WHERE)  # by no person
    await told()
    await settled(memory)
    await formed(memory, alice, 0)


async def test_who_switched_recall_or_remembering_off_or_whose_setting_is_unknown_has_none_of_it(
    memory: Any, engine: Engine, alice: Person, bob: Person
) -> None:
    for user in (alice, bob):
        await engine.add(user, LISBON)

    assert await Chat(memory, alice, valves={"recall": False}).says(WHERE) == ""
    for valves in ({"remember": False}, None):
        assert (LISBON in await Chat(memory, bob, valves=valves).says(WHERE)) == (valves is not None)
    await Chat(memory, bob, valves={"remember": False}).is_stopped(DOG)
    await told()
    await settled(memory)
    assert [len(await engine.sessions(user)) for user in (alice, bob)] == [1, 0]


async def test_without_a_user_or_an_answer_there_is_nothing_to_remember(
    memory: Any, engine: Engine, alice: Person
) -> None:
    said = {"role": "user", "content": LISBON}
    for nobody in ("", None):
        await Chat(memory, nobody).says(LISBON)  # type: ignore[arg-type]  # as Open WebUI may have it
    for reply in ("", "  \n", None):
        chat = Chat(memory, alice)
        chat.metadata = {"user_message_id": None}  # nothing is logged before the answer
        await chat.says(LISBON, reply)  # type: ignore[arg-type]  # as above
    for messages in ([], [said], [said] * 2):
        body, user = (
            {"model": "some-model", "messages": messages},
            {"id": alice, "valves": memory.UserValves()},
        )
        assert await memory.outlet(body=body, __user__=user, __metadata__={"chat_id": "c"}) is body
    await settled(memory)

    assert await strangers(memory.valves.database_url) == []
    assert await engine.sessions(alice) == []


async def test_a_recalled_turn_needs_no_request_to_be_noted_on(
    memory: Any, engine: Engine, alice: Person
) -> None:
    await engine.add(alice, LISBON)
    body = {"model": "some-model", "messages": [{"role": "user", "content": WHERE}]}

    composed = await memory.request(body=body, __user__={"id": alice, "valves": memory.UserValves()})

    assert LISBON in composed["messages"][0]["content"]


CALLED = [
    {"role": "assistant", "content": "", "tool_calls": [{"id": "call-1"}]},
    {"role": "tool", "tool_call_id": "call-1", "content": "It is noon."},
]
SYSTEM = {"role": "system", "content": "You are helpful."}
EARLIER = [{"role": "user", "content": "Good morning!"}, {"role": "assistant", "content": "Good morning."}]


@table("before", [[], [SYSTEM], [SYSTEM, *EARLIER], EARLIER])
@table("left", ["all", "nothing", "the system's", "the user's"])
async def test_a_prompt_has_the_same_notes_however_often_the_model_is_asked_for_one_answer(
    memory: Any, before: list[Any], left: str
) -> None:
    alice = person("alice")
    await (await memory._engine()).engine.add(alice, LISBON)
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
    taught: Any, learning: Engine, alice: Person
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
    [exchange] = (
        await learning._backends.store.chats.chat(Scope(alice, chat.chat_id), exchanges=9)
    ).exchanges
    assert (exchange.said, exchange.reply) == (DOG, "All right.")


async def test_a_reloaded_filter_and_a_second_instance_use_the_same_engine(
    memory: Any, engine: Engine, process: Process, alice: Person
) -> None:
    await engine.add(alice, LISBON)
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


async def test_an_edited_first_message_is_recalled_no_more(
    memory: Any, engine: Engine, alice: Person
) -> None:
    chat = Chat(memory, alice)
    await chat.says("My dentist is Doctor Palmer in Mill Lane.")
    await formed(memory, alice, 1)
    await chat.edits("My dentist is Doctor Quill in Castle Street.")
    await nothing_waits(memory, alice)

    told = await Chat(memory, alice).says("Who is my dentist, and in which street?")

    assert ("Quill" in told, "Palmer" in told) == (True, False)
    assert "Palmer" not in str(await contents(engine, alice))


async def test_an_extraction_is_given_up_for_a_chat_and_done_when_that_is_over(
    taught: Any, learning: Engine, pupil: Pupil, model: ScriptedUpstream, alice: Person, bob: Person
) -> None:
    begun: list[Received] = []

    def answer(request: Received) -> Answer:
        if begun:
            return pupil(request)
        begun.append(request)
        return (End.SILENCE,)

    model.otherwise = answer
    await Chat(taught, alice).says(DOG)
    await until(lambda: bool(begun))

    stopped = asyncio.create_task(Chat(taught, bob).is_stopped("Hello?"))
    async with asyncio.timeout(5):
        await begun[0].client_left.wait()
    await stopped

    await formed(taught, alice, 1)
    assert await contents(learning, alice) == [DOG]
    assert len(pupil.extractions(DOG)) == 1


async def test_a_short_answers_turn_is_read_once_and_written_once(
    new_filter: Callable[..., Any], alice: Person
) -> None:
    reads, writes = "recall_state(", "write_turn("
    with counting_statements() as statements:
        memory = new_filter()
        assert await (await memory._engine()).ready(SECONDS_TO_OPEN)
        await Chat(memory, alice).says(LISBON)
        await formed(memory, alice, 1)
        chat = Chat(memory, alice, valves={"show_status": False})
        statements.sent.clear()

        assert LISBON in await chat.says(WHERE)
        await settled(memory)

    of_turn = [sent for _, sent in statements.sent if reads in sent or writes in sent]
    assert [reads in sent for sent in of_turn] == [True, False]
    kept = await sql_value(
        memory.valves.database_url,
        "SELECT count(*) FROM recollect.injections WHERE user_id = $1 AND session_id = $2",
        alice,
        chat.chat_id,
    )
    assert kept == 1


async def test_while_the_switch_is_on_nothing_is_recalled_or_remembered_and_a_line_says_so(
    memory: Any, engine: Engine, alice: Person
) -> None:
    await engine.add(alice, LISBON)
    switch = load(OFF, function_id="recollect_off")
    chat = Chat(memory, alice, switch=switch)

    assert (switch.toggle, switch.icon[:10]) == (True, "data:image")
    assert switch.valves.priority < load().valves.priority, "it runs before the filter"
    assert await chat.says(WHERE) == ""
    await settled(memory)
    await told()
    assert await engine.sessions(alice) == []
    [line] = chat.statuses
    assert line.startswith("No memory here")

    chat.switch = None
    await chat.says(WHERE)
    assert LISBON in str(chat.sent["messages"])


async def test_with_the_proxy_the_switch_puts_an_option_into_the_request() -> None:
    switch = load(OFF, function_id="recollect_off")
    body: dict[str, Any] = {"messages": []}
    assert (await switch.inlet(body=body)) is body == {"messages": []}
    switch.valves = switch.Valves(proxy=True)

    assert (await switch.inlet(body=body))["recollect"] == {"recall": False, "remember": False}
