"""How memories are formed from what was said."""

from recollect.formation.deciding import log_decision
from recollect.formation.forming import Batch, Forming
from recollect.formation.guarding import Budget, Guard, Guarded
from recollect.formation.requests import asks_to_forget
from recollect.formation.rules import Rules
from recollect.formation.wishes import Extraction

__all__ = [
    "Batch",
    "Budget",
    "Extraction",
    "Forming",
    "Guard",
    "Guarded",
    "Rules",
    "asks_to_forget",
    "log_decision",
]
