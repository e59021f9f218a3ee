"""The types of fields that several shapes of the API share.

A word of an answer, as a memory's kind, is plain text to Python: an older client takes a newer server's words. The
document still names the enumeration it is from.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from enum import StrEnum
from itertools import islice
from typing import Annotated, Any, TypeAlias
from uuid import UUID

from msgspec import DecodeError, Meta, ValidationError, convert, json

from recollect.model import (
    LONGEST_LIFETIMES,
    LONGEST_PROJECT,
    MOST_KEYS,
    MOST_QUESTIONS,
    MOST_TAGS,
    MOST_TOPICS,
    QUESTION_LENGTH,
    TAG_LENGTH,
    TEAM,
    TOPIC_LENGTH,
    VALUE_LENGTH,
    YEARS,
    Doubt,
    Kind,
    Metadata,
    Use,
)

LONGEST_CONTENT = 8000
"""Characters a memory may have."""

MOST_CHANGES = 100
"""Memories that may be changed at once."""

MOST_USERS = 100
"""Users a memory may be shared with at once."""

LONGEST_TEXT = 200
"""Characters that a listed memory may be asked to contain."""

LONGEST_QUESTION = 2000
"""Characters that may be searched for."""

LONGEST_QUERY = 4000
"""Characters that a recall may be tried with."""

NOT_BLANK = r"^[\s\u001C-\u001F\u0085]*[^\s\u0000\u001C-\u001F\u0085][^\u0000]*$"
"""Not only white space, of which Python knows more than JSON Schema, and no NUL."""

LARGEST = 10**15
"""Numbers in metadata lie between this and its negative."""

KEY_OF_METADATA = r"^[A-Za-z0-9_.-]{1,40}(?!\n)$"
"""A key of metadata."""

PLAIN = r"^[^\u0000-\u001F\u007F-\u009F\u2028\u2029]*[^\s\u0000-\u001F\u007F-\u009F\u2028\u2029][^\u0000-\u001F\u007F-\u009F\u2028\u2029]*$"
"""One line that is not blank."""

NOT_EMPTY = r"^[^\u0000]+$"
"""No NUL."""

ID: dict[str, Any] = {"minLength": 1, "maxLength": 256, "pattern": r"^(?!\*$)[^\u0000\u001F]+$"}
"""The JSON Schema of the id of a user, or of a chat."""

WHEN = datetime(2026, 3, 15, 9, 30, tzinfo=UTC)
"""The time in examples."""

MEMORY = UUID("01980f6e-52f2-7d68-9d3f-0b6c2f6f2a10")
"""The id in examples."""

USER, CHAT = "7d9c1f52-2f1b-4c6e-9a53-0a8a3c1b7a11", "3e0d6a5b-6a38-4f0c-9a0e-2f4c6b8d1e57"
"""The ids of a user and of a chat in examples."""


def about(description: str, *, example: Any = None, must: str | None = None) -> Meta:
    """Return a field's description, perhaps an example, and its requirement where its type does not say that."""
    return Meta(
        description=description,
        examples=None if example is None else [example],
        extra=None if must is None else {"must": must},
    )


def word(of: type[StrEnum]) -> Meta:
    """Return the annotation of a word of an enumeration in an answer."""
    return Meta(
        extra_json_schema={"$ref": f"#/components/schemas/{of.__name__}"}, examples=[next(iter(of)).value]
    )


def one_of(*words: str) -> Meta:
    """Return the annotation of one of a few words in an answer."""
    return Meta(extra_json_schema={"enum": list(words)}, examples=[words[0]])


def bounded_text(
    most: int, description: str, *, pattern: str = NOT_EMPTY, example: str | None = None
) -> Meta:
    """Return the annotation of a text of 1 to ``most`` characters."""
    schema = {"minLength": 1, "maxLength": most, "pattern": pattern}
    return Meta(
        description=description, extra_json_schema=schema, examples=None if example is None else [example]
    )


def id_of(description: str, example: str = USER) -> Meta:
    """Return the annotation of the id of a user, or of a chat."""
    return Meta(description=description, extra_json_schema=ID, examples=[example])


Time: TypeAlias = Annotated[datetime, Meta(tz=True)]
Content: TypeAlias = Annotated[
    str,
    bounded_text(
        LONGEST_CONTENT,
        "The statement itself. White space around it is cut off.",
        pattern=NOT_BLANK,
        example="Is allergic to peanuts.",
    ),
]
UserId: TypeAlias = Annotated[str, id_of("As the frontend sends it, not encoded.")]
SessionId: TypeAlias = Annotated[str, id_of("Which chat: as the frontend sends it, not encoded.", CHAT)]
KindOfMemory: TypeAlias = Annotated[Kind, about("What sort of statement it is.")]
KindWord: TypeAlias = Annotated[str, word(Kind), about("What sort of statement it is.")]
Importance: TypeAlias = Annotated[
    float, Meta(description="From 0, trivial, to 1, vital.", ge=0, le=1, examples=[0.9])
]


def time_to_keep(description: str) -> Meta:
    """Return the annotation of a time that a memory is to have."""
    must = f"a date and time with its offset from UTC (RFC 3339), in the years {YEARS[0]} to {YEARS[-1]}"
    extra = {"must": must, "years": YEARS}
    return Meta(description=description, extra_json_schema={"pattern": "^[1-8]"}, extra=extra)


