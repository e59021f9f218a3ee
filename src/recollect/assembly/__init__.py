"""The composition root: the only importer of adapters, for every host."""

from recollect.assembly.living import live_engine
from recollect.assembly.models import Models, make_embedder, make_models, make_second_embedder
from recollect.assembly.opening import open_backends, open_engine, run_worker
from recollect.assembly.policy import make_policy
from recollect.assembly.sharing import running_engine, shared_engine

__all__ = [
    "Models",
    "live_engine",
    "make_embedder",
    "make_models",
    "make_policy",
    "make_second_embedder",
    "open_backends",
    "open_engine",
    "run_worker",
    "running_engine",
    "shared_engine",
]
