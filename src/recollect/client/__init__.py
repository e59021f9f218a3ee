"""A typed client of the memory API, for programs beside a running Recollect. It needs nothing of the engine.

``calls`` makes what can be asked, ``MemoryClient`` and ``AsyncMemoryClient`` ask it, ``shapes`` are the answers.
"""

from recollect.client import calls, shapes
from recollect.client.clients import AsyncMemoryClient, MemoryClient
from recollect.client.problems import (
    ChangedMeanwhileError,
    ConflictError,
    InvalidRequestError,
    ItemProblem,
    MemoryApiError,
    NotFoundError,
    Problem,
    UnauthorizedError,
    UnavailableError,
)

__all__ = [
    "AsyncMemoryClient",
    "ChangedMeanwhileError",
    "ConflictError",
    "InvalidRequestError",
    "ItemProblem",
    "MemoryApiError",
    "MemoryClient",
    "NotFoundError",
    "Problem",
    "UnauthorizedError",
    "UnavailableError",
    "calls",
    "shapes",
]
