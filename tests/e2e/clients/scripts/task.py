"""What a script is told, on its standard input, and how it tells what it got."""

import json
import sys
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Task:
    """What to ask, whom, and as whom."""

    address: str
    headers: dict[str, str]
    key: str
    question: str
    way: str


TASK = Task(**json.load(sys.stdin))


def tell(got: Any) -> None:
    """Print what came, as JSON."""
    json.dump(got, sys.stdout)
