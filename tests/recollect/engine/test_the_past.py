"""A question about the past gets statements that a change ended, and no forgotten ones. The second embedder is the real one."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.recollect.engines import PATIENT, engine_over
from tests.scripted.models import ScriptedExtractor, ScriptedJudge
from tests.support.stores import NOON, Store

from recollect.engine import Engine, RecallOptions
from recollect.model import Asking, Candidate, ExtractedCommand, Kind, Relation, Strategy
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder
from recollect.ports import Extracted

HOME, MOVED, WRONG = (
    "I live in Porto",
    "I have moved to Berlin",
    "No, I never lived in Porto, I live in Berlin",
)
PORTO = Candidate("Lives in Porto", Kind.FACT, 0.7, HOME)
BERLIN = Candidate("Lives in Berlin", Kind.FACT, 0.7, MOVED, relation=Relation.CONTRADICTS, about=(0,))
ASKED = "Where did I live before Berlin?"


@pytest.fixture(scope="module")
async def second(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[MultilingualE5Embedder]:
    made = MultilingualE5Embedder(cache_dir=tmp_path_factory.mktemp("models"))
    yield made
    await made.aclose()


def person(store: Store, second: MultilingualE5Embedder, *told: list[Candidate] | Extracted) -> Engine:
    policy = replace(PATIENT, strategy=Strategy.EXTRACT)
    extractor = ScriptedExtractor(*told)
    judge = ScriptedJudge(chosen=[PORTO.content])
    return engine_over(store, policy, extractor=extractor, judge=judge, second_embedder=second)


async def say(store: Store, subject: Engine, text: str, days_ago: int) -> None:
    said = store.turn(text, store.anna.chat(text), key=text, at=NOON - timedelta(days=days_ago))
    await subject.remember(said, "I see.")
    assert await subject.drain(store.anna) is None


async def block(store: Store, subject: Engine, text: str) -> str:
    turn = store.turn(text, store.anna.chat("asking"))
    return (await subject.prepare(turn, RecallOptions())).placed.system


async def test_what_changed_is_told_as_over_to_a_question_about_it_alone(
    store: Store, second: MultilingualE5Embedder
) -> None:
    subject = person(store, second, [PORTO], [BERLIN])
    await say(store, subject, HOME, 90)
    await say(store, subject, MOVED, 30)

    assert f"Lives in Porto (over since {NOON - timedelta(days=30):%Y-%m-%d})" in await block(
        store, subject, ASKED
    )
    assert "Porto" not in await block(store, subject, "Where do I live?")


async def test_who_asks_to_forget_the_past_is_not_told_it_again(
    store: Store, second: MultilingualE5Embedder
) -> None:
    forget = "Forget that I lived in Porto"
    wish = Extracted(commands=(ExtractedCommand(Asking.FORGET, forget),))
    subject = person(store, second, [PORTO], [BERLIN], wish)
    await say(store, subject, HOME, 90)
    await say(store, subject, MOVED, 30)

    await say(store, subject, forget, 1)

    assert "Lives in Porto" not in await block(store, subject, ASKED)
    assert [each.content for each in (await subject.page(store.anna, limit=9)).memories] == [BERLIN.content]
