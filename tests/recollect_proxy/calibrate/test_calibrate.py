"""The gate is measured on what users really have, and nothing of theirs is told or changed."""

import io
import json
import os
import subprocess
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.progress import Progress
from tests.databases import SpareDatabases
from tests.recollect_proxy.command_line import recollect
from tests.recollect_proxy.settings import proxy_settings
from tests.recollections import turn
from tests.searching import lexicon_of
from tests.served_process import RECOLLECT, environment
from tests.waiting import until

from recollect.assembly import open_backends, open_engine
from recollect.model import Scope
from recollect.recall import Reach
from recollect_proxy.calibrate import measurement
from recollect_proxy.calibrate.measurement import NoDataError, measure_gate
from recollect_proxy.calibrate.nearest import nearest_cosine
from recollect_proxy.calibrate.own_questions import own_questions
from recollect_proxy.calibrate.unrelated import deal
from recollect_proxy.settings import ProxySettings

SAID = [
    ("I moved into a houseboat near Utrecht last spring.", "How do you like it?"),
    ("My sister Wilhelmina repairs church organs for a living.", "A rare craft."),
    ("On Thursdays I teach fencing to children.", "That must be lively."),
    ("I bought a hemp rope for the houseboat.", "A sturdy choice."),
]


@pytest.fixture(scope="module")
async def full(spare_databases: SpareDatabases, data_dir: Path) -> AsyncIterator[ProxySettings]:
    """An operator's settings, and two users who said something: all of it stays as it is, whatever is measured."""
    async with spare_databases.one() as dsn:
        settings = proxy_settings(database_url=dsn, data_dir=data_dir, formation="qa_turn")
        yield await filled(settings)


async def filled(settings: ProxySettings) -> ProxySettings:
    async with open_engine(settings) as engine:
        for number, (text, reply) in enumerate(SAID):
            await engine.remember(turn(text, scope=Scope("anna", f"chat-{number}")), reply)
        await engine.remember(turn("Ben's parrot whistles at dawn.", scope=Scope("ben", "chat-1")), "Ha.")

        async def formed() -> bool:
            return (await engine.backlog()).pending == 0

        await until(formed)
    return settings


