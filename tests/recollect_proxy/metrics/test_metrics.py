"""The metrics tell what formation did and how it stands, and nothing of anybody."""

import asyncio
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample
from tests.recollect.engines import QUICK, engine_over
from tests.recollect_proxy.memory_api.serving import GivenEngine, assert_error, serve, unhurried
from tests.scripted.models import ScriptedExtractor
from tests.scripted.upstream import End, ScriptedUpstream, completion, failure
from tests.servers.running_proxy import RunningProxy, User
from tests.support.people import person
from tests.support.recollections import NOON, memory, turn
from tests.support.stores import Store, store_over
from tests.support.watched_stores import Outage, Through, breakable, broken, with_parts
from uuid_utils.compat import uuid7

from recollect import model
from recollect.engine import Engine
from recollect.engine.counters import FormationCounts, RecallCounts
from recollect.engine.live.live_engine import LiveEngine
from recollect.engine.turns.prompt_content import NO_OPTIONS
from recollect.errors import ExtractorError, ExtractorUnusableError, StoreError
from recollect.formation import TokenBudget
from recollect.formation.breaker_and_budget import FAILURES
from recollect.model import Reason
from recollect.store import Postgres
from recollect.store.memories import Memories
from recollect.text.tokens import estimate_tokens
from recollect_proxy.metrics import Metrics

EXTRACTING = replace(QUICK, strategy=model.Strategy.EXTRACT)
NOBODY = "the-user-nobody-may-see"
_MADE_UP = ('"} 1\nmade_up{a="', "\\", "\r\n# TYPE made_up counter")
HOSTILE = (NOBODY, *(f"{NOBODY}{each}" for each in _MADE_UP))


class Seconds:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Counted(Through):
    """Memories that count how often they are scanned."""

    def __init__(self, memories: Memories) -> None:
        super().__init__(memories)
        self.scans = 0

    async def count(self) -> int:
        self.scans += 1
        count: int = await self._part.count()
        return count


def measured(engine: Engine, seconds: Seconds | None = None) -> Metrics:
    return Metrics(
        GivenEngine(engine), {model.Skip.TASK: 3}, clock=lambda: NOON, seconds=seconds or Seconds()
    )


def parsed(exposition: str) -> list[Sample]:
    return [sample for family in text_string_to_metric_families(exposition) for sample in family.samples]


async def read(metrics: Metrics) -> dict[str, float]:
    """Return the samples, named by metric and label value."""
    samples = parsed((await metrics.exposition()).decode())
    return {_named(sample.name, sample.labels): sample.value for sample in samples}


def _named(name: str, labels: Mapping[str, str]) -> str:
    return ":".join([name, *labels.values()])


async def test_at_first_all_counts_are_there_and_nothing(own_store: Store) -> None:
    found = await read(measured(engine_over(own_store)))

    assert found.pop("recollect_requests_without_memory_total:task") == 3
    assert found.pop("recollect_store_up") == 1
    assert set(found.values()) == {0}
    assert found.keys() >= {
        *("recollect_formation_attempts_total", "recollect_formation_adds_total", "recollect_memories"),
        *("recollect_reextracted_total", "recollect_summaries_non_empty_ratio", "recollect_exchanges_failed"),
        *("recollect_statements_hinted_total", "recollect_formation_lag_seconds_count"),
        *("recollect_oldest_pending_seconds", "recollect_model_breaker_open"),
    }


COUNTED_ONCE = """
store_up formation_successes_total formation_errors_total:StoreError formation_waits_total:key formation_adds_total
formation_rejects_total:equal_content formation_rejects_total:no_evidence formation_replaces_total formation_merges_total
formation_forgotten_total:cap formation_held_total formation_marks_total formation_hidden_total:forgotten
summaries_total summaries_made_total summaries_non_empty_ratio
"""


async def test_each_count_of_formation_is_told_under_its_name(own_store: Store) -> None:
    engine = engine_over(own_store)
    note(engine.counts)
    found = await read(measured(engine))

    told = {
        name.removeprefix("recollect_"): value
        for name, value in found.items()
        if value and not name.startswith("recollect_formation_lag")
    }
    assert told == {
        **dict.fromkeys(COUNTED_ONCE.split(), 1),
        "requests_without_memory_total:task": 3,
        "formation_attempts_total": 5,
        "formation_extracted_total": 7,
        **dict.fromkeys(("formation_duplicates_total", "reextracted_total"), 2),
        **dict.fromkeys(("formation_replacement_ratio", "formation_duplicate_ratio"), 0.5),
    }


