"""What the bench of formation found, for a person to read. Never: a figure of its own."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.formation.outcome import Outcome
from bench.formation.scoring import failures
from bench.recall.table import new_table, percent, print_lines
from recollect.model import Doubt

_ROWS = {
    "cases": "cases all right",
    "items": "statements decided rightly",
    "junk_kept": "junk kept",
    "junk_in_store": "junk in the store",
    "false_merges": "false merges",
    "false_merges_where_the_model_is_right": "  where the model is not wrong",
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


_LEGEND = (
    "right: statements decided rightly; junk: kept, of those to be refused; merged: falsely, of those to be kept; "
    "missed: duplicates; gone: stored memories that should be there; lost: of those to be kept."
)


def show_cases(figures: Mapping[str, Any], console: Console) -> None:
    """Print the figures of ``bench_cases``."""
    overall = figures["overall"]
    table = new_table(f"{figures['what']}: {figures['cases']} cases", "in all", "of", "count", "%")
    for name, title in _ROWS.items():
        found = overall[name]
        table.add_row(title, str(found["of"]), str(found["count"]), percent(found["share"]))
    console.print(table)
    decisions = new_table("", "decided wrongly: should -> did (why)", "statements")
    for decision, count in overall["wrong_decisions"].items():
        decisions.add_row(decision, str(count))
    console.print("", decisions, sep="\n")
    for title, group in (("class", "classes"), ("language", "languages"), ("model's answers", "models")):
        console.print("", _grouped(title, figures[group]), sep="\n")
    print_lines(console, [_LEGEND, *_lines(figures)])


def show_model(figures: Mapping[str, Any], console: Console) -> None:
    """Print the figures of ``bench_model``."""
    table = new_table(f"{figures['model']}, {figures['what']}", "in all", "of", "count", "%")
    rows = {
        "found statements that are labelled as such (precision)": figures["precision"],
        "the same of those that are labelled at all": figures["precision_of_labelled"],
        "labelled statements found (recall)": figures["recall"],
        "of those, related rightly": figures["relations"],
    }
    for title, found in rows.items():
        table.add_row(title, str(found["of"]), str(found["count"]), percent(found["share"]))
    console.print(table)
    print_lines(console, _model_lines(figures))


def _model_lines(figures: Mapping[str, Any]) -> Iterator[str]:
    calls = figures["calls"]
    yield f"found beside the labels: {figures['unlabelled']}; refused: {_counts(figures['refused'])}"
    yield f"calls: {calls['answered']} answered, failed: {_counts(calls['failed'])}"
    yield f"tokens: {_spread(calls['tokens'])}, in all {calls['tokens_in_all']}"
    yield f"seconds: {_spread(calls['seconds'])}"


def show_replay(figures: Mapping[str, Any], console: Console) -> None:
    """Print the figures of ``bench_replay``, and the texts among them, if there are any."""
    table = new_table("What became of the facts", "", "facts")
    for fate, count in figures["fates"].items():
        table.add_row(fate, str(count))
    console.print(table)
    print_lines(console, _replay_lines(figures))


def _replay_lines(figures: Mapping[str, Any]) -> Iterator[str]:
    yield (
        f"{figures['facts']} facts of {figures['conversation_turns']} turns left {figures['memories']} memories; "
        f"{percent(figures['kept_share'])} % are kept, or merged into another"
    )
    yield f"lost because: {_counts(figures['lost_because'])}"
    yield f"mentioned again: {_counts(figures['mentions_again'])}"
    yield f"pairs merged: {figures['merged_pairs']}; duplicates left: {figures['duplicates_left']}"
    yield f"done without a fact: {_counts(figures['without_a_fact'])}"
    yield f"in the order they were said: {_yes(figures['in_order'])}"
    yield f"the audit, replayed, gives what is there: {_yes(figures['audit_gives_what_is_there'])}"
    for name in ("merged", "duplicates", "lost"):
        for one, other in figures.get(name, ()):
            yield f"{name}: {one} | {other}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "nothing"


def _spread(found: Mapping[str, float | None]) -> str:
    return f"median {_number(found['median'])} a call, p95 {_number(found['p95'])}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _yes(so: bool) -> str:  # noqa: FBT001 -- it is what is told
    return "yes" if so else "NO"


def show_case(figures: Mapping[str, Any], console: Console) -> None:
    """Print one case whole, by its lines."""
    print_lines(console, figures["lines"])


def told(outcome: Outcome) -> list[str]:
    """Return a case whole, in lines: what was stored and said, and what became of each statement."""
    return list(_told(outcome))


def _grouped(title: str, groups: Mapping[str, Any]) -> Table:
    table = new_table("", title, "n", "all right %", *_COLUMNS)
    table.padding = (0, 1, 0, 0)
    table.columns[0].no_wrap = True
    for name, found in groups.items():
        cases = found["cases"]
        cells = (_out_of(found[figure]) for figure in _COLUMNS.values())
        table.add_row(name, str(cases["of"]), percent(cases["share"]), *cells)
    return table


def _out_of(found: Mapping[str, Any]) -> str:
    return f"{found['count']}/{found['of']}" if found["of"] else "-"


def _lines(figures: Mapping[str, Any]) -> Iterator[str]:
    overall = figures["overall"]
    held = overall["quarantine"]
    yield f"quarantine: {_out_of(held)} held back, {held['false_alarms']} false alarms"
    yield f"secrets found again: {_out_of(overall['leaks'])}"
    loops, echoes = overall["re_extraction_loops"], overall["echoes_reinforced"]
    yield f"re-extraction loops: {loops} (must be 0); echoes that reinforced: {echoes}"
    for doubt in Doubt:
        marks = overall["marks"][doubt.value]
        found = f"{marks['found']}/{marks['of']} found, {marks['wrong']} wrongly marked"
        yield f"{doubt.value}: {found}"
    commands = (f"{name.replace('_', ' ')} {_out_of(found)}" for name, found in overall["requests"].items())
    yield f"requests done rightly: {', '.join(commands)}"
    yield f"audits that do not give what the user has: {overall['inconsistent_audits']}"
    if overall["unheard"]:
        yield f"messages not heard: {overall['unheard']}"
    yield f"ran in {figures['seconds']} s"
    yield ", ".join(f"{name}={value}" for name, value in sorted(figures["settings"].items()))


def _told(outcome: Outcome) -> Iterator[str]:
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
        if truth.item is not None:
            item = case.extracted[truth.item]
            about = "".join(f" {number}" for number in item.about_numbers)
            yield f'  item {truth.item} ({item.relation}{about}): {item.content} <- "{item.evidence}"'
        else:
            yield "  without an item"
        verdict = "right" if each.right else "WRONG"
        yield f"    {verdict}: should {_put(truth.decision, truth.target)}, did {_put(decided.decision, decided.target)}"
        yield f"    because: {decided.reason}"
        if decided.memory is not None:
            yield f"    kept as: {decided.memory.content}"
    if outcome.unheard:
        yield f"  not heard: {outcome.unheard}"
    yield f"  wrong: {', '.join(failures(outcome)) or 'nothing'}"


def _put(decision: str, target: int | None) -> str:
    return decision if target is None else f"{decision} {target}"
