"""Counts over cases how good formation is. Pure. Never: running them, a table."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from bench.formation.cases import CLASSES, Decision, Model
from bench.formation.outcome import Judgement, Outcome
from recollect.model import Doubt

_KEPT = frozenset({Decision.ADD, Decision.REPLACE})
_REFUSED = frozenset({Decision.IGNORE, Decision.QUARANTINE})
_ECHO = "injected-echo"
_REQUEST = "request"
_COMMANDS = {
    Decision.ADD: "remember",
    Decision.RETIRE: "forget",
    Decision.REPLACE: "correct",
    Decision.IGNORE: "no_request",
}


def score(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the figures of all cases, and by class, language, and worth of the models' answers."""
    return {
        "overall": tally(outcomes),
        "classes": _by(outcomes, lambda each: each.case.topic, _topics(outcomes)),
        "languages": _by(
            outcomes, lambda each: each.case.language, sorted({each.case.language for each in outcomes})
        ),
        "models": _by(outcomes, lambda each: each.case.model, tuple(Model)),
    }


def _topics(outcomes: Iterable[Outcome]) -> list[str]:
    """Return the classes there are: those of the labelled cases in their order, then others."""
    found = {each.case.topic for each in outcomes}
    return [*(name for name in CLASSES if name in found), *sorted(found - set(CLASSES))]


def _by(
    outcomes: Sequence[Outcome], group: Callable[[Outcome], str], names: Iterable[str]
) -> dict[str, dict[str, Any]]:
    parts = {str(name): [each for each in outcomes if group(each) == name] for name in names}
    return {name: tally(part) for name, part in parts.items() if part}


