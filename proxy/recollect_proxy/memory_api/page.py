"""The OpenAPI document as a page for people: one HTML file without a script, which loads nothing and works offline."""

from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

import msgspec
from jinja2 import Environment

from recollect.api.failures import Failure


def render(document: Mapping[str, Any], errors: Iterable[Failure] = ()) -> str:
    """Return the page for an OpenAPI 3.1 document of ours.

    Args:
        document: The document.
        errors: The errors to list.
    """
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["json"] = lambda value: msgspec.json.format(msgspec.json.encode(value)).decode()
    chapters: dict[str, list[tuple[str, str, Any]]] = {}
    for path, item in document["paths"].items():
        for method, operation in item.items():
            chapters.setdefault(operation["tags"][0], []).append((method, path, operation))
    template = files("recollect_proxy.memory_api").joinpath("page.html").read_text("utf-8")
    return environment.from_string(template).render(document=document, chapters=chapters, errors=errors)
