"""Makes the record of a request: its metrics and the explanation of its recall, without any text; and explains a trial recall. Pure."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.engine.turns.prompt_content import Prepared
from recollect.model import (
    Drop,
    Flags,
    Kind,
    Memory,
    Recollection,
    RequestRecord,
    SearchPath,
    Skip,
    Stage,
    Turn,
)
from recollect.recall import EXPLAINED, FoundCounts
from recollect.text.cues import complains_of_forgetting

_TOP = 5


def request_record(
    prepared: Prepared, turn: Turn, *, request_id: UUID, at: datetime, api: str
) -> RequestRecord:
    """Return the record of a request that came at ``at`` in the API ``api``."""
    recall, placed, ranking = prepared.recall, prepared.placed, prepared.ranking
    found = ranking.found if ranking else FoundCounts()
    return RequestRecord(
        id=request_id,
        at=at,
        scope=turn.scope,
        path=f"{api}/{prepared.placement}",
        model=turn.model,
        skipped=recall.skipped,
        degraded=recall.degraded,
        error_stage=recall.error_stage,
        candidates=found.candidates,
        dense_hits=found.dense,
        lexical_hits=found.lexical,
        log_hits=found.log,
        items=len(placed.block.recollections) if placed.block else 0,
        tokens=placed.tokens,
        history_tokens=placed.history_tokens,
        truncated=_truncated(prepared),
        top_scores=tuple(round(float(each.score), 4) for each in recall.ranked[:_TOP]),
        gate_score=recall.gate_score,
        milliseconds=recall.milliseconds,
        stages=recall.stages,
        flags=prepared.flags,
        explanation=_explanation(prepared),
        found_by=_path(prepared),
        budget=prepared.budget,
        block_tokens=placed.block.tokens if placed.block else 0,
        given_by=dict(Counter(map(_sort, prepared.included))),
        marked=turn.marked,
        complains=complains_of_forgetting(turn.text),
        key=turn.key,
    )


def _truncated(prepared: Prepared) -> int:
    """Return how many of the recollections did not fit into the budget: all of them where there is no block."""
    block, recall = prepared.placed.block, prepared.recall
    if block is not None:
        return block.dropped
    return 0 if recall.skipped in (Skip.NO_PLACE, Skip.DEADLINE) else len(recall.recollections)


def _path(prepared: Prepared) -> SearchPath:
    """Return which way the search went."""
    if prepared.ranking is None:
        return SearchPath.IMPORTANT if prepared.included else SearchPath.NONE
    return SearchPath.DENSE if prepared.ranking.found.has_vector else SearchPath.LEXICAL


def _sort(each: Recollection) -> str:
    """Return the name under which a recollection is counted: log, summaries, profile or statements."""
    if not isinstance(each.item, Memory) or each.item.kind is Kind.QA_TURN:
        return "log"
    return {Kind.SUMMARY: "summaries", Kind.PROFILE: "profile"}.get(each.item.kind, "statements")


def explained(prepared: Prepared, most: int | None = None) -> tuple[tuple[Recollection, dict[str, Any]], ...]:
    """Return each recollection with its explanation: first the standing ones that no search found, then the found ones, best first.

    With ``most`` so many of the best, and of the others those in the prompt.
    """
    included = {_identity(each) for each in prepared.included}
    left = Drop.NO_PLACE if prepared.recall.skipped is Skip.NO_PLACE else Drop.BUDGET
    block = prepared.placed.block
    repeated = {_identity(each) for each in block.repeated} if block else set()
    found = prepared.recall.ranked
    ranked = (
        (*found[:most], *(each for each in found[most:] if _identity(each) in included)) if most else found
    )
    identities = {_identity(each) for each in ranked}
    unasked = [
        each for each in prepared.recall.recollections if each.standing and _identity(each) not in identities
    ]
    return tuple(
        (
            each,
            _candidate(
                each,
                is_included=_identity(each) in included,
                left=Drop.REPEATS if _identity(each) in repeated else left,
            ),
        )
        for each in (*unasked, *ranked)
    )


def _explanation(prepared: Prepared) -> dict[str, Any]:
    ranking, block = prepared.ranking, prepared.placed.block
    explanation: dict[str, Any] = {
        "candidates": [told for _, told in explained(prepared, EXPLAINED)],
        "standing_items": sum(each.standing for each in prepared.included),
        "standing_tokens": block.standing_tokens if block else 0,
    }
    if prepared.upstream:
        explanation["upstream"] = prepared.upstream
    if ranking is not None:
        query = ranking.query
        explanation["query"] = {
            "terms": len(query.terms),
            "identifiers": len(query.identifiers),
            "dates": [[each.start.isoformat(), each.end.isoformat()] for each in query.any_periods],
            "is_about_oneself": query.is_about_oneself,
            "is_small_talk": query.is_small_talk,
        }
    return explanation


def _identity(each: Recollection) -> tuple[UUID, int]:
    """Return a key of the recollection: several parts of one message may be recalled."""
    return each.item.id, 0 if isinstance(each.item, Memory) else each.item.part


def _candidate(each: Recollection, *, is_included: bool, left: Drop) -> dict[str, Any]:
    """Describe a candidate: `dropped` is the reason it is not in the prompt, null if it is there."""
    dropped = each.dropped.value if each.dropped else (None if is_included else left.value)
    return {
        "id": str(each.item.id),
        "kind": each.item.kind.value if isinstance(each.item, Memory) else "message",
        "source": each.item.source.value if isinstance(each.item, Memory) else "log",
        "part": None if isinstance(each.item, Memory) else each.item.part,
        "score": round(float(each.score), 4),
        "parts": {name: round(float(value), 4) for name, value in each.parts},
        "dropped": dropped,
        "standing": each.standing,
    }


@dataclass(frozen=True, slots=True)
class InspectedCandidate:
    """A candidate's text, and its explanation: id, kind, source, part, score, parts, dropped, standing."""

    content: str
    told: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Inspection:
    """A trial recall for a question.

    Attributes:
        candidates: The standing part, then everything found, best first.
        injected: The block that the prompt would be given; "" for none.
        milliseconds: The duration, in total and by part.
        flags: The user's settings that differ from the deployment's.
    """

    candidates: tuple[InspectedCandidate, ...]
    injected: str
    prepared: Prepared
    milliseconds: dict[str, float]
    flags: Flags


def inspection(prepared: Prepared, flags: Flags) -> Inspection:
    """Return what ``prepared`` says would be recalled."""
    block, stages = prepared.placed.block, prepared.recall.stages
    took = {
        "total": prepared.recall.milliseconds,
        "dense": stages.get(Stage.EMBEDDING, 0.0),
        "search": stages.get(Stage.SEARCH, 0.0),
    }
    return Inspection(
        tuple(InspectedCandidate(_content(each), told) for each, told in explained(prepared)),
        block.text if block else "",
        prepared,
        {name: round(milliseconds, 2) for name, milliseconds in took.items()},
        flags,
    )


def _content(each: Recollection) -> str:
    content: str = each.item.content
    return content
