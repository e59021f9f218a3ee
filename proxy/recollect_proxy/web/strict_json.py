"""Reads JSON values strictly, as the types of the API. A message states a field's requirement and never repeats a value.

msgspec converts a value; the rest of a field's JSON Schema, such as the length of a text, is checked here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from functools import cache
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, Struct
from msgspec import inspect as types

from recollect.api.fields import ID, NOT_BLANK, NOT_EMPTY
from recollect.model import COMMONS, SEPARATOR
from recollect.text.normalization import is_unfilled

Shape = TypeVar("Shape", bound=Struct)

_FORMS = {
    NOT_BLANK: " that are not only white space",
    NOT_EMPTY: "",
    ID["pattern"]: ", not `*`, no unfilled template, without U+001F",
}
"""The requirement of each pattern of a text."""

_SIMPLE = {
    types.BoolType: "true or false",
    types.DateTimeType: "a date and time with its offset from UTC (RFC 3339), as 2026-03-15T09:30:00Z",
}


@dataclass(frozen=True, slots=True)
class ShapeField:
    """A field of a shape.

    Attributes:
        name: Its name in Python.
        declared: Its annotated type.
        base: Its type as msgspec describes it, without descriptions and null.
        schema: The additions of its annotations to its JSON Schema.
        requirement: The words after "must be"; without null.
    """

    name: str
    declared: Any
    base: types.Type
    schema: Mapping[str, Any]
    is_required: bool
    is_nullable: bool
    requirement: str

    def convert(self, given: Any, *, strict: bool = True) -> Any:
        """Return a JSON value as the field keeps it: trimmed, in UTC, without repetitions; if ``strict``, a text is no number.

        Raises:
            ValueError: It does not meet the field's requirement.
        """
        if isinstance(self.base, types.IntType) and isinstance(given, float) and given.is_integer():
            given = int(given)  # JSON Schema counts 9.0 as an integer
        try:
            return _checked(msgspec.convert(given, self.declared, strict=strict), self.base, self.schema)
        except (msgspec.ValidationError, OverflowError) as error:
            raise ValueError(self.requirement) from error


class WrongValueError(ValueError):
    """A field is unknown, missing or wrong; its name is None if that may not be repeated."""

    def __init__(self, name: str | None, message: str) -> None:
        super().__init__(message)
        self.name = name


def read_values(given: Mapping[str, Any], shape: type[Shape], *, strict: bool = True) -> Shape:
    """Return JSON values by field as a shape; ``strict`` as in ``ShapeField.read``.

    Raises:
        WrongValueError: A field is unknown, missing or wrong.
    """
    known = shape_fields(shape)
    for name in given:
        if name not in known:
            raise WrongValueError(
                repeatable(name), f"There is an unknown field. Known are {', '.join(known)}."
            )
    read: dict[str, Any] = {}
    for name, field in known.items():
        if name in given:
            try:
                read[field.name] = field.convert(given[name], strict=strict)
            except (ValueError, RecursionError) as error:
                null = ", or null" if field.is_nullable else ""
                raise WrongValueError(name, f"`{name}` must be {field.requirement}{null}.") from error
        elif field.is_required:
            raise WrongValueError(name, f"`{name}` is missing.")
    return shape(**read)


def repeatable(name: str) -> str | None:
    """Return a name that a message may repeat; any other may be a text of a user's."""
    return name if name.isidentifier() and len(name) < 64 else None  # noqa: PLR2004


def shaped(told: Any, shape: type[Shape]) -> Shape:
    """Return a mapping, or an object with attributes, as a shape; both may nest in each other."""
    return msgspec.convert(told, shape, from_attributes=True)


@cache
def shape_fields(shape: type[Struct]) -> dict[str, ShapeField]:
    """Return the fields of a shape, by their names in JSON."""
    return {each.encode_name: _field(each) for each in msgspec.structs.fields(shape)}


def _field(known: msgspec.structs.FieldInfo) -> ShapeField:
    kind = types.type_info(known.type)
    base, schema = _bare(kind, {})
    outer = kind.type if isinstance(kind, types.Metadata) else kind
    is_nullable = isinstance(outer, types.UnionType) and outer.includes_none
    requirement = _requirement(base, schema)
    return ShapeField(known.name, known.type, base, schema, known.required, is_nullable, requirement)


def _bare(kind: types.Type, schema: Mapping[str, Any]) -> tuple[types.Type, Mapping[str, Any]]:
    """Return a type without annotations and null, and ``schema`` with their additions."""
    match kind:
        case types.Metadata():
            return _bare(kind.type, {**schema, **(kind.extra_json_schema or {}), **(kind.extra or {})})
        case types.UnionType():
            return _bare(next(each for each in kind.types if not isinstance(each, types.NoneType)), schema)
    return kind, schema


def _requirement(base: types.Type, schema: Mapping[str, Any]) -> str:
    match base:
        case _ if "must" in schema:
            return str(schema["must"])
        case types.EnumType():
            return f"one of {', '.join(base.cls)}"
        case types.IntType() | types.FloatType():
            number = "a whole number" if isinstance(base, types.IntType) else "a number"
            return f"{number} from {base.ge} to {base.le}"
        case types.ListType():
            item = _requirement(*_bare(base.item_type, schema.get("items", {})))
            least = f"{schema['minItems']} to " if "minItems" in schema else "at most "
            return f"a list of {least}{schema['maxItems']}, each {item}"
        case types.StrType():
            form = _FORMS.get(schema.get("pattern", ""), "")
            return f"a string of 1 to {schema.get('maxLength')} characters{form}, without NUL"
    return _SIMPLE.get(type(base), "")


def _checked(value: Any, base: types.Type, schema: Mapping[str, Any]) -> Any:
    match base, value:
        case _, None:
            return None
        case types.StructType(), _:
            shape: type[Struct] = type(value)
            for field in shape_fields(shape).values():
                given = getattr(value, field.name)
                if given is not UNSET:
                    setattr(value, field.name, _checked(given, field.base, field.schema))
        case types.DateTimeType(), _:
            if value.year not in schema.get("years", (value.year,)):
                raise ValueError
            return value.astimezone(UTC)
        case types.ListType(), _:
            item, of_item = _bare(base.item_type, schema.get("items", {}))
            if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
                raise ValueError
            found = [_checked(each, item, of_item) for each in value]
            return found if isinstance(item, types.StructType) else list(dict.fromkeys(found))
        case types.StrType(), _ if "maxLength" in schema:
            return _checked_text(value, schema["maxLength"], schema["pattern"])
    return value


def _checked_text(text: str, longest: int, pattern: str) -> str:
    if not 0 < len(text) <= longest or "\0" in text:
        raise ValueError
    if pattern == ID["pattern"] and (text == COMMONS or SEPARATOR in text or is_unfilled(text)):
        raise ValueError
    if pattern != NOT_BLANK:
        return text
    trimmed = text.strip()
    if not trimmed:
        raise ValueError
    return trimmed
