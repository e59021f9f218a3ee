from pathlib import Path

import pytest
from tests.bench.lives.test_formation import JO
from tests.scripted_extraction import Lesson, Pupil
from tests.scripted_upstream import ScriptedUpstream

from bench.lives.formed import Event
from bench.lives.live_answers import bench_live, nearest_label, show


def test_a_decision_stands_beside_the_label_of_its_turn_that_it_quotes() -> None:
    decided = Event("c1-0", "add", "new", "Is a beekeeper", evidence="I keep bees.")

    label = nearest_label(decided, JO.labels)

    assert label is not None
    assert label.id == "m2"


def test_a_decision_on_other_words_stands_beside_none() -> None:
    decided = Event("c1-1", "add", "new", "Keeps bees", evidence="I keep bees.")

    assert nearest_label(decided, JO.labels) is None


async def test_a_live_model_is_asked(
    own_dsn: str, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = Pupil(lessons=[Lesson("I keep bees", "Has bees")])
    async with ScriptedUpstream(model) as server:
        decided = await bench_live([JO], server.base_url, "scripted", database_url=own_dsn, data_dir=data_dir)
    show([JO], decided)

    assert model.extractions("I keep bees")
    assert [(each.turn, each.action, each.content, each.nearest) for each in decided][:1] == [
        ("c1-0", "add", "Has bees", "m2")
    ]
    assert "label w m2 new : Keeps bees\n" in capsys.readouterr().out
