"""What a recall bench found, for a person to read. Never: a figure of its own."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

from recollect_proxy.bench.summary import UNANSWERABLE

_COLUMNS = ("recall_at_5", "recall_at_10", "ndcg_at_10", "hit_at_10")


def show(summary: Mapping[str, Any], console: Console) -> None:
    """Print the figures of ``summarize``, shares in percent."""
    for part, title in (
        ("ranked", "What retrieval ranks"),
        ("injected", "What reaches the prompt, after gate and budget"),
    ):
        console.print(_scores(title, summary[part]))
    for line in _lines(summary):
        console.print(line, markup=False, highlight=False)


def _scores(title: str, scores: Mapping[str, Any]) -> Table:
    table = Table(title=title, title_justify="left", expand=False)
    table.add_column("category")
    for column in ("questions", "R@5", "R@10", "NDCG@10", "hit@10"):
        table.add_column(column, justify="right")
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
    return [str(means["questions"]), *(_percent(means.get(column)) for column in _COLUMNS)]


def _lines(summary: Mapping[str, Any]) -> Iterator[str]:
    counts, tokens, latency = summary["counts"], summary["injected_tokens"], summary["recall_milliseconds"]
    abstention, seconds = summary["abstention"], summary["seconds"]
    yield (
        f"abstention: {_percent(abstention['nothing_injected'])} % of {abstention['questions']} questions "
        "without evidence inject nothing"
    )
    yield f"injected tokens: median {_number(tokens['median'])}, p95 {_number(tokens['p95'])}"
    yield f"recall: p50 {_number(latency['p50'])} ms, p95 {_number(latency['p95'])} ms"
    for reason, count in summary["not_recalled"].items():
        yield f"not recalled: {reason} ({count} of {counts['questions']} questions)"
    yield ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in counts.items())
    yield f"replayed in {seconds['sending']} s, asked in {seconds['asking']} s"
    yield ", ".join(f"{name}={value}" for name, value in sorted(summary["settings"].items()))


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
