"""The one entry: `python -m bench NAME ...`."""

import os
import signal
import sys
from importlib import import_module

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the served process has it

PROGRAMS = {
    "lives": ("bench.lives.recall", "which memories of daily chats later questions are given"),
    "golden": ("bench.golden.command", "whether questions are given the same as before"),
    "general": ("bench.lives.general", "whether memory stays out of general questions"),
    "recall": ("bench.recall.command", "the recall of questions about labelled conversations"),
    "formation": ("bench.formation.command", "the fate of an extraction model's answers"),
    "loss": ("bench.loss.run", "how many short facts are lost between people's words and the store"),
    "speed": ("bench.speed.compare", "time and memory, compared with other proxies (`make bench`)"),
    "recall-size": ("bench.speed.recall_size", "time, pages and bytes of a recall as memories grow"),
    "flood": ("bench.speed.flood", "how long a person's chat waits next to another person's flood"),
    "disk": ("bench.speed.disk", "the disk that messages take"),
    "workers": ("bench.chaos.workers", "how fast N workers form a backlog, and how late a memory is"),
    "chaos": ("bench.chaos.run", "the costs of faults under load: database, models, kills (`make chaos`)"),
    "soak": ("bench.chaos.soak", "whether memory and lag stay flat over a long time"),
    "relevance": ("bench.training.relevance", "trains the weights of relevance, and checks them"),
    "past-heads": (
        "bench.training.heads:train_past",
        "trains the heads that recognize questions about the past",
    ),
    "last-chat-heads": (
        "bench.training.heads:train_last_chat",
        "trains the heads that recognize questions about earlier chats",
    ),
    "adapter": ("bench.training.adapter", "trains the adapter of the embedder, by PyTorch"),
    "centring": ("bench.training.centring", "computes the means of the embedder"),
}
"""By their names, the function that runs each program (``main`` of a module unless named), and its subject."""


def main() -> None:
    """Run the program that is named; without a name list them all."""
    name, *rest = sys.argv[1:] or ["--help"]
    if name not in PROGRAMS:
        wide = max(map(len, PROGRAMS))
        lines = [f"  {each:{wide}}  {measures}" for each, (_, measures) in PROGRAMS.items()]
        print("usage: python -m bench NAME ...    (NAME --help lists its options)", "", *lines, sep="\n")
        sys.exit(0 if name in {"-h", "--help"} else 2)
    from recollect.errors import RecollectError  # noqa: PLC0415 -- after the variable above
    from recollect.runtime.logs import configure_logging  # noqa: PLC0415

    configure_logging("error")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Terminated."))  # which ends the started processes, too
    sys.argv = [f"python -m bench {name}", *rest]
    try:
        module, _, function = PROGRAMS[name][0].partition(":")
        getattr(import_module(module), function or "main")()
    except RecollectError as error:
        sys.exit(f"{error}")


if __name__ == "__main__":
    main()
