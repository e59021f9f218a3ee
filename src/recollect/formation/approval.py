"""Holds back the memories learned of a person who has everything approved first. Pure.

A request to remember or to correct something counts at once. All else that a model proposes waits, also replacements and ends: the
old statement stays until then. A doubt about a memory is not noted, as it could not be approved.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from recollect.formation.turns import AnalyzedTurn
from recollect.formation.understood_commands import share_words
from recollect.model import (
    Add,
    Asking,
    Change,
    Limit,
    Mark,
    Memory,
    Provenance,
    Quarantine,
    Reason,
    Replace,
    Retire,
)

_ASKED = frozenset({Asking.REMEMBER, Asking.CORRECT})


def held_for_approval(
    learned: Sequence[tuple[int, Change]],
    turns: Sequence[AnalyzedTurn],
    known: Sequence[Memory],
    *,
    at: datetime,
    new_id: Callable[[], UUID],
) -> list[tuple[int, Change]]:
    """Return a batch's changes, each with the number of its turn; changes that the person did not ask for wait.

    Args:
        learned: The changes.
        turns: The turns of the batch.
        known: The memories that the model was shown.
        at: Now.
        new_id: Makes the id of a waiting end.
    """
    waiting: dict[UUID, tuple[int, Quarantine]] = {}
    done: list[tuple[int, Change]] = []
    asked: set[UUID] = set()
    for number, change in learned:
        match change:
            case Add() | Replace():
                earlier = waiting.pop(change.old, None) if isinstance(change, Replace) else None
                if _is_asked_for(change, turns[number]):
                    asked.add(change.memory.id)
                    done.append((number, change))
                else:
                    own = (change,) if isinstance(change, Replace) else ()
                    waiting[change.memory.id] = number, _held(change, earlier[1].then if earlier else own)
            case Retire(heir=Memory() as heir) | Limit(heir=heir) if heir.id in waiting:
                of_heir, held = waiting[heir.id]
                waiting[heir.id] = of_heir, replace(held, then=(*held.then, change))
            case Retire(heir=Memory() as heir) | Limit(heir=heir) if heir.id in asked:
                done.append((number, change))
            case Retire():
                ended = [each for each in known if each.id == change.target]
                done += [(number, _end(change, each, turns[number], at, new_id())) for each in ended]
            case Mark() | Limit():
                pass
            case _:
                done.append((number, change))
    return [*done, *waiting.values()]


def _is_asked_for(change: Add | Replace, turn: AnalyzedTurn) -> bool:
    """Return whether a statement rests on the words by which its person asks to remember or to correct something.

    Without a model, a command's own form tells the statement.
    """
    evidence = change.memory.provenance.evidence or ""
    asking = [each for each in turn.commands if each.asking in _ASKED]
    return any(each.meant is None or share_words(evidence, each.quote) for each in asking)


def _held(change: Add | Replace, further: Sequence[Replace | Retire | Limit]) -> Quarantine:
    return Quarantine(change.memory, Reason.APPROVAL, change.decided_by, hides=False, then=tuple(further))


def _end(change: Retire, old: Memory, turn: AnalyzedTurn, at: datetime, id_: UUID) -> Quarantine:
    """Return the proposal that a statement is over; it waits under the statement's own words."""
    exchange = turn.exchange
    origin = Provenance(exchange.turn.scope.session_id, (exchange.message_id,), turn.words or None)
    owner = exchange.turn.scope.user_id  # also of the end of a shared statement
    proposal = replace(old, id=id_, owner=owner, created_at=at, provenance=origin, doubt=None)
    gone = replace(change, heir=None)
    return Quarantine(proposal, Reason.ENDED, change.decided_by, hides=False, then=(gone,))
