"""How memories are formed from what was said."""

from recollect.formation.forming import Formed, form, log_decision

__all__ = ["Formed", "form", "log_decision"]
