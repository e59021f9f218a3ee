"""Counts the tokens of a model call while it runs. A call that is given up returns no answer and no error that could name them.

Never: a budget, the place where the tokens are recorded.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True)
class Spent:
    """The tokens of a call so far."""

    tokens: int = 0


_spent: ContextVar[Spent | None] = ContextVar("spent", default=None)


@contextmanager
def counting_tokens() -> Iterator[Spent]:
    """Count the tokens that are spent within the body, and in the tasks that it starts."""
    token = _spent.set(spent := Spent())
    try:
        yield spent
    finally:
        _spent.reset(token)


def spend(tokens: int) -> None:
    """Add a call's tokens to the count, if one is running."""
    if (spent := _spent.get()) is not None:
        spent.tokens += tokens
