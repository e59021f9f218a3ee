"""Writes all that is kept of one user as one JSON document, piece by piece. Never: holds more than a piece of it."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime
from tempfile import TemporaryFile
from typing import IO

import msgspec

from recollect.engine import Engine
from recollect_proxy.takeout.rows import FORMAT, ROWS, VERSION

_WRITING = asyncio.Semaphore(2)
_PIECE = 1 << 18


async def export_document(engine: Engine, user_id: str, *, at: datetime) -> AsyncIterator[bytes]:
    """Yield the document, as UTF-8, a row a line.

    Args:
        engine: The engine of the store. The export of an unknown user is empty.
        user_id: The user.
        at: The current time.

    Raises:
        StoreError: The store failed; before the first piece, if it can't be reached.
    """
    head = {"format": FORMAT, "version": VERSION, "exported_at": at, "user_id": user_id}
    piece = bytearray(msgspec.json.encode(head)[:-1])
    sections = list(ROWS)
    begun = -1  # the section that is written now
    has_rows = False

    def begin(until: int) -> None:
        nonlocal begun, has_rows
        while begun < until:
            if begun >= 0:
                piece.extend(b"\n]")
            begun += 1
            piece.extend(f',\n"{sections[begun]}": ['.encode())
            has_rows = False

    async for section, row in engine.export(user_id):
        begin(sections.index(section))
        piece += b",\n" if has_rows else b"\n"
        piece += row.encode()
        has_rows = True
        if len(piece) >= _PIECE:
            yield bytes(piece)
            piece.clear()
    begin(len(sections) - 1)
    piece += b"\n]}\n"
    yield bytes(piece)


async def written_export(engine: Engine, user_id: str, *, at: datetime) -> AsyncIterator[bytes]:
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


async def _pieces(file: IO[bytes]) -> AsyncIterator[bytes]:
    with file:
        while piece := await asyncio.to_thread(file.read, _PIECE):
            yield piece
