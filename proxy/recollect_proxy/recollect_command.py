"""The entry point of the script `recollect`: the command line; a start of the server imports `serve` alone.

Never: the work of a command.
"""

import gc
import os
import sys

from recollect_proxy.commands.run import run_command


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
