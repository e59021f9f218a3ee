"""A tiny BERT of random weights: as sentence-transformers would write it, and finished."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from recollect_weights.building.finishing import finish_bert

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "green", "tea", "in", "the", "morning", "##s", "rain", "naan")
CONFIG: dict[str, Any] = {
    "model_type": "bert",
    "vocab_size": len(WORDS),
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 12,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    "hidden_act": "gelu",
}
MODULES = [
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
]


def tiny_weights(seed: int) -> dict[str, NDArray[np.float32]]:
    """Return random weights that suit ``CONFIG``."""
    random = np.random.default_rng(seed)
    size, inner = CONFIG["hidden_size"], CONFIG["intermediate_size"]
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (CONFIG["vocab_size"], size),
        "embeddings.position_embeddings.weight": (CONFIG["max_position_embeddings"], size),
        "embeddings.token_type_embeddings.weight": (CONFIG["type_vocab_size"], size),
        "embeddings.LayerNorm.weight": (size,),
        "embeddings.LayerNorm.bias": (size,),
    }
    for layer in range(CONFIG["num_hidden_layers"]):
        name = f"encoder.layer.{layer}"
        dense = {
            "attention.self.query": (size, size),
            "attention.self.key": (size, size),
            "attention.self.value": (size, size),
            "attention.output.dense": (size, size),
            "intermediate.dense": (inner, size),
            "output.dense": (size, inner),
        }
        for part, shape in dense.items():
            shapes |= {f"{name}.{part}.weight": shape, f"{name}.{part}.bias": shape[:1]}
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{name}.{part}.weight": (size,), f"{name}.{part}.bias": (size,)}
    return {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def write_tiny_bert(folder: Path, *, seed: int = 0, special: bool = True, **config: object) -> Path:
    """Write a folder with a tiny BERT of random weights, as sentence-transformers would; return it."""
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(CONFIG | config))
    (folder / "modules.json").write_text(json.dumps(MODULES))
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode": "mean"}')
    save_file(tiny_weights(seed), folder / "model.safetensors")
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    if special:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def finish_tiny_bert(folder: Path, **given: Any) -> Path:
    """Write a finished model of such a BERT, and return its folder."""
    finish_bert(write_tiny_bert(folder.with_name(f"{folder.name}-source"), **given), folder)
    return folder
