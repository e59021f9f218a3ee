"""The terms by which texts are found. Stored texts and questions yield them by the same rules."""

from recollect.text.lexical.terms import document_terms, identifiers, query_terms
