"""Forms memories from exchanges. `pipeline` is the way through; it returns changes, and applies none.

Every call of a model passes `breaker_and_budget`.
"""

from recollect.formation.breaker_and_budget import CallGuard, CallStatistics, TokenBudget, Work
from recollect.formation.new_memories import plausible_hints
from recollect.formation.pipeline import (
    Batch,
    FormationPipeline,
    begins_with_command,
    log_decision,
    log_formed,
)
from recollect.formation.understood_commands import Extraction
from recollect.formation.verification import FormationRules, judge_dictated
