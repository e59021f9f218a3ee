"""The terms by which texts are found, and how their matches are weighted.

Stored texts and questions yield their terms by the same rules.
"""

from recollect.text.lexical.bm25 import COVERED, idf, saturation
from recollect.text.lexical.terms import document_terms, identifiers, query_terms
