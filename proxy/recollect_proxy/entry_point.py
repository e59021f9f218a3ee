"""The entry point of the script `recollect`: runs the command line. A start of the server imports only `serve`."""

import gc
import os
import signal
import sys
from collections.abc import Callable

from recollect.errors import ConfigurationError, RecollectError

_MISTAKEN = 2
"""The exit code of typer for wrong options: a service manager does not try again."""

_STOPPED = 128 + signal.SIGINT
"""The exit code of shells and of typer for a program that Ctrl-C ended."""


def run_command(app: Callable[[], object]) -> None:
    """Run an application of typer's, and report a failure in one line."""
    try:
        app()
    except ConfigurationError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(_MISTAKEN)
    except RecollectError as error:
        sys.exit(f"{error}")
    except SystemExit as ending:
        if ending.code == _STOPPED:
            sys.stderr.write("Stopped.\n")
        raise


def main() -> None:
    """Run the command line. The other commands take a third of a second to import, which a start does not wait for."""
    # Threads of OpenBLAS wait for each other by spinning: where others use the cores, a product of matrices takes forty times as long.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if sys.argv[1:2] == ["serve"] and "--help" not in sys.argv:
        gc.disable()  # a start makes what stays; the server collects once it is ready
        from recollect_proxy.commands.serve import serve_app

        run_command(serve_app())
    else:
        from recollect_proxy.commands.cli import app

        run_command(app)
