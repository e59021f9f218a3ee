"""What a bench found, for a person to read. Never: a figure of its own."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from bench.recall.dataset import UNANSWERABLE

_COLUMNS = {
    "R@5": "recall_at_5",
    "R@10": "recall_at_10",
    "R@20": "recall_at_20",
    "N@5": "ndcg_at_5",
    "N@10": "ndcg_at_10",
    "MRR": "reciprocal_rank",
    "H@1": "hit_at_1",
    "H@5": "hit_at_5",
    "H@10": "hit_at_10",
    "H@20": "hit_at_20",
}
_LEGEND = "R: recall, N: NDCG, H: hit; in percent."
_RANKED = "What retrieval ranks"
_INJECTED = "What reaches the prompt"
_CURVE_ROWS = 20


def show_recall(figures: Mapping[str, Any], console: Console) -> None:
    """Print the figures of ``summarize`` or ``summarize_facts``, shares in percent."""
    console.print(_scores(_RANKED, figures["ranked"]))
    console.print(_scores(f"{_INJECTED}, after gate and budget", figures["injected"]))
    print_lines(console, _lines_of_recall(figures))


def show_code(figures: Mapping[str, Any], console: Console) -> None:
    """Print the figures of ``bench_code``, shares in percent."""
    console.print(_scores(_RANKED, figures["ranked"]))
    console.print(_scores(f"{_INJECTED}, after gate and budget", figures["injected"]))
    if figures["dense_only"] is not None:
        console.print(_scores("What embeddings alone rank", figures["dense_only"]))
    print_lines(console, [_LEGEND, f"identifiers: {figures['identifiers']}", *about(figures)])


def show_abstention(figures: Mapping[str, Any], console: Console) -> None:
    """Print the figures of ``bench_abstention``: as shipped, and some points of the curve."""
    shipped = figures["shipped"]
    table = new_table("As shipped", "questions", "n", "share", "95 % interval")
    for group, share in shipped["unrelated"].items():
        table.add_row(f"unrelated, {group}: inject something", *_share(share))
    table.add_row("unrelated: inject something", *_share(shipped["unrelated_injecting"]), end_section=True)
    for group, share in shipped["own"].items():
        table.add_row(f"own, {group}: lose their evidence", *_share(share))
    table.add_row("own: lose their evidence", *_share(shipped["own_losing_evidence"]))
    console.print(table)
    curve = figures["curve"]
    points = new_table("A gate at", "threshold", "unrelated inject", "own lose evidence")
    for point in curve[:: -(-len(curve) // _CURVE_ROWS) or 1]:
        shares = (point["unrelated_injecting"], point["own_losing_evidence"])
        points.add_row(f"{point['threshold']:.2f}", *(percent(share["share"]) for share in shares))
    console.print(points)
    print_lines(console, _lines_of_abstention(figures))


def show_cache(figures: Mapping[str, Any], console: Console) -> None:
    """Print the figures of ``bench_cache``, shares in percent."""
    table = new_table("Of a request, the next of its chat begins with", "memories", "pairs", "with any")
    for column in ("mean", "p5", "median", "all bytes", "whole body"):
        table.add_column(column, justify="right")
    for placement, found in figures["placements"].items():
        messages = found["messages"]
        shares = (*(messages[name] for name in ("mean", "p5", "median")), found["bytes_reused"])
        table.add_row(
            placement,
            str(found["pairs"]),
            str(found["requests_with_memories"]),
            *(percent(share) for share in (*shares, found["body"]["mean"])),
        )
    console.print(table)
    counted = ("conversations", "turns", "turns_left_out", "session_turns", "session_bytes")
    print_lines(console, [_named({name: figures[name] for name in counted}), *_settings(figures)])


def new_table(title: str, first: str, *columns: str) -> Table:
    """Return an empty table whose columns but the first hold numbers."""
    table = Table(
        title=title, title_justify="left", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, expand=False
    )
    table.add_column(first, overflow="fold")
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _scores(title: str, scores: Mapping[str, Any]) -> Table:
    table = new_table(title, "category", "n", *_COLUMNS)
    table.padding = (0, 1, 0, 0)
    for category, means in scores["categories"].items():
        mark = " *" if category == UNANSWERABLE else ""
        table.add_row(f"{category}{mark}", *_cells(means))
    table.add_section()
    table.add_row("overall", *_cells(scores["overall"]))
    if UNANSWERABLE in scores["categories"]:
        table.caption = "* answered by nobody: not in overall"
        table.caption_justify = "left"
    return table


def _cells(means: Mapping[str, Any]) -> list[str]:
    return [str(means["questions"]), *(percent(means.get(column)) for column in _COLUMNS.values())]


def _share(share: Mapping[str, Any]) -> tuple[str, str, str]:
    interval = share["interval"]
    between = "-" if interval is None else " to ".join(map(percent, interval))
    return str(share["questions"]), percent(share["share"]), between


def _lines_of_recall(figures: Mapping[str, Any]) -> Iterator[str]:
    counts, tokens, latency = figures["counts"], figures["injected_tokens"], figures["recall_milliseconds"]
    abstention, seconds = figures["abstention"], figures["seconds"]
    yield _LEGEND
    if facts := figures.get("facts"):
        yield (
            f"facts of {facts['file']}: {facts['facts']}; they cover {percent(facts['evidence_covered'])} % "
            "of the evidence"
        )
    yield (
        f"abstention: {percent(abstention['nothing_injected'])} % of {abstention['questions']} questions "
        "without evidence inject nothing"
    )
    if quoted := figures.get("quoted"):
        yield from _lines_of_quoted(quoted)
    yield f"injected tokens: median {_number(tokens['median'])}, p95 {_number(tokens['p95'])}"
    yield f"recall: p50 {_number(latency['p50'])} ms, p95 {_number(latency['p95'])} ms"
    for reason, count in figures["not_recalled"].items():
        yield f"not recalled: {reason} ({count} of {counts['questions']} questions)"
    yield f"replayed in {seconds['sending']} s, asked in {seconds['asking']} s"
    yield from about(figures)


def _lines_of_quoted(quoted: Mapping[str, Any]) -> Iterator[str]:
    found, whole, words = quoted["found"], percent(quoted["whole"]), percent(quoted["words"])
    share = found / quoted["evidence"] if quoted["evidence"] else None
    yield (
        f"evidence: of {quoted['evidence']} turns something of {percent(share)} % is quoted; of these {whole} % are quoted "
        f"whole, {words} % of their words"
    )
    if quoted["labelled"]:
        yield (
            f"the words that answer: all of them are quoted of {percent(quoted['answers'])} % of {quoted['labelled']} found "
            f"turns, {percent(quoted['answer_words'])} % of these words"
        )


def _lines_of_abstention(figures: Mapping[str, Any]) -> Iterator[str]:
    stopped, passed = figures["shipped"]["threshold_between"]
    yield (
        f"the gate's threshold is {_score(figures['shipped']['threshold'])}: it stopped scores up to "
        f"{_score(stopped)}, and let through from {_score(passed)}"
    )
    yield (
        f"{figures['own_questions_with_evidence_ranked']} of {figures['own_questions']} own questions have "
        f"evidence among the first {figures['evidence_depth']}"
    )
    yield from about(figures)


def about(figures: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line of what was counted, and one of the settings."""
    yield _named(figures["counts"])
    yield from _settings(figures)


def _settings(figures: Mapping[str, Any]) -> Iterator[str]:
    yield ", ".join(f"{name}={value}" for name, value in sorted(figures["settings"].items()))


def _named(counts: Mapping[str, Any]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in counts.items())


def print_lines(console: Console, lines: Iterable[str]) -> None:
    """Print lines as they are."""
    for line in lines:
        console.print(line, markup=False, highlight=False)


def percent(share: float | None) -> str:
    """Return a share in percent; "-" for none."""
    return "-" if share is None else f"{100 * share:.1f}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _score(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
