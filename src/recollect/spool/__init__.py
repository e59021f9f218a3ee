"""Keeps what is said from the moment it is said until the log has it, on disk, and writes it in order once the log can take it.

Never: which store the log is in; a credential. Read `spooling.py` first.
"""

from recollect.spool.segments import Kept
from recollect.spool.spooling import FullError, Spool, Waiting

__all__ = ["FullError", "Kept", "Spool", "Waiting"]
