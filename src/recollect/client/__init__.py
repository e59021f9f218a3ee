"""A typed client of the memory API, for programs next to a running Recollect. It needs nothing of the engine.

``MemoryClient`` and ``AsyncMemoryClient`` ask the operations of ``recollect.api``; the answers are its shapes.
"""

from recollect.client.clients import AsyncMemoryClient, MemoryClient
from recollect.client.problems import (
    ChangedMeanwhileError,
    ConflictError,
    InvalidRequestError,
    MemoryApiError,
    NotFoundError,
    UnauthorizedError,
    UnavailableError,
)

__all__ = [
    "AsyncMemoryClient",
    "ChangedMeanwhileError",
    "ConflictError",
    "InvalidRequestError",
    "MemoryApiError",
    "MemoryClient",
    "NotFoundError",
    "UnauthorizedError",
    "UnavailableError",
]
