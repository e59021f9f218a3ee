"""All data of one user: exported as rows of JSON, and restored. Embeddings and search terms are computed again.

Never: validates rows; leaves a table out.
"""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from itertools import product
from typing import Any

from recollect.model import COMMONS, project_scope
from recollect.store.pool import StorePart, column
from recollect.store.row_mapping import TERMS_BY, terms_of_memory
from recollect.store.sql import SQL
from recollect.text.normalization import content_hash

SECTIONS = (
    # Earlier sections may refer to later ones, which are read in the same snapshot.
    "projects",
    "settings",
    "profile",
    "memories",
    "summaries",
    "history",
    "quarantine",
    "sessions",
    "chats_left_out",
    "exchanges",
    "messages",
    "injections",
    "usage",
    "requests",
    "chat_requests",
    "not_helpful",
    "admin_reads",
    "kept_answers",
)
_HASHED = frozenset({"profile", "memories", "summaries", "quarantine"})
_ROWS_AT_ONCE = 200


class Portability(StorePart):
    """A user's data as rows to export and import, described in ``docs/reference/export.md``."""

    async def export(self, user_id: str) -> AsyncIterator[tuple[str, str]]:
        """Yield each row as its section's name and JSON text, all of one point in time; those of a project name it."""
        async with self._database.snapshot(user_id) as connection:
            projects = await column(connection, SQL["projects_of"], user_id)
            for section, project in product(SECTIONS, ["", *projects]):
                scope = project_scope(user_id, project)
                if projects:  # else the role sees the right rows already
                    await connection.execute(SQL["as_user"], scope, self._database.user_role)
                named = f'{{"project":{json.dumps(project)},' if project else "{"
                rows = connection.cursor(SQL[f"export_{section}"], scope, prefetch=_ROWS_AT_ONCE)
                async for row in rows:
                    yield section, named + row[0].removeprefix("{")

    async def restore(self, user_id: str, section: str, rows: Sequence[Mapping[str, Any]]) -> int:
        """Keep rows of a section, in one transaction; return how many are new. Existing rows stay.

        Sections must come in the order of ``export``, and rows must be validated.
        """
        are_memories = section in {"memories", "summaries"}
        query = SQL["restore_memories" if are_memories else f"restore_{section}"]
        given = [_hashed(row) if section in _HASHED else row for row in rows]
        if are_memories:
            given = [{**row, **_terms_of(row["content"])} for row in given]
        async with self._database.changing(user_id) as connection:
            if section == "memories":
                # Else a memory that no one sees might be erased before this user sees it.
                await connection.execute(SQL["lock_user"], COMMONS)
            return len(await connection.fetch(query, user_id, json.dumps(given)))


def _hashed(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with the hash of its content; a refused statement has only its hash, or none."""
    refused = row.get("refused_hash")
    if row["content"] is None:
        return {**row, "content_hash": None}
    return {**row, "content_hash": "\\x" + (refused or content_hash(row["content"]).hex())}


def _terms_of(content: str) -> dict[str, Any]:
    """Return the columns of a memory's terms."""
    terms, counts = terms_of_memory(content)
    return {"terms": terms, "counts": f"\\x{counts.hex()}", "terms_by": TERMS_BY}
