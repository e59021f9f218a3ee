"""Turns texts into vectors: ``multilingual_e5``, ``served`` and ``mistral`` each have an ``Embedder``, ``cache`` stands in front of any.

The first runs an ``onnx_model``, and the others ask servers. Read ``multilingual_e5`` first. Never: the store.
"""

import os

from recollect.errors import ConfigurationError

# onnxruntime's wheels collect telemetry unless this is set before their import, which comes later than this one.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

_SCHEMES = ("local", "openai", "mistral")


def parse_embedder_name(text: str) -> tuple[str, str]:
    """Return the scheme and the model: split ``local:MODEL``, ``openai:MODEL`` or ``mistral:MODEL`` at the first colon.

    Raises:
        ConfigurationError: The scheme is not one of these, or no model follows it.
    """
    scheme, _, model = (part.strip() for part in text.partition(":"))
    if scheme not in _SCHEMES:
        known = " or ".join(f"{known}:MODEL" for known in _SCHEMES)
        raise ConfigurationError(f"Unknown embedder {text!r}; write {known}.")
    if not model:
        raise ConfigurationError(f"The embedder {text!r} names no model; write {scheme}:MODEL.")
    return scheme, model


def prepare(text: str, limit: int) -> str:
    """Return ``text`` without outer whitespace, cut to ``limit`` characters, encodable as UTF-8.

    A question mark replaces each lone surrogate, which JSON can carry but UTF-8 can't.
    """
    return text.strip()[:limit].encode("utf-8", "replace").decode("utf-8")
