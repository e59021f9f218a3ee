"""What a model found is not asked for again, where only the rest of the work had to wait."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.recollect.engines import PATIENT, engine_over
from tests.scripted.models import ScriptedExtractor, ScriptedJudge, WordEmbedder
from tests.support.stores import Store

from recollect.engine.policy import Batching
from recollect.errors import EmbedderError, YieldedError
from recollect.model import Asking, Candidate, ExtractedCommand, Kind, Memory, Strategy, Vector
from recollect.ports import Asker, Chosen, Extracted

WISH = "Forget what I told of my brother and his dog"
COMMAND = f"{WISH}. I row on Mondays"
ROWS = Candidate("Rows on Mondays", Kind.FACT, 0.7, "I row on Mondays")
EXTRACTING = replace(PATIENT, strategy=Strategy.EXTRACT, batching=Batching(turns=4))


class Interrupted(ScriptedJudge):
    """Gives way to a chat, once."""

    async def choose(self, command: str, known: Sequence[Memory], asker: Asker) -> Chosen:
        """Raise the first time."""
        chosen = await super().choose(command, known, asker)
        if len(self.commands) == 1:
            raise YieldedError(timedelta())
        return chosen


class Absent(WordEmbedder):
    """Is away, once, when it is asked for what is to be forgotten."""

    left = 1

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Raise the first time."""
        if self.left and WISH in texts:
            self.left -= 1
            raise EmbedderError
        return await super().embed(texts)


@pytest.mark.parametrize("is_away", ["the model", "the embedder"])
async def test_it_is_asked_once_and_nothing_is_lost_though_more_is_said_meanwhile(
    store: Store, is_away: str
) -> None:
    judges, embedder = (
        (ScriptedJudge, Absent()) if is_away == "the embedder" else (Interrupted, WordEmbedder())
    )
    understood = Extracted((ROWS,), commands=(ExtractedCommand(Asking.FORGET, WISH),))
    extractor, judge = ScriptedExtractor(understood), judges(chosen=["My brother has a dog"])
    subject = engine_over(store, EXTRACTING, extractor=extractor, judge=judge, embedder=embedder)
    await subject.add(store.anna, "My brother has a dog")
    await subject.remember(store.turn(COMMAND), "Done.")

    assert await subject.drain(store.anna) is not None
    await subject.remember(store.turn("It is cold today", key="m2"), "Indeed.")
    assert await subject.drain(store.anna) is None

    assert [[each.turn.text for each in exchanges] for exchanges, _ in extractor.asked] == [
        [COMMAND],
        ["It is cold today"],
    ]
    assert [each.content for each in (await subject.page(store.anna, limit=9)).memories] == [ROWS.content]
