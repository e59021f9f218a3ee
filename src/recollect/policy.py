"""How the engine behaves, as one frozen value. Never: where it comes from."""

from dataclasses import dataclass, field

from recollect.composition import Bounds
from recollect.indexing import Embedded
from recollect.model import Strategy
from recollect.retrieval import Gate, Reach, Selecting, Weights


@dataclass(frozen=True, slots=True)
class Policy:
    """How the engine behaves.

    Attributes:
        deadline: Seconds a recall may take.
        reach: How far is searched.
        weights: What counts how much in ranking.
        gate: When nothing is recalled at all.
        selecting: What of the ranked is taken.
        bounds: Where it goes in a prompt, and how much of it.
        embedded: What of the message log gets embeddings.
        strategy: How exchanges are formed; None: they are not even logged.
        minimum_importance: Candidates below it are not kept.
        tries: Tries before an exchange falls back or is held as failed.
        log_text: Whether the log line of a decision carries the memory's text.
        keep_requests_days: How long is kept what requests were like.
    """

    deadline: float = 0.3
    reach: Reach = field(default_factory=Reach)
    weights: Weights = field(default_factory=Weights)
    gate: Gate = field(default_factory=Gate)
    selecting: Selecting = field(default_factory=Selecting)
    bounds: Bounds = field(default_factory=Bounds)
    embedded: Embedded = Embedded.ALL
    strategy: Strategy | None = Strategy.EXTRACT
    minimum_importance: float = 0.3
    tries: int = 3
    log_text: bool = False
    keep_requests_days: int = 30
