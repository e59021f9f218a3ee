"""Keeps each message on disk from the moment it is said until the log has it.

Never: which store the log is in; a credential. Read `spooling.py` first.
"""

from recollect.spool.segments import Kept
from recollect.spool.spooling import FullError, Spool, Waiting

__all__ = ["FullError", "Kept", "Spool", "Waiting"]
