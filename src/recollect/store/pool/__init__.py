"""Connections to Postgres: addresses, a pool shared fairly by users, and errors of ours.

Read ``connections`` first: ``Database`` lends a connection in a transaction that row-level security binds to one user.
"""

from recollect.store.pool.connections import (
    Access,
    Connection,
    Database,
    StorePart,
    affected,
    column,
    is_pooled,
)
from recollect.store.pool.postgres_errors import store_errors

__all__ = ["Access", "Connection", "Database", "StorePart", "affected", "column", "is_pooled", "store_errors"]