async def test_the_lag_is_a_histogram_whose_buckets_hold_all_below_them(store: Store) -> None:
    engine = engine_over(store)
    note(engine.counts, seconds=7.5)
    note(engine.counts, seconds=5000)
    found = await read(measured(engine))

    buckets = {
        name.rpartition(":")[2]: value for name, value in found.items() if "lag_seconds_bucket" in name
    }
    assert [edge for edge, count in buckets.items() if count == 0] == ["1.0", "2.5", "5.0"]
    assert (buckets["10.0"], buckets["1800.0"], buckets["+Inf"]) == (1, 1, 2)
    assert found["recollect_formation_lag_seconds_count"] == 2
    assert found["recollect_formation_lag_seconds_sum"] == 5007.5


async def test_the_answers_of_the_llm_are_told_under_the_names_of_opentelemetry(store: Store) -> None:
    live = GivenEngine(engine_over(store))
    live.answers.count(0.5, 3.0, prompt_tokens=1200, answer_tokens=None)
    found = await read(Metrics(live, {}))

    assert found["gen_ai_server_time_to_first_token_seconds_sum:chat"] == 0.5
    assert found["gen_ai_client_operation_duration_seconds_bucket:chat:2.56"] == 0
    assert found["gen_ai_client_operation_duration_seconds_bucket:chat:5.12"] == 1
    assert found["gen_ai_client_token_usage_sum:input"] == 1200
    assert found["gen_ai_client_token_usage_count:output"] == 0


async def test_what_the_store_holds_is_told(own_store: Store, own_postgres: Postgres) -> None:
    engine = engine_over(own_store, replace(QUICK, budget=TokenBudget(everybody=900)))
    await engine.remember(turn(at=NOON - timedelta(seconds=90)), "Tea.")
    for user, tokens in ((own_store.anna, 30), (own_store.ben, 12)):
        await engine.add(user, "Likes tea.")
        said = own_store.turn(scope=user.scope, at=NOON - timedelta(seconds=1))
        await engine.remember(said, "Tea.")  # tokens are counted only for users that exist
        await own_store.usage.use(user, NOON.date(), tokens)
    async with own_postgres.database.over_all_users() as connection:
        await connection.execute("UPDATE exchanges SET arrived_at = said_at")
    found = await read(measured(engine))

    assert found["recollect_memories"] == 2
    assert (found["recollect_exchanges_pending"], found["recollect_oldest_pending_seconds"]) == (3, 90)
    assert (found["recollect_model_tokens_today"], found["recollect_model_tokens_per_day"]) == (42, 900)


async def test_what_was_said_in_the_future_has_not_waited(own_store: Store) -> None:
    engine = engine_over(own_store)
    await engine.remember(own_store.turn(at=NOON + timedelta(hours=1)), "Tea.")

    assert (await read(measured(engine)))["recollect_oldest_pending_seconds"] == 0


async def test_models_that_are_left_alone_are_told(store: Store) -> None:
    failing = ScriptedExtractor(*[ExtractorError()] * FAILURES)
    engine = engine_over(store, EXTRACTING, extractor=failing)
    for _ in range(FAILURES):
        user = person("user")
        await engine.remember(store.turn(scope=user.scope), "Tea.")
        await engine.drain(user)
    found = await read(measured(engine))

    assert found["recollect_formation_errors_total:ExtractorError"] == FAILURES
    assert found["recollect_model_breaker_open"] == 1
    assert found["recollect_model_breaker_openings_total"] == 1


async def test_the_store_is_scanned_every_15_seconds_at_most(own_store: Store) -> None:
    memories, seconds = Counted(own_store.memories), Seconds()
    engine = engine_over(with_parts(own_store, memories=memories))
    metrics = measured(engine, seconds)
    assert (await read(metrics))["recollect_memories"] == 0
    await engine.add(own_store.anna, "Likes tea.")
    seconds.now += 14.9
    assert (await read(metrics))["recollect_memories"] == 0
    assert memories.scans == 1

    seconds.now += 0.1
    assert (await read(metrics))["recollect_memories"] == 1
    assert memories.scans == 2


