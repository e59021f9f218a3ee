"""Renders recalled memories as text for a prompt, and decides where in the request it goes. Pure. Never: await."""

from recollect.composition.block import Block, compose
from recollect.composition.history import History, compose_history, missing_exchanges
from recollect.composition.placement import Bounds, Placed, attached, place
from recollect.composition.quoting import HISTORY as HISTORY_FENCE
from recollect.composition.quoting import MEMORIES as FENCE

__all__ = [
    "FENCE",
    "HISTORY_FENCE",
    "Block",
    "Bounds",
    "History",
    "Placed",
    "attached",
    "compose",
    "compose_history",
    "missing_exchanges",
    "place",
]
