import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.tiny_bert import write_tiny_bert

from recollect_weights.building import UnsupportedModelError
from recollect_weights.building.bert_folder import read_bert_folder


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    folder = write_tiny_bert(tmp_path / "model")
    (folder / name).unlink()

    with pytest.raises(UnsupportedModelError, match=f"has no {name}"):
        read_bert_folder(folder)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"model_type": "roberta"}, "of type roberta"),
        ({"model_type": ""}, "of type unknown"),
        ({"position_embedding_type": "relative_key"}, "relative_key positions"),
        ({"hidden_act": "silu"}, "activation silu"),
    ],
)
def test_what_is_not_supported_is_told_with_what_is(
    tmp_path: Path, config: dict[str, Any], said: str
) -> None:
    with pytest.raises(UnsupportedModelError, match=rf"{said}.*Supported are BERT encoders"):
        read_bert_folder(write_tiny_bert(tmp_path / "model", **config))


@pytest.mark.parametrize("heads", [0, 3])
def test_heads_that_do_not_divide_the_width_are_refused(tmp_path: Path, heads: int) -> None:
    with pytest.raises(UnsupportedModelError, match=f"can't split 16 among {heads} heads"):
        read_bert_folder(write_tiny_bert(tmp_path / "model", num_attention_heads=heads))


@pytest.mark.parametrize("content", [b"", b"[]", b'{"model_type": "bert"}', b"\xff", b'"\xff"', b"{'a': 1}"])
def test_an_unreadable_config_is_named(tmp_path: Path, content: bytes) -> None:
    folder = write_tiny_bert(tmp_path / "model")
    (folder / "config.json").write_bytes(content)

    with pytest.raises(UnsupportedModelError, match=r"config\.json can't be read"):
        read_bert_folder(folder)


@pytest.mark.parametrize(
    "pooling",
    [
        {"pooling_mode": "cls"},
        {"pooling_mode": ["mean", "max"]},
        {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False},
        {"pooling_mode_max_tokens": True},
        {"pooling_mode_mean_sqrt_len_tokens": True},
        {"pooling_mode_weightedmean_tokens": True},
        {"pooling_mode_lasttoken": True},
    ],
)
def test_other_pooling_than_the_mean_is_refused(tmp_path: Path, pooling: dict[str, object]) -> None:
    folder = write_tiny_bert(tmp_path / "model")
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))

    with pytest.raises(UnsupportedModelError, match="does not pool by the mean alone"):
        read_bert_folder(folder)


@pytest.mark.parametrize(
    "pooling", [{}, {"pooling_mode": ["mean"]}, {"pooling_mode_mean_tokens": True, "other": 1}]
)
def test_the_mean_is_understood_however_it_is_written(tmp_path: Path, pooling: dict[str, object]) -> None:
    folder = write_tiny_bert(tmp_path / "model")
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))

    assert read_bert_folder(folder).architecture.heads == 4


def test_a_pipeline_with_another_step_is_refused(tmp_path: Path) -> None:
    folder = write_tiny_bert(tmp_path / "model")
    modules = json.loads((folder / "modules.json").read_text())
    modules[2]["type"] = "sentence_transformers.models.Dense"
    (folder / "modules.json").write_text(json.dumps(modules))

    with pytest.raises(UnsupportedModelError, match="made of Transformer, Pooling, Dense"):
        read_bert_folder(folder)


def test_a_bare_bert_folder_is_pooled_by_the_mean(tmp_path: Path) -> None:
    folder = write_tiny_bert(tmp_path / "model")
    (folder / "modules.json").unlink()

    assert read_bert_folder(folder).architecture.layers == 2


@pytest.mark.parametrize(
    ("sentence_config", "tokenizer_config", "pieces"),
    [
        (None, None, 12),
        ({"max_seq_length": 7}, {"model_max_length": 9}, 7),
        ({"max_seq_length": None}, {"model_max_length": 9}, 9),
        ({}, {"model_max_length": 1e30}, 12),
        ({"max_seq_length": 512}, None, 12),
        (None, {}, 12),
    ],
)
def test_the_limit_of_pieces_is_the_one_that_is_said_first_within_the_positions(
    tmp_path: Path,
    sentence_config: dict[str, object] | None,
    tokenizer_config: dict[str, object] | None,
    pieces: int,
) -> None:
    folder = write_tiny_bert(tmp_path / "model")
    for name, content in (
        ("sentence_bert_config.json", sentence_config),
        ("tokenizer_config.json", tokenizer_config),
    ):
        if content is not None:
            (folder / name).write_text(json.dumps(content))

    assert read_bert_folder(folder).pieces == pieces
