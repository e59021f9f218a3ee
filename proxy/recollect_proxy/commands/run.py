"""Runs a command line, and reports a failure in one line. Never: the work of a command."""

import signal
import sys
from collections.abc import Callable

from recollect.errors import ConfigurationError, RecollectError

_MISTAKEN = 2
"""As typer ends where the options make no sense; a service manager does not start us again then."""

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
