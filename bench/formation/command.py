"""Measures the fate of an extraction model's answers: junk, false merges, missed and lost statements.

    python -m bench formation [--half tune|check] [--language CODE] [--case ID] [--limit N]

`--case` prints one case whole, of either half; bench/README.md describes cases and figures.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.engines import open_bench
from bench.figures import percent
from bench.formation.cases import Case, Half, read_cases
from bench.formation.outcome import Outcome, read_outcome
from bench.formation.scoring import Share, score
from bench.formation.staging import stage
from bench.report import options_of, publish, table

_CASES = Path(__file__).with_name("labelled")


async def run_cases(cases: Sequence[Case]) -> list[Outcome]:
    """Run cases, one after another, each for a user of its own."""
    async with open_bench() as bench:
        return [await read_outcome(bench, await stage(bench, case)) for case in cases]


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


def main() -> None:
    """Run the cases, and print the figures."""
    parser = options_of(__doc__)
    parser.add_argument(
        "--half", type=Half, choices=list(Half), default=Half.CHECK, help="of the labelled cases"
    )
    parser.add_argument("--language", help="only cases in this language")
    parser.add_argument("--case", help="print this one case whole")
    parser.add_argument("--limit", type=int, help="at most N cases")
    options = parser.parse_args()
    read = read_cases(_CASES, half=options.half, language=options.language, case_id=options.case)
    outcomes = asyncio.run(run_cases(read[: options.limit]))
    if options.case:
        print("\n".join(line for each in outcomes for line in case_lines(each)))
        return
    figures = score(outcomes)
    title = f"Formation, measured: {len(outcomes)} cases of {options.half}"
    publish(options, title, tables(figures), figures)
