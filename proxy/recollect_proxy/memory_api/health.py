"""Whether Recollect works, as the Memory API says it. It holds no user data."""

from collections.abc import Mapping
from typing import Annotated, Literal, Self, TypeAlias

from msgspec import Meta, Struct

from recollect.engine.counts import ModelUse
from recollect.model import Awaits, Skip
from recollect.spool import Waiting
from recollect_proxy.health_check import Condition
from recollect_proxy.memory_api.schemas import Formation, Time

Status: TypeAlias = Literal["ok", "degraded"]
StoreStatus: TypeAlias = Literal["ok", "unavailable"]
BreakerStatus: TypeAlias = Literal["closed", "open"]


class ModelCalls(Struct):
    """How the background's calls of models stand, over all users."""

    tokens_today: Annotated[int, Meta(description="What they took since midnight, UTC.")]
    tokens_per_day: Annotated[int, Meta(description="What they may take a day; 0: any number.")]
    user_tokens_per_day: Annotated[
        int, Meta(description="What they may take a day for one user; 0: any number.")
    ]
    breaker: Annotated[
        BreakerStatus, Meta(description="open while models are left alone, as they failed too often.")
    ]
    open_until: Annotated[Time | None, Meta(description="When they are tried again; null while closed.")]

    @classmethod
    def of(cls, use: ModelUse) -> Self:
        """Return the JSON of ``use``."""
        return cls(
            tokens_today=use.tokens_today,
            tokens_per_day=use.budget.everybody,
            user_tokens_per_day=use.budget.user,
            breaker="closed" if use.left_alone_until is None else "open",
            open_until=use.left_alone_until,
        )


class Spooled(Struct):
    """What waits to be logged, as the store is away, in this process."""

    exchanges: Annotated[int, Meta(description="How many exchanges wait.")]
    bytes: Annotated[int, Meta(description="How much room they take.")]
    on_disk: Annotated[
        bool,
        Meta(description="Whether they outlive the process; false where the data folder can't be written."),
    ]
    lost: Annotated[
        int, Meta(description="How much since the start neither the store nor the spool could take.")
    ]
    late: Annotated[
        int,
        Meta(
            description="How many messages since the start went to the LLM before they were safe on disk: a process that is killed "
            "in that moment loses them."
        ),
    ]

    @classmethod
    def of(cls, waiting: Waiting, lost: int, late: int) -> Self:
        """Return the JSON of what waits."""
        return cls(waiting.exchanges, waiting.bytes, waiting.on_disk, lost, late)


class Health(Struct):
    """Whether Recollect works. That there is an answer at all says that the process lives."""

    status: Annotated[
        Status,
        Meta(
            description="degraded while the store is unavailable, exchanges are held as failed or wait for a model, some were "
            "lost, or the breaker is open."
        ),
    ]
    store: Annotated[StoreStatus, Meta(description="Whether the memory store answered within a second.")]
    formation: Annotated[
        Formation | None, Meta(description="How formation stands; null while the store is unavailable.")
    ]
    model: Annotated[
        ModelCalls | None, Meta(description="How its models stand; null while the store is unavailable.")
    ]
    spool: Annotated[Spooled, Meta(description="What waits for the store.")]
    skipped: Annotated[
        dict[str, int],
        Meta(
            description="How many chat requests had no memory since the start, by reason, as `x-recollect-skipped` says it."
        ),
    ]

    @classmethod
    def of(cls, condition: Condition | None, spool: Spooled, skipped: Mapping[Skip, int]) -> Self:
        """Return the JSON of what the store said, and of what was counted; None: it did not answer."""
        counts = {reason.value: count for reason, count in skipped.items()}
        if condition is None:
            return cls("degraded", "unavailable", None, None, spool, counts)
        calls = ModelCalls.of(condition.model_use)
        backlog = condition.backlog
        # a budget is as its operator wants it; what is given up calls for nobody
        waits = backlog.waiting.keys() - {Awaits.BUDGET, Awaits.GIVEN_UP}
        degraded = backlog.failed or waits or spool.lost or calls.breaker == "open"
        formation = Formation.of(backlog)
        return cls("degraded" if degraded else "ok", "ok", formation, calls, spool, counts)
