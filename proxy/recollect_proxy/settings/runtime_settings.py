"""The settings that can be changed while Recollect runs, as fields of a form."""

from dataclasses import dataclass
from enum import Enum
from typing import Any, get_type_hints

import msgspec

from recollect.api.fields import DAYS, ZONE
from recollect.api.people import CommonFlagsChange, FlagsChange
from recollect.model import Lifetimes
from recollect.model.local_time import zone_named

OF_ADMINISTRATORS = ("session_cap", "user_cap", "operator_instructions")
"""Limits on a user's memories, and the operator's instructions, which only administrators change."""


@dataclass(frozen=True, slots=True)
class FlagField:
    """The type and limits of a flag.

    Attributes:
        name: The flag's name.
        choices: The allowed values; `true` and `false` for a switch; empty: any.
        least: The least value of a number.
        most: The largest value of a number; of a text the most characters.
    """

    name: str
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    is_whole: bool = False
    is_text: bool = False

    def value(self, text: str) -> Any:
        """Return the value of a form's field; None for an empty one, which takes a change back.

        Raises:
            ValueError: The flag can't have this value.
        """
        if not text.strip():
            return None
        try:
            # Written as JSON each kind of value reads in one way; a choice is a string.
            written = text.replace("\r\n", "\n").strip()  # RFC 7578, section 4.2
            change = msgspec.convert({self.name: written}, FlagsChange, strict=False)
        except msgspec.ValidationError as error:
            raise ValueError(self.name) from error
        if misread(change):
            raise ValueError(self.name)
        return getattr(change, self.name)

    def text(self, value: Any) -> str:
        """Return the text of a value in a form's field; "" for None."""
        if value is None:
            return ""
        if isinstance(value, bool):
            return "true" if value else "false"
        return str(value.value if isinstance(value, Enum) else value)


def misread(change: CommonFlagsChange) -> tuple[str, str] | None:
    """Return the name of a setting whose new text can't be parsed, and the form that it needs; None if all can be."""
    zone, days = change.time_zone, getattr(change, "lifetimes", None)
    if isinstance(zone, str) and zone_named(zone) is None:
        return "time_zone", ZONE
    if isinstance(days, str):
        try:
            Lifetimes.from_texts(days.split(","))
        except ValueError:
            return "lifetimes", DAYS
    return None


def flag_fields() -> tuple[FlagField, ...]:
    """Return the fields of all flags, by the types that the API declares."""
    types = get_type_hints(FlagsChange, include_extras=True)
    return tuple(_field(name, msgspec.inspect.type_info(declared)) for name, declared in types.items())


def _field(name: str, declared: msgspec.inspect.Type) -> FlagField:
    """Return the field for a declared type; ``None`` next to it is ignored."""
    match declared:
        case msgspec.inspect.Metadata(type=inner):
            return _field(name, inner)
        case msgspec.inspect.UnionType(types=types):
            [told] = [each for each in types if not isinstance(each, msgspec.inspect.NoneType)]
            return _field(name, told)
        case msgspec.inspect.BoolType():
            return FlagField(name, choices=("true", "false"))
        case msgspec.inspect.StrType(max_length=most):
            return FlagField(name, most=most, is_text=True)
        case msgspec.inspect.EnumType(cls=cls):
            return FlagField(name, choices=tuple(each.value for each in cls))
        case msgspec.inspect.IntType(ge=least, le=most) | msgspec.inspect.FloatType(ge=least, le=most):
            is_whole = isinstance(declared, msgspec.inspect.IntType)
            return FlagField(name, least=least, most=most, is_whole=is_whole)
        case _:
            raise TypeError(f"{name} is nothing that a form can ask for: {declared}.")
