"""Cases of formation for tests, made of as few words as a test wants to say."""

from typing import Any

import msgspec
from tests.support.recollections import memory

from bench.formation.cases import Case, Decision, Truth
from bench.formation.decisions import Decided
from bench.formation.outcome import Judgement, Outcome


def given_case(said: str, **changed: Any) -> dict[str, Any]:
    """Return a case as a file has it."""
    return {
        "id": "en-good-1",
        "language": "en",
        "class": "good",
        "model": "right",
        "said": said,
        "said_at": "2026-05-10T18:00:00+00:00",
    } | changed


def item(content: str, evidence: str, **changed: Any) -> dict[str, Any]:
    """Return what an extraction model answers."""
    return {"evidence": evidence, "content": content, "kind": "fact", "importance": 0.6} | changed


def stored(content: str, **changed: Any) -> dict[str, Any]:
    """Return what the person has before."""
    return {"content": content, "kind": "fact", "said_at": "2026-01-10T18:00:00+00:00"} | changed


def truth(decision: str, of: int | None = 0, target: int | None = None, **changed: Any) -> dict[str, Any]:
    """Return what is right of an item."""
    return {"item": of, "decision": decision, "target": target} | changed


def as_case(given: dict[str, Any]) -> Case:
    """Return a case as it is read from a file."""
    return msgspec.convert(given, Case)


def judgement(
    right: Decision,
    did: Decision,
    *,
    target: int | None = None,
    hit: int | None = None,
    reason: str = "new",
    **changed: Any,
) -> Judgement:
    """Return what should have become of a statement, and what did."""
    made = memory("Something.") if did in {Decision.ADD, Decision.REPLACE} else None
    return Judgement(Truth(0, right, target, **changed), Decided(did, reason, hit, made))


def outcome(*judgements: Judgement, case: dict[str, Any] | None = None, **changed: Any) -> Outcome:
    """Return what came of a case."""
    own: dict[str, Any] = {
        "case": as_case(case or given_case("Hello.")),
        "judgements": judgements,
        "kept": sum(each.decided.memory is not None for each in judgements),
        "gone": frozenset(),
        "doubt": {},
        "leaks": 0,
        "re_extracted": 0,
        "consistent": True,
    }
    return Outcome(**own | changed)
