"""Reads a sentence-transformers folder as data; no code in it is run.

Never: ONNX, texts.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from recollect_weights.building import UnsupportedModelError
from recollect_weights.building.stored_model import Architecture

_SUPPORTED = (
    "Supported are BERT encoders (model_type bert, absolute positions, gelu or relu)"
    " with mean pooling, as sentence-transformers saves them with safetensors."
)
_ACTIVATIONS = {"gelu": "gelu", "gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh", "relu": "relu"}


@dataclass(frozen=True, slots=True)
class BertFolder:
    """A folder with a supported model, whose graph holds the word embeddings.

    Attributes:
        pieces: The most word pieces of a text; the rest is cut off.
    """

    path: Path
    architecture: Architecture
    pieces: int
    words_given: bool = False

    @property
    def weights(self) -> Path:
        """The path of the weights."""
        return self.path / "model.safetensors"

    def tensor(self, name: str) -> NDArray[np.generic]:
        """Return a tensor of the weights; raise ``KeyError`` if it can't be read."""
        try:
            with safe_open(self.weights, "np") as opened:
                tensor: NDArray[np.generic] = opened.get_tensor(name)
        except SafetensorError as error:
            raise KeyError(str(error)) from error
        return tensor


class _Config(msgspec.Struct):
    """``config.json``, with the names and defaults of transformers' BertConfig."""

    vocab_size: int
    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    max_position_embeddings: int
    type_vocab_size: int = 2
    layer_norm_eps: float = 1e-12
    hidden_act: str = "gelu"
    position_embedding_type: str = "absolute"


class _ModelType(msgspec.Struct):
    model_type: str = ""


class _Module(msgspec.Struct):
    """One step of ``modules.json``."""

    type: str
    path: str = ""


class _Limits(msgspec.Struct):
    """``sentence_bert_config.json`` or ``tokenizer_config.json``; a tokenizer without a limit has the value 1e30."""

    max_seq_length: int | None = None
    model_max_length: float | None = None


_Json = TypeVar("_Json")


def read_bert_folder(path: Path) -> BertFolder:
    """Read the folder's JSON files, and check that the model is supported.

    Raises:
        UnsupportedModelError: A file is missing or unreadable, or the model is not supported.
    """
    for needed in ("config.json", "tokenizer.json", "model.safetensors"):
        if not (path / needed).is_file():
            raise UnsupportedModelError(f"The model folder {path} has no {needed}. {_SUPPORTED}")
    architecture = _read_architecture(path)
    _require_mean_pooling(path)
    return BertFolder(path=path, architecture=architecture, pieces=_pieces(path, architecture))


def _read_architecture(path: Path) -> Architecture:
    kind = _decode_json(path / "config.json", _ModelType).model_type
    if kind != "bert":
        raise UnsupportedModelError(f"The model in {path} is of type {kind or 'unknown'}. {_SUPPORTED}")
    config = _decode_json(path / "config.json", _Config)
    if config.position_embedding_type != "absolute" or config.hidden_act not in _ACTIVATIONS:
        raise UnsupportedModelError(
            f"The model in {path} has {config.position_embedding_type} positions"
            f" and the activation {config.hidden_act}. {_SUPPORTED}"
        )
    if config.num_attention_heads < 1 or config.hidden_size % config.num_attention_heads:
        raise UnsupportedModelError(
            f"The model in {path} can't split {config.hidden_size} among {config.num_attention_heads} heads."
        )
    return Architecture(
        vocabulary=config.vocab_size,
        positions=config.max_position_embeddings,
        types=config.type_vocab_size,
        hidden=config.hidden_size,
        intermediate=config.intermediate_size,
        layers=config.num_hidden_layers,
        heads=config.num_attention_heads,
        epsilon=config.layer_norm_eps,
        activation=_ACTIVATIONS[config.hidden_act],
    )


def _require_mean_pooling(path: Path) -> None:
    """Check that the pipeline is an encoder with mean pooling, and optionally normalisation."""
    if not (path / "modules.json").is_file():
        return  # sentence-transformers pools a bare BERT folder by the mean, too
    modules = _decode_json(path / "modules.json", list[_Module])
    kinds = [module.type.rpartition(".")[2] for module in modules]
    if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]):
        raise UnsupportedModelError(f"The model in {path} is made of {', '.join(kinds)}. {_SUPPORTED}")
    # As sentence-transformers writes it since version 5, and before it: a switch for each way to pool.
    pooling = _decode_json(path / modules[1].path / "config.json", dict[str, Any])
    others = {name for name, value in pooling.items() if name.startswith("pooling_mode_") and value}
    is_mean = pooling.get("pooling_mode", "mean") in ("mean", ["mean"])
    if not (
        is_mean and pooling.get("pooling_mode_mean_tokens", True) and others <= {"pooling_mode_mean_tokens"}
    ):
        raise UnsupportedModelError(f"The model in {path} does not pool by the mean alone. {_SUPPORTED}")


def _pieces(path: Path, architecture: Architecture) -> int:
    """Return the most word pieces of a text, as sentence-transformers would determine it."""
    for name in ("sentence_bert_config.json", "tokenizer_config.json"):
        if (path / name).is_file():
            limits = _decode_json(path / name, _Limits)
            said = limits.max_seq_length if name.startswith("sentence") else limits.model_max_length
            if said is not None:
                return int(min(said, architecture.positions))
    return architecture.positions


def _decode_json(path: Path, type_: type[_Json]) -> _Json:
    try:
        return msgspec.json.decode(path.read_bytes(), type=type_)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UnsupportedModelError(f"The model's file {path} can't be read: {error}") from error
