"""`recollect try-model` before models that answer rightly, carelessly, unreadably or not at all."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.recollect_proxy.commands.command_line import recollect
from tests.recollect_proxy.settings import proxy_settings
from tests.scripted.extraction import messages_shown, statement
from tests.scripted.upstream import Answer, ScriptedUpstream, completion, failure
from tests.servers.databases import SpareDatabases
from tests.servers.internals import variables
from tests.servers.ready_servers import ready_servers
from tests.support.received import Received

from recollect.model import Reason, Retire
from recollect_proxy.commands.try_model import judgements_of
from recollect_proxy.commands.try_model_judgement import (
    CARELESS,
    FAULTLESS,
    SILENT,
    Judgement,
    LabelledTurn,
    judge,
    labelled_turns,
    report,
)

_ANSWERS = Path(__file__).with_name("right_answers.jsonl")
_SENTENCE = re.compile(r"[^.!?。？！\n]+[.!?。？！]?")


def right(request: Received) -> Answer:
    """Answer as the labels want it."""
    [said] = messages_shown(request)  # its secrets are masked
    answers = map(json.loads, _ANSWERS.read_text("utf-8").splitlines())
    found = (each["answer"] for each in answers if said.startswith(each["said"][:12]))
    given: dict[str, Any] = next(found, {"words": "own", "wishes": [], "memories": []})
    return completion(json.dumps(given | {"memories": [_whole(each) for each in given["memories"]]}))


def _whole(told: dict[str, Any]) -> dict[str, Any]:
    return statement(told["evidence"], told["content"]) | told


def careless(request: Received) -> Answer:
    """Take each sentence for a statement, and no wish for one."""
    [said] = messages_shown(request)
    told = [statement(found[0].strip()) for found in _SENTENCE.finditer(said) if found[0].strip()]
    return completion(json.dumps({"words": "own", "wishes": [], "memories": told}))


def unreadable(_request: Received) -> Answer:
    return completion("I would rather chat.")


async def tried(
    databases: SpareDatabases, model: Callable[[Received], Answer], folder: Path
) -> list[Judgement]:
    async with ready_servers(databases), ScriptedUpstream(model) as llm:
        patient = {"extraction_model": "any", "recall_deadline_ms": 30_000}
        settings = proxy_settings(upstream=llm.base_url, data_dir=folder, **patient)
        return [each async for each in judgements_of(settings)]


def test_there_are_forty_messages_with_small_talk_secrets_and_denials_among_them() -> None:
    turns = labelled_turns()

    assert len({each.id for each in turns}) == len(turns) == FAULTLESS
    assert len({each.id.partition("-")[0] for each in turns}) >= 9
    sorts = {"facts": 12, "changes": 6, "wishes": 5, "yes and no": 4, "nothing to keep": 7}
    assert Counter(each.sort for each in turns) == sorts | {"secrets": 3, "others' words": 3}


async def test_a_careless_model_is_told_so(spare_databases: SpareDatabases, data_dir: Path) -> None:
    judgements = await tried(spare_databases, careless, data_dir)

    lines = list(report(judgements))
    assert sum(each.is_right for each in judgements) == CARELESS
    assert lines[-1].endswith("name a larger model.")
    assert max(map(len, lines)) <= 80
    assert "Harbour-Kite-2291" not in "".join(lines)
    assert any(line.startswith("en-thanks         invented    I'm so tired today.") for line in lines)


def test_a_model_that_finds_nothing_is_better_than_a_careless_one_and_not_good_enough() -> None:
    judgements = [judge(each, [uuid4() for _ in each.known], (), 0.1) for each in labelled_turns()]

    assert sum(each.is_right for each in judgements) == SILENT
    assert [each.invented for each in judgements if each.invented] == []


def test_a_memory_that_had_to_stay_and_did_not_is_a_fault_as_one_that_had_to_go_and_stayed() -> None:
    labelled = LabelledTurn("en-x", "changes", "I moved.", known=("Lives in Rome", "Sings"), gone=(0,))
    rome, sings = uuid4(), uuid4()

    right, wrong = (
        judge(labelled, [rome, sings], [Retire(each, Reason.CONTRADICTS)], 0.1) for each in (rome, sings)
    )

    assert (right.kept, right.is_right) == (("no longer: Lives in Rome",), True)
    assert (wrong.missed, wrong.invented) == (("still: Lives in Rome",), ("no longer: Sings",))


async def test_an_unreadable_answer_is_named(spare_databases: SpareDatabases, data_dir: Path) -> None:
    judgements = await tried(spare_databases, unreadable, data_dir)

    assert len(judgements) == FAULTLESS
    assert not any(each.is_right for each in judgements)
    assert "en-thanks         unreadable  the answer has no form that can be read" in report(judgements)


def test_what_a_model_invents_commands_no_terminal() -> None:
    invented = Judgement(labelled_turns()[0], (), (), ("Owns \x1b]0;a cat\x07",), 0.1)

    lines = "".join(report([invented]))

    assert "Owns \\x1b]0;a cat\\x07" in lines
    assert lines.isprintable()


async def run(
    databases: SpareDatabases, *arguments: str, starts: int = 1, **settings: object
) -> tuple[int, str, str]:
    async with ready_servers(databases, starts):
        done = await asyncio.to_thread(recollect, "try-model", *arguments, **variables(settings))
    return done.exit_code, done.stdout, done.stderr


async def test_the_command_asks_as_it_is_told(spare_databases: SpareDatabases, data_dir: Path) -> None:
    async with ScriptedUpstream(right) as llm:
        options = ("--url", llm.base_url, "--key", "sk-own")
        code, out, err = await run(spare_databases, "small", *options, data_dir=data_dir)

    assert (code, err) == (0, "")
    told = "40 of 40 right (faultless 40, silent 15, careless 11): this model extracts well enough."
    assert out.splitlines()[-1] == told
    assert {each.json["model"] for each in llm.received} == {"small"}
    assert {value for each in llm.received for value in each.values(b"authorization")} == {b"Bearer sk-own"}


async def test_a_model_that_is_away_ends_it(spare_databases: SpareDatabases, data_dir: Path) -> None:
    async with ScriptedUpstream(lambda _: failure(404, message="no such model")) as llm:
        unknown = await run(spare_databases, "nonesuch", upstream=llm.base_url, data_dir=data_dir)
    away = await run(spare_databases, "any", upstream="http://127.0.0.1:9/v1", data_dir=data_dir)
    without = await run(spare_databases, "any", starts=0, data_dir=data_dir)

    for (code, out, err), status, said in (
        (unknown, 1, "The model nonesuch can't be asked: its server may have no model of that name."),
        (away, 1, "The model any did not answer. The extraction model can't be reached"),
        (without, 2, "`recollect try-model` asks an LLM, and needs its base URL"),
    ):
        assert (code, out, said in err) == (status, "", True), err
