"""Reads what a person says themselves in a message. Pure. Never: a model, what the words mean.

What machines put there and what is marked as others' is cut out: blocks of frontends, lines of ours that came back,
mails, quoted lines, long quotations, code, tables and logs.
"""

from recollect.text.attribution.words import Attribution, attribute, others_words

__all__ = ["Attribution", "attribute", "others_words"]
