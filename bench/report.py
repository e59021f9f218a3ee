"""The options and the report that all programs share: a title, the conditions of the run, Markdown tables, raw figures."""

import os
import subprocess
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from pathlib import Path

import msgspec

_LOAD_BEFORE = os.getloadavg()[0]


def parser_of(doc: str | None) -> ArgumentParser:
    """Return a parser without options; ``doc`` describes the program."""
    return ArgumentParser(description=doc, formatter_class=RawDescriptionHelpFormatter)


def options_of(doc: str | None) -> ArgumentParser:
    """Return a parser with the options of every program that measures."""
    parser = parser_of(doc)
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the report there, too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the raw figures there")
    return parser


def publish(options: Namespace, title: str, body: str, raw: object = None) -> None:
    """Print the report of a run; write it and the raw figures to the files that the options name."""
    report = f"# {title}\n\n{_conditions()}\n\n{body}\n"
    print(report)
    if options.output is not None:
        options.output.write_text(report, "utf-8")
    if options.json is not None:
        options.json.write_bytes(msgspec.json.format(msgspec.json.encode(raw), indent=1) + b"\n")


def _conditions() -> str:
    command = " ".join(Path(each).name if "/" in each else each for each in sys.argv)
    load = f"load {_LOAD_BEFORE:.1f} before and {os.getloadavg()[0]:.1f} after"
    return f"`{command}`, commit {_commit()}, {datetime.now(UTC):%Y-%m-%d}; {os.cpu_count()} cores, {load}."


def _commit() -> str:
    """Return the commit that is measured."""
    asked = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty", "--abbrev=12"]
    return subprocess.run(asked, check=False, capture_output=True, text=True).stdout.strip() or "unknown"


def table(heads: Collection[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(str, each))} |" for each in lines)


def progress(text: str) -> None:
    """Print how far the run is, apart from the report."""
    print(text, file=sys.stderr, flush=True)
