"""Language processing that needs the text alone: terms, dates, attribution, secrets, prompt injection, comparison. Pure."""

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def read_table(package: str, name: str) -> Any:
    """Return the content of ``{name}.json`` in the package of this full name, a table of words; nobody may change it."""
    return json.loads(files(package).joinpath(f"{name}.json").read_text("utf-8"))
