"""Writes one user's data as one JSON document, piece by piece. Never: holds more than a piece of it."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import datetime
from tempfile import TemporaryFile
from typing import IO

import msgspec

from recollect.engine import Engine
from recollect_proxy.takeout.rows import FORMAT, ROWS, VERSION

_WRITING = asyncio.Semaphore(2)
_PIECE = 1 << 18


async def export_document(engine: Engine, user_id: str, *, at: datetime) -> AsyncGenerator[bytes, None]:
    """Yield the document, as UTF-8, one row per line.

    Args:
        engine: The engine of the store. The export of an unknown user is empty.
        user_id: The user.
        at: The current time.

    Raises:
        StoreError: The store failed; before the first piece, if it can't be reached.
    """
    head = {"format": FORMAT, "version": VERSION, "exported_at": at, "user_id": user_id}
    piece = bytearray(msgspec.json.encode(head)[:-1])
    sections, begun = [*ROWS], 0

    def up_to(section: str) -> bytes:
        """End the section that is being written, and begin the further ones up to ``section``."""
        nonlocal begun
        new = sections[begun : sections.index(section) + 1]
        ends = "\n]" if begun and new else ""
        begun += len(new)
        return (ends + "\n]".join(f',\n"{name}": [' for name in new)).encode()

    async for section, row in engine.export(user_id):
        begins = up_to(section)
        piece += begins + (b"\n" if begins else b",\n") + row.encode()
        if len(piece) >= _PIECE:
            yield bytes(piece)
            piece.clear()
    yield bytes(piece + up_to(sections[-1]) + b"\n]}\n")


async def written_export(engine: Engine, user_id: str, *, at: datetime) -> AsyncGenerator[bytes, None]:
    """Return the document's pieces, from a temporary file that holds all of it.

    So a slow reader holds no connection to the database. Two documents are written at a time.

    Raises:
        StoreError: The store failed; nothing was returned then.
    """
    async with _WRITING:
        file = await asyncio.to_thread(TemporaryFile)
        try:
            async for piece in export_document(engine, user_id, at=at):
                await asyncio.to_thread(file.write, piece)
            await asyncio.to_thread(file.seek, 0)
        except BaseException:
            file.close()
            raise
    return _pieces(file)


async def _pieces(file: IO[bytes]) -> AsyncGenerator[bytes, None]:
    with file:
        while piece := await asyncio.to_thread(file.read, _PIECE):
            yield piece
