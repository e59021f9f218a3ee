"""The tables of the bench of formation. Pure. Never: a figure of its own."""

from collections.abc import Iterator, Mapping
from typing import Any

from bench.figures import percent
from bench.formation.outcome import Outcome
from bench.formation.scoring import Share
from bench.report import table

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
        yield title, _out_of(overall[name]), percent(overall[name].found, overall[name].of, 1)


def _grouped(title: str, groups: Mapping[str, Any]) -> str:
    rows = [
        (
            name,
            found["cases"].of,
            percent(found["cases"].found, found["cases"].of, 1),
            *(_out_of(found[figure]) for figure in _COLUMNS.values()),
        )
        for name, found in groups.items()
    ]
    return table((title, "n", "all right", *_COLUMNS), rows)


def _out_of(found: Share) -> str:
    return f"{found.found}/{found.of}" if found.of else "-"


def _lines(overall: Mapping[str, Any]) -> Iterator[str]:
    yield f"- quarantine: {_out_of(overall['quarantine'])} held back, {overall['false_alarms']} false alarms"
    yield f"- secrets found again: {_out_of(overall['leaks'])}"
    loops, echoes = overall["re_extraction_loops"], overall["echoes_reinforced"]
    yield f"- re-extraction loops: {loops} (must be 0); echoes that reinforced: {echoes}"
    for doubt, marks in overall["marks"].items():
        yield f"- {doubt}: {marks['found']}/{marks['of']} found, {marks['wrong']} wrongly marked"
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
        yield f"  {message['role']}: {message['text']}"
    yield f"  said ({case.said_at:%Y-%m-%d}): {case.said}"
    for each in outcome.judgements:
        truth, decided = each.truth, each.decided
        if truth.item is None:
            yield "  without an item"
        else:
            item = case.extracted[truth.item]
            yield f'  item {truth.item}: {item["content"]} <- "{item["evidence"]}"'
        verdict = "right" if each.right else "WRONG"
        should, did = _target(truth.decision, truth.target), _target(decided.decision, decided.target)
        yield f"    {verdict}: should {should}, did {did}, because: {decided.reason}"
    if outcome.unheard:
        yield f"  not heard: {outcome.unheard}"
    yield f"  all right: {'yes' if outcome.stands else 'NO'}"


def _target(decision: str, target: int | None) -> str:
    return decision if target is None else f"{decision} {target}"
