"""The composition root: the only importer of adapters, for every host.

Its exports are imported at their first use: a command that only reads settings loads no database and no model.
"""

from typing import TYPE_CHECKING

from recollect.assembly.data_folder import FILES
from recollect.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from recollect.assembly.administering import (
        migrate_store,
        open_administration,
        open_forming,
        open_store_audit,
        open_trial,
    )
    from recollect.assembly.checks import check_database, check_model, describe_failure
    from recollect.assembly.data_folder import check_global_memories
    from recollect.assembly.host_engine import live_engine, running_engine, shared_engine
    from recollect.assembly.lifecycle import open_backends, open_engine, open_unembedded_backends, run_worker
    from recollect.assembly.models import (
        check_embedders,
        check_extraction,
        load_embedder,
        make_log_embedder,
        make_models,
    )
    from recollect.assembly.policy_from_settings import make_policy

_MODULES = {
    "administering": (
        "migrate_store",
        "open_administration",
        "open_forming",
        "open_store_audit",
        "open_trial",
    ),
    "checks": ("check_database", "check_model", "describe_failure"),
    "data_folder": ("check_global_memories",),
    "host_engine": ("live_engine", "running_engine", "shared_engine"),
    "lifecycle": ("open_backends", "open_engine", "open_unembedded_backends", "run_worker"),
    "models": (
        "check_embedders",
        "check_extraction",
        "load_embedder",
        "make_log_embedder",
        "make_models",
    ),
    "policy_from_settings": ("make_policy",),
}

__getattr__ = lazy_exports(
    __name__, {name: f"{__name__}.{module}" for module, names in _MODULES.items() for name in names}
)
