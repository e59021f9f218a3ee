"""Separates the person's own words in a message from those of others. Pure.

What machines inserted and what is marked as somebody else's is cut out: blocks of frontends, injected lines that came back,
mails, quoted lines, long quotations, code, tables and logs.
"""

from recollect.text.attribution.reading import without_blocks
from recollect.text.attribution.words import Attribution, attribute, others_words, question_in

__all__ = ["Attribution", "attribute", "others_words", "question_in", "without_blocks"]
