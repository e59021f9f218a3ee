"""Measures the fate of an extraction model's answers: junk, false merges, missed and lost statements.

    python -m bench formation [--half tune|check] [--language CODE] [--case ID] [--limit N]

`--case` prints one case whole, of either half; bench/README.md describes cases and figures.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from bench.engines import open_bench
from bench.formation.cases import Case, Half, read_cases
from bench.formation.outcome import Outcome, read_outcome
from bench.formation.scoring import score
from bench.formation.staging import stage
from bench.formation.table import case_lines, tables
from bench.report import options_of, publish

_CASES = Path(__file__).with_name("labelled")


async def run_cases(cases: Sequence[Case]) -> list[Outcome]:
    """Run cases, one after another, each for a user of its own."""
    async with open_bench() as bench:
        return [await read_outcome(bench, await stage(bench, case)) for case in cases]


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
