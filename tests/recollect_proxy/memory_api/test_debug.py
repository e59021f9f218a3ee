"""Recalls that were, and that are tried, and counts of the store. What is tried leaves no trace but a noted read."""

from typing import Any
from urllib.parse import quote

import pytest
from tests.recollect.store.keeping import indexed
from tests.recollect_proxy.memory_api.serving import Api, assert_error, recalled, unhurried
from tests.scripted.models import ScriptedExtractor, WordEmbedder
from tests.support.stores import Store
from uuid_utils.compat import uuid7

from recollect.engine import Backends, Engine, Policy, system_clock
from recollect.errors import ExtractorTimeoutError
from recollect.model import Candidate, Kind
from recollect.store import Postgres

TEA = "My favourite tea is Lapsang Souchong."
WHICH = "Which tea is my favourite?"


async def tried(api: Api, question: str = WHICH, **asked: str) -> Any:
    query = "".join(
        f"&{name}={quote(value, safe='')}" for name, value in ({"user": api.anna} | asked).items()
    )
    response = await api.call("GET", f"/memory/debug/retrieval?q={quote(question)}{query}")
    assert response.status == 200, response.body
    return response.json


@pytest.fixture
def patient(api: Api, postgres: Postgres) -> Any:
    with api.over(unhurried(postgres)):
        yield api


async def everything(postgres: Postgres, user_id: str) -> dict[str, list[str]]:
    """Return every row of every table that speaks of a user, but what administrators read.

    Partitions are read by their table: another test's housekeeping may drop one between the two questions.
    """
    async with postgres.database.over_all_users() as connection:
        found = await connection.fetch(
            "SELECT c.relname, a.attname FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid "
            "WHERE c.relnamespace = 'recollect'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition "
            "AND a.attname IN ('user_id', 'owner') AND NOT a.attisdropped AND c.relname <> 'admin_reads'"
        )
    rows: dict[str, list[str]] = {}
    async with postgres.database.for_user(user_id) as connection:
        for table, column in found:
            told = await connection.fetch(f"SELECT t::text FROM {table} AS t WHERE {column} = $1", user_id)
            rows[f"{table}.{column}"] = sorted(row["t"] for row in told)
    return rows


async def test_a_tried_recall_shows_candidates_scores_and_the_block(patient: Api) -> None:
    memory = await patient.write(TEA)
    await patient.write("Grandma's birthday is in May.")

    told = await tried(patient)

    assert told["query"] == WHICH
    [tea] = [each for each in told["results"] if each["id"] == memory["id"]]
    assert (tea["content"], tea["type"], tea["source"], tea["dropped"]) == (TEA, "fact", "manual", None)
    assert tea["score"] > 0
    assert tea["parts"]
    assert TEA in told["block"]
    assert set(told["metrics"]) == {"total", "dense", "search"}
    assert told["metrics"]["total"] > 0
    assert told["skipped"] is None
    of_ben = await tried(patient, user=patient.ben)
    assert (of_ben["results"], of_ben["block"], of_ben["skipped"]) == ([], "", "nothing-relevant")
    await patient.call("PATCH", f"{patient.user}/settings", {"recall": False})
    off = await tried(patient)
    assert (off["results"], off["skipped"]) == ([], "off")


async def test_a_tried_recall_leaves_no_trace(patient: Api, postgres: Postgres, store: Store) -> None:
    memory = await patient.write(TEA)
    await store.log.append(store.exchange("I drink Lapsang Souchong at five."))
    await indexed(store.index, patient.anna)
    before = await everything(postgres, patient.anna)
    assert before["messages.user_id"]

    for session in ({}, {"session": store.anna.scope.session_id}):
        await tried(patient, **session)

    assert await everything(postgres, patient.anna) == before
    kept = (await patient.call("GET", f"{patient.memories}/{memory['id']}")).json
    assert (kept["recall_count"], kept["last_recalled_at"]) == (0, None)
    reads = (await patient.call("GET", f"{patient.user}/admin-reads")).json["reads"]
    assert [each["operation"] for each in reads].count("inspect_retrieval") == 2


