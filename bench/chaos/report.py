"""The table of what faults came to, as it is printed and written. Never: how it was measured."""

import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from bench.chaos.counting import Outcome
from bench.chaos.load import TALKERS
from bench.chaos.replicas import Spread
from bench.chaos.system import EXTRACTION_SECONDS

_HEAD = (
    "fault",
    "chats: answered byte for byte / asked",
    "asked again",
    "slowest chat in the fault",
    "chats with memory in the fault",
    "lost",
    "not formed",
    "twice",
    "kept whole",
    "first memory after",
    "nothing waits after",
)


def line_of(found: Outcome) -> str:
    """Return an outcome as a line of the table."""
    answered = f"{found.answered} / {found.chats}"
    if found.broken:
        answered += f" ({found.broken} as far as the LLM came)"
    cells = (
        found.title,
        answered,
        str(found.again),
        f"{found.slowest:.1f} s",
        "-" if found.remembered is None else f"{found.remembered:.0%}",
        str(len(found.lost)),
        str(len(found.unformed)),
        str(len(found.doubled)),
        str(found.whole),
        _seconds(found.memory_seconds),
        _seconds(found.backlog_seconds),
    )
    return f"| {' | '.join(cells)} |"


def _seconds(seconds: float | None) -> str:
    return "never" if seconds is None else f"{seconds:.1f} s"


def write(
    path: Path, outcomes: Sequence[Outcome], spread: Spread | None, missing: Sequence[str], *, seed: int
) -> None:
    """Write the table, what is behind its figures, and what could not be run."""
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    parts = [
        "# Faults under load",
        (
            f"Written by `make chaos`, seed {seed}, {datetime.now(UTC):%Y-%m-%d}; {os.cpu_count()} cores, {platform.system()}, "
            f"Python {platform.python_version()}. Load of the machine over 1, 5 and 15 minutes at the end: {load}."
        ),
        (
            f"{TALKERS} people chat without a pause through `recollect serve`, half of it streamed, beside one who asks every quarter "
            "of a second what a memory answers. A fault lasts ten seconds. Once it is over and memory is back, the load ends and each chat "
            "gets a last word. Settings are those that are shipped, but that an extraction model is given up after "
            f"{EXTRACTION_SECONDS} s instead of 600, and that no cap limits how many memories there are."
        ),
        "\n".join([f"| {' | '.join(_HEAD)} |", "|---" * len(_HEAD) + "|", *map(line_of, outcomes)]),
        (
            "*Lost*: answered, and not in the message log. *Not formed*: answered, and in no memory once nothing waits. *Twice*: in the log or "
            "among the memories more than once. *Kept whole*: extraction failed three times, so the exchange itself is the memory (`qa_turn`). "
            "Times count from the end of the fault; the second includes the load's own last seconds."
        ),
    ]
    if spread is not None:
        parts += ["## Replicas", _told(spread)]
    if remarks := [*missing, *(remark for found in outcomes for remark in _remarks(found))]:
        parts += ["## Remarks", "\n".join(f"- {remark}" for remark in remarks)]
    path.write_text("\n\n".join(parts) + "\n", "utf-8")


def _told(spread: Spread) -> str:
    rows = [
        "| through one replica | until each of the others, seconds | times |",
        "|---|---|---|",
        f"| a setting is changed | {_range(spread.settings)} | {len(spread.settings)} |",
        f"| a user is erased | {_range(spread.erasures)} | {len(spread.erasures)} |",
    ]
    return "\n".join(rows) + (
        "\n\nFrom the answer to the change until the first chat through another replica that heeds it; "
        f"chats that began after the answer and did not heed it: {spread.unheeded}."
    )


def _range(seconds: Sequence[float]) -> str:
    if not seconds:
        return "never"
    ordered = sorted(seconds)
    return f"median {ordered[len(ordered) // 2]:.3f}, longest {ordered[-1]:.3f}"


def _remarks(found: Outcome) -> list[str]:
    remarks = [found.remark] if found.remark else []
    if found.states:
        states = ", ".join(f"{count} {state}" for state, count in sorted(found.states.items()))
        remarks.append(f"exchanges that are not formed at the end: {states}")
    if found.leaks:
        remarks.append(f"log lines with words of people: {len(found.leaks)}")
    return [f"{found.title}: {remark}." for remark in remarks]
