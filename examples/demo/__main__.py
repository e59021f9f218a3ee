"""`python -m examples.demo`, which is `make demo`."""

import sys

import typer

from examples.demo.command import demo
from recollect.errors import RecollectError

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
app.command()(demo)

if __name__ == "__main__":
    try:
        app(prog_name="python -m examples.demo")
    except RecollectError as error:
        sys.exit(f"{error}")
