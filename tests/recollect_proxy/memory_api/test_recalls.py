"""A user's last recalls: what each request was given, or why nothing."""

from datetime import timedelta
from uuid import UUID

import pytest
from tests.recollect_proxy.memory_api.serving import Api, assert_error, unhurried
from tests.support.stores import NOON, Store
from uuid_utils.compat import uuid7

from recollect.engine import Engine, system_clock
from recollect.engine.turns.explain import request_record
from recollect.model import Turn, TurnNotes
from recollect.store import Postgres

TEA = "My favourite tea is Lapsang Souchong."
WHICH = "Which tea is my favourite?"


@pytest.fixture
def engine(postgres: Postgres) -> Engine:
    return unhurried(postgres)


async def ask(engine: Engine, turn: Turn) -> UUID:
    """Recall for a turn as a proxy does, and return the request's id."""
    prepared, request_id = await engine.prepare(turn), uuid7()
    record = request_record(prepared, turn, request_id=request_id, at=turn.at, api="completions")
    await engine.write_notes(turn, TurnNotes(request=record))
    return request_id


async def test_a_recall_tells_when_where_and_what_was_given(api: Api, engine: Engine, store: Store) -> None:
    memory = await api.write(TEA)
    asked = store.turn(WHICH, at=system_clock())
    request_id = await ask(engine, asked)

    [told] = (await api.call("GET", f"{api.user}/recalls")).json["recalls"]

    assert (told["request_id"], told["session_id"]) == (str(request_id), store.anna.scope.session_id)
    assert told["skipped"] is None
    assert told["milliseconds"] > 0
    assert told["tokens"] > 0
    [given] = told["given"]
    assert (given["id"], given["kind"], given["preview"]) == (memory["id"], "fact", TEA)


async def test_what_was_given_and_is_gone_is_told_by_its_id_alone(
    api: Api, engine: Engine, store: Store
) -> None:
    memory = await api.write(TEA)
    await ask(engine, store.turn(WHICH, at=system_clock()))
    await api.call("PATCH", f"{api.memories}/{memory['id']}", {"content": "My favourite tea is Assam."})
    [corrected] = (await api.call("GET", f"{api.user}/recalls")).json["recalls"]
    await api.call("DELETE", f"{api.memories}/{memory['id']}")

    answer = await api.call("GET", f"{api.user}/recalls")

    assert corrected["given"][0]["preview"] == "My favourite tea is Assam."
    [told] = answer.json["recalls"]
    assert (told["given"][0]["id"], told["given"][0]["preview"]) == (memory["id"], None)


async def test_recalls_come_newest_first_and_page_by_page(api: Api, engine: Engine, store: Store) -> None:
    asked = [
        str(await ask(engine, store.turn(WHICH, at=NOON + timedelta(minutes=number)))) for number in range(5)
    ]
    await ask(engine, store.turn("And Ben?", store.ben.scope))
    seen: list[str] = []
    after = ""
    while True:
        page = (await api.call("GET", f"{api.user}/recalls?limit=2{after}")).json
        seen += [each["request_id"] for each in page["recalls"]]
        if page["next"] is None:
            break
        after = f"&after={page['next']}"

    assert seen == asked[::-1]


async def test_a_recalled_memory_is_called_not_helpful_listed_and_taken_back(
    api: Api, engine: Engine, store: Store
) -> None:
    memory = await api.write(TEA)
    said = store.exchange(WHICH, at=system_clock())
    await store.log.append(said)
    path = f"{api.user}/recalls/{await ask(engine, said.turn)}/memories/{memory['id']}/not-helpful"
    listed = f"{api.memories}/{memory['id']}/not-helpful"

    assert (await api.call("POST", path)).status == 204

    [told] = (await api.call("GET", f"{api.user}/recalls")).json["recalls"]
    assert [each["not_helpful"] for each in told["given"]] == [True]
    [question] = (await api.call("GET", listed)).json["questions"]
    assert (question["request_id"], question["question"]) == (told["request_id"], WHICH)
    assert (await api.call("DELETE", path)).status == 204
    assert (await api.call("GET", listed)).json["questions"] == []
    assert_error(await api.call("DELETE", path), 404, "memory_not_found")
    unknown = f"{api.user}/recalls/{uuid7()}/memories/{memory['id']}/not-helpful"
    assert_error(await api.call("POST", unknown), 404, "request_not_found")


async def test_a_memory_that_is_always_needed_or_a_question_that_is_not_kept_is_refused(
    api: Api, engine: Engine, store: Store
) -> None:
    vital = await api.write(TEA, importance=0.9)
    said = store.exchange(WHICH, at=system_clock())
    await store.log.append(said)
    path = f"{api.user}/recalls/{await ask(engine, said.turn)}/memories/{vital['id']}/not-helpful"
    assert_error(await api.call("POST", path), 409, "always_needed")
    await api.call("PATCH", f"{api.memories}/{vital['id']}", {"importance": 0.5})
    unlogged = await ask(engine, store.turn(WHICH, key="never logged", at=system_clock()))

    path = f"{api.user}/recalls/{unlogged}/memories/{vital['id']}/not-helpful"
    assert_error(await api.call("POST", path), 409, "question_not_kept")


async def test_a_recall_that_found_nothing_says_why(api: Api, engine: Engine, store: Store) -> None:
    await ask(engine, store.turn(WHICH))

    [told] = (await api.call("GET", f"{api.user}/recalls")).json["recalls"]

    assert (told["skipped"], told["given"]) == ("nothing-relevant", [])
