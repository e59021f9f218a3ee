"""The one entry: `python -m bench PROGRAM ...`. Never: what a program measures, which options it has."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the served process has it


@dataclass(frozen=True, slots=True)
class Program:
    """What can be run.

    Attributes:
        module: Whose `main` runs it; loaded only then.
        told: What it measures, in a line.
    """

    module: str
    told: str


_LABELLED = "bench.command"
"""Several programs in one module, which reads their names itself."""

PROGRAMS: Mapping[str, Program] = MappingProxyType(
    {
        "recall": Program(_LABELLED, "what the questions of labelled conversations recall"),
        "code": Program(_LABELLED, "whether names in code are found again"),
        "abstention": Program(_LABELLED, "whether memories stay out where they don't belong"),
        "cache": Program(_LABELLED, "what of a prompt the upstream's cache can use again"),
        "formation": Program(_LABELLED, "what becomes of what an extraction model answers"),
        "lives": Program("bench.lives.recall", "what people's later questions are given of what they told"),
        "golden": Program("bench.golden.command", "whether questions are given what they were given before"),
        "lives-formation": Program("bench.lives.formation", "what is formed of people's lives"),
        "model-answers": Program("bench.lives.model_answers", "what is formed of recorded answers"),
        "live-answers": Program("bench.lives.live_answers", "what is formed when a live model answers"),
        "loss": Program(
            "bench.loss.run", "how many short facts are lost between people's words and the store"
        ),
        "store-audit": Program("bench.lives.store_audit", "what an audit of a store flags and finds"),
        "general": Program("bench.lives.general", "whether memory stays out of general questions"),
        "relevance": Program("bench.training.relevance", "trains the weights of relevance, and checks them"),
        "past": Program("bench.lives.past", "whether questions get the past, changes, and what is due"),
        "past-heads": Program(
            "bench.training.past", "trains which questions ask for the past, and checks it"
        ),
        "last-chat": Program("bench.recall.last_chat", "whether questions about earlier chats get those"),
        "last-chat-heads": Program(
            "bench.training.last_chat", "trains the heads that recognize questions about earlier chats"
        ),
        "centring": Program("bench.training.centring", "makes the means of the second embedder anew"),
        "speed": Program("bench.speed.compare", "time and memory beside other proxies (`make bench`)"),
        "recall-latency": Program(
            "bench.speed.recall_latency", "what a recall takes beside another commit's"
        ),
        "recall-size": Program(
            "bench.speed.recall_size", "time, pages and bytes of a recall as memories grow"
        ),
        "ingest": Program("bench.speed.ingest", "what importing many messages takes, and chats beside it"),
        "start": Program("bench.speed.start", "what a cold and a warm start take, beside another commit"),
        "disk": Program("bench.speed.disk", "what messages take on the disk"),
        "workers": Program("bench.speed.workers", "what N workers form in a second, and how late"),
        "reading": Program("bench.speed.reading", "what each step takes that reads people's text"),
        "holding": Program("bench.speed.holding", "how long a large request holds the event loop"),
        "leaving": Program("bench.speed.leaving", "how soon an upstream learns that the client left"),
        "tls": Program("bench.speed.tls", "what TLS to the upstream costs a request"),
        "local-model": Program("bench.speed.local_model", "what formation costs a chat of a local LLM"),
        "hostile": Program("bench.speed.hostile", "what others wait for while one sends hostile texts"),
        "flood": Program("bench.speed.flood", "what others wait for while some send megabytes without pause"),
        "hunt": Program("bench.speed.hunt", "hunts for texts that take long to read (`make hunt`)"),
        "chaos": Program(
            "bench.chaos.run", "what faults under load cost: database, models, kills (`make chaos`)"
        ),
        "soak": Program("bench.chaos.soak", "whether memory and lag stay flat over a long time"),
    }
)


def main() -> None:
    """Run the program that is named; without a name tell which there are."""
    name, *rest = sys.argv[1:] or ["--help"]
    if name in {"-h", "--help"}:
        print(_table())
        return
    if name not in PROGRAMS:
        print(f"There is no program `{name}`.\n\n{_table()}", file=sys.stderr)
        sys.exit(2)
    program = PROGRAMS[name]
    sys.argv = (
        ["python -m bench", name, *rest]
        if program.module == _LABELLED
        else [f"python -m bench {name}", *rest]
    )
    import_module(program.module).main()


def _table() -> str:
    wide = max(map(len, PROGRAMS))
    lines = [f"  {name:{wide}}  {program.told}" for name, program in PROGRAMS.items()]
    return "\n".join(
        ["usage: python -m bench PROGRAM ...    (--help behind it tells its options)", "", *lines]
    )


if __name__ == "__main__":
    main()
