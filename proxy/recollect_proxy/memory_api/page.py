"""An OpenAPI document becomes a page for people. Pure.

One HTML file without a script that loads nothing from elsewhere: it works where there is no internet.
"""

from collections.abc import Iterable, Mapping
from html import escape
from importlib.resources import files
from string import Template
from typing import Any, TypeAlias

import msgspec

from recollect.api.failures import Failure
from recollect.text.patterns import bounded

Json: TypeAlias = Mapping[str, Any]

_CODE = bounded("`([^`]+)`")
_METHODS = ("get", "post", "patch", "delete")


def render(document: Json, errors: Iterable[Failure] = ()) -> str:
    """Return the page for an OpenAPI 3.1 document of ours.

    Args:
        document: The document.
        errors: The errors to list.
    """
    template = Template(files("recollect_proxy.memory_api").joinpath("page.html").read_text("utf-8"))
    return template.substitute(
        title=escape(document["info"]["title"]),
        version=escape(document["info"]["version"]),
        description=_prose(document["info"]["description"]),
        operations=_operations(document["paths"]),
        errors="".join(map(_error, errors)),
        schemas="".join(_schema(name, schema) for name, schema in document["components"]["schemas"].items()),
    )


def _error(one: Failure) -> str:
    meaning = _prose(one.meaning or one.message)
    return f'<h3 id="{escape(one.anchor)}"><code>{one.status} {escape(one.code)}</code></h3>{meaning}'


def _operations(paths: Json) -> str:
    by_tag: dict[str, list[str]] = {}
    for path, item in paths.items():
        for method in _METHODS:
            if method in item:
                by_tag.setdefault(item[method]["tags"][0], []).append(_operation(path, method, item[method]))
    return "".join(f"<h2>{escape(tag)}</h2>{''.join(found)}" for tag, found in by_tag.items())


def _operation(path: str, method: str, operation: Json) -> str:
    token = "" if {} in operation["security"] else "<p>Needs a token.</p>"
    return (
        f'<h3 id="{escape(operation["operationId"])}">{escape(operation["summary"])}</h3>'
        f'<p><code><span class="method">{method}</span> {escape(path)}</code></p>'
        f"{_prose(operation['description'])}{token}"
        f"{_parameters(operation.get('parameters', ()))}"
        f"{_body(operation.get('requestBody'))}"
        f"{_responses(operation['responses'])}"
    )


def _parameters(parameters: Iterable[Json]) -> str:
    rows = [
        (f"<code>{escape(one['name'])}</code>", escape(one["in"]), _inline(one["description"]))
        for one in parameters
    ]
    return _table(("Parameter", "In", ""), rows) if rows else ""


def _body(body: Json | None) -> str:
    return f"<p>Body: {_content(body['content'])}</p>" if body else ""


def _responses(responses: Json) -> str:
    rows = [
        (f"<code>{status}</code>", _inline(one["description"]), _content(one.get("content", {})))
        for status, one in sorted(responses.items())
    ]
    return _table(("Answer", "", "Body"), rows)


def _content(content: Json) -> str:
    return ", ".join(_type_of(media["schema"]) for media in content.values())


def _schema(name: str, schema: Json) -> str:
    if "enum" in schema:
        content = f"<p>One of {', '.join(f'<code>{escape(value)}</code>' for value in schema['enum'])}.</p>"
    else:
        required = schema.get("required", ())
        rows = [
            (
                f"<code>{escape(field)}</code>{'' if field in required else ' (optional)'}",
                _type_of(declared),
                _inline(declared.get("description", "")),
            )
            for field, declared in schema["properties"].items()
        ]
        content = _table(("Field", "Type", ""), rows)
    examples = "".join(f"<pre>{_json(example)}</pre>" for example in schema.get("examples", ()))
    return f'<h3 id="{escape(name)}">{escape(name)}</h3>{_prose(schema.get("description", ""))}{content}{examples}'


def _type_of(schema: Json) -> str:
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    if "anyOf" in schema:
        return " or ".join(map(_type_of, schema["anyOf"]))
    if "enum" in schema:
        return " or ".join(f"<code>{escape(str(value))}</code>" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type_of(schema['items'])}"
    return escape(schema.get("format") or schema["type"])


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    def row(cell: str, cells: Iterable[str]) -> str:
        return f"<tr>{''.join(f'<{cell}>{text}</{cell}>' for text in cells)}</tr>"

    return f"<table>{row('th', head)}{''.join(row('td', cells) for cells in rows)}</table>"


def _prose(text: str) -> str:
    return "".join(f"<p>{_inline(part)}</p>" for part in text.strip().split("\n\n") if part)


def _inline(text: str) -> str:
    return _CODE.sub(r"<code>\1</code>", escape(text))


def _json(value: Any) -> str:
    return escape(msgspec.json.format(msgspec.json.encode(value)).decode())
