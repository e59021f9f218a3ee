"""The settings of formation, as one frozen value."""

from dataclasses import dataclass, field

from recollect.formation.verification import TurnLimits


@dataclass(frozen=True, slots=True)
class FormationRules:
    """The settings of formation.

    Attributes:
        minimum_importance: Candidates below it are not kept.
        hourly: How many memories formation may give a user within an hour; 0: any number.
        limits: How much one turn may teach.
    """

    minimum_importance: float = 0.3
    hourly: int = 0
    limits: TurnLimits = field(default_factory=TurnLimits)
