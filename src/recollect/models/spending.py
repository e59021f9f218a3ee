"""What a call of a model has taken, told while it is under way: whoever gives it up gets neither its answer nor its error.

Never: what it may take, where that is counted.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True)
class Spent:
    """What was taken so far.

    Attributes:
        tokens: How many, of what was sent and of what was received.
    """

    tokens: int = 0


_spent: ContextVar[Spent | None] = ContextVar("spent", default=None)


@contextmanager
def counting_tokens() -> Iterator[Spent]:
    """Count what is spent within the body, also in tasks that it starts."""
    token = _spent.set(spent := Spent())
    try:
        yield spent
    finally:
        _spent.reset(token)


def spend(tokens: int) -> None:
    """Tell that a call took tokens; nobody may be counting."""
    if (spent := _spent.get()) is not None:
        spent.tokens += tokens
