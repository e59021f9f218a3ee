"""Reads what a person says themselves in a message. Pure. Never: a model, what the words mean.

What others wrote and what machines put there is cut out: blocks of frontends, lines of ours that came back, mails,
quotes, code, tables, logs and documents that were pasted in to be worked on.
"""

from recollect.formation.reading.words import Reading, read_words

__all__ = ["Reading", "read_words"]
