"""Exchanges that are to be formed, and the decisions of formation."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from recollect.model.change import Change, Limit, Replace, Retire
from recollect.model.chat import Exchange
from recollect.model.memory import Memory
from recollect.model.words import Awaits, Reason, Unread


@dataclass(frozen=True, slots=True)
class Formed:
    """The decisions of formation for one exchange.

    Attributes:
        changes: In order, one a candidate at least, those that change nothing (Ignore) among them.
        extracted_count: How many candidates the extractor found.
        unread: Why no model has read it; None: one has, or it is not to be read.
        re_extracted: How many memories it would keep whose words are not the person's, but were added to the prompt.
            Verification lets none through; this counts it by another way, and has to stay 0.
        is_read: Whether a model has read it.
    """

    exchange: Exchange
    changes: tuple[Change, ...] = ()
    extracted_count: int = 0
    unread: Unread | None = None
    re_extracted: int = 0
    is_read: bool = False


@dataclass(frozen=True, slots=True)
class Pending:
    """An exchange that is to be formed.

    Attributes:
        attempts: How often that was tried.
        due: When it may be tried next.
        waits: How often it was put to wait, after attempts that failed for a reason of its own.
    """

    exchange: Exchange
    attempts: int
    due: datetime
    waits: int = 0


@dataclass(frozen=True, slots=True)
class Wait:
    """Says that exchanges wait for a model.

    Attributes:
        until: When to try again; None: when a chat, a start or a command says that something has changed.
        asked: Which model was asked, or was to be.
        counts: Whether the attempt failed for a reason of the exchange's own. If not, the user's other exchanges with the
            same upstream wait, too.
    """

    reason: Awaits
    error: str
    until: datetime | None
    asked: str = ""
    counts: bool = False


@dataclass(frozen=True, slots=True)
class SpokenWith:
    """The model that a person chatted with last.

    Attributes:
        upstream: On which of several LLM servers, by its name; "": on the default.
        authorized: Whether the request carried a credential.
    """

    model: str
    upstream: str
    authorized: bool


@dataclass(frozen=True, slots=True)
class Caps:
    """The most memories of one chat and of one user; 0: any number. Memories written by hand do not count."""

    session: int = 0
    user: int = 0


NO_CAPS = Caps()
"""Any number of memories may be kept."""


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A memory held back until the person approves or refuses it, under its id."""

    memory: Memory
    reason: Reason
    at: datetime
    then: tuple[Replace | Retire | Limit, ...] = ()

    @property
    def replaces(self) -> list[UUID]:
        """The memories that go with its approval."""
        return [
            each.old if isinstance(each, Replace) else each.target
            for each in self.then
            if isinstance(each, Replace | Retire)
        ]


MOST_QUARANTINED = 500
"""The most quarantined memories of a user that are listed, and that wait where everything is approved first."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of a day's background calls of models, for one user and for all."""

    user: int = 0
    everybody: int = 0
