"""The table of faults, as it is printed and written. Never: a measurement."""

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from bench.chaos.counting import Outcome
from bench.chaos.load import TALKERS
from bench.chaos.system import EXTRACTION_SECONDS
from bench.report import table

_HEAD = (
    *("fault", "chats: answered byte for byte / asked", "asked again", "slowest chat in the fault"),
    *("chats with memory in the fault", "lost", "not formed", "twice", "kept whole", "first memory after"),
    *("nothing waits after", "load"),
)


def cells_of(found: Outcome) -> tuple[str, ...]:
    """Return the cells of an outcome's row."""
    answered = f"{found.answered} / {found.chats}"
    if found.broken:
        answered += f" ({found.broken} as far as the LLM came)"
    return (
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
        f"{found.load:.0f}",
    )


def _seconds(seconds: float | None) -> str:
    return "never" if seconds is None else f"{seconds:.1f} s"


def keep(folder: Path, name: str, found: Outcome | str, *, order: Sequence[str]) -> None:
    """Replace the outcome of a fault in `chaos.json`, and write `chaos.md`."""
    folder.mkdir(parents=True, exist_ok=True)
    raw = folder / "chaos.json"
    known = json.loads(raw.read_text("utf-8")) if raw.exists() else {}
    known[name] = asdict(found) if isinstance(found, Outcome) else found
    known = {each: known[each] for each in order if each in known}
    raw.write_text(json.dumps(known, indent=1) + "\n", "utf-8")
    outcomes = [Outcome(**each) for each in known.values() if isinstance(each, dict)]
    missing = [f"{each}: {told}." for each, told in known.items() if isinstance(told, str)]
    (folder / "chaos.md").write_text(_page(outcomes, missing), "utf-8")


def _page(outcomes: Sequence[Outcome], missing: Sequence[str]) -> str:
    days, seeds = sorted({each.day for each in outcomes}), sorted({each.seed for each in outcomes})
    parts = ["# Faults under load", _intro(days, seeds), table(_HEAD, map(cells_of, outcomes)), _LEGEND]
    if spread := next((each for each in outcomes if each.settings or each.erasures), None):
        parts += ["## Replicas", _told(spread)]
    if remarks := [*missing, *(remark for found in outcomes for remark in _remarks(found))]:
        parts += ["## Remarks", "\n".join(f"- {remark}" for remark in remarks)]
    return "\n\n".join(parts) + "\n"


def _intro(days: Sequence[str], seeds: Sequence[int]) -> str:
    return (
        f"Written by `make chaos`, {' to '.join([*days[:1], *days[1:][-1:]])}, seed {', '.join(map(str, seeds))}; {os.cpu_count()} cores, "
        f"{platform.system()}, Python {platform.python_version()}.\n\n"
        f"{TALKERS} people chat without a pause through `recollect serve`, half of it streamed, beside one who asks every second "
        "what a memory answers. A fault lasts ten seconds, or as long as so many kills take. Once it is over and memory is back, the load ends, "
        "and each chat gets a last word. Settings are those that are shipped, but that an extraction model is given up after "
        f"{EXTRACTION_SECONDS} s instead of 600, and that nothing limits how many memories there are."
    )


_LEGEND = (
    "*Asked again*: the connection failed, and the client asked once more. *Lost*: answered, and not in the message log. *Not formed*: "
    "answered, and in no memory once nothing waits. *Twice*: in the log or among the memories more than once. *Kept whole*: as question "
    "and answer (`qa_turn`), which only a setting asks for. Times count from the end of the fault; the second includes the load's "
    "own last seconds. *Load*: of the machine, over the last minute; above its cores it has other work, which makes chats and recalls late."
)


def _told(spread: Outcome) -> str:
    rows = [
        ("a setting is changed", _range(spread.settings), f"{len(spread.settings)} times"),
        ("a user is erased", _range(spread.erasures), f"{len(spread.erasures)} times"),
    ]
    return table(("through one replica", "until another heeds it, seconds", "measured"), rows) + (
        "\n\nFrom the answer to the change until the end of the first chat through another replica that heeds it, which is a whole chat's time "
        f"at least. Chats that began after the answer and did not heed it: {spread.unheeded}."
    )


def _range(seconds: Sequence[float]) -> str:
    if not seconds:
        return "never"
    ordered = sorted(seconds)
    return f"median {ordered[len(ordered) // 2]:.3f}, longest {ordered[-1]:.3f}"


def _remarks(found: Outcome) -> list[str]:
    remarks = []
    if found.states:
        states = ", ".join(f"{count} {state}" for state, count in sorted(found.states.items()))
        remarks.append(f"exchanges that are not formed at the end: {states}")
    if found.leaks:
        remarks.append(f"log lines with words of people: {len(found.leaks)}")
    return [f"{found.title}: {remark}." for remark in remarks]
