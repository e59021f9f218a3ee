"""multilingual-e5-small in PyTorch, with trainable low-rank matrices in its last layers."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from recollect.models.embedders.multilingual_e5 import MODEL, Side, prefixed
from recollect.models.embedders.onnx_model import UnigramTokenizer, installed_model
from recollect_weights.blocks import dequantized
from recollect_weights.building.adapter import DOWN, UP
from recollect_weights.building.packed_file import PackedModel

_PIECES = 512
_BATCH = 48
_DENSE = (
    *("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"),
    *("intermediate.dense", "output.dense"),
)
_NORMS = ("attention.output.LayerNorm", "output.LayerNorm")


class Text(NamedTuple):
    """A text, and whether it is embedded as a question or as a statement."""

    text: str
    side: Side


class _Dense(nn.Module):
    """A dense layer that stays, with a trained product of two matrices added to it if it has a rank."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor, rank: int) -> None:
        super().__init__()
        self.weight, self.bias = weight, bias
        outputs, inputs = weight.shape
        self.down = nn.Parameter(torch.randn(rank, inputs) / inputs**0.5) if rank else None
        self.up = nn.Parameter(torch.zeros(outputs, rank)) if rank else None

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        plain = functional.linear(values, self.weight, self.bias)
        if self.down is None or self.up is None:
            return plain
        return plain + functional.linear(functional.linear(values, self.down), self.up)


class AdaptedEncoder(nn.Module):
    """The encoder. Each text passes the layers that stay once, and the trained ones each time.

    Args:
        model: The weights.
        means: The mean vectors of questions and of statements, (2, hidden), which are subtracted.
        rank: The rank of the matrices.
        trained: The number of last layers that have them.
    """

    def __init__(self, model: PackedModel, means: NDArray[np.float32], *, rank: int, trained: int) -> None:
        super().__init__()
        self._sizes = model.architecture
        self._words = model.word_blocks()
        self._means = torch.from_numpy(means)
        self._tokenizer = UnigramTokenizer.from_folder(installed_model(MODEL))
        self._below: dict[Text, torch.Tensor] = {}

        def tensor(name: str) -> torch.Tensor:
            return torch.from_numpy(np.array(model.tensor(name), np.float32))

        self._first = self._sizes.layers - trained
        self._places = tensor("embeddings.position_embeddings.weight")
        self._kind = tensor("embeddings.token_type_embeddings.weight")[0]
        self._norms = {
            name: (tensor(f"{name}.weight"), tensor(f"{name}.bias"))
            for name in (
                "embeddings.LayerNorm",
                *(f"encoder.layer.{n}.{norm}" for n in range(self._sizes.layers) for norm in _NORMS),
            )
        }
        self._dense = {
            (n, name): _Dense(
                tensor(f"encoder.layer.{n}.{name}.weight"),
                tensor(f"encoder.layer.{n}.{name}.bias"),
                rank if n >= self._first else 0,
            )
            for n in range(self._sizes.layers)
            for name in _DENSE
        }
        self._registered = nn.ModuleList(self._dense.values())  # so that PyTorch finds the trained numbers

    def _read(self, texts: Sequence[Text]) -> None:
        """Pass texts through the layers that stay, once each."""
        new = sorted(set(texts) - self._below.keys(), key=lambda each: (len(each.text), each))
        with torch.no_grad():
            for start in range(0, len(new), _BATCH):
                batch = new[start : start + _BATCH]
                rows = [self._embedded(each) for each in batch]
                hidden, mask = _padded(rows)
                hidden = self._norm("embeddings.LayerNorm", hidden)
                for layer in range(self._first):
                    hidden = self._layer(layer, hidden, mask)
                for each, row, passed in zip(batch, rows, hidden, strict=True):
                    self._below[each] = passed[: len(row)].half()

    def vectors(self, texts: Sequence[Text]) -> torch.Tensor:
        """Return the centred unit vectors of texts, (n, hidden)."""
        self._read(texts)
        order = sorted(range(len(texts)), key=lambda n: len(self._below[texts[n]]))
        found = []
        for start in range(0, len(order), _BATCH):
            batch = [texts[n] for n in order[start : start + _BATCH]]
            hidden, mask = _padded([self._below[each].float() for each in batch])
            for layer in range(self._first, self._sizes.layers):
                hidden = self._layer(layer, hidden, mask)
            kept = mask[:, :, None].float()
            mean = functional.normalize((hidden * kept).sum(1) / kept.sum(1), dim=-1)
            sides = torch.tensor([int(each.side) for each in batch])
            found.append(functional.normalize(mean - self._means[sides], dim=-1))
        back = torch.empty(len(order), dtype=torch.long)
        back[torch.tensor(order, dtype=torch.long)] = torch.arange(len(order))
        return torch.cat(found)[back]

    def adapter(self) -> Mapping[str, NDArray[np.float16]]:
        """Return the trained matrices by the names that the package of weights reads."""
        found = {}
        for (layer, name), dense in self._dense.items():
            for end, matrix in ((DOWN, dense.down), (UP, dense.up)):
                if matrix is not None:
                    found[f"encoder.layer.{layer}.{name}{end}"] = matrix.detach().numpy().astype(np.float16)
        return found

    def _embedded(self, text: Text) -> torch.Tensor:
        ids = self._tokenizer.encode(prefixed(text.text, text.side), _PIECES)
        words = torch.from_numpy(dequantized(self._words[np.asarray(ids)]))
        return words + self._places[: len(ids)] + self._kind

    def _norm(self, name: str, values: torch.Tensor) -> torch.Tensor:
        scale, shift = self._norms[name]
        return functional.layer_norm(values, (self._sizes.hidden,), scale, shift, self._sizes.epsilon)

    def _layer(self, number: int, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        query, key, value, out, wide, narrow = (self._dense[number, name] for name in _DENSE)
        attention, output = (f"encoder.layer.{number}.{name}" for name in _NORMS)
        rows, length, size = hidden.shape
        heads = self._sizes.heads

        def parted(values: torch.Tensor) -> torch.Tensor:
            return values.view(rows, length, heads, size // heads).transpose(1, 2)

        mixed = functional.scaled_dot_product_attention(
            parted(query(hidden)),
            parted(key(hidden)),
            parted(value(hidden)),
            attn_mask=mask[:, None, None, :],
        )
        hidden = self._norm(attention, hidden + out(mixed.transpose(1, 2).reshape(hidden.shape)))
        return self._norm(output, hidden + narrow(functional.gelu(wide(hidden))))


def _padded(rows: Sequence[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return rows of different lengths as one array, (n, longest, hidden), and where it is filled, (n, longest)."""
    hidden: Any = nn.utils.rnn.pad_sequence(list(rows), batch_first=True)
    lengths = torch.tensor([len(each) for each in rows])
    return hidden, torch.arange(hidden.shape[1])[None, :] < lengths[:, None]
