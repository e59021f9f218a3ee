"""All that is kept of a user as one JSON file to download: the memory API's export."""

from datetime import UTC, datetime

from litestar import get
from litestar.response import Stream

from recollect_proxy.pages.visit import Reading
from recollect_proxy.takeout import written_export


@get("/export")
async def show_export(visit: Reading) -> Stream:
    """Return the file that `docs/export.md` describes."""
    pieces = await written_export(visit.engine, visit.user_id, at=datetime.now(UTC))
    return Stream(
        pieces,
        media_type="application/json",
        headers={"content-disposition": 'attachment; filename="recollect-export.json"'},
    )
