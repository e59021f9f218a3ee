"""A process of ours gives back what a large text took."""

import subprocess
import sys

import pytest

_HOLES = """
import sys
import numpy as np
from recollect.runtime.allocator import give_memory_back

def resident():
    return next(int(line.split()[1]) // 1024 for line in open("/proc/self/status") if line.startswith("VmRSS"))

print(sys.argv[1] == "yes" and give_memory_back())
before = resident()
np.ones(4_000_000)  # 32 MB, freed at once: glibc takes what is smaller from its heap from now on
large, small = [], []
for _ in range(100):
    large.append(np.ones(125_000))
    small.append(np.ones(100))  # lies between two large ones, and stays
del large
print(resident() - before)
"""


def _kept(*, is_set: bool) -> tuple[bool, int]:
    """Return whether it could be set, and the MiB that a process kept of 100 that it freed."""
    command = [sys.executable, "-c", _HOLES, "yes" if is_set else "no"]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    told, kept = done.stdout.split()
    return told == "True", int(kept)


@pytest.mark.process
def test_what_is_freed_between_what_stays_is_given_back() -> None:
    is_set, kept = _kept(is_set=True)
    if not is_set:
        pytest.skip("this system's allocator has no such settings")
    _, kept_otherwise = _kept(is_set=False)

    assert kept < 20
    assert kept_otherwise > 60
