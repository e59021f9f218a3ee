"""The report of a week: figures over all users, and advice. An unknown figure is null."""

import json
import re
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.recollect.store.indexing import said
from tests.recollect_proxy.commands.command_line import recollect
from tests.recollect_proxy.memory_api.serving import Api, note_recall
from tests.servers.databases import SpareDatabases
from tests.support.stores import Store, store_over

from recollect.engine import system_clock
from recollect.engine.people.weekly_report import THRESHOLDS, followed_advice, make_report
from recollect.model import Activity, Add, Formed, Ignore, Questions, Reason, SearchPath, Skip
from recollect.store import open_postgres
from recollect_proxy.store_commands.users_and_upkeep_commands import report_rows


async def read(api: Api, asked: str = "") -> Any:
    response = await api.call("GET", f"/memory/report{asked}")
    assert response.status == 200, response.body
    return response.json


async def test_of_an_empty_store_nothing_is_known(own_api: Api) -> None:
    told = await read(own_api)

    recalls, formation = told["recalls"], told["formation"]
    assert (told["days"], recalls["questions"], recalls["users"]) == (7, 0, 0)
    unknown = ("hit_rate", "fallback_share", "truncated_share", "p50_ms", "p95_ms", "mean_top_score")
    assert [recalls[name] for name in unknown] == [None] * 6
    assert recalls["skipped"] == recalls["paths"] == formation["made"] == formation["rejected"] == {}
    assert (formation["lag_p50_seconds"], formation["summary_token_share"]) == (None, None)
    assert {(each["reached"], each["value"]) for each in told["triggers"]} == {(None, None)}


async def test_a_week_is_told_in_figures(own_api: Api, own_store: Store) -> None:
    recalled: list[dict[str, Any]] = [
        {},
        {"user": own_store.ben, "found_by": SearchPath.LEXICAL, "lexical_hits": 0, "truncated": 2},
        {"skipped": Skip.NOTHING_RELEVANT, "given_by": {}, "milliseconds": 5000.0, "complains": True},
        {"given_by": {"summaries": 1}, "marked": True, "history_tokens": 40},
        {"skipped": Skip.OFF},
        {"flags": ("reattached",)},
        {"days_ago": 8, "complains": True},
    ]
    for each in recalled:
        await note_recall(own_store, **{"days_ago": 1, **each})

    told = await read(own_api)
    recalls = told["recalls"]

    assert (recalls["questions"], recalls["users"], recalls["hit_rate"]) == (4, 2, 0.75)
    assert (recalls["fallback_share"], recalls["truncated_share"]) == (0.25, 0.25)
    assert recalls["p50_ms"] == 20
    assert 3000 < recalls["p95_ms"] < recalls["p99_ms"] <= 5000
    assert (recalls["tokens"], recalls["budget"], recalls["history_tokens"]) == (400, 4000, 40)
    assert recalls["skipped"] == {"nothing-relevant": 1, "off": 1}
    assert recalls["paths"] == {"dense": 3, "lexical": 1}
    assert recalls["complaints"] == 1
    values = {each["name"]: (each["value"], each["reached"]) for each in told["triggers"]}
    assert values.pop("late")[1] is True
    assert values == {
        **dict.fromkeys(("few-lexical-hits", "fallback", "truncated"), (0.25, False)),
        **dict.fromkeys(("summaries-alone", "marked-by-hand"), (0.25, True)),
        "complaints": (1, False),
        "summary-tokens": (None, None),
    }
    assert (await read(own_api, "?days=30"))["recalls"]["questions"] == 5


async def test_tokens_are_told_by_user_and_day_the_last_day_first(own_api: Api, own_store: Store) -> None:
    anna, ben = own_store.anna, own_store.ben
    for user in (anna, ben):
        await own_store.log.append(own_store.exchange("I like tea", user.scope))
    await note_recall(own_store, tokens=100, history_tokens=20)
    await note_recall(own_store, user=ben, tokens=7)
    await note_recall(own_store, days_ago=9, tokens=5)
    today = system_clock().date()
    await own_store.usage.use(ben, today, 300)
    await own_store.usage.use(anna, today - timedelta(days=1), 40)

    told = (await own_api.call("GET", "/memory/usage?days=7")).json["usage"]

    names = ("user_id", "day", "turns", "prompt_tokens", "model_tokens", "model_calls")
    rows = [tuple(each[name] for name in names) for each in told]
    assert rows == [
        (ben, f"{today}", 1, 7, 300, 1),
        (anna, f"{today}", 1, 120, 0, 0),
        (anna, f"{today - timedelta(days=1)}", 0, 0, 40, 1),
    ]


