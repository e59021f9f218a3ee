"""Parses memories of mem0: from `get_all`, from its export, or from its vector store. Pure."""

from collections.abc import Iterator

from recollect_proxy.identity import opaque_id
from recollect_proxy.importers.file_source import seconds
from recollect_proxy.importers.rows import Row

LISTS = ("results", "memories", "data", "")
"""The possible names of a file's list; "" means that the file itself is the list."""

_TEXTS = ("memory", "data", "text", "content")


def read_memories(item: Row) -> Iterator[Row]:
    """Yield a memory as a row, also one without text: the import then reports it."""
    payload = item.get("payload")
    told = {**item, **payload} if isinstance(payload, dict) else item
    content = next((told[name] for name in _TEXTS if isinstance(told.get(name), str)), None)
    created_at = seconds(told.get("created_at"))
    yield {
        "id": item.get("id") if isinstance(item.get("id"), str | int) else None,
        "user_id": opaque_id(told.get("user_id")),
        "content": content,
        "created_at": created_at,
        "updated_at": seconds(told.get("updated_at")) or created_at,
    }
