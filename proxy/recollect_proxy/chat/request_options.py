"""Reads a request's options: `x-recollect-*` headers, or a `recollect` object in the body. Pure."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from recollect.engine.turns.prompt_content import NO_OPTIONS, RecallOptions
from recollect.model import LONGEST_PROJECT, Placement, project_name
from recollect.text.normalization import is_unfilled
from recollect_proxy.identity.caller import header_text, opaque_id
from recollect_proxy.web.asgi import Headers
from recollect_proxy.web.error_answers import Failure, invalid_option

_PREFIX = b"x-recollect-"
_MOST_TOKENS = 100_000
_MOST_MEMORIES = 100

Value = str | int | bool


class RefusedError(ValueError):
    """A request is refused because of its options or its model; ``failure`` tells the client why."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.code)
        self.failure = failure


def _invalid(name: str, wanted: str) -> RefusedError:
    return RefusedError(invalid_option(name, wanted))


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """The options of one request.

    Attributes:
        mark: Whether the user marks the message as valuable.
        session: The chat it belongs to; None: the headers or the messages identify it.
        project: The person's project whose memory it is; "": the person's own.
        includes_memories: Whether the answer is to show the memories it was given.
    """

    recall: RecallOptions = NO_OPTIONS
    remember: bool = True
    mark: bool = False
    session: str | None = None
    project: str = ""
    includes_memories: bool = False


def _switch(name: str, value: Value) -> bool:
    words = {"on": True, "true": True, "1": True, "off": False, "false": False, "0": False}
    known = words.get(str(value).strip().lower())
    if known is None:
        raise _invalid(name, "on or off")
    return known


def _count(most: int) -> Callable[[str, Value], int]:
    def parse(name: str, value: Value) -> int:
        number = str(value).strip()
        # True is an int to Python. Nine digits are enough to be above every limit, and of more `int` raises an error.
        if isinstance(value, bool) or not (number.isascii() and number.isdigit() and int(number[:9]) <= most):
            raise _invalid(name, f"a whole number from 0 to {most}")
        return int(number[:9])

    return parse


def _placement(name: str, value: Value) -> Placement:
    try:
        return Placement(str(value).strip().lower())
    except ValueError:
        raise _invalid(name, "one of " + ", ".join(Placement)) from None


def _session(name: str, value: Value) -> str | None:
    named = value.strip() if isinstance(value, str) else value
    session = opaque_id(named)
    if session is None:
        if isinstance(named, str) and is_unfilled(named):
            return None  # as if it were not sent
        raise _invalid(name, "a text of 1 to 256 characters, none of them NUL, not * alone")
    return session


def _project(name: str, value: Value) -> str:
    project = None if isinstance(value, str) and is_unfilled(value) else project_name(value)
    if project is None:
        raise _invalid(name, f"a text of 1 to {LONGEST_PROJECT} characters in one line, no unfilled template")
    return project


def _included(_name: str, value: Value) -> bool:
    return "memories" in {item.strip().lower() for item in str(value).split(",")}


_OPTIONS: dict[str, tuple[Callable[[str, Value], Any], str]] = {
    "session": (_session, ""),
    "project": (_project, ""),
    "top_k_memories": (_count(_MOST_MEMORIES), "limit"),
    "max_memory_tokens": (_count(_MOST_TOKENS), "memory_tokens"),
    "max_history_tokens": (_count(_MOST_TOKENS), "history_tokens"),
    "include_history": (_switch, "history"),
    "recall": (_switch, "recall"),
    "placement": (_placement, "placement"),
    "remember": (_switch, ""),
    "mark": (_switch, ""),
    "include": (_included, ""),
}
"""Reads each option; the name is that of the field of ``RecallOptions``, "" for another."""

_NAMES = frozenset({"session", "project"})
"""The options that may be in any script: their headers are decoded as an id of the frontend's is."""

_OF_HEADERS = {_PREFIX + name.replace("_", "-").encode(): name for name in _OPTIONS}


def read_request_options(headers: Headers, options: msgspec.Raw | None) -> RequestOptions:
    """Return the options in a request's headers, of which the last of a name counts, and in the object from its body.

    An option in the body wins over the header of the same name.

    Raises:
        RefusedError: An option makes no sense.
    """
    given: dict[str, Value] = {}
    for name, value in headers:
        option = _OF_HEADERS.get(name.lower())
        if option is not None and value.strip():
            text = value.decode("latin-1")
            # A header that is sent several times is one list (RFC 9110, section 5.3).
            before = f"{given[option]}," if option == "include" and option in given else ""
            given[option] = (header_text(value) or text) if option in _NAMES else before + text
    given |= _of_body(options)
    read = {name: _OPTIONS[name][0](name, value) for name, value in given.items()}
    return RequestOptions(
        recall=RecallOptions(
            **{field: value for name, value in read.items() if (field := _OPTIONS[name][1])}
        ),
        remember=read.get("remember", True),
        mark=read.get("mark", False),
        session=read.get("session"),
        project=read.get("project", ""),
        includes_memories=read.get("include", False),
    )


def _of_body(options: msgspec.Raw | None) -> dict[str, Value]:
    if options is None:
        return {}
    try:
        found = msgspec.json.decode(options)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise _invalid("recollect", "a JSON object")
    if unknown := sorted(found.keys() - _OPTIONS.keys()):
        raise _invalid(unknown[0][:50], "one of " + ", ".join(_OPTIONS))
    for name, value in found.items():
        if isinstance(value, list) and name == "include":
            found[name] = ",".join(map(str, value))
        elif not isinstance(value, str | int | bool | None):
            raise _invalid(name, "a text, a whole number, true or false")
    return {name: value for name, value in found.items() if value is not None}
