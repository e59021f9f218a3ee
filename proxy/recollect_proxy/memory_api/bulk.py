"""Many changes of a user's memories at once: the endpoint and its JSON. Never: what may be changed."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal, TypeAlias
from uuid import UUID

from litestar import Response, post
from litestar.params import BodyKwarg
from msgspec import UNSET, Meta, Struct, UnsetType

from recollect.engine import Engine
from recollect.errors import BulkRefusedError
from recollect.model import KEPT, Actor, Removal, Revision
from recollect_proxy.memory_api.authorization import WhoAsks
from recollect_proxy.memory_api.errors import (
    BULK_REFUSED,
    Failure,
    ItemError,
    RefusedError,
    documented,
    failure_of,
    invalid_field,
)
from recollect_proxy.memory_api.once import ONCE, DoneOnce
from recollect_proxy.memory_api.parameters import ALWAYS, READING_A_BODY, OpenEngine, UserId, user_named
from recollect_proxy.memory_api.schemas import (
    MOST_CHANGES,
    Content,
    EventAt,
    Importance,
    KindOfMemory,
    Memory,
)


class BulkChange(Struct, forbid_unknown_fields=True, tag_field="op", tag="change"):
    """A memory is to be corrected: at least one field beside its id. The others stay as they are."""

    id: UUID
    content: Content | UnsetType = UNSET
    kind: KindOfMemory | UnsetType = UNSET
    importance: Importance | UnsetType = UNSET
    event_at: EventAt | UnsetType = UNSET


class BulkDelete(Struct, forbid_unknown_fields=True, tag_field="op", tag="delete"):
    """A memory is to be taken away."""

    id: UUID


Operation: TypeAlias = BulkChange | BulkDelete


class Bulk(Struct, forbid_unknown_fields=True):
    """What is to be changed, in order, all or nothing."""

    operations: Annotated[
        list[Operation],
        Meta(
            description="What is done first counts for those behind it.",
            extra_json_schema={"minItems": 1, "maxItems": MOST_CHANGES},
        ),
    ]


class BulkResult(Struct):
    """What became of one change."""

    id: UUID
    done: Annotated[Literal["changed", "deleted"], Meta(description="What was done.")]
    memory: Annotated[Memory | None, Meta(description="As it is now; null where it was taken away.")]


class BulkResults(Struct):
    """What became of each change, in the order they were sent."""

    results: list[BulkResult]


@post(
    "/users/{user_id:str}/memories/bulk",
    status_code=200,
    summary="Correct and take away many memories",
    response_description="What became of each.",
    tags=["Memories"],
    responses=documented(*ALWAYS, *READING_A_BODY, BULK_REFUSED, *ONCE),
)
async def change_memories(
    engine: OpenEngine,
    principal: WhoAsks,
    once: DoneOnce,
    user_id: UserId,
    data: Annotated[Bulk, BodyKwarg()],
) -> Response[BulkResults]:
    """All or nothing, in one transaction; each is a row of its own in the audit, and can be undone by itself.

    What can't be done is answered with 409, and `errors` says of each such operation why.
    """
    operations = data.operations
    wanted = [_wanted(position, each) for position, each in enumerate(operations)]
    user = user_named(user_id)
    return await once.answer(user, lambda: _changed(engine, user, operations, wanted, principal.actor))


async def _changed(
    engine: Engine,
    user_id: str,
    operations: Sequence[Operation],
    wanted: Sequence[Revision | Removal],
    actor: Actor,
) -> BulkResults:
    try:
        done = await engine.change_all(user_id, wanted, actor=actor)
    except BulkRefusedError as refused:
        raise RefusedError(_told(refused, operations)) from refused
    return BulkResults(
        [
            BulkResult(
                each.id,
                "deleted" if memory is None else "changed",
                None if memory is None else Memory.of(memory),
            )
            for each, memory in zip(operations, done, strict=True)
        ]
    )


def _told(refused: BulkRefusedError, operations: Sequence[Operation]) -> Failure:
    failures = {position: failure_of(error) for position, error in refused.failures.items()}
    items = [
        ItemError(position, operations[position].id, failure.code, failure.message)
        for position, failure in failures.items()
    ]
    return replace(BULK_REFUSED, items=items)


def _wanted(position: int, operation: Operation) -> Revision | Removal:
    if isinstance(operation, BulkDelete):
        return Removal(operation.id)
    fields = (operation.content, operation.kind, operation.importance, operation.event_at)
    if all(each is UNSET for each in fields):
        raise invalid_field(
            "operations",
            f"The operation {position} changes nothing: give at least one of content, kind, importance, event_at.",
        )
    return Revision(
        operation.id,
        None if operation.content is UNSET else operation.content,
        None if operation.kind is UNSET else operation.kind,
        None if operation.importance is UNSET else operation.importance,
        KEPT if operation.event_at is UNSET else operation.event_at,
    )
