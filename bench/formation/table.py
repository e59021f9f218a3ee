"""The tables of the bench of formation. Pure. Never: a figure of its own."""

from collections.abc import Iterator, Mapping
from typing import Any

from bench.figures import percent
from bench.formation.outcome import Outcome
from bench.report import table
from recollect.model import Doubt

_ROWS = {
    "cases": "cases all right",
    "items": "statements decided rightly",
    "junk_kept": "junk kept",
    "junk_in_store": "junk in the store",
    "false_merges": "false merges",
    "false_merges_where_the_model_is_right": "the same, where the model is not wrong",
    "missed_duplicates": "missed duplicates",
    "missed_contradictions": "missed contradictions",
    "missed_refinements": "missed refinements",
    "wrong_replacements": "wrong replacements",
    "lost": "lost",
}
_COLUMNS = {
    "right": "items",
    "junk": "junk_kept",
    "merged": "false_merges",
    "missed": "missed_duplicates",
    "gone": "wrong_replacements",
    "lost": "lost",
}


def tables(figures: Mapping[str, Any]) -> str:
    """Return the figures of ``score`` as Markdown."""
    overall = figures["overall"]
    groups = (("class", "classes"), ("language", "languages"), ("model's answers", "models"))
    return "\n\n".join(
        [
            table(("", "count", "%"), _overall(overall)),
            "\n".join(_lines(overall)),
            table(("should -> did (why)", "statements"), overall["wrong_decisions"].items()),
            *(_grouped(title, figures[group]) for title, group in groups),
        ]
    )


def _overall(overall: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for name, title in _ROWS.items():
        found = overall[name]
        yield title, _out_of(found), percent(found["count"], found["of"], 1)


def _grouped(title: str, groups: Mapping[str, Any]) -> str:
    rows = []
    for name, found in groups.items():
        cases, cells = found["cases"], (_out_of(found[figure]) for figure in _COLUMNS.values())
        rows.append((name, cases["of"], percent(cases["count"], cases["of"], 1), *cells))
    return table((title, "n", "all right", *_COLUMNS), rows)


def _out_of(found: Mapping[str, Any]) -> str:
    return f"{found['count']}/{found['of']}" if found["of"] else "-"


def _lines(overall: Mapping[str, Any]) -> Iterator[str]:
    held = overall["quarantine"]
    yield f"- quarantine: {_out_of(held)} held back, {held['false_alarms']} false alarms"
    yield f"- secrets found again: {_out_of(overall['leaks'])}"
    loops, echoes = overall["re_extraction_loops"], overall["echoes_reinforced"]
    yield f"- re-extraction loops: {loops} (must be 0); echoes that reinforced: {echoes}"
    for doubt in (Doubt.SUSPECT, Doubt.DISPUTED):
        marks = overall["marks"][doubt.value]
        yield f"- {doubt.value}: {marks['found']}/{marks['of']} found, {marks['wrong']} wrongly marked"
    commands = (f"{name.replace('_', ' ')} {_out_of(found)}" for name, found in overall["requests"].items())
    yield f"- requests done rightly: {', '.join(commands)}"
    yield f"- inconsistent audits: {overall['inconsistent_audits']}"
    yield f"- messages not heard: {overall['unheard']}"


def case_lines(outcome: Outcome) -> Iterator[str]:
    """Yield the lines of one case: the stored memories, the chat, and the fate of each statement."""
    case = outcome.case
    yield f"{case.id} ({case.language}, {case.topic}; the model's answers are {case.model})"
    for number, memory in enumerate(case.stored):
        marks = ["injected"] if number in case.injected else []
        marks += ["gone"] if number in outcome.gone else []
        marks += [outcome.doubt[number].value] if number in outcome.doubt else []
        yield f"  stored {number} ({', '.join([f'{memory.said_at:%Y-%m-%d}', *marks])}): {memory.content}"
    for message in case.history:
        yield f"  {message.role}: {message.text}"
    yield f"  said ({case.said_at:%Y-%m-%d}): {case.said}"
    for each in outcome.judgements:
        truth, decided = each.truth, each.decided
        item = None if truth.item is None else case.extracted[truth.item]
        yield (
            "  without an item"
            if item is None
            else f'  item {truth.item}: {item.content} <- "{item.evidence}"'
        )
        verdict = "right" if each.right else "WRONG"
        should, did = (truth.decision, truth.target), (decided.decision, decided.target)
        yield f"    {verdict}: should {_target(*should)}, did {_target(*did)}, because: {decided.reason}"
    if outcome.unheard:
        yield f"  not heard: {outcome.unheard}"
    yield f"  all right: {'yes' if outcome.stands else 'NO'}"


def _target(decision: str, target: int | None) -> str:
    return decision if target is None else f"{decision} {target}"
