"""Background jobs in PgQueuer's tables, and how often a step was begun for a user.

Read ``queue`` first: it enqueues. ``runner`` calls the engine for each job.
"""

from recollect.store.jobs.attempts import Attempts
from recollect.store.jobs.runner import Jobs

__all__ = ["Attempts", "Jobs"]
