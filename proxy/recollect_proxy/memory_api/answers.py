"""Which function answers which operation of the table: that of its name. Never: an answer."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from recollect.api.operations import OPERATIONS
from recollect_proxy.memory_api import of_memories, of_people, of_service
from recollect_proxy.memory_api.asked import Asked

Answer: TypeAlias = Callable[[Asked], Awaitable[Any]]

_FUNCTIONS = {**vars(of_memories), **vars(of_people), **vars(of_service)}

ANSWERS: dict[str, Answer] = {each.name: _FUNCTIONS[each.name] for each in OPERATIONS}
"""An operation without a function is a KeyError here, at the start."""
