"""Alerts and dashboard ask for what /memory/metrics serves, with the labels that it has."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import yaml
from prometheus_client.parser import text_string_to_metric_families
from tests.recollect.engines import engine_over
from tests.recollect_proxy.memory_api.serving import GivenEngine
from tests.support.stores import Store

from recollect.model import Skip
from recollect_proxy.metrics import Metrics

DEPLOY = Path(__file__).parents[2] / "deploy"
_METRIC = re.compile(r"\b((?:recollect|gen_ai_(?:client|server))_[a-z_]+)\b")
_BY = re.compile(r"\bby \(([a-z, ]+)\)")
_OF_A_TARGET = {"instance", "job", "le"}


def expressions() -> dict[str, str]:
    """Return every expression by the alert or the panel that asks it."""
    rules = yaml.safe_load((DEPLOY / "prometheus/alerts.yaml").read_text("utf-8"))["groups"][0]["rules"]
    panels = json.loads((DEPLOY / "grafana/recollect.json").read_text("utf-8"))["panels"]
    asked = {rule["alert"]: rule["expr"] for rule in rules}
    for panel in panels:
        for target in panel.get("targets", ()):
            asked[f"{panel['title']} {target['refId']}"] = target["expr"]
    return asked


async def served(store: Store) -> Mapping[str, set[str]]:
    """Return the labels of each sample that a proxy serves after something was recalled and skipped."""
    live = GivenEngine(engine_over(store))
    text = (await Metrics(live, {Skip.TASK: 1}).exposition()).decode()
    labels: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(text):
        if family.type == "counter":
            labels.setdefault(f"{family.name}_total", set())
        for sample in family.samples:
            labels.setdefault(sample.name, set()).update(sample.labels)
    return labels


async def test_each_metric_that_is_asked_for_is_served(own_store: Store) -> None:
    names = await served(own_store)
    asked = {name for expression in expressions().values() for name in _METRIC.findall(expression)}

    assert len(asked) > 30
    assert asked - names.keys() == set()


def test_what_waits_for_a_model_is_shown_by_what_is_missing_and_alerted() -> None:
    asked = [
        title for title, expression in expressions().items() if "recollect_exchanges_waiting" in expression
    ]

    assert asked == [
        "RecollectWaitsForModel",
        "RecollectExchangesUnread",
        "Waiting for a model, by what is missing A",
    ]


async def test_each_label_that_is_summed_by_is_served(own_store: Store) -> None:
    labels = await served(own_store)
    labelled = {name: found for name, found in labels.items() if found}
    missing = []
    for title, expression in expressions().items():
        [name, *_] = _METRIC.findall(expression) or ["up"]
        for by in _BY.findall(expression):
            wanted = {each.strip() for each in by.split(",")} - _OF_A_TARGET
            if name in labelled and not wanted <= labelled[name]:
                missing.append(title)

    assert missing == []


def test_every_alert_says_what_to_do_and_how_bad_it_is() -> None:
    rules = yaml.safe_load((DEPLOY / "prometheus/alerts.yaml").read_text("utf-8"))["groups"][0]["rules"]

    assert all(rule["annotations"]["summary"] for rule in rules)
    assert {rule["labels"]["severity"] for rule in rules} == {"critical", "warning", "info"}


def test_no_two_panels_have_the_same_number_or_place() -> None:
    panels = json.loads((DEPLOY / "grafana/recollect.json").read_text("utf-8"))["panels"]
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels]

    assert len({panel["id"] for panel in panels}) == len(panels) == len(set(places))


def test_every_alert_has_a_case_in_which_it_fires_and_one_in_which_it_does_not() -> None:
    rules = yaml.safe_load((DEPLOY / "prometheus/alerts.yaml").read_text("utf-8"))["groups"][0]["rules"]
    groups = yaml.safe_load((DEPLOY / "prometheus/alerts_test.yaml").read_text("utf-8"))["tests"]
    cases = [case for group in groups for case in group["alert_rule_test"]]
    alerts = {rule["alert"] for rule in rules}

    assert {case["alertname"] for case in cases if case.get("exp_alerts")} == alerts
    assert {case["alertname"] for case in cases if not case.get("exp_alerts")} == alerts


def test_each_alert_is_tried_where_something_comes_near_to_it() -> None:
    groups = yaml.safe_load((DEPLOY / "prometheus/alerts_test.yaml").read_text("utf-8"))["tests"]

    for group in groups:
        told = [each["series"] for each in group["input_series"]]
        assert any('instance="a"' in series for series in told), group["name"]
        assert any('instance="b"' in series for series in told), group["name"]
        for case in group["alert_rule_test"]:
            assert {alert["exp_labels"]["instance"] for alert in case.get("exp_alerts", ())} <= {"a"}
