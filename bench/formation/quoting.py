"""Finds the sentence of a text that is most about a statement. Pure. Never: a model."""

from recollect.text.lexical import document_terms
from recollect.text.patterns import linear

_SENTENCE = linear(r"[^.!?\n\u2026\u3002\uff01\uff1f]+[.!?\u2026\u3002\uff01\uff1f]*")
_CHARACTERS = 10_000


def most_like(text: str, statement: str) -> str:
    """Return the sentence of ``text`` that has most terms of ``statement``, the first of several; "" of no words."""
    wanted = set(document_terms(statement))
    sentences = [each.strip() for each in _SENTENCE.findall(text[:_CHARACTERS])]
    telling = [each for each in sentences if any(map(str.isalnum, each))]
    return max(telling, key=lambda each: len(wanted & set(document_terms(each))), default="")
