"""Makes an example of a shape out of its fields: each field's own, else one of its type. Pure. Never: an operation."""

from datetime import date, datetime
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin
from uuid import UUID

import msgspec
from msgspec import Meta, Struct, UnsetType

from recollect.api.fields import MEMORY, WHEN

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
