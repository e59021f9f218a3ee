"""Renders recalled memories as text for a prompt, and decides where in the request it goes. Pure."""

from recollect.composition.block import compose
from recollect.composition.placement import Bounds, Placed, attached, place
from recollect.composition.quoting import MEMORIES as FENCE
