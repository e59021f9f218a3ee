"""``python -m recollect.worker``: the process itself. It is told what it works with over its standard input."""

from recollect.worker.main import main

main()