EventAt: TypeAlias = Annotated[
    Time | None, time_to_keep("When its event happens or happened; null if unknown.")
]
HoldsFrom: TypeAlias = Annotated[Time | None, time_to_keep("Since when it holds; null if unknown.")]
ExpiresAt: TypeAlias = Annotated[
    Time | None, time_to_keep("When it is forgotten by itself; null if it has no day of its own.")
]
HoldsUntil: TypeAlias = Annotated[Time | None, time_to_keep("Until when it holds; null if unknown.")]


ProjectName: TypeAlias = Annotated[
    str, bounded_text(LONGEST_PROJECT, "The project's name: one line.", pattern=PLAIN, example="boat")
]


TeamName: TypeAlias = Annotated[
    str,
    bounded_text(
        LONGEST_PROJECT - len(TEAM),
        "The team's id: one line. Requests name the team by `team:` with the id behind it.",
        pattern=PLAIN,
        example="family",
    ),
]


def _texts(most: int, description: str, example: str) -> Meta:
    """Return the annotation of a list of at most ``most`` texts."""
    return Meta(description=description, extra_json_schema={"maxItems": most}, examples=[[example]])


UseOfMemory: TypeAlias = Annotated[
    Use, about("When it is needed: for nearly every answer, certain topics, or only if asked.")
]
UseWord: TypeAlias = Annotated[
    Annotated[str, word(Use)] | None, about("When it is needed; null until that is known.")
]
Topics: TypeAlias = Annotated[
    list[Annotated[str, bounded_text(TOPIC_LENGTH, "Not blank.", pattern=NOT_BLANK)]],
    _texts(MOST_TOPICS, "Requests that need it, even unmentioned.", "gift ideas"),
]
Questions: TypeAlias = Annotated[
    list[Annotated[str, bounded_text(QUESTION_LENGTH, "Not blank.", pattern=NOT_BLANK)]],
    _texts(MOST_QUESTIONS, "Questions that need it, in the first person.", "What can I eat?"),
]
Tags: TypeAlias = Annotated[
    list[Annotated[str, bounded_text(TAG_LENGTH, "Not blank; upper case becomes lower.", pattern=NOT_BLANK)]],
    _texts(MOST_TAGS, "Its tags.", "family"),
]
_Number = Annotated[int, Meta(ge=-LARGEST, le=LARGEST)] | Annotated[float, Meta(ge=-LARGEST, le=LARGEST)]
_ValueOfMetadata: TypeAlias = (
    Annotated[str, Meta(max_length=VALUE_LENGTH, pattern=r"^[^\u0000]*$")] | bool | _Number
)
MetadataOfMemory: TypeAlias = Annotated[
    dict[
        Annotated[str, Meta(pattern=KEY_OF_METADATA)],
        _ValueOfMetadata,
    ],
    Meta(
        description=f"At most {MOST_KEYS} keys, each with a short text, a number or a truth value, for your programs.",
        max_length=MOST_KEYS,
        examples=[{"source": "crm", "priority": 2}],
        extra={
            "must": f"an object of at most {MOST_KEYS} keys, of 1 to 40 letters of ASCII, digits, `_`, `-` and `.`, each with a text of at "
            f"most {VALUE_LENGTH} characters without NUL, a number from -{LARGEST} to {LARGEST}, true or false"
        },
    ),
]


def readable_metadata(told: Mapping[object, object]) -> dict[str, Any]:
    """Return the values that metadata may have, at most ``MOST_KEYS`` of them; leave out the others."""
    kept: dict[str, Any] = {}
    for key, value in told.items():
        with suppress(ValidationError):
            kept |= convert({key: value}, MetadataOfMemory)
    return dict(islice(kept.items(), MOST_KEYS))


def metadata_named(pairs: Iterable[str]) -> dict[str, Any]:
    """Parse texts like `key:value`; a value that reads as a number or a truth value of JSON becomes one.

    Raises:
        ValidationError: They are no metadata: too many or too long, or a key that is not allowed.
    """
    split = (each.partition(":") for each in pairs)
    return convert({key.strip(): _scalar(value.strip()) for key, _, value in split}, MetadataOfMemory)


def pairs_of(metadata: Metadata) -> list[str]:
    """Return metadata as ``metadata_named`` reads them, each in one line."""
    return [
        f"{key}: {each if isinstance(each, str) and _is_plain(each) else json.encode(each).decode()}"
        for key, each in metadata.items()
    ]


def _is_plain(text: str) -> bool:
    return _scalar(text.strip()) == text and text.isprintable()


def _scalar(text: str) -> str | float:
    """Return the value that a text reads as; the text itself if metadata can't have that value."""
    try:
        value: str | float = json.decode(text, type=_ValueOfMetadata)
    except (DecodeError, UnicodeError):
        return text
    return value


DoubtWord: TypeAlias = Annotated[
    Annotated[str, word(Doubt)] | None, about("The doubt about it; null if none.")
]

ZONE = "a name of the IANA's database, as Pacific/Auckland, or an offset, as +13:00"
TimeZone = Annotated[
    Annotated[str, Meta(min_length=1, max_length=64)] | None,
    about(f"The time zone of the user's days, if a request names no other: {ZONE}.", must=ZONE),
]

DAYS = "kinds and #tags with days and commas between them, as todo:30,#work:365"
OF_LIFETIMES = about(
    f"After how many days memories of the user's are forgotten: {DAYS}. Of the operator's days and these the fewer count.",
    must=DAYS,
)
LifetimesText = Annotated[
    Annotated[str, Meta(min_length=1, max_length=LONGEST_LIFETIMES)] | None, OF_LIFETIMES
]
