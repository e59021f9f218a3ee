"""Composes recalled memories into text for a prompt, and finds its place there. Pure. Never: await."""

from recollect.composition.block import Block, compose
from recollect.composition.fences import HISTORY as HISTORY_FENCE
from recollect.composition.fences import MEMORIES as FENCE
from recollect.composition.history import History, missing_exchanges, tell_history
from recollect.composition.placement import Bounds, Placed, attached, place

__all__ = [
    "FENCE",
    "HISTORY_FENCE",
    "Block",
    "Bounds",
    "History",
    "Placed",
    "attached",
    "compose",
    "missing_exchanges",
    "place",
    "tell_history",
]