async def test_a_store_that_fails_is_down_and_the_rest_is_told(store: Store) -> None:
    outage, seconds = Outage(), Seconds()
    metrics = measured(engine_over(breakable(store, outage)), seconds)
    assert (await read(metrics))["recollect_store_up"] == 1
    outage.failure, seconds.now = StoreError(), seconds.now + 15

    found = await read(metrics)

    assert found["recollect_store_up"] == 0
    assert "recollect_formation_attempts_total" in found
    gone = {"recollect_memories", "recollect_exchanges_pending", "recollect_model_tokens_today"}
    assert not found.keys() & gone

    outage.failure = None
    assert (await read(metrics))["recollect_store_up"] == 1


async def test_before_the_engine_is_open_there_is_little_to_tell() -> None:
    found = await read(Metrics(GivenEngine(None), {}))

    names = ("store_up", "spool_exchanges", "spool_bytes", "exchanges_lost_total", "exchanges_late_total")
    assert found == {f"recollect_{name}": 0 for name in names}


async def test_no_user_no_chat_and_no_text_is_ever_told(own_store: Store) -> None:
    statement = model.Candidate(f"{NOBODY} likes tea", model.Kind.FACT, 0.9, NOBODY)
    extractor = ScriptedExtractor(
        [statement], ExtractorUnusableError(NOBODY), ExtractorError(NOBODY), ZeroDivisionError(NOBODY)
    )
    engine = engine_over(own_store, EXTRACTING, extractor=extractor)
    for name in HOSTILE:
        await engine.remember(turn(name, scope=model.Scope(name, name), model=name), name)
        await engine.drain(name)
    await engine.add(HOSTILE[0], NOBODY)
    exposition = (await measured(engine).exposition()).decode()

    assert NOBODY not in exposition
    assert "made_up" not in exposition
    counts = engine.counts
    assert (counts.extracted, counts.waits, counts.errors.total()) == (1, {"model": 1}, 3)
    found = parsed(exposition)
    labels = {"reason", "error", "le", "path", "source", "gen_ai_operation_name", "gen_ai_token_type"}
    assert {label for sample in found for label in sample.labels} <= labels
    assert {sample.labels["path"] for sample in found if "path" in sample.labels} <= {*model.SearchPath}
    sources = {sample.labels["source"] for sample in found if "source" in sample.labels}
    assert sources <= {"statements", "log", "summaries", "profile"}


@given(st.dictionaries(st.text() | st.sampled_from(HOSTILE), st.integers(1, 9)))
def test_a_reason_of_no_name_of_ours_is_another(postgres: Postgres, counts: dict[str, int]) -> None:
    engine = engine_over(broken(store_over(postgres)))
    engine.counts.errors.update(counts)

    samples = parsed(asyncio.run(measured(engine).exposition()).decode())

    errors = [each for each in samples if each.name == "recollect_formation_errors_total"]
    found = {each.labels["error"]: each.value for each in errors}
    assert sum(found.values()) == sum(counts.values())
    assert all(name.isascii() and name.replace("_", "").replace("-", "").isalnum() for name in found)
    assert "made_up" not in {sample.name for sample in samples}


async def test_the_metrics_are_read_in_both_forms_with_the_token_and_without_it_not(own_store: Store) -> None:
    async with serve(engine_over(own_store)) as api:
        await api.write("Likes tea.")
        response = await api.call("GET", "/memory/metrics")
        told = (await api.call("GET", "/memory/metrics.json")).json["metrics"]
        refused = [await api.call("GET", f"/memory/metrics{form}", headers=[]) for form in ("", ".json")]

    assert response.status == 200
    assert response.header(b"content-type") == b"text/plain; version=0.0.4; charset=utf-8"
    assert response.header(b"cache-control") == b"no-store"
    found = {sample.name: sample.value for sample in parsed(response.body.decode())}
    assert (found["recollect_store_up"], found["recollect_memories"]) == (1, 1)
    assert told["recollect_store_up"] == [{"labels": {}, "value": 1.0}]
    for each in refused:
        assert_error(each, 401, "unauthorized")


async def test_public_metrics_need_no_token_nor_a_database_and_all_else_still_does() -> None:
    async with serve(None, metrics_public=True) as api:
        text = await api.call("GET", "/memory/metrics", headers=[])
        assert (text.status, "recollect_store_up 0.0" in text.body.decode()) == (200, True)
        assert (await api.call("GET", "/memory/metrics.json", headers=[])).status == 200
        assert_error(await api.call("GET", "/memory/settings", headers=[]), 401, "unauthorized")
        document = (await api.call("GET", "/memory/docs/openapi.json")).json
        assert document["paths"]["/memory/metrics"]["get"]["security"] == [{}]


