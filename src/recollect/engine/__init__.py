"""The engine: recalls for turns, logs messages, forms memories in the background.

Read `engine.py` first: each of its methods leads to the part that does the work.
"""

from recollect.backends import Backends
from recollect.engine.engine import Engine, system_clock
from recollect.engine.policy import Policy
from recollect.engine.turns.prompt_content import Prepared, RecallOptions

__all__ = ["Backends", "Engine", "Policy", "Prepared", "RecallOptions", "system_clock"]
