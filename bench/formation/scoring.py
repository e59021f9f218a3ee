"""Counts over cases how good formation is. Pure."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

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


class Share(NamedTuple):
    """How many, of how many."""

    found: int
    of: int


def score(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the figures of all cases, and by class, language, and worth of the models' answers."""
    topics = {each.case.topic for each in outcomes}
    in_order = [*(name for name in CLASSES if name in topics), *sorted(topics - set(CLASSES))]
    languages = sorted({each.case.language for each in outcomes})
    return {
        "overall": tally(outcomes),
        "classes": _by(outcomes, lambda each: each.case.topic, in_order),
        "languages": _by(outcomes, lambda each: each.case.language, languages),
        "models": _by(outcomes, lambda each: each.case.model, tuple(Model)),
    }


def _by(
    outcomes: Sequence[Outcome], group: Callable[[Outcome], str], names: Iterable[str]
) -> dict[str, dict[str, Any]]:
    parts = {str(name): [each for each in outcomes if group(each) == name] for name in names}
    return {name: tally(part) for name, part in parts.items() if part}


def tally(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the figures of some cases: each a count, and out of how many."""
    judged = [(outcome, each) for outcome in outcomes for each in outcome.judgements]
    requests = [each for outcome, each in judged if outcome.case.topic == _REQUEST]
    echoes = [each for outcome, each in judged if outcome.case.topic == _ECHO]
    return _of_statements([(outcome.case.model, each) for outcome, each in judged]) | {
        "cases": _share(outcome.stands for outcome in outcomes),
        "junk_in_store": Share(
            sum(_is_junk(each) for _, each in judged), sum(outcome.kept for outcome in outcomes)
        ),
        "missed_contradictions": _missed(outcomes, "contradiction", marks_count=True),
        "missed_refinements": _missed(outcomes, "refinement", marks_count=False),
        "wrong_replacements": Share(
            sum(len(outcome.wrongly_gone) for outcome in outcomes),
            sum(len(outcome.case.stored) - len(outcome.leaving) for outcome in outcomes),
        ),
        "leaks": Share(
            sum(outcome.leaks for outcome in outcomes),
            sum(len(outcome.case.redacted) for outcome in outcomes),
        ),
        "re_extraction_loops": sum(map(_loops, outcomes)),
        "echoes_reinforced": sum(
            each.decided.decision is Decision.REINFORCE and each.truth.decision is Decision.IGNORE
            for each in echoes
        ),
        "marks": {doubt.value: _marks(outcomes, doubt) for doubt in (Doubt.SUSPECT, Doubt.DISPUTED)},
        "requests": {
            name: _share(each.right for each in requests if each.truth.decision is command)
            for command, name in _COMMANDS.items()
        },
        "inconsistent_audits": sum(not outcome.consistent for outcome in outcomes),
        "unheard": sum(outcome.unheard is not None for outcome in outcomes),
    }


def _of_statements(judged: Sequence[tuple[Model, Judgement]]) -> dict[str, Any]:
    every = [each for _, each in judged]
    new = [(model, each) for model, each in judged if each.truth.decision in _KEPT]
    known = [each for each in every if each.truth.decision is Decision.REINFORCE]
    held = [each for each in every if each.truth.decision is Decision.QUARANTINE]
    wrong = [each for each in every if not each.right]
    return {
        "items": _share(each.right for each in every),
        "junk_kept": _share(_is_junk(each) for each in every if each.truth.decision in _REFUSED),
        "false_merges": _share(each.decided.merged for _, each in new),
        "false_merges_where_the_model_is_right": _share(
            each.decided.merged for model, each in new if model is not Model.WRONG
        ),
        "missed_duplicates": _share(each.decided.decision is Decision.ADD for each in known),
        "lost": _share(
            each.decided.decision is Decision.IGNORE and not each.decided.merged for _, each in new
        ),
        "quarantine": _share(each.decided.decision is Decision.QUARANTINE for each in held),
        "false_alarms": sum(each.decided.decision is Decision.QUARANTINE for each in wrong),
        "wrong_decisions": dict(
            Counter(
                f"{each.truth.decision} -> {each.decided.decision} ({each.decided.reason})" for each in wrong
            ).most_common()
        ),
    }


def _share(counted: Iterable[bool]) -> Share:
    found = list(counted)
    return Share(sum(found), len(found))


def _is_junk(each: Judgement) -> bool:
    """Return whether junk became a memory."""
    return each.truth.decision in _REFUSED and each.decided.decision in _KEPT


def _missed(outcomes: Iterable[Outcome], topic: str, *, marks_count: bool) -> Share:
    """Count the statements of a class that should have replaced a memory which still stands."""
    return _share(
        each.truth.target not in outcome.gone and not (marks_count and each.truth.target in outcome.doubt)
        for outcome in outcomes
        if outcome.case.topic == topic
        for each in outcome.judgements
        if each.truth.decision is Decision.REPLACE
    )


def _loops(outcome: Outcome) -> int:
    """Count the memories made of injected words: by their labels, or by the engine's own count if that is more."""
    echoes = sum(map(_is_junk, outcome.judgements)) if outcome.case.topic == _ECHO else 0
    return max(echoes, outcome.re_extracted)


def _marks(outcomes: Iterable[Outcome], doubt: Doubt) -> dict[str, int]:
    of = found = wrong = 0
    for outcome in outcomes:
        wanted = set(outcome.case.suspect if doubt is Doubt.SUSPECT else outcome.case.disputed)
        marked = {number for number, each in outcome.doubt.items() if each is doubt}
        of += len(wanted)
        found += len(wanted & marked)
        wrong += len(marked - wanted)
    return {"of": of, "found": found, "wrong": wrong}
