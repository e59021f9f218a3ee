"""The gate is measured by questions that are about no user, over what the largest users have."""

from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.recollect_proxy.settings import proxy_settings
from tests.servers.databases import SpareDatabases
from tests.support.recollections import turn
from tests.support.waiting import until

from recollect.assembly.lifecycle import open_engine
from recollect.engine import Engine
from recollect.model import Scope
from recollect.recall import calibration
from recollect.recall.calibration import unrelated_questions

SAID = [
    ("I moved into a houseboat near Utrecht last spring.", "How do you like it?"),
    ("My sister Wilhelmina repairs church organs for a living.", "A rare craft."),
    ("On Thursdays I teach fencing to children.", "That must be lively."),
]


@pytest.fixture(scope="module")
async def full(spare_databases: SpareDatabases, data_dir: Path) -> AsyncIterator[Engine]:
    """An engine with two users who said something."""
    async with spare_databases.one() as dsn:
        settings = proxy_settings(database_url=dsn, data_dir=data_dir, formation="qa_turn")
        async with open_engine(settings) as engine:
            for number, (text, reply) in enumerate(SAID):
                await engine.remember(turn(text, scope=Scope("anna", f"chat-{number}")), reply)
            await engine.remember(turn("Ben's parrot whistles at dawn.", scope=Scope("ben", "chat-1")), "Ha.")

            async def formed() -> bool:
                return (await engine.backlog()).pending == 0

            await until(formed)
            yield engine


@pytest.fixture
def few_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    few = unrelated_questions()[:40]
    monkeypatch.setattr(calibration, "unrelated_questions", lambda: few)


def test_the_questions_are_of_several_categories_languages_and_scripts_and_none_is_asked_twice() -> None:
    questions = unrelated_questions()

    counted = Counter(category for category, _ in questions)
    assert counted == {"coding": 150, "knowledge": 150, "chat": 100, "foreign": 100}
    assert len({text.casefold() for _, text in questions}) == 500
    assert all(text == text.strip() != "" for _, text in questions)
    assert len({category for category, _ in questions[:10]}) > 1, "they are shuffled"
    foreign = "".join(text for category, text in questions if category == "foreign")
    assert all(letter in foreign for letter in "ßç¿ã你のжم")


@pytest.mark.usefixtures("few_questions")
async def test_the_gate_is_the_median_cosine_of_what_is_nearest(full: Engine) -> None:
    before = await full.page("anna", limit=99)

    gate = await full.measured_gate()

    assert gate is not None
    assert 0.0 < gate < 0.3, "little is near to the unrelated"
    assert gate == await full.measured_gate()
    assert await full.page("anna", limit=99) == before, "nothing was noted"


async def test_a_slow_embedders_cosines_give_no_gate(full: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "_PATIENCE_SECONDS", -1.0)

    assert await full.measured_gate() is None


async def test_an_empty_store_gives_no_gate(own_dsn: str, data_dir: Path) -> None:
    async with open_engine(proxy_settings(database_url=own_dsn, data_dir=data_dir)) as engine:
        assert await engine.measured_gate() is None
