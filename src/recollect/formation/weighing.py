"""A believed candidate with what is needed to weigh it against what is known. Never: the weighing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from recollect.formation.verification import Believed
from recollect.model import Relation, Vector


@dataclass(frozen=True, slots=True)
class Weighed:
    """A believed candidate, and what is known of its neighbours.

    Attributes:
        believed: The candidate, and the turn that proves it.
        vector: The embedding of its content; None where the embedder is away.
        near: The cosines of the user's statements near to it; empty where the embedder is away.
        judged: What a second model says it is to memories it was asked about; None: it said nothing.
    """

    believed: Believed
    vector: Vector | None
    near: Mapping[UUID, float] = field(default_factory=dict)
    judged: Mapping[UUID, Relation | None] = field(default_factory=dict)
