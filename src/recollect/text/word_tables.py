"""Reads the tables of words that lie beside the modules as JSON files. Each is read once, when it is first used."""

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def read_table(package: str, name: str) -> Any:
    """Return the content of ``{name}.json`` in the package of this full name; nobody may change it."""
    return json.loads(files(package).joinpath(f"{name}.json").read_text("utf-8"))
