"""By what rules exchanges are formed, as one frozen value. Never: where they come from."""

from dataclasses import dataclass, field

from recollect.formation.verification import Limits
from recollect.model import Judging


@dataclass(frozen=True, slots=True)
class Rules:
    """By what rules exchanges are formed.

    Attributes:
        minimum_importance: Candidates below it are not kept.
        hourly: How many memories formation may give a user within an hour; 0: any number.
        judging: Which pairs of statements a second call of the model is asked about.
        limits: How much one turn may teach.
    """

    minimum_importance: float = 0.3
    hourly: int = 0
    judging: Judging = Judging.UNSEEN
    limits: Limits = field(default_factory=Limits)


def nominating_cosine(gate: float) -> float:
    """Return from which cosine on two statements may be about the same, for an embedder of that gate."""
    return gate + 0.25 * (1 - gate)


def unrelated_cosine(gate: float) -> float:
    """Return below which cosine two statements without a word in common are not about the same."""
    return gate / 2
