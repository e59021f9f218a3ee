"""What is to be formed, and what formation decided."""

from dataclasses import dataclass
from datetime import datetime

from recollect.model.change import Change
from recollect.model.chat import Exchange
from recollect.model.memory import Memory
from recollect.model.words import Fallback, Reason


@dataclass(frozen=True, slots=True)
class Formed:
    """What formation decided for one exchange.

    Attributes:
        exchange: Which.
        changes: In order, one a candidate at least, those that change nothing (Ignore) among them.
        extracted_count: How many candidates the extractor found.
        fallback: Why extraction failed, when the exchange is kept as a ``qa_turn`` instead.
        re_extracted: How many memories it would keep whose words are not the person's, but were added to the prompt.
            Verification lets none through; this counts it by another way, and has to stay 0.
    """

    exchange: Exchange
    changes: tuple[Change, ...] = ()
    extracted_count: int = 0
    fallback: Fallback | None = None
    re_extracted: int = 0


@dataclass(frozen=True, slots=True)
class Pending:
    """An exchange that is to be formed.

    Attributes:
        exchange: Which.
        attempts: How often that was tried.
        due: When it may be tried next.
    """

    exchange: Exchange
    attempts: int
    due: datetime


@dataclass(frozen=True, slots=True)
class Caps:
    """How many memories may be kept; 0: any number. What a person or an admin wrote is not counted.

    Attributes:
        session: That rest on one chat.
        user: Of one user.
    """

    session: int = 0
    user: int = 0


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A memory held back until the person approves it.

    Attributes:
        memory: As it would be kept; under this id it is approved or refused.
        reason: Why it is held back.
        at: Since when.
    """

    memory: Memory
    reason: Reason
    at: datetime


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that background calls of models took on a day.

    Attributes:
        user: Those for one user.
        everybody: Those for all.
    """

    user: int = 0
    everybody: int = 0
