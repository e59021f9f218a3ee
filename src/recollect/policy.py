"""How the engine behaves, as one frozen value. Never: where it comes from."""

from dataclasses import dataclass

from recollect.formation import Strategy


@dataclass(frozen=True, slots=True)
class Policy:
    """How the engine behaves.

    Attributes:
        deadline: Seconds a recall may take.
        limit: Memories recalled for a turn at most.
        gate: Cosine below which a turn recalls nothing; None: the embedder's own.
        strategy: How exchanges are formed; None: they are not even logged.
        minimum_importance: Candidates below it are not kept.
        tries: Tries before an exchange falls back or is held as failed.
        log_text: Whether the log line of a decision carries the memory's text.
    """

    deadline: float = 0.3
    limit: int = 10
    gate: float | None = None
    strategy: Strategy | None = Strategy.EXTRACT
    minimum_importance: float = 0.3
    tries: int = 3
    log_text: bool = False
