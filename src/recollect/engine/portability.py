"""Which texts of rows that someone brings along may hold a secret, and those texts without it. Pure. Never: a store."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from recollect.text.secrets import mask

REDACTED_FIELDS: Mapping[str, Collection[str]] = {
    "profile": ("content",),
    "memories": ("content", "evidence"),
    "summaries": ("content", "evidence"),
    "history": ("before", "after"),
    "quarantine": ("content", "evidence"),
    "exchanges": ("answered",),
    "messages": ("content",),
    "injections": ("block",),
}
"""By section. The own export of a store says nothing there that was not masked already."""


def masked_rows(rows: Sequence[Mapping[str, Any]], fields: Collection[str]) -> list[Mapping[str, Any]]:
    """Return rows with the secrets masked in these fields."""
    return [
        {**row, **{name: mask(row[name]).text for name in fields if row.get(name)}} if fields else row
        for row in rows
    ]