async def test_what_was_formed_and_rejected_is_told_by_reason(own_api: Api, own_store: Store) -> None:
    exchange = await said(own_store, "I drink tea", at=system_clock() - timedelta(days=90))
    changes = Add(own_store.memory("Drinks tea")), Ignore(Reason.NO_EVIDENCE), Ignore(Reason.NO_EVIDENCE)
    done = await own_store.inbox.complete([Formed(exchange, changes)], at=system_clock())
    assert done is not None
    for tokens, for_summary in ((300, False), (100, True)):
        today = system_clock().date()
        await own_store.usage.use(own_store.anna, today, tokens, for_summary=for_summary)

    formation = (await read(own_api))["formation"]

    assert (formation["exchanges"], formation["made"]) == (1, {"add:new": 1})
    assert formation["rejected"] == {"no_evidence": 2}
    assert formation["lag_p50_seconds"] is None, "it was said long ago and imported now"
    assert (formation["model_tokens"], formation["summary_token_share"]) == (400, 0.25)


async def test_what_was_not_counted_yet_is_unknown_and_not_guessed(own_api: Api, own_store: Store) -> None:
    names = ("found_by", "budget", "block_tokens", "given_by", "marked", "complains")
    uncounted: dict[str, Any] = dict.fromkeys(names)
    await note_recall(own_store, **uncounted)

    told = await read(own_api)

    values = {each["name"]: each["value"] for each in told["triggers"]}
    assert (told["recalls"]["questions"], told["recalls"]["fallback_share"]) == (1, None)
    unknown = ("fallback", "summaries-alone", "marked-by-hand", "complaints")
    assert ([values[name] for name in unknown], values["few-lexical-hits"]) == ([None] * 4, 0)


def test_each_threshold_is_reached_over_its_limit_alone() -> None:
    asked = Questions(100, 1, 100, 50, 30, 40, 50, 20, 10, 3, 10.0, 3000.0)
    at_the_limit = make_report(Activity(asked), 7)
    over = Questions(100, 1, 100, 50, 31, 41, 51, 21, 11, 4, 10.0, 3001.0)
    reached = make_report(Activity(over), 7)

    assert [each.reached for each in at_the_limit.triggers] == [False] * 7 + [None]
    assert [each.reached for each in reached.triggers] == [True] * 7 + [None]
    assert make_report(Activity(asked), 14).triggers[5].value == 1.5
    names = (
        "few-lexical-hits fallback summaries-alone truncated marked-by-hand complaints late summary-tokens"
    )
    limits = (0.30, 0.50, 0.20, 0.40, 0.10, 3, 3, 0.25)
    assert [(each.name, each.limit) for each in THRESHOLDS] == list(zip(names.split(), limits, strict=True))


@pytest.fixture
async def dsn(spare_databases: SpareDatabases) -> AsyncIterator[str]:
    """A database with one question, for which something had no place."""
    async with spare_databases.one() as dsn:
        postgres = await open_postgres(dsn)
        store = store_over(postgres)
        await note_recall(store, truncated=1)
        await postgres.aclose()
        yield dsn


def test_the_command_prints_the_same_as_text_and_as_json(dsn: str, tmp_path: Path) -> None:
    options = ("report", "--database-url", dsn, "--data-dir", tmp_path)

    text = recollect(*options)
    told = recollect(*options, "--json")

    assert text.exit_code == told.exit_code == 0, text.output + told.output
    lines = text.output.splitlines()
    assert "questions\t1 of 1 people in 7 days" in lines
    assert "waiting for a model\tnone" in lines
    assert "formation lag\tmedian unknown, 95 % unknown, 99 % unknown" in lines
    assert any(re.match(r"recall took\tmedian [\d.]+ ms, 95 % [\d.]+ ms, ", line) for line in lines)
    reached = "threshold: REACHED\tquestions for which something had no place in the budget: 100.0 %"
    assert any(line.startswith(reached) for line in lines)
    assert json.loads(told.stdout)["recalls"]["truncated_share"] == 1


def test_advice_that_is_followed_already_is_not_given_or_printed() -> None:
    asked = Activity(Questions(questions=10, few_lexical=10))
    for embeds_all in (True, False):
        report = make_report(asked, 7, followed_advice(embeds_all=embeds_all))
        advice = {each.name: each.change for each in report.triggers}
        assert (advice["marked-by-hand"] == "") is (advice["few-lexical-hits"] == "") is embeds_all
        assert ("REACHED" in str(report_rows(report))) is not embeds_all
    assert "REACHED" in str(report_rows(make_report(asked, 7, ())))