async def test_what_is_stored_is_counted(own_api: Api, own_store: Store) -> None:
    empty = (await own_api.call("GET", "/memory/debug/stats")).json
    counted = ("messages", "sessions", "chunks", "summaries", "memories", "users")
    assert [empty[name] for name in counted] == [0] * 6

    await own_api.write(TEA)
    for scope in (own_store.anna.scope, own_store.anna.elsewhere, own_store.ben.scope):
        await own_store.log.append(own_store.exchange("I live in Ghent", scope))
    await indexed(own_store.index, own_store.anna)
    told = (await own_api.call("GET", "/memory/debug/stats")).json

    assert [told[name] for name in counted] == [6, 3, 4, 0, 1, 2]
    messages = told["tables"]["messages"]
    assert messages["bytes"] > 0
    assert messages["indexes"]["messages_pkey"] > 0
    assert set(told["tables"]) >= {"vectors", "exchanges", "request_metrics"}


SAID = "I moved to Lisbon in May, and the rest of this mail is my landlord's."
MOVED = Candidate("Lives in Lisbon", Kind.FACT, 0.8, "I moved to Lisbon in May")
INVENTED = Candidate("Owns a dog", Kind.FACT, 0.8, "my dog sleeps a lot")


def forming(postgres: Postgres, *answers: Any) -> Any:
    models: Any = {"embedder": WordEmbedder(), "log_embedder": WordEmbedder()}
    return Engine(Backends(postgres, **models, extractor=ScriptedExtractor(*answers)), Policy())


async def test_a_tried_extraction_says_what_would_be_kept(api: Api, postgres: Postgres) -> None:
    with api.over(forming(postgres)):
        await api.write(TEA)
    before = await everything(postgres, api.anna)
    messages = [{"content": SAID}, {"role": "assistant", "content": "How nice."}, {"content": "Thanks!"}]
    asked = {"user": api.anna, "messages": messages}

    with api.over(forming(postgres, [MOVED, INVENTED])):
        response = await api.call("POST", "/memory/debug/formation", asked)
        reads = (await api.call("GET", f"{api.user}/admin-reads")).json["reads"]

    assert response.status == 200, response.body
    names = ("message", "action", "reason", "content", "evidence")
    assert [tuple(each[name] for name in names) for each in response.json["decisions"]] == [
        (1, "add", "new", MOVED.content, MOVED.evidence),
        (2, "ignore", "no_evidence", INVENTED.content, INVENTED.evidence),
    ]
    assert (response.json["is_read"], response.json["tokens"] > 0) == (True, True)
    after = await everything(postgres, api.anna)
    assert [name for name in after if after[name] != before[name]] == ["model_usage.user_id"]
    assert "try_formation" in {each["operation"] for each in reads}


async def test_a_tried_extraction_says_why_the_model_gave_none(api: Api, postgres: Postgres) -> None:
    asked = {"user": api.anna, "messages": [{"content": SAID}]}
    with api.over(forming(postgres, ExtractorTimeoutError())):
        failed = await api.call("POST", "/memory/debug/formation", asked)
    without = await api.call("POST", "/memory/debug/formation", asked)

    assert "did not finish its answer in time" in assert_error(failed, 503, "extractor_failed")
    assert "none is configured" in assert_error(without, 503, "extractor_failed")


@pytest.fixture
def engine(postgres: Postgres) -> Engine:
    return unhurried(postgres)


async def test_not_helpful_is_said_listed_and_taken_back(api: Api, engine: Engine, store: Store) -> None:
    memory = await api.write(TEA)
    said = store.exchange(WHICH, at=system_clock())
    await store.log.append(said)
    path = f"{api.user}/recalls/{await recalled(engine, said.turn)}/memories/{memory['id']}/not-helpful"
    listed = f"{api.memories}/{memory['id']}/not-helpful"

    assert (await api.call("POST", path)).status == 204

    [told] = (await api.call("GET", f"{api.user}/recalls")).json["recalls"]
    assert [each["not_helpful"] for each in told["given"]] == [True]
    [question] = (await api.call("GET", listed)).json["questions"]
    assert (question["request_id"], question["question"]) == (told["request_id"], WHICH)
    await api.call("PATCH", f"{api.user}/settings", {"queries": False})
    assert (await api.call("GET", listed)).json["questions"] == [question | {"question": None}]
    assert (await api.call("DELETE", path)).status == 204
    assert (await api.call("GET", listed)).json["questions"] == []
    assert_error(await api.call("DELETE", path), 404, "memory_not_found")
    unknown = f"{api.user}/recalls/{uuid7()}/memories/{memory['id']}/not-helpful"
    assert_error(await api.call("POST", unknown), 404, "request_not_found")
