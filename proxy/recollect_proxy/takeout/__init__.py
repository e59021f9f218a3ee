"""Exports one user's data as one JSON document, and restores it. docs/reference/export.md describes the document."""
