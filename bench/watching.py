"""Reads from Linux the use of processor and memory by processes, and the state of the machine."""

import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

_KIBIBYTES_A_MEBIBYTE = 1024
_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


def cores() -> tuple[int, int]:
    """Return the core of the system under test, and that of the load; the same one where there is only one."""
    allowed = sorted(os.sched_getaffinity(0))
    return allowed[0], allowed[min(1, len(allowed) - 1)]


@contextmanager
def on_core(core: int) -> Iterator[None]:
    """Run on one core while inside; what is started there stays there, with all its children."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def family(process_id: int) -> list[int]:
    """Return a process and all its descendants."""
    found = [process_id]
    for each in found:
        for listed in Path(f"/proc/{each}/task").glob("*/children"):
            try:
                found += [int(child) for child in listed.read_text().split()]
            except OSError:
                continue  # the thread just ended
    return found


def cpu_seconds(process_ids: list[int]) -> float:
    """Return the processor time that processes, and their children that ended, have used."""
    return sum(map(_cpu_ticks, process_ids)) / _TICKS_A_SECOND


def _cpu_ticks(process_id: int) -> int:
    try:
        stat = Path(f"/proc/{process_id}/stat").read_text()
    except OSError:
        return 0
    return sum(map(int, stat.rpartition(")")[2].split()[11:15]))  # utime, stime, cutime, cstime: proc(5)


class Reading(NamedTuple):
    """The processor time that was used until a moment, both in seconds."""

    cpu_seconds: float
    at: float


def reading(process_ids: list[int]) -> Reading:
    """Return the processor time used so far."""
    return Reading(cpu_seconds(process_ids), time.monotonic())


def mebibytes(process_id: int) -> dict[str, float | None]:
    """Return a server's resident memory, and its children's proportional share (PSS); MiB."""
    children = round(shared_once(family(process_id)[1:]), 1)
    return {"server_rss": _memory(process_id, "status", "VmRSS"), "children_pss": children}


def shared_once(process_ids: list[int], kind: str = "Pss") -> float:
    """Return the memory of processes, shared memory divided among its users (PSS); MiB. One that ended has none.

    Of the kind ``Pss_File`` are pages of files, as programs and models: Linux takes them back where it needs room.
    """
    return sum(_memory(each, "smaps_rollup", kind) or 0.0 for each in process_ids)


def _memory(process_id: int, file: str, name: str) -> float | None:
    try:
        lines = Path(f"/proc/{process_id}/{file}").read_text().splitlines()
    except OSError:
        return None
    sizes = [int(line.split()[1]) for line in lines if line.startswith(f"{name}:")]
    return round(sizes[0] / _KIBIBYTES_A_MEBIBYTE, 1) if sizes else None


def machine_seconds() -> dict[str, float]:
    """Return the seconds all cores spent so far, were busy, and were kept from us by a hypervisor (steal)."""
    told = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    user, nice, system, idle, waiting, interrupt, soft_interrupt, steal = (
        int(each) / _TICKS_A_SECOND for each in told
    )
    busy = user + nice + system + interrupt + soft_interrupt
    return {"all": busy + idle + waiting + steal, "busy": busy, "steal": steal}


def machine() -> dict[str, object]:
    """Return what this machine is."""
    told = Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.partition(":")[2].strip() for line in told if line.startswith("model name")]
    return {
        "cpu": models[0] if models else platform.machine(),
        "cores": os.cpu_count(),
        "kernel": platform.release(),
        "python": platform.python_version(),
    }
