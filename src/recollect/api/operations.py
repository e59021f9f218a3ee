"""The API's table: every operation there is. Dispatch, document, authorization and client are made of it."""

from typing import Any

from recollect.api import insight_operations, memory_operations, people_operations
from recollect.api.insight_operations import *  # noqa: F403
from recollect.api.memory_operations import *  # noqa: F403 -- the client names each as one of these
from recollect.api.operation import Operation
from recollect.api.people_operations import *  # noqa: F403

OPERATIONS: tuple[Operation[Any], ...] = tuple(
    each
    for module in (memory_operations, people_operations, insight_operations)
    for each in vars(module).values()
    if isinstance(each, Operation)
)
"""In the order of the document."""
