"""Reads the tables of words that lie beside the modules as JSON files. Each is read once, when it is first used."""

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def read_table(package: str, name: str) -> Any:
    """Return the content of ``{name}.json`` in a package; nobody may change it.

    Args:
        package: The package's full name.
        name: The file's name without its ending.
    """
    return json.loads(files(package).joinpath(f"{name}.json").read_text("utf-8"))
