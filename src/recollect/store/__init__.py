"""The store in Postgres with pgvector: memories, message log, inbox and jobs.

Its exports are imported when they are first used: to start the embedded server does not need the store.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from recollect.store.embedded_database import EmbeddedServer, TemporaryFolder, is_used, start_embedded

if TYPE_CHECKING:
    from recollect.store.database_check import DatabaseReport, check_postgres
    from recollect.store.postgres import Postgres, migrate_postgres, open_postgres

__all__ = [
    "DatabaseReport",
    "EmbeddedServer",
    "Postgres",
    "TemporaryFolder",
    "check_postgres",
    "is_used",
    "migrate_postgres",
    "open_postgres",
    "start_embedded",
]

_MODULES = dict.fromkeys(("Postgres", "migrate_postgres", "open_postgres"), "postgres")
_MODULES |= dict.fromkeys(("DatabaseReport", "check_postgres"), "database_check")


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