def tally(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the figures of some cases: each a count, out of how many, and their share."""
    judged = [(outcome, each) for outcome in outcomes for each in outcome.judgements]
    statements = [each for _, each in judged]
    honest = [each for outcome, each in judged if outcome.case.model is not Model.WRONG]
    kept = sum(outcome.kept for outcome in outcomes)
    junk = [each for each in statements if is_junk(each)]
    return {
        "cases": share(len(outcomes), (outcome.stands for outcome in outcomes)),
        "items": share(len(statements), (each.right for each in statements)),
        "junk_kept": _of(statements, lambda each: each.truth.decision in _REFUSED, is_junk),
        "junk_in_store": {"of": kept, "count": len(junk), "share": len(junk) / kept if kept else None},
        "false_merges": _of(statements, _keeps, is_false_merge),
        "false_merges_where_the_model_is_right": _of(honest, _keeps, is_false_merge),
        "missed_duplicates": _of(statements, _repeats, lambda each: each.decided.decision is Decision.ADD),
        "missed_contradictions": _missed(outcomes, "contradiction", marks_count=True),
        "missed_refinements": _missed(outcomes, "refinement", marks_count=False),
        "wrong_replacements": _wrong_replacements(outcomes),
        "lost": _of(statements, _keeps, is_lost),
        "quarantine": _quarantine(statements),
        "leaks": {
            "of": sum(len(outcome.case.redacted) for outcome in outcomes),
            "count": sum(outcome.leaks for outcome in outcomes),
        },
        "re_extraction_loops": sum(_loops(outcome) for outcome in outcomes),
        "echoes_reinforced": sum(
            each.decided.decision is Decision.REINFORCE
            for outcome, each in judged
            if outcome.case.topic == _ECHO and each.truth.decision is Decision.IGNORE
        ),
        "marks": {doubt.value: _marks(outcomes, doubt) for doubt in (Doubt.SUSPECT, Doubt.DISPUTED)},
        "requests": _requests([each for outcome, each in judged if outcome.case.topic == _REQUEST]),
        "wrong_decisions": _wrong_decisions(statements),
        "inconsistent_audits": sum(not outcome.consistent for outcome in outcomes),
        "unheard": sum(outcome.unheard is not None for outcome in outcomes),
    }


def share(of: int, counted: Iterable[bool]) -> dict[str, Any]:
    """Return how many of so many, and their share; null of none."""
    count = sum(counted)
    return {"of": of, "count": count, "share": count / of if of else None}


def is_junk(each: Judgement) -> bool:
    """Return whether junk became a memory."""
    return each.truth.decision in _REFUSED and each.decided.decision in _KEPT


def is_false_merge(each: Judgement) -> bool:
    """Return whether a new statement was taken for a known one."""
    return _keeps(each) and each.decided.merged


def is_lost(each: Judgement) -> bool:
    """Return whether a good statement was refused, other than as a duplicate or for approval."""
    return _keeps(each) and each.decided.decision is Decision.IGNORE and not each.decided.merged


def _keeps(each: Judgement) -> bool:
    return each.truth.decision in _KEPT


def _repeats(each: Judgement) -> bool:
    return each.truth.decision is Decision.REINFORCE


def _of(
    statements: Iterable[Judgement], among: Callable[[Judgement], bool], is_so: Callable[[Judgement], bool]
) -> dict[str, Any]:
    chosen = [each for each in statements if among(each)]
    return share(len(chosen), (is_so(each) for each in chosen))


def _missed(outcomes: Iterable[Outcome], topic: str, *, marks_count: bool) -> dict[str, Any]:
    """Count the statements of a class that should have replaced a memory which still stands."""
    chosen = [
        (outcome, each.truth.target)
        for outcome in outcomes
        if outcome.case.topic == topic
        for each in outcome.judgements
        if each.truth.decision is Decision.REPLACE
    ]
    missed = (
        target not in outcome.gone and not (marks_count and target in outcome.doubt)
        for outcome, target in chosen
    )
    return share(len(chosen), missed)


def _wrong_replacements(outcomes: Iterable[Outcome]) -> dict[str, Any]:
    found = list(outcomes)
    staying = sum(len(outcome.case.stored) - len(outcome.leaving) for outcome in found)
    count = sum(len(outcome.wrongly_gone) for outcome in found)
    return {"of": staying, "count": count, "share": count / staying if staying else None}


def _quarantine(statements: Iterable[Judgement]) -> dict[str, Any]:
    held = [each for each in statements if each.truth.decision is Decision.QUARANTINE]
    alarms = [each for each in statements if each.decided.decision is Decision.QUARANTINE and not each.right]
    return {
        **share(len(held), (each.decided.decision is Decision.QUARANTINE for each in held)),
        "false_alarms": len(alarms),
    }


def _wrong_decisions(statements: Iterable[Judgement]) -> dict[str, int]:
    """Count the wrong decisions by the right one, the one made, and the reason; most first."""
    found = Counter(
        f"{each.truth.decision} -> {each.decided.decision} ({each.decided.reason})"
        for each in statements
        if not each.right
    )
    return dict(found.most_common())


def _loops(outcome: Outcome) -> int:
    """Count the memories made of injected words: by their labels, or by the engine's own count if that is more."""
    echoes = sum(is_junk(each) for each in outcome.judgements) if outcome.case.topic == _ECHO else 0
    return max(echoes, outcome.re_extracted)


def _marks(outcomes: Iterable[Outcome], doubt: Doubt) -> dict[str, int]:
    of = found = wrong = 0
    for outcome in outcomes:
        wanted, marked = _marked(outcome, doubt)
        of += len(wanted)
        found += len(wanted & marked)
        wrong += len(marked - wanted)
    return {"of": of, "found": found, "missed": of - found, "wrong": wrong}


def _marked(outcome: Outcome, doubt: Doubt) -> tuple[set[int], set[int]]:
    case = outcome.case
    wanted = set(case.suspect if doubt is Doubt.SUSPECT else case.disputed)
    return wanted, {number for number, each in outcome.doubt.items() if each is doubt}


def _requests(statements: Iterable[Judgement]) -> dict[str, Mapping[str, Any]]:
    found = list(statements)
    groups = {
        name: [each for each in found if each.truth.decision is command]
        for command, name in _COMMANDS.items()
    }
    return {name: share(len(group), (each.right for each in group)) for name, group in groups.items()}
