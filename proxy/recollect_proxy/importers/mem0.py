"""Reads the memories in an export of mem0. Pure."""

from collections.abc import Iterator

from recollect.text.normalization import storable_text
from recollect_proxy.identity.caller import opaque_id
from recollect_proxy.importers.common_format import (
    BrokenRowError,
    Row,
    StoredMemory,
    metadata_in,
    moment,
    tags_in,
)

_TEXTS = ("memory", "data", "text", "content")


def read_mem0(item: Row) -> Iterator[StoredMemory]:
    """Yield a memory.

    Raises:
        BrokenRowError: It has no text.
    """
    payload = item.get("payload")
    told = {**item, **payload} if isinstance(payload, dict) else item
    content = next((told[name] for name in _TEXTS if isinstance(told.get(name), str)), None)
    if content is None:
        raise BrokenRowError("it has no text")
    id_, at = item.get("id"), moment(told.get("created_at"))
    yield StoredMemory(
        id=storable_text(str(id_) if isinstance(id_, str | int) else content),
        user_id=opaque_id(told.get("user_id")) or "",
        content=storable_text(content),
        created_at=at,
        said_at=moment(told.get("updated_at")) or at,
        tags=tags_in(told.get("categories")),
        metadata=metadata_in(told.get("metadata")),
    )
