"""The Memory API's OpenAPI 3.1 document, made of the table, and the two paths that serve it."""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from functools import cache
from importlib.resources import files
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin
from uuid import UUID

import msgspec
from msgspec import Meta, Struct, UnsetType

from recollect import __version__
from recollect.api.endpoint_table import Operation, Permission
from recollect.api.failures import MEMORY_NOT_FOUND, ErrorBody, Failure, every_failure
from recollect.api.fields import MEMORY, WHEN
from recollect.api.memories import Memory
from recollect.api.queries import KEY, LAST_EVENT, MATCH, PROJECT, InHeaders, InPath
from recollect.model import Action, Actor, Ending, EntryState, FailedAt, Party, Reason, Role, State
from recollect_proxy.memory_api.request_and_reply import Reply
from recollect_proxy.takeout.export_format import FORMAT, ROWS, VERSION
from recollect_proxy.web.strict_json import shape_fields

_LINE_END = re.compile(r"(?<!\n)\n(?!\n)")
_REFERENCE = "#/components/schemas/{name}"
_WORDS = (Action, Actor, Ending, EntryState, FailedAt, Party, Reason, Role, State)
"""Enumerations that answers and queries alone name."""

_DESCRIPTION = """\
What Recollect remembers of a user: read it, correct it, undo what was changed, share it, take it away, erase it. And \
what can be changed while Recollect runs, and how it does.

Everything but `/memory/health` and this documentation needs a token, as `Authorization: Bearer TOKEN`. \
A token in the query string is not accepted. There are four kinds: the *admin token* and admin keys open everything; \
a *reader key* reads everything and changes nothing; an *acting key* belongs to an integration, which does for a user, \
named in each path, what that user may do; a *token of one's own* (made by `POST .../tokens`, a signed header of \
OpenWebUI's, an API key, a provider's token) opens what is that user's. What a token does not allow is a 403. \
When an administrator reads what is a user's, that is kept, and the user sees it (`.../admin-reads`).

A user id is one path segment, percent-encoded: `a/b` is `a%2Fb`, and a literal `a%2Fb` is `a%252Fb`. Take a \
client that leaves the path as you wrote it: for ids like `..`, many normalise it. No segment may be empty, so \
a path does not end in a slash.

`/api/sessions/{session_id}/memories` and what is below it are the same as below `/memory/users/{user_id}`: the user is whom \
the token belongs to, or whom the header `X-Recollect-User` names, percent-encoded.

Times are RFC 3339. Every error is `application/problem+json` (RFC 9457): `type`, `title`, `status` and `detail`. Beside them \
stands `error`: `code` names it for a program, `message` for a person, and `field` says which field or parameter is wrong, or \
is null. A query parameter that an endpoint does not know is refused with 400. Besides those at each path there are 404 `not_found` \
for a path where nothing is, 405 `method_not_allowed`, and 400 `bad_request` for what can't be read at all. A 405 says in `Allow` what the path knows, a 503 \
says in `Retry-After` when to come again; so does the 429 that answers an eleventh wrong token of an address within a minute.
"""
_PAGE_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
}
_SCHEME = {
    "type": "http",
    "scheme": "bearer",
    "description": "The admin token, an access key, or a token of the user's own.",
}


_ETAG = {
    "ETag": {
        "schema": {"type": "string"},
        "description": "The version of the memory: another once anything but the counts of its use is another.",
    }
}


_JSON, _PAGE = b"/memory/docs/openapi.json", b"/memory/docs"
DOCUMENTATION = frozenset({_JSON, _PAGE})
"""The paths of the document, as JSON and as a page for people."""


def documentation(write: Callable[[], Mapping[str, Any]]) -> Callable[[bytes], Reply]:
    """Return what answers at each path with the document that ``write`` returns; a first answer takes a tenth of a second."""
    document = cache(write)

    @cache
    def reply(path: bytes) -> Reply:
        if path == _JSON:
            return Reply(200, msgspec.json.format(msgspec.json.encode(document())))
        page = _rendered(document(), every_failure()).encode()
        return Reply(200, page, "text/html; charset=utf-8", _PAGE_HEADERS)

    return reply


