"""A live model is asked about the cases as a chat's would be, and its answers are held against the labels."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web
from rich.progress import Progress
from tests.bench.conversations import TITLE
from tests.bench.formation_cases import as_case, given_case, item, stored, truth
from tests.recollect.models.extractors.completions_server import (
    Server,
    completions_server,
    refuses,
    says,
)

from bench.formation.cases import Case
from bench.formation.extraction import overlap
from bench.formation.live import right_relations
from bench.formation.running import LiveModel, bench_model
from recollect.errors import ConfigurationError
from recollect.model import Relation
from recollect_proxy.settings.proxy_settings import ProxySettings

SAID = "I moved to Linz last week. My sister sings in a choir. Which tram goes to the castle?"
CASE = as_case(
    given_case(
        SAID,
        stored=[stored("Lives in Graz"), stored("Has a tandem")],
        extracted=[
            item("Lives in Linz", "I moved to Linz last week"),
            item("Sister sings in a choir", "My sister sings in a choir"),
            item("Likes trams", "Which tram goes to the castle"),
        ],
        truth=[truth("replace", 0, 0), truth("add", 1), truth("ignore", 2)],
        **{"class": "contradiction"},
    )
)
MOVED = item("Lives in Linz", "moved to Linz last week", relation="contradicts", about=0)
CHOIR = item("Sister sings in a choir", "My sister sings in a choir")
TRAM = item("Likes trams", "Which tram goes to the castle?")


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with completions_server() as scripted:
        yield scripted


def answers(server: Server, memories: list[dict[str, Any]]) -> None:
    """Have the server find these memories."""

    def answer(body: dict[str, Any]) -> web.StreamResponse:
        reply = says(json.dumps({"memories": memories}), total_tokens=300)(body)
        assert isinstance(reply, web.StreamResponse)
        return reply

    server.replies = [answer]


async def asked(server: Server, settings: ProxySettings, progress: Progress, *cases: Case) -> dict[str, Any]:
    model = LiveModel(server.base_url, "tiny", "secret-key")
    return await bench_model(model, cases or [CASE], settings, progress=progress, what="a case")


async def test_what_a_model_finds_is_held_against_the_labels(
    server: Server, operator_settings: ProxySettings, progress: Progress
) -> None:
    answers(server, [MOVED, CHOIR])

    figures = await asked(server, operator_settings, progress)

    assert figures["precision"] == {"of": 2, "count": 2, "share": 1.0}
    assert figures["recall"] == {"of": 2, "count": 2, "share": 1.0}
    assert figures["relations"] == {"of": 2, "count": 2, "share": 1.0}
    assert figures["calls"]["answered"] == 1
    assert figures["calls"]["tokens"] == {"median": 300.0, "p95": 300.0}
    assert figures["calls"]["tokens_in_all"] == 300
    assert server.requests[0].headers["Authorization"] == "Bearer secret-key"
    assert server.bodies[0]["model"] == "tiny"
    assert SAID in server.shown()
    assert "[0] (fact, told 2026-01-10) Lives in Graz" in server.shown()


async def test_what_is_to_be_ignored_and_what_nobody_labelled_is_wrongly_found(
    server: Server, operator_settings: ProxySettings, progress: Progress
) -> None:
    unlabelled = item("Asks questions", "to the castle")
    invented = item("Owns a boat", "my own boat")
    answers(server, [CHOIR | {"relation": "repeats", "about": 1}, TRAM, unlabelled, invented])

    figures = await asked(server, operator_settings, progress)

    assert figures["precision"] == {"of": 3, "count": 1, "share": 1 / 3}
    assert figures["precision_of_labelled"] == {"of": 2, "count": 1, "share": 0.5}
    assert figures["recall"] == {"of": 2, "count": 1, "share": 0.5}
    assert figures["unlabelled"] == 1
    assert figures["refused"] == {"no_evidence": 1}
    assert figures["relations"] == {"of": 1, "count": 0, "share": 0.0}


async def test_one_statement_found_twice_is_recalled_once(
    server: Server, operator_settings: ProxySettings, progress: Progress
) -> None:
    answers(server, [CHOIR, CHOIR | {"content": "A sister sings"}])

    figures = await asked(server, operator_settings, progress)

    assert figures["precision"]["count"] == 2
    assert figures["recall"]["count"] == 1
    assert figures["relations"]["of"] == 1


async def test_calls_that_fail_are_told_of_and_the_others_counted(
    server: Server, operator_settings: ProxySettings, progress: Progress
) -> None:
    server.replies = [refuses(500)]

    figures = await asked(server, operator_settings, progress)

    assert figures["calls"]["answered"] == 0
    assert sum(figures["calls"]["failed"].values()) == 1
    assert figures["precision"]["share"] is None
    assert figures["calls"]["seconds"] == {"median": None, "p95": None}


async def test_nobody_is_asked_where_there_is_nothing_to_learn_and_silence_is_told(
    server: Server, operator_settings: ProxySettings, progress: Progress
) -> None:
    server.replies = [refuses(500)]
    greeting = as_case(given_case("hello"))
    silent = as_case(given_case(TITLE, id="silent"))

    figures = await asked(server, operator_settings, progress, greeting, silent)

    assert server.bodies == []
    assert figures["cases"] == 1
    assert figures["calls"]["failed"] == {"unheard": 1}


async def test_what_stood_in_the_prompt_is_refused_of_a_live_model_too(
    server: Server, operator_settings: ProxySettings, progress: Progress
) -> None:
    echo = as_case(
        given_case(
            "Which tram is best?",
            stored=[stored("Lives in Graz with two cats")],
            injected=[0],
            extracted=[item("Lives in Graz", "Lives in Graz with two cats")],
            truth=[truth("ignore")],
        )
    )
    answers(server, [item("Lives in Graz", "Lives in Graz with two cats")])

    figures = await asked(server, operator_settings, progress, echo)

    assert figures["refused"] == {"injected": 1}


async def test_an_address_that_makes_no_sense_is_refused(
    operator_settings: ProxySettings, progress: Progress
) -> None:
    with pytest.raises(ConfigurationError):
        await bench_model(
            LiveModel("nonsense", "tiny"), [CASE], operator_settings, progress=progress, what="a case"
        )


@pytest.mark.parametrize(
    ("topic", "decision", "target", "changed", "right"),
    [
        ("refinement", "replace", 0, {}, {Relation.REFINES}),
        ("near-duplicate", "replace", 0, {}, {Relation.REFINES, Relation.CONTRADICTS}),
        ("paraphrase-duplicate", "reinforce", 0, {}, {Relation.REPEATS}),
        ("older-contradiction", "ignore", None, {"disputed": [0]}, {Relation.CONTRADICTS}),
        ("transient", "ignore", None, {}, set()),
        ("contradiction", "add", None, {"suspect": [0]}, set()),
        ("good", "add", None, {}, {Relation.NEW}),
    ],
)
def test_the_truth_tells_what_an_item_is_to_a_stored_memory(
    topic: str,
    decision: str,
    target: int | None,
    changed: dict[str, Any],
    right: set[Relation],
) -> None:
    case = as_case(
        given_case(
            "I moved",
            stored=[stored("Lives in Graz")],
            extracted=[item("Lives in Linz", "I moved")],
            truth=[truth(decision, 0, target), truth("add", None)],
            **{"class": topic} | changed,
        )
    )

    assert right_relations(case, case.truth[0], 0) == right


def test_words_overlap_by_what_stands_in_one_piece() -> None:
    assert overlap("I moved to Linz", "i  moved to linz.") == 1
    assert overlap("I moved to Linz", "we moved") == pytest.approx(6 / 15, abs=0.1)
    assert overlap("", "anything") == 0
