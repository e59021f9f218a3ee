"""The store in Postgres with pgvector: memories, message log, inbox and jobs. Never: ranking policy.

Its exports are imported when they are first used: to start the embedded server does not need the store.
"""

from typing import TYPE_CHECKING

from recollect.runtime.lazy import lazy_exports
from recollect.store.embedded.shared_server import EmbeddedServer, TemporaryFolder, is_used, start_embedded

if TYPE_CHECKING:
    from recollect.store.postgres import Postgres, migrate_postgres, open_postgres
    from recollect.store.schema.report import DatabaseReport, check_postgres

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

__getattr__ = lazy_exports(
    __name__,
    dict.fromkeys(("Postgres", "migrate_postgres", "open_postgres"), f"{__name__}.postgres")
    | dict.fromkeys(("DatabaseReport", "check_postgres"), f"{__name__}.schema.report"),
)