def write_document(
    operations: Sequence[Operation[Any]],
    answers: Mapping[str, Callable[..., Any]],
    permission: Callable[[Operation[Any]], Permission],
) -> dict[str, Any]:
    """Return the document as plain JSON values.

    Args:
        operations: The table. Its schemas are msgspec's own, which also reads the bodies by them.
        answers: The function that answers each operation, by name; its docstring has the summary and the description.
        permission: Returns the permission that an operation requires.
    """
    paths: dict[str, dict[str, Any]] = {}
    for each in operations:
        is_public = permission(each) is Permission.PUBLIC
        summary, _, description = (inspect.getdoc(answers[each.name]) or "").partition("\n\n")
        paths.setdefault(each.path, {})[each.method.lower()] = {
            "tags": [each.tag],
            "summary": summary.rstrip("."),
            "description": _LINE_END.sub(" ", description),
            "operationId": each.name,
            "parameters": _parameters(each),
            **_request_body(each),
            "responses": _responses(each),
            "security": [{}] if is_public else [{"bearer": []}],
        }
    info = {"title": "Recollect Memory API", "version": __version__, "description": _DESCRIPTION}
    components = {"schemas": _schemas(operations), "securitySchemes": {"bearer": _SCHEME}}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": components}


def _rendered(document: Mapping[str, Any], errors: Iterable[Failure]) -> str:
    """Return the document as a page for people: one HTML file without a script, which loads nothing and works offline."""
    from jinja2 import Environment  # noqa: PLC0415 -- few ask for it, and templates load slowly

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["json"] = lambda value: msgspec.json.format(msgspec.json.encode(value)).decode()
    chapters: dict[str, list[tuple[str, str, Any]]] = {}
    for path, item in document["paths"].items():
        for method, operation in item.items():
            chapters.setdefault(operation["tags"][0], []).append((method, path, operation))
    template = files("recollect_proxy.memory_api").joinpath("page.html").read_text("utf-8")
    return environment.from_string(template).render(document=document, chapters=chapters, errors=errors)


def _schemas(operations: Sequence[Operation[Any]]) -> dict[str, Any]:
    """Return the schema of each shape, with an example."""
    bodies = [each.takes for each in operations if each.takes_body and each.takes is not None]
    answers = [each.answers for each in operations if issubclass(each.answers, Struct)]
    queries = [each.takes for each in operations if not each.takes_body and each.takes is not None]
    known: dict[type[Struct], None] = dict.fromkeys([*bodies, *answers, ErrorBody])
    _, schemas = msgspec.json.schema_components([*known, *queries, *_WORDS], ref_template=_REFERENCE)
    for query in queries:
        schemas.pop(query.__name__, None)
    for shape in known:
        schemas[shape.__name__]["examples"] = [example_of(shape)]
    schemas["ErrorBody"]["examples"] = [msgspec.to_builtins(MEMORY_NOT_FOUND.body)]
    for change in ("MemoryChange", "CommonFlagsChange", "FlagsChange", "ProfileEntryChange", "ProjectChange"):
        schemas[change]["minProperties"] = 1
    schemas["BulkCorrection"]["minProperties"] = 3  # op, id and at least one field
    del schemas["Memory"]["properties"]["etag"]  # it is a header
    _plain_references(schemas)
    return dict(sorted(schemas.items()))


