"""`python -m bench formation` as a person runs it, and what it prints."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from tests.bench.command_line import bench
from tests.bench.conversations import TITLE, conversation, fact, turn, write
from tests.bench.formation_cases import (
    as_case,
    given_case,
    item,
    judgement,
    outcome,
    stored,
    truth,
)
from tests.tables import table

from bench.formation.cases import Decision
from bench.formation.scoring import score
from bench.formation.table import show_case, show_cases, show_model, show_replay, told
from recollect.model import Doubt
from recollect_proxy.settings.proxy_settings import ProxySettings

CASE = given_case(
    "I cycle to work",
    stored=[stored("Has a car"), stored("Has a van"), stored("Has a boat")],
    injected=[0],
    history=[{"role": "user", "text": "Hello"}, {"role": "assistant", "text": "Hi"}],
    extracted=[item("Cycles to work", "I cycle to work", about=0, relation="refines")],
    truth=[truth("replace", 0, 0), truth("add", None)],
    suspect=[2],
)


def printed(show: Any, figures: Any) -> str:
    told_to = io.StringIO()
    show(figures, Console(file=told_to, width=100))
    return told_to.getvalue()


def formation(*arguments: str | Path, **environment: str) -> tuple[int, str]:
    ended = bench("formation", *arguments, **environment)
    return ended.exit_code, ended.output


@pytest.mark.usefixtures("ready_server")
def test_cases_are_measured_as_a_person_runs_it(operator_settings: ProxySettings, tmp_path: Path) -> None:
    write(
        tmp_path / "check-en.jsonl",
        given_case("I cycle", truth=[]),
        given_case("I run", id="b", language="de"),
    )

    ended = bench(
        *("formation", "--cases", tmp_path, "--json", "--limit", "1"),
        RECOLLECT_DATA_DIR=str(operator_settings.data_dir),
        RECOLLECT_DATABASE_URL="postgresql://nobody@127.0.0.1:9/never-touched",
    )

    assert (ended.exit_code, ended.stderr) == (0, "")
    figures = json.loads(ended.stdout)
    assert figures["cases"] == 1
    assert figures["what"] == "labelled cases, check"


@pytest.mark.usefixtures("ready_server")
def test_one_case_is_shown_whole(operator_settings: ProxySettings, tmp_path: Path) -> None:
    write(tmp_path / "tune-en.jsonl", given_case("I cycle to work", id="this one"))

    code, output = formation(
        *("--cases", tmp_path, "--case", "this one"), RECOLLECT_DATA_DIR=str(operator_settings.data_dir)
    )

    assert code == 0
    assert "said (2026-05-10): I cycle to work" in output
    assert "wrong: nothing" in output


SAID = [turn("1", "I bought a red kayak.", speaker="Ada"), turn("2", "How nice!", speaker="Bo")]
FACT = fact("anna", "Ada bought a red kayak.", "1")


@pytest.mark.usefixtures("ready_server")
def test_cases_are_made_of_conversations(operator_settings: ProxySettings, tmp_path: Path) -> None:
    data = write(tmp_path / "data.jsonl", conversation([SAID[1]], name="mute"), conversation(SAID))
    facts = write(tmp_path / "facts.jsonl", FACT)

    code, made = formation(
        *("--data", data, "--observations", facts), RECOLLECT_DATA_DIR=str(operator_settings.data_dir)
    )

    assert code == 0
    assert "cases made of data.jsonl: 4 cases" in made
    assert "injected-echo" in made


@pytest.mark.usefixtures("ready_server")
def test_the_first_conversation_with_facts_is_replayed(
    operator_settings: ProxySettings, tmp_path: Path
) -> None:
    data = write(tmp_path / "data.jsonl", conversation([SAID[1]], name="mute"), conversation(SAID))
    facts = write(tmp_path / "facts.jsonl", FACT)

    code, replayed = formation(
        *("--replay", data, "--observations", facts), RECOLLECT_DATA_DIR=str(operator_settings.data_dir)
    )

    assert code == 0
    assert "1 facts of 2 turns left 1 memories" in replayed


@table(
    ("arguments", "complaint"),
    [
        (("--data", "a", "--replay", "b", "--observations", "c"), "exclude each other"),
        (("--data", "a"), "--observations goes with"),
        (("--observations", "a"), "--observations goes with"),
        (("--upstream", "http://127.0.0.1:9"), "--upstream and --model go together"),
        (("--model", "tiny"), "--upstream and --model go together"),
        (
            ("--upstream", "http://127.0.0.1:9", "--model", "tiny", "--api-key-env", "NO_SUCH_VARIABLE"),
            "nothing in the environment variable NO_SUCH_VARIABLE",
        ),
        (("--cases", "/nowhere/at/all"), "is no folder: name with --cases"),
        (("--cases", "/nowhere/at/all", "--case", "x"), "is no folder: name with --cases"),
        (("--half", "third"), "'third'"),
        (("--data", "/nowhere.jsonl", "--observations", "/nowhere.jsonl"), "/nowhere.jsonl"),
    ],
)
def test_what_makes_no_sense_is_told_in_a_line(arguments: tuple[str, ...], complaint: str) -> None:
    code, output = formation(*arguments)

    assert code == 2
    assert complaint in " ".join(output.split())


@pytest.mark.parametrize("key", [(), ("--api-key-env", "SOME_KEY")])
def test_a_live_model_is_asked_by_its_name_with_a_credential_or_without(
    tmp_path: Path, operator_settings: ProxySettings, key: tuple[str, ...]
) -> None:
    write(tmp_path / "check-en.jsonl", given_case(TITLE))

    code, output = formation(
        *("--upstream", "http://127.0.0.1:9/v1", "--model", "tiny", *key),
        *("--cases", tmp_path),
        SOME_KEY="secret",
        RECOLLECT_DATA_DIR=str(operator_settings.data_dir),
    )

    assert code == 0
    assert "tiny, labelled cases, check" in output
    assert "failed: unheard 1" in output


def test_figures_of_cases_are_printed_with_what_they_are_out_of() -> None:
    wrong = outcome(judgement(Decision.IGNORE, Decision.ADD), judgement(Decision.ADD, Decision.ADD))
    figures = {
        "what": "some cases",
        "cases": 1,
        **score([wrong, outcome(unheard="empty")]),
        "seconds": 1.5,
        "settings": {"version": "0"},
    }

    text = printed(show_cases, figures)

    assert "junk kept" in text
    assert "1/1" in text
    assert "re-extraction loops: 0 (must be 0)" in text
    assert "messages not heard: 1" in text
    assert "version=0" in text


def test_a_case_is_told_with_all_that_became_of_it() -> None:
    found = outcome(
        judgement(Decision.REPLACE, Decision.ADD, target=0),
        case=CASE,
        gone=frozenset({1}),
        doubt={2: Doubt.SUSPECT},
        unheard="odd",
    )
    nameless = outcome(judgement(Decision.ADD, Decision.IGNORE, reason="not_asked"), case=CASE)

    text = printed(show_case, {"lines": told(found)})

    assert "stored 0 (2026-01-10, injected): Has a car" in text
    assert "stored 1 (2026-01-10, gone): Has a van" in text
    assert "stored 2 (2026-01-10, suspect): Has a boat" in text
    assert "assistant: Hi" in text
    assert 'item 0 (refines 0): Cycles to work <- "I cycle to work"' in text
    assert "WRONG: should replace 0, did add" in text
    assert "kept as: Something." in text
    assert "not heard: odd" in text
    assert "wrong: not replaced, wrong replacement" in text
    assert "because: not_asked" in "\n".join(told(nameless))
    assert as_case(CASE).id == "en-good-1"


def test_a_statement_without_an_item_is_told_as_such() -> None:
    alone = judgement(Decision.ADD, Decision.ADD)
    found = outcome(type(alone)(as_case(CASE).truth[1], alone.decided), case=CASE)

    assert "  without an item" in told(found)


def test_a_replay_is_printed_with_its_texts_where_they_are_asked_for() -> None:
    figures = {
        "fates": {"kept": 2, "lost": 1},
        "facts": 3,
        "conversation_turns": 9,
        "memories": 2,
        "kept_share": 2 / 3,
        "lost_because": {"no_evidence": 1},
        "mentions_again": {},
        "merged_pairs": 0,
        "duplicates_left": 0,
        "without_a_fact": {},
        "in_order": True,
        "audit_gives_what_is_there": False,
        "lost": [["lost: no_evidence", "Has a van."]],
    }

    text = printed(show_replay, figures)

    assert "66.7 % are kept" in text
    assert "lost because: no_evidence 1" in text
    assert "mentioned again: nothing" in text
    assert "in the order they were said: yes" in text
    assert "the audit, replayed, gives what is there: NO" in text
    assert "lost: lost: no_evidence | Has a van." in text


def test_what_a_live_model_found_is_printed() -> None:
    nothing = {"of": 0, "count": 0, "share": None}
    figures = {
        "model": "tiny",
        "what": "labelled cases",
        "precision": {"of": 4, "count": 3, "share": 0.75},
        "precision_of_labelled": nothing,
        "recall": nothing,
        "relations": nothing,
        "judge": {**nothing, "by_relation": {"repeats": nothing}},
        "unlabelled": 1,
        "refused": {"no_evidence": 2},
        "calls": {
            "answered": 3,
            "failed": {},
            "tokens": {"median": 12.0, "p95": None},
            "tokens_in_all": 36,
            "seconds": {"median": 0.5, "p95": 0.75},
        },
    }

    text = printed(show_model, figures)

    assert "75.0" in text
    assert "found beside the labels: 1; refused: no_evidence 2" in text
    assert "tokens: median 12.0 a call, p95 -, in all 36" in text
