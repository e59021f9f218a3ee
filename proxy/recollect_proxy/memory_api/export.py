"""The endpoints of all that is kept of a user: taken along, and brought back. Never: what it holds."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from litestar import MediaType, Request, get, post
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import OpenAPIMediaType, OpenAPIType, Operation, Reference, RequestBody, Schema
from litestar.response import Stream
from msgspec import Meta, Struct

from recollect_proxy.memory_api.errors import INVALID_EXPORT, Failure, RefusedError, documented
from recollect_proxy.memory_api.parameters import ALWAYS, OpenEngine, UserId, user_named
from recollect_proxy.takeout import restore_file, written_export
from recollect_proxy.takeout.json_items import FileError
from recollect_proxy.takeout.rows import FORMAT, LATER_SECTIONS, ROWS, VERSION

LARGEST_IMPORT = 1 << 30
"""Bytes of an export that is brought back by HTTP; `recollect import recollect` takes any."""

_TOO_LARGE = Failure(
    413, "body_too_large", f"The body is longer than {LARGEST_IMPORT >> 30} GiB: use `recollect import`."
)


class ImportedRows(Struct):
    """What came of an import."""

    new: Annotated[dict[str, int], Meta(description="Rows that were not there, by section.")]
    there: Annotated[dict[str, int], Meta(description="Rows that were, and stay as they are, by section.")]
    ignored: Annotated[
        dict[str, int], Meta(description="Rows that can't be brought back, as kept answers, by section.")
    ] = {}


@get(
    "/users/{user_id:str}/export",
    summary="Take along all that is kept of a user",
    tags=["Users"],
    media_type=MediaType.JSON,
    responses=documented(*ALWAYS)
    | {200: ResponseSpec(dict, description="The export.", generate_examples=False)},
)
async def export_user(engine: OpenEngine, user_id: UserId) -> Stream:
    """Memories with their history, chats with what was said, summaries, profile, settings, requests, who looked: one JSON document.

    Embeddings are not in it. `docs/export.md` describes it, `docs/export.schema.json` is its schema. All of it is as it was at
    one time.
    """
    pieces = await written_export(engine, user_named(user_id), at=datetime.now(UTC))
    return Stream(
        pieces,
        media_type=MediaType.JSON,
        headers={"content-disposition": 'attachment; filename="recollect-export.json"'},
    )


def _body_of_import() -> RequestBody:
    """Return what the document says of an export that is sent: its outermost names. The whole is `docs/export.schema.json`."""
    rows = Schema(type=OpenAPIType.ARRAY, items=Schema(type=OpenAPIType.OBJECT))
    known: dict[str, Reference | Schema] = {
        "format": Schema(const=FORMAT),
        "version": Schema(const=VERSION),
        **dict.fromkeys(ROWS, rows),
    }
    export = Schema(
        type=OpenAPIType.OBJECT,
        description="An export, as `docs/export.schema.json` has it in full.",
        properties=known,
        required=[name for name in known if name not in LATER_SECTIONS],
        examples=[{"format": FORMAT, "version": VERSION, **{name: [] for name in ROWS}}],
    )
    return RequestBody({MediaType.JSON: OpenAPIMediaType(schema=export)}, required=True)


@dataclass
class _ImportOperation(Operation):
    """Describes the body, which the endpoint reads piece by piece: Litestar can't know it."""

    def __post_init__(self) -> None:
        self.request_body = _body_of_import()


@post(
    "/users/{user_id:str}/import",
    operation_class=_ImportOperation,
    status_code=200,
    summary="Bring back what was taken along",
    response_description="What came.",
    tags=["Users"],
    request_max_body_size=None,
    responses=documented(*ALWAYS, INVALID_EXPORT, _TOO_LARGE),
)
async def import_user(engine: OpenEngine, user_id: UserId, request: Request) -> ImportedRows:  # type: ignore[type-arg]  # as litestar reads it
    """The body is an export, of whichever user: from now on it is this one's.

    What the user has already stays as it is, so it may be sent again. Every row is checked before the first is kept. In
    the background what came is embedded and indexed.
    """
    named = user_named(user_id)
    with TemporaryDirectory(prefix="recollect-import-") as folder:
        path = Path(folder) / "export.json"
        await _receive(request, path)
        try:
            restored = await restore_file(engine, path, named)
        except FileError as error:
            raise RefusedError(_invalid(error)) from None
    return ImportedRows(dict(restored.new), dict(restored.there), dict(restored.ignored))


async def _receive(request: Request, path: Path) -> None:  # type: ignore[type-arg]
    """Write the body to a file.

    Raises:
        RefusedError: It is too long.
    """
    received = 0
    with path.open("wb") as file:
        async for piece in request.stream():
            received += len(piece)
            if received > LARGEST_IMPORT:
                raise RefusedError(_TOO_LARGE)
            await asyncio.to_thread(file.write, piece)


def _invalid(error: FileError) -> Failure:
    """Return the answer that says what is wrong; the error quotes nothing of the body."""
    return Failure(INVALID_EXPORT.status, INVALID_EXPORT.code, str(error))
