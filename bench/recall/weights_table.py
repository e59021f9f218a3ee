"""What the tune and ablation benches found, for a person to read. Never: a figure of its own."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from bench.recall.table import about, new_table, percent, print_lines

_ALL = "mean"
"""The row or column of all files, each alike."""


def show_tune(figures: Mapping[str, Any], console: Console) -> None:
    """Print the figures of ``bench_tune``, shares in percent: each half, and the setting found on the other."""
    for fold in figures["folds"]:
        as_set, found = fold["as_set"], fold["found"]
        table = new_table(
            "On the half not searched on",
            "file",
            "n",
            "N@5 set",
            "found",
            "N@10 set",
            "found",
            "R@10 set",
            "found",
        )
        for file, before in as_set["files"].items():
            table.add_row(file, str(before["questions"]), *_both(before, found["files"][file]))
        table.add_section()
        table.add_row(_ALL, str(fold["measured_on"]["questions"]), *_both(as_set["mean"], found["mean"]))
        console.print(table)
        searched = fold["searched_on"]
        print_lines(
            console,
            [
                f"found on {searched['questions']} questions of {searched['conversations']} conversations:",
                fold["setting"],
                "",
            ],
        )
    print_lines(console, about(figures))


def show_ablation(figures: Mapping[str, Any], console: Console) -> None:
    """Print the figures of ``bench_ablation``, shares in percent: a row for each variant."""
    files = list(next(iter(figures["variants"].values()))["files"])
    columns = [*files, _ALL] if len(files) > 1 else files
    table = new_table("Ranked, R@10 / N@10", "weights", *columns)
    for name, found in figures["variants"].items():
        scores = {**found["files"], _ALL: found["mean"]}
        cells = (
            f"{percent(scores[c]['recall_at_10'])} / {percent(scores[c]['ndcg_at_10'])}" for c in columns
        )
        table.add_row(name, *cells)
    console.print(table)
    print_lines(console, about(figures))


def _both(before: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    names = ("ndcg_at_5", "ndcg_at_10", "recall_at_10")
    return [percent(scores[name]) for name in names for scores in (before, found)]
