"""`python -m bench` within this process, which starts in no time. Never: a test."""

from pathlib import Path

from tests.recollect_proxy.command_line import run
from typer.testing import Result

from bench.command import bench_app


def bench(*arguments: str | Path, **environment: str) -> Result:
    """Run one of the programs that measure on labelled conversations."""
    return run(bench_app, *arguments, **environment)
