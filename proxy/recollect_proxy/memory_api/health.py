"""Whether Recollect works, as the Memory API says it. Never: user data, how the store is asked."""

from collections.abc import Mapping
from typing import Annotated, Literal, Self, TypeAlias

from msgspec import Meta, Struct

from recollect.model import Backlog, Skip
from recollect_proxy.memory_api.shapes import Formation

Status: TypeAlias = Literal["ok", "degraded"]
StoreStatus: TypeAlias = Literal["ok", "unavailable"]


class Health(Struct):
    """Whether Recollect works. That there is an answer at all says that the process lives."""

    status: Annotated[
        Status,
        Meta(description="degraded while the store is unavailable or exchanges are held as failed."),
    ]
    store: Annotated[StoreStatus, Meta(description="Whether the memory store answered within a second.")]
    formation: Annotated[
        Formation | None, Meta(description="How formation stands; null while the store is unavailable.")
    ]
    skipped: Annotated[
        dict[str, int],
        Meta(
            description="How many chat requests had no memory since the start, by reason, as `x-recollect-skipped` says it."
        ),
    ]

    @classmethod
    def of(cls, backlog: Backlog | None, skipped: Mapping[Skip, int]) -> Self:
        """Return the JSON of what the store said, and of what was counted; None: it did not answer."""
        counts = {reason.value: count for reason, count in skipped.items()}
        if backlog is None:
            return cls("degraded", "unavailable", None, counts)
        return cls("degraded" if backlog.failed else "ok", "ok", Formation.of(backlog), counts)
