"""Tries formation: returns how a conversation would change its user's memories, and why. Applies nothing; may raise."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from uuid_utils.compat import uuid7

from recollect.backends import Backends
from recollect.engine.policy import Policy
from recollect.errors import ExtractorUnusableError
from recollect.formation import CallGuard, FormationPipeline, FormationRules
from recollect.model import (
    Add,
    Candidate,
    Change,
    Erase,
    Exchange,
    Formed,
    Hide,
    Ignore,
    Kind,
    Memory,
    Message,
    Quarantine,
    Reason,
    Replace,
    Role,
    Scope,
    Strategy,
    Turn,
)
from recollect.ports import Clock


@dataclass(frozen=True, slots=True)
class TriedDecision:
    """A decision of formation about a tried message.

    Attributes:
        message: The number of the user's message in the conversation, from 1.
        action: The kind of change: ``add``, ``replace``, ``ignore`` and so on.
        content: The statement; None: the decision is about a memory that is there.
        memory_id: The memory that is there, and changes or says it already; None: none is.
    """

    message: int
    action: str
    reason: Reason
    content: str | None = None
    evidence: str | None = None
    kind: Kind | None = None
    importance: float | None = None
    memory_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class FormationTrial:
    """The decisions about a tried conversation, and their cost; ``is_read``: a model has read all of it."""

    decisions: tuple[TriedDecision, ...]
    is_read: bool
    tokens: int
    seconds: float


async def form_exchanges(
    backends: Backends, guard: CallGuard, rules: FormationRules, clock: Clock, exchanges: Sequence[Exchange]
) -> list[Formed]:
    """Return how a model would have exchanges change their user's memories. Raises ExtractorError."""
    pipeline = FormationPipeline(backends, guard, rules, clock=clock, new_id=uuid7)
    formed: list[Formed] = []
    while len(formed) < len(exchanges):  # a call stops before a wish to forget
        formed += await pipeline.form(exchanges[len(formed) :], strategy=Strategy.EXTRACT)
    return formed


async def form_conversation(
    backends: Backends,
    policy: Policy,
    clock: Clock,
    user_id: str,
    conversation: Sequence[Message],
    model: str,
) -> FormationTrial:
    """Return how a conversation would change a user's memories; only its tokens are counted.

    Raises:
        ExtractorError: There is no model, it failed, or its budget is spent.
    """
    if backends.extractor is None:
        raise ExtractorUnusableError
    guard, began = CallGuard(backends.store.usage, policy.budget, clock), clock()
    exchanges = _exchanges(conversation, Turn(Scope(user_id, str(uuid7())), "", "", began, model))
    exchanges = [replace(each, guidance=policy.guidance) for each in exchanges]
    formed = await form_exchanges(backends, guard, policy.rules, clock, exchanges)
    return FormationTrial(
        tuple(_tried(number, each) for number, of in enumerate(formed, 1) for each in of.changes),
        all(each.is_read for each in formed),
        guard.tokens,
        (clock() - began).total_seconds(),
    )


def _exchanges(conversation: Sequence[Message], plain: Turn) -> list[Exchange]:
    """Return an exchange for each message of the user, with the answer behind it."""
    exchanges = []
    for place, said in enumerate(conversation):
        if said.role is Role.USER:
            key, following = str(uuid7()), conversation[place + 1 : place + 2]
            turn = Turn(
                plain.scope, said.text, key, plain.at, plain.model, history=tuple(conversation[:place])
            )
            reply = "".join(each.text for each in following if each.role is Role.ASSISTANT)
            exchanges.append(Exchange(uuid7(), turn, reply, uuid7(), uuid7()))
    return exchanges


def _tried(number: int, change: Change) -> TriedDecision:
    said: Memory | Candidate | None = None
    known: UUID | None = None
    match change:
        case Add(memory) | Quarantine(memory):
            said = memory
        case Replace(old, memory):
            said, known = memory, old
        case Ignore(candidate=candidate, target=target):
            said, known = candidate, target
        case Erase(memories):
            known = next(iter(memories), None)
        case Hide():
            pass
        case _:
            known = change.target
    action = type(change).__name__.lower()
    if said is None:
        return TriedDecision(number, action, change.reason, memory_id=known)
    evidence = said.evidence if isinstance(said, Candidate) else said.provenance.evidence
    return TriedDecision(
        number, action, change.reason, said.content, evidence, said.kind, said.importance, known
    )