@pytest.fixture
def few_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the 500 questions each user is asked 25."""
    monkeypatch.setattr(measurement, "deal", partial(deal, at_most=25))


@pytest.fixture
def progress() -> Progress:
    return Progress(console=Console(file=io.StringIO()))


async def rows(settings: ProxySettings) -> dict[str, Any]:
    """Return what there is of Anna, counted."""
    async with open_backends(settings) as backends:
        page = await backends.memories.page("anna", limit=99)
        lexicon = await lexicon_of(backends.snapshots, "anna", ("houseboat",))
        backlog = await backends.inbox.backlog()
    recalled = [memory.last_recalled_at for memory in page.memories]
    return {
        "memories": len(page.memories),
        "recalled": recalled,
        "documents": lexicon.documents,
        "backlog": backlog,
    }


@pytest.mark.slow
async def test_the_gate_is_the_median_of_what_is_nearest_to_unrelated_questions(
    full: ProxySettings, progress: Progress
) -> None:
    before = await rows(full)

    figures = await measure_gate(full, users=1, progress=progress)

    assert figures["users"] == 1
    assert figures["unrelated_cosine"]["questions"] == 500
    assert figures["gate"] == round(figures["unrelated_cosine"]["median"], 3)
    assert figures["setting"] == f"RECOLLECT_RECALL_GATE={figures['gate']}"
    assert 0.0 < figures["gate"] < 0.5, "little is near to the unrelated"
    assert figures["own_cosine"]["questions"] == len(SAID)
    assert figures["own_cosine"]["p95"] < 0.99, "what was said does not answer itself"
    assert figures["own_cosine"]["p95"] > figures["gate"], "the houseboat was spoken of twice"
    as_set, calibrated = figures["unrelated_opening"]["as_set"], figures["unrelated_opening"]["calibrated"]
    assert as_set["questions"] == calibrated["questions"] == 500
    assert progress.finished
    assert await rows(full) == before, "nothing was formed, indexed or noted"


@pytest.mark.usefixtures("few_questions")
async def test_a_gate_that_is_set_is_what_it_is_compared_with(
    full: ProxySettings, progress: Progress
) -> None:
    low = full.model_copy(update={"recall_gate": -1.0})

    figures = await measure_gate(low, users=5, progress=progress)

    assert (figures["users"], figures["unrelated_cosine"]["questions"]) == (2, 50)
    assert figures["gate_as_set"] == -1.0
    opening = figures["unrelated_opening"]
    assert opening["as_set"]["share"] > opening["calibrated"]["share"], "a lower gate opens for more"


async def test_without_a_database_or_anybody_in_it_that_is_said(
    tmp_path: Path, own_dsn: str, data_dir: Path, progress: Progress
) -> None:
    with pytest.raises(NoDataError, match="no database in"):
        await measure_gate(proxy_settings(data_dir=tmp_path), users=5, progress=progress)
    assert os.listdir(tmp_path) == [], "none is made"  # noqa: PTH208 -- as a coroutine has it

    empty = proxy_settings(database_url=own_dsn, data_dir=data_dir)
    with pytest.raises(NoDataError, match="Nobody has said anything yet"):
        await measure_gate(empty, users=5, progress=progress)


@pytest.mark.usefixtures("few_questions")
async def test_what_has_no_embedding_is_nothing_to_measure_by(
    own_dsn: str, data_dir: Path, progress: Progress
) -> None:
    kept = {"database_url": own_dsn, "data_dir": data_dir, "formation": "qa_turn"}
    await filled(proxy_settings(**kept, embed="memories"))

    # Now the log is searched alone, and has no embeddings yet.
    with pytest.raises(NoDataError, match="Hardly anything that is kept has an embedding"):
        await measure_gate(proxy_settings(**kept, embed="all"), users=5, progress=progress)


async def test_a_slow_embedder_is_asked_a_sample(
    full: ProxySettings, progress: Progress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measurement, "_PATIENCE_SECONDS", -1.0)

    with pytest.raises(NoDataError):
        await measure_gate(full, users=1, progress=progress)


async def test_what_was_said_does_not_answer_itself_nor_what_was_formed_of_it(full: ProxySettings) -> None:
    async with open_backends(full) as backends:
        snapshot, embedder = await backends.snapshots.get("anna"), backends.embedder
        asked = own_questions(snapshot, at_most=50)
        assert {each.text for each in asked} == {text for text, _ in SAID}
        assert len(own_questions(snapshot, at_most=2)) == 2
        for each in asked:
            vector = await embedder.embed_question(each.text)
            for reach in (Reach(), Reach(log=False)):
                itself = nearest_cosine(snapshot, replace(each, of=None), embedder.name, vector, reach)
                others = nearest_cosine(snapshot, each, embedder.name, vector, reach)
                assert itself is not None
                assert others is not None
                assert others < itself


@pytest.mark.usefixtures("few_questions")
def test_the_command_prints_the_setting_and_nothing_of_anybodys(full: ProxySettings) -> None:
    assert full.database_url is not None
    where = {
        "RECOLLECT_DATABASE_URL": full.database_url.get_secret_value(),
        "RECOLLECT_DATA_DIR": str(full.data_dir),
    }

    told = recollect("calibrate", "--users", "1", **where)
    as_json = recollect("calibrate", "--users", "1", "--json", **where)

    assert (told.exit_code, told.stderr) == (0, "")
    figures = json.loads(as_json.stdout)
    assert told.stdout.splitlines()[-1] == figures["setting"]
    assert "gate as set, 0." in told.stdout
    for word in ("anna", "houseboat", "Wilhelmina"):
        assert word not in told.stdout + as_json.stdout


@pytest.mark.process
def test_the_command_ends_with_1_and_says_why(tmp_path: Path) -> None:
    command = (RECOLLECT, "calibrate", "--data-dir", tmp_path)

    ended = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stdout) == (1, "")
    assert "There is no database in" in ended.stderr
    assert "Traceback" not in ended.stderr