def note(counts: FormationCounts, *, seconds: float = 0.0) -> None:
    """Count five tries, and one exchange to which everything happened that can."""
    known = memory("Likes tea.")
    changes: list[model.Change] = [
        model.Add(known),
        model.Reinforce(known.id),
        model.Retire(known.id, Reason.CAP),
    ]
    changes += [model.Replace(known.id, known, Reason.REFINES), model.Quarantine(known, Reason.INSTRUCTION)]
    changes += [model.Mark(known.id, model.Doubt.SUSPECT, Reason.SUSPECT), model.Hide((), Reason.FORGOTTEN)]
    changes += [model.Ignore(each) for each in (Reason.EQUAL_CONTENT, Reason.NO_EVIDENCE)]
    said = turn(at=NOON - timedelta(seconds=seconds))
    exchange = model.Exchange(uuid7(), said, "Tea.", uuid7(), uuid7())
    counts.tried(5)
    counts.failed(StoreError())
    counts.waits[model.Awaits.KEY] += 1
    counts.formed(model.Formed(exchange, extracted_count=7, re_extracted=2), changes, at=NOON)
    counts.summarized([model.Add(known)])


async def test_what_recall_did_is_told_in_both_forms(postgres: Postgres) -> None:
    store = store_over(postgres)
    engine = unhurried(postgres)
    asked = "Which tea is my favourite?"
    await engine.add(store.anna, "My favourite tea is Lapsang Souchong.")
    live = LiveEngine(lambda: nullcontext(engine))
    await live.start()
    for scope in (store.anna.scope, store.ben.scope):
        asking = store.turn(asked, scope)
        live.note_turn(asking, await live.prepare(asking, NO_OPTIONS, count=estimate_tokens))
    await live.settle(30)
    metrics = Metrics(live, {})
    text, told = (await metrics.exposition()).decode(), await metrics.as_json()
    await live.aclose()

    values = {_named(sample.name, sample.labels): sample.value for sample in parsed(text)}
    names = "questions_total hits_total hit_ratio seconds_count paths_total:dense paths_total:lexical"
    names += " given_total:statements"
    assert [values[f"recollect_recall_{name}"] for name in names.split()] == [2, 1, 0.5, 2, 2, 0, 1]
    assert 0 < values["recollect_recall_tokens_total"] < values["recollect_recall_budget_tokens_total"]
    assert values["recollect_recall_mean_top_score"] > 0
    samples = [(name, sample) for name, those in told.items() for sample in those]
    as_json = {_named(name, sample["labels"]): sample["value"] for name, sample in samples}
    of_recall = [{each for each in one.items() if "_recall_" in each[0]} for one in (as_json, values)]
    assert of_recall[0] == of_recall[1]


def test_what_is_no_question_is_not_counted_and_before_the_first_there_is_no_rate() -> None:
    counts = RecallCounts()
    for changed in ({"skipped": model.Skip.OFF}, {"flags": ("reattached",)}):
        counts.count(model.RequestRecord(uuid7(), NOON, model.Scope("anna", "chat"), "", "", **changed))
    assert (counts.questions, counts.hit_rate, counts.mean_top_score) == (0, None, None)

    late = model.RequestRecord(
        uuid7(), NOON, model.Scope("anna", "chat"), "", "", model.Skip.DEADLINE, milliseconds=9_000
    )
    counts.count(late)

    assert (counts.hit_rate, counts.seconds.counts[-1], counts.paths["none"]) == (0, 1, 1)


async def test_answers_are_counted(proxy: RunningProxy, upstream: ScriptedUpstream, user: User) -> None:
    answers = proxy.app.engine.answers
    before = sum(answers.to_end.counts), answers.prompt_tokens.total
    upstream.answers += [failure(500), (End.CLOSE,), (End.CLOSE,), completion("Nice.")]

    for _ in range(3):
        await proxy.say(user, "My cat is called Minka.")
    await proxy.settle()

    assert sum(answers.to_end.counts) - before[0] == 1
    assert 0 < answers.to_first_byte.total <= answers.to_end.total
    assert answers.prompt_tokens.total > before[1]