def _plain_references(schema: Any) -> None:
    """Let a word of an answer be of its enumeration alone, though its field is a text."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            schema.pop("type", None)
        for each in schema.values():
            _plain_references(each)
    elif isinstance(schema, list):
        for each in schema:
            _plain_references(each)


def _parameters(operation: Operation[Any]) -> list[dict[str, Any]]:
    headers = {
        KEY: operation.once,
        MATCH: operation.if_match,
        PROJECT: operation.in_projects,
        LAST_EVENT: operation.is_stream,
    }
    query = None if operation.takes_body else operation.takes
    return [
        *_declared(InPath, "path", re.findall(r"\{(\w+)\}", operation.path)),
        *(_declared(query, "query", shape_fields(query)) if query is not None else []),
        *_declared(InHeaders, "header", [name for name, is_taken in headers.items() if is_taken]),
    ]


def _declared(shape: type[Struct], where: str, names: Iterable[str]) -> list[dict[str, Any]]:
    """Return some fields of a shape as parameters. None of them can be null: `null` says that one may be left out."""
    _, schemas = msgspec.json.schema_components([shape], ref_template=_REFERENCE)
    declared = schemas[shape.__name__]
    found = []
    for name in names:
        schema = declared["properties"][name]
        given = {key: value for key, value in schema.items() if key not in {"anyOf", "description"}}
        if given.get("default", 0) is None:
            del given["default"]
        for one in schema.get("anyOf", ()):
            given |= {} if one == {"type": "null"} else one
        given.pop("description", None)
        is_required = name in declared.get("required", ())
        parameter = {"name": name, "in": where, "required": is_required, "schema": given}
        found.append({**parameter, "description": schema["description"]})
    return found


def _request_body(operation: Operation[Any]) -> dict[str, Any]:
    if operation.name == "import_user":
        schema: dict[str, Any] = _export_schema()
    elif operation.takes is not None and operation.takes_body:
        schema = {"$ref": _REFERENCE.format(name=operation.takes.__name__)}
    else:
        return {}
    return {"requestBody": {"content": {"application/json": {"schema": schema}}, "required": True}}


def _export_schema() -> dict[str, Any]:
    """Return the outermost fields of an export; the whole schema is `docs/reference/export.schema.json`."""
    rows = {"type": "array", "items": {"type": "object"}}
    known: dict[str, Any] = {
        "format": {"const": FORMAT},
        "version": {"const": VERSION},
        **dict.fromkeys(ROWS, rows),
    }
    return {
        "type": "object",
        "description": "An export, as `docs/reference/export.schema.json` has it in full.",
        "properties": known,
        "required": [*known],
        "examples": [{"format": FORMAT, "version": VERSION, **{name: [] for name in ROWS}}],
    }


def _responses(operation: Operation[Any]) -> dict[str, Any]:
    shape = operation.answers
    description = (inspect.getdoc(shape) or "") if issubclass(shape, Struct) else "Done."
    done: dict[str, Any] = {"description": description.partition("\n\n")[0]}
    if shape is Memory:
        done["headers"] = _ETAG
    if shape is not type(None):
        done["content"] = {operation.media_type: {"schema": _answer_schema(shape)}}
    statuses = sorted({each.status for each in operation.failures})
    failed = {
        str(status): _failed([each for each in operation.failures if each.status == status])
        for status in statuses
    }
    return {str(operation.status): done, **failed}


def _answer_schema(shape: type) -> dict[str, Any]:
    if issubclass(shape, Struct):
        return {"$ref": _REFERENCE.format(name=shape.__name__)}
    return {"type": "string" if shape is str else "object"}


def _failed(failures: Iterable[Failure]) -> dict[str, Any]:
    examples = {one.code: {"summary": one.code, "value": msgspec.to_builtins(one.body)} for one in failures}
    content = {"schema": {"$ref": _REFERENCE.format(name="ErrorBody")}, "examples": examples}
    return {
        "description": " Or: ".join(one.meaning or one.message for one in failures),
        "content": {"application/problem+json": content},
    }


_OF_TYPE: dict[Any, Any] = {
    str: "text",
    bool: False,
    int: 3,
    float: 0.5,
    UUID: MEMORY,
    datetime: WHEN,
    date: WHEN.date(),
    Any: "value",
}


def example_of(shape: type[Struct]) -> dict[str, Any]:
    """Return an example of ``shape`` as plain JSON values, without what may be left out."""
    found = {
        field.encode_name: _example(field.type)
        for field in msgspec.structs.fields(shape)
        if UnsetType not in get_args(field.type) or _is_first(shape, field.name)
    }
    config = shape.__struct_config__
    tagged = {} if config.tag_field is None else {config.tag_field: config.tag}
    return {**tagged, **{name: msgspec.to_builtins(value) for name, value in found.items()}}


def _is_first(shape: type[Struct], name: str) -> bool:
    """Whether a field is the first of a change: the example changes that."""
    return name == shape.__struct_fields__[0] and name != "id"


def _example(declared: Any) -> Any:
    origin, parts = get_origin(declared), get_args(declared)
    if origin is Annotated:
        own = [each.examples[0] for each in parts[1:] if isinstance(each, Meta) and each.examples]
        return own[-1] if own else _example(parts[0])
    if origin in {Union, UnionType}:
        return None if type(None) in parts else _example(parts[0])
    if origin is list:
        return [_example(parts[0])]
    if origin is dict:
        return {"name": _example(parts[1])}
    return _of_class(declared)


def _of_class(declared: Any) -> Any:
    if declared in _OF_TYPE:
        return _OF_TYPE[declared]
    return example_of(declared) if issubclass(declared, Struct) else next(iter(declared)).value
