"""Keeps what is said on disk while the store is away, and hands it out in order once it is back.

Never: what is worth remembering, which store it is; a credential.
"""

from recollect.spool.counting import Waiting
from recollect.spool.journal import Journal, Noted
from recollect.spool.spooling import FullError, Spool

__all__ = ["FullError", "Journal", "Noted", "Spool", "Waiting"]
