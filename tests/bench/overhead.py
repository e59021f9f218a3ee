"""What Recollect costs on loopback: start-up, memory, added time to the first byte. See README.md."""

import argparse
import json
import os
import platform
import random
import secrets
import socket
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from tests.bench.served import (
    Connection,
    fast_upstream,
    postgres_mebibytes,
    recollect,
    resident_mebibytes,
)

CHATS = 200
MEMORIES = 1000
ROUNDS = 300
WARM_UP = 20
_SEED = 7

_PEOPLE = ("my sister", "my neighbour", "Anna", "my boss", "Yusuf", "the twins", "my doctor", "Marta")
_DEEDS = (
    "recommended",
    "cancelled",
    "repaired",
    "forgot",
    "painted",
    "bought",
    "sold",
    "borrowed",
    "praised",
)
_THINGS = (
    *("a blue bicycle", "the piano lessons", "a trip to Lisbon", "the garden fence", "an espresso machine"),
    *("the tax return", "a chess club", "some hiking boots", "the winter tyres", "a course in Finnish"),
)
_TIMES = ("last spring", "on Monday", "in 2019", "before the move", "at New Year", "after the storm")


class Sentences:
    """Makes sentences that differ from each other, the same ones in every run."""

    def __init__(self) -> None:
        self._random = random.Random(_SEED)
        self._count = 0

    def statement(self) -> str:
        """Return what somebody did."""
        self._count += 1
        drawn = [self._random.choice(words) for words in (_PEOPLE, _DEEDS, _THINGS, _TIMES)]
        return f"{' '.join(drawn)} (note {self._count})."

    def question(self) -> str:
        """Return a question for it."""
        return f"Do you remember what I said: {self.statement()[:-1]}?"


def main() -> None:
    """Run the bench; print a Markdown table, then the same as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="paired rounds of requests")
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder, fast_upstream() as upstream:
        data_dir = Path(folder)
        data_dir.chmod(0o711)  # as root the database runs as another account, which has to get in
        figures = measure(upstream, data_dir, rounds)
    print(table(figures))
    print()
    print("```json")
    print(json.dumps(figures, indent=2))
    print("```")


def measure(upstream: str, data_dir: Path, rounds: int) -> dict[str, Any]:
    """Return all figures."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    token = secrets.token_urlsafe()
    environment = {
        "RECOLLECT_ADMIN_TOKEN": token,
        "RECOLLECT_FORMATION": "qa_turn",
        # A temporary chat recalls, then, and leaves no memory: the store stays as large as it is.
        "RECOLLECT_RECALL_IN_TEMPORARY": "true",
    }
    proxy = f"http://127.0.0.1:{port}"
    figures: dict[str, Any] = {"machine": f"{platform.machine()}, {os.cpu_count()} cores"}
    with recollect(upstream, port, data_dir, environment) as (_, first_start):
        pass
    with recollect(upstream, port, data_dir, environment) as (process, second_start):
        figures["start_seconds"] = {"first": round(first_start, 2), "second": round(second_start, 2)}
        idle = memory(process.pid, data_dir)
        api = Connection(proxy, {"Authorization": f"Bearer {token}"})
        sentences = Sentences()
        chat(proxy, api, sentences)
        figures["mebibytes"] = {"idle": idle, f"after_{CHATS}_chats": memory(process.pid, data_dir)}
        for _ in range(MEMORIES):
            api.call("POST", "/memory/users/reader/memories", {"content": sentences.statement()})
        figures["first_byte"] = first_byte(upstream, proxy, sentences, rounds)
    return figures


def memory(process_id: int, data_dir: Path) -> dict[str, float | None]:
    """Return what server and database hold, in MiB."""
    found = {"server_rss": resident_mebibytes(process_id), "postgres_pss": postgres_mebibytes(data_dir)}
    return {name: value if value is None else round(value, 1) for name, value in found.items()}


def chat(proxy: str, api: Connection, sentences: Sentences) -> None:
    """Have chats of one person, one after another, and wait until memories are formed of them."""
    headers = {"X-OpenWebUI-User-Id": "talker", "X-OpenWebUI-Chat-Id": "one"}
    connection = Connection(f"{proxy}/v1", headers)
    for _ in range(CHATS):
        connection.chat(sentences.statement())
    while api.call("GET", "/memory/health")["formation"]["formed"] < CHATS:
        time.sleep(0.1)


def first_byte(upstream: str, proxy: str, sentences: Sentences, rounds: int) -> dict[str, Any]:
    """Return the time to the first byte, directly and through the proxy, and what the proxy adds.

    A round sends one request each way, in an order that rotates; what is added is the difference
    within a round.
    """
    reader = {"X-OpenWebUI-User-Id": "reader", "X-OpenWebUI-Chat-Id": "local:bench"}
    direct, plain = Connection(upstream), Connection(f"{proxy}/v1")
    recalling = Connection(f"{proxy}/v1", reader)
    repeated = sentences.question()
    ways: dict[str, Callable[[], tuple[float, str]]] = {
        "direct": lambda: direct.chat(sentences.question()),
        "no_identity": lambda: plain.chat(sentences.question()),
        "recall_new_question": lambda: recalling.chat(sentences.question()),
        "recall_same_question": lambda: recalling.chat(repeated),
    }
    names = list(ways)
    taken: dict[str, list[float]] = {name: [] for name in names}
    recalled = dict.fromkeys(names, 0)
    for number in range(WARM_UP + rounds):
        for name in names[number % len(names) :] + names[: number % len(names)]:
            milliseconds, memories = ways[name]()
            if number >= WARM_UP:
                taken[name].append(milliseconds)
                recalled[name] += memories != "0"
    return {
        "rounds": rounds,
        "memories": MEMORIES,
        "milliseconds": {name: spread(taken[name]) for name in names},
        "added_milliseconds": {
            name: spread([own - base for own, base in zip(taken[name], taken["direct"], strict=True)])
            for name in names[1:]
        },
        "with_memories": recalled,
    }


def spread(values: Sequence[float]) -> dict[str, float]:
    """Return median and 95th percentile."""
    return {"median": round(median(values), 2), "p95": round(quantiles(values, n=20)[-1], 2)}


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    starts, held, bytes_ = figures["start_seconds"], figures["mebibytes"], figures["first_byte"]
    rows = [
        ("start to a served request, first / second", f"{starts['first']} / {starts['second']} s"),
        *(
            (f"memory {name.replace('_', ' ')}: server (RSS) / Postgres (PSS)", _mebibytes(found))
            for name, found in held.items()
        ),
        ("first byte, direct: median / p95", _milliseconds(bytes_["milliseconds"]["direct"])),
        *(
            (f"added, {name.replace('_', ' ')}: median / p95", _milliseconds(found))
            for name, found in bytes_["added_milliseconds"].items()
        ),
    ]
    title = f"| {figures['machine']}, {bytes_['memories']} memories, {bytes_['rounds']} rounds | |"
    return "\n".join([title, "|---|---|", *(f"| {name} | {value} |" for name, value in rows)])


def _mebibytes(found: dict[str, float | None]) -> str:
    return " / ".join("-" if value is None else f"{value} MiB" for value in found.values())


def _milliseconds(found: dict[str, float]) -> str:
    return f"{found['median']} / {found['p95']} ms"


if __name__ == "__main__":
    main()
