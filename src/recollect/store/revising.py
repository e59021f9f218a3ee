"""Changes and takes away memories as a person wants it: one, or many at once. Never: embeds what they say then."""

from collections.abc import Sequence
from dataclasses import replace

from recollect.errors import (
    BulkRefusedError,
    ChangedMeanwhileError,
    DuplicateMemoryError,
    MemoryNotFoundError,
    StoreError,
)
from recollect.model import Embedded, Kept, Memory, Reason, Removal, Retire
from recollect.store.changes import apply_change
from recollect.store.changing import Changing
from recollect.store.editing import edit_memory


async def revise(changing: Changing, wanted: Embedded) -> Memory:
    """Write what is wanted over a memory of the user's own, and return it as it is then.

    Raises:
        MemoryNotFoundError: The user has no such memory of their own.
        DuplicateMemoryError: The user has another memory with that content.
        ChangedMeanwhileError: It is not as it was expected.
    """
    revision = wanted.revision
    stored = await changing.seen(revision.memory_id)
    if stored.owner != changing.user_id:
        raise MemoryNotFoundError
    _expect(stored, revision.versions)
    new = replace(
        stored,
        content=stored.content if revision.content is None else revision.content,
        kind=stored.kind if revision.kind is None else revision.kind,
        importance=stored.importance if revision.importance is None else revision.importance,
        event_at=stored.event_at if isinstance(revision.event_at, Kept) else revision.event_at,
        embedding=wanted.embedding,
        embedding_model=wanted.embedding_model,
        second_embedding=wanted.second_embedding,
        second_model=wanted.second_model,
    )
    return await edit_memory(changing, stored, new)


async def change_all(changing: Changing, wanted: Sequence[Embedded | Removal]) -> list[Memory | None]:
    """Change and take away memories, in order; return each as it is then, None for one that is gone.

    Raises:
        BulkRefusedError: Some can't be: it ends the transaction, so that none is.
    """
    done: list[Memory | None] = []
    failures: dict[int, StoreError] = {}
    for position, each in enumerate(wanted):
        try:
            done.append(await _change(changing, each))
        except (MemoryNotFoundError, DuplicateMemoryError, ChangedMeanwhileError) as error:
            failures[position] = error
    if failures:
        raise BulkRefusedError(failures)
    return done


async def _change(changing: Changing, wanted: Embedded | Removal) -> Memory | None:
    if isinstance(wanted, Embedded):
        return await revise(changing, wanted)
    _expect(await changing.seen(wanted.memory_id), wanted.versions)
    await apply_change(changing, Retire(wanted.memory_id, Reason.DELETED))
    return None


def _expect(stored: Memory, versions: frozenset[str] | None) -> None:
    if versions is not None and stored.version not in versions:
        raise ChangedMeanwhileError
