"""The composition root: the only importer of adapters, for every host."""

from recollect.assembly.global_memories import GLOBAL_MEMORIES
from recollect.assembly.host_engine import live_engine
from recollect.assembly.lifecycle import open_backends, open_engine, run_worker
from recollect.assembly.models import INSTRUCTIONS, Models, make_embedder, make_models, make_second_embedder
from recollect.assembly.policy import make_policy
from recollect.assembly.process_engine import running_engine, shared_engine

FILES = {
    INSTRUCTIONS: "Instructions of your own for the extraction model, for all models or some: `[[instructions]]` with "
    '`models = "*coder*"` and `text = "..."`.',
    GLOBAL_MEMORIES: "Memories, one a line, that serve users who have fewer than five of their own.",
}
"""What the engine looks for in the data folder."""

__all__ = [
    "FILES",
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
