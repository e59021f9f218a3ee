"""Which memories are asked for: the parameters of the list and of the search. Never: an endpoint."""

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from litestar.openapi.spec import Example
from litestar.params import QueryParameter

from recollect.model import SHOWN, Doubt, Kind, MemoryFilter, Source, State
from recollect.text.secrets.in_names import id_without_secrets
from recollect_proxy.identity import opaque_id
from recollect_proxy.memory_api.errors import invalid_parameter
from recollect_proxy.memory_api.parameters import ID_SCHEMA, time_named

LONGEST_TEXT = 200
"""Characters that a listed memory may be asked to contain."""

LONGEST_QUESTION = 2000
"""Characters that may be searched for."""

NOT_BLANK = r"^[\s\u001C-\u001F\u0085]*[^\s\u0000\u001C-\u001F\u0085][^\u0000]*$"
"""What the document says of a question: it is not only white space, as Python has it, and has no NUL."""

Kinds: TypeAlias = Annotated[
    list[Kind] | None,
    QueryParameter(
        name="kind",
        description="Only memories of this kind, or of one of these: `kind=fact&kind=todo`. Where none is named, exchanges kept "
        "as they were said (`qa_turn`) are left out.",
        examples=[Example(value=["fact"])],
    ),
]
Sources: TypeAlias = Annotated[
    list[Source] | None,
    QueryParameter(
        name="source",
        description="Only memories that came to be in this way, or in one of these.",
        examples=[Example(value=["manual"])],
    ),
]
Session: TypeAlias = Annotated[
    str | None,
    QueryParameter(
        name="session",
        description="Only memories that came from this chat: its id, percent-encoded.",
        schema_extra=ID_SCHEMA,
    ),
]
Text: TypeAlias = Annotated[
    str | None,
    QueryParameter(
        name="text",
        description=f"Only memories whose content holds this, in whatever case: 1 to {LONGEST_TEXT} characters.",
        schema_extra={"minLength": 1, "maxLength": LONGEST_TEXT, "pattern": r"^[^\u0000]+$"},
    ),
]
Question: TypeAlias = Annotated[
    str,
    QueryParameter(
        name="q",
        description=f"What is looked for, as a question or in words: 1 to {LONGEST_QUESTION} characters, "
        "not only white space.",
        schema_extra={"minLength": 1, "maxLength": LONGEST_QUESTION, "pattern": NOT_BLANK},
        examples=[Example(value="What am I allergic to?")],
    ),
]
StandingParameter: TypeAlias = Annotated[
    Doubt | None,
    QueryParameter(name="standing", description="Only memories that this speaks against."),
]
StateParameter: TypeAlias = Annotated[
    State,
    QueryParameter(
        name="state",
        description="`current`: what the user has; `past`: what was replaced, taken away or pruned, and is not erased; "
        "`all`: both.",
    ),
]


def _time(name: str, description: str) -> QueryParameter:
    return QueryParameter(
        name=name,
        description=f"{description}: a date and time with its offset from UTC (RFC 3339), percent-encoded "
        "(a plus sign is %2B).",
        schema_extra={"format": "date-time"},
    )


ObservedFrom: TypeAlias = Annotated[str | None, _time("from", "Only memories said then or later")]
ObservedUntil: TypeAlias = Annotated[str | None, _time("until", "Only memories said before then")]
AsOf: TypeAlias = Annotated[
    str | None,
    _time(
        "as_of",
        "What the user had then, each with what it said then, by the audit; `state` is meant of then, too",
    ),
]


@dataclass(frozen=True, slots=True)
class Times:
    """The times of a query, as they were sent."""

    observed_from: str | None = None
    observed_until: str | None = None
    as_of: str | None = None


def filter_of(
    times: Times,
    *,
    kinds: list[Kind] | None,
    sources: list[Source] | None,
    session: str | None,
    text: str | None,
    state: State,
    standing: Doubt | None,
) -> MemoryFilter:
    """Return what is asked for.

    Raises:
        RefusedError: A parameter is not what it must be.
    """
    if session is not None and opaque_id(session) is None:
        raise invalid_parameter(
            "session", "1 to 256 characters, without NUL, not `*` alone, and no unfilled template"
        )
    return MemoryFilter(
        kinds=shown_kinds(kinds, sources),
        sources=frozenset(sources or ()),
        session_id=None if session is None else id_without_secrets(session),
        text=None if text is None else bounded_text("text", text, LONGEST_TEXT),
        observed_from=time_named("from", times.observed_from),
        observed_until=time_named("until", times.observed_until),
        state=state,
        doubt=standing,
        as_of=time_named("as_of", times.as_of),
    )


def shown_kinds(kinds: list[Kind] | None, sources: list[Source] | None) -> frozenset[Kind]:
    """Return which kinds are asked for; none: any. Exchanges as they were said are shown to who asks for them."""
    return frozenset(kinds or ()) or (frozenset() if Source.QA_TURN in (sources or ()) else SHOWN)


def bounded_text(parameter: str, text: str, most: int) -> str:
    """Return a text that is looked for.

    Raises:
        RefusedError: It is empty, too long, or holds a NUL.
    """
    if not text or len(text) > most or "\0" in text:
        raise invalid_parameter(parameter, f"1 to {most} characters without NUL")
    return text
