"""Turns texts into vectors: ``multilingual_e5``, ``served`` and ``models.mistral`` each have an ``Embedder``; ``cache`` stands in front.

The first runs an ``onnx_model``, and the others ask servers. Read ``multilingual_e5`` first.
"""

import os

# onnxruntime's wheels collect telemetry unless this is set before their import, which comes later than this one.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
