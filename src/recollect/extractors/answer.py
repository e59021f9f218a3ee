"""Reads what an extraction model answered. Never: HTTP, what becomes of a candidate.

Models wrap their JSON in prose, code fences and thoughts, break it off, and get types wrong; a
statement that can be read is read, one that can't is left out.
"""

import json
import math
import re
from collections.abc import Iterator
from datetime import date, datetime, time
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field, ValidationError

from recollect.errors import InvalidExtractionError
from recollect.model import STATEMENTS, Candidate, Kind, Relation

ITEM_LIMIT = 100
"""The most statements read of one answer."""

ANSWER_LENGTH = 200_000
"""The most characters of an answer that are looked at: as many as such statements can need."""

_ATTEMPTS = 120  # a page of opening brackets must not be parsed from each of them
_FENCES = 10
_CONTAINERS = ("memories", "facts", "candidates", "statements", "items", "results")
_NOTHING = frozenset({"none", "null", "nothing", "no memories", "{}", "[]"})
_EARLIEST, _LATEST = date(1000, 1, 1), date(9000, 1, 1)  # converting to UTC must not leave datetime's range

_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_FENCE = re.compile(r"```[ \t]*+(?:\w++[ \t]*+)?\n(.*?)(?:```|\Z)", re.DOTALL)
# A string is matched to step over it; its closing quote is optional, so that each is scanned once.
_STRING_OR_COMMA = re.compile(r'"(?:[^"\\]++|\\.)*+"?|,(?=\s*[}\]])', re.DOTALL)
_OPENING = re.compile(r"[{\[]")
_NUMBER = re.compile(r"\d{1,6}")


def read_answer(text: str, *, at: datetime) -> list[Candidate]:
    """Return the candidates the model's answer holds, at most ``ITEM_LIMIT``.

    Args:
        text: What the model answered.
        at: When the message was written; event dates get its time zone.

    Raises:
        InvalidExtractionError: Nothing in the answer can be read. The message says what is wrong
            in words the model may be shown, and quotes nothing of the answer.
    """
    items = _find_items(text[:ANSWER_LENGTH])
    if items is None:
        raise InvalidExtractionError('It holds no JSON object with a list "memories".')
    read: list[_Item] = []
    problem = ""
    for item in items[:ITEM_LIMIT]:
        try:
            read.append(_Item.model_validate(item))
        except ValidationError as error:
            problem = problem or _describe(error)
    if items and not read:
        raise InvalidExtractionError(f"No memory in it is complete: {problem}.")
    out_of_ten = any(item.importance is not None and item.importance > 1 for item in read)
    return [_candidate(item, at=at, out_of_ten=out_of_ten) for item in read]


def _without_thoughts(text: str) -> str:
    """Leave out a thinking model's thoughts; some servers deliver only their closing tag."""
    without = _THOUGHT.sub("", text)
    return _THOUGHT_END.split(without)[-1].strip()


def _find_items(text: str) -> list[Any] | None:
    """Return the list of raw statements in ``text``, or None when there is none.

    Where there are several, the last counts: the ones before are drafts.
    """
    spoken = _without_thoughts(text)
    if spoken.strip(" .\n").casefold() in _NOTHING:
        return []
    fenced = _FENCE.findall(spoken)[-_FENCES:]
    for whole in dict.fromkeys((text, spoken, *reversed(fenced))):
        items = _items_of(_parse(whole))
        if items is not None:
            return items
    last: list[Any] | None = None
    single: list[Any] = []
    for value in _values_in(_STRING_OR_COMMA.sub(_drop_comma, spoken)):
        if isinstance(value, dict) and "content" in value:
            single.append(value)
        else:
            items = _items_of(value)
            last = items if items is not None else last
    return last if last is not None else single or None


def _items_of(value: object) -> list[Any] | None:
    if isinstance(value, list):
        # "[0]" and the like in prose are lists too
        return value if not value or any(isinstance(item, dict) for item in value) else None
    if not isinstance(value, dict):
        return None
    for name in _CONTAINERS:
        if name in value:
            inner = value[name]
            return inner if isinstance(inner, list) else [] if inner is None else [inner]
    return [value] if "content" in value else None


def _parse(text: str) -> object:
    for attempt in (text, _STRING_OR_COMMA.sub(_drop_comma, text)):
        try:
            return json.loads(attempt)
        except (ValueError, RecursionError):
            continue
    return None


def _values_in(text: str) -> Iterator[object]:
    """Yield the JSON objects and lists that stand in ``text``, also behind one that breaks off."""
    decoder = json.JSONDecoder()
    position = 0
    for _ in range(_ATTEMPTS):
        opening = _OPENING.search(text, position)
        if opening is None:
            return
        try:
            value, position = decoder.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            position = opening.end()
        else:
            yield value


def _drop_comma(match: re.Match[str]) -> str:
    return "" if match[0] == "," else match[0]


def _describe(error: ValidationError) -> str:
    """Say what the first bad field lacks, without its content."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    return f"{'.'.join(str(part) for part in first['loc'])[:60] or 'memory'}: {first['type']}"


def _clean(text: object) -> object:
    """Leave out what no database column takes: NULs and lone surrogates."""
    if not isinstance(text, str):
        return text
    return text.replace("\0", "").encode("utf-8", "ignore").decode("utf-8").strip()


def _one_line(text: object) -> object:
    cleaned = _clean(text)
    return " ".join(cleaned.split()) if isinstance(cleaned, str) else cleaned


def _quote(value: object) -> object:
    if isinstance(value, list):
        value = next((part for part in value if isinstance(part, str)), "")
    return _clean(value) if isinstance(value, str) else ""


def _kind(value: object) -> Kind:
    name = value.strip().casefold() if isinstance(value, str) else ""
    return Kind(name) if name in STATEMENTS else Kind.FACT


def _relation(value: object) -> Relation:
    name = value.strip().casefold() if isinstance(value, str) else ""
    return Relation(name) if name in list(Relation) else Relation.NEW


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _about(value: object) -> int | None:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, str):
        digits = _NUMBER.search(value)
        value = int(digits[0]) if digits else None
    number = _number(value)
    return int(number) if number is not None and number >= 0 else None


def _day(value: object) -> datetime | date | None:
    if not isinstance(value, str):
        return None
    text = value.strip()
    try:
        return date.fromisoformat(text) if len(text) == len("2000-01-01") else datetime.fromisoformat(text)
    except ValueError:
        return None


class _Item(BaseModel):
    """One statement as the model wrote it; only the content must be there."""

    content: Annotated[str, BeforeValidator(_one_line)] = Field(
        validation_alias=AliasChoices("content", "memory", "fact", "statement", "text")
    )
    evidence: Annotated[str, BeforeValidator(_quote)] = Field(
        "", validation_alias=AliasChoices("evidence", "quote")
    )
    kind: Annotated[Kind, BeforeValidator(_kind)] = Field(
        Kind.FACT, validation_alias=AliasChoices("kind", "type", "category")
    )
    importance: Annotated[float | None, BeforeValidator(_number)] = None
    confidence: Annotated[float | None, BeforeValidator(_number)] = None
    relation: Annotated[Relation, BeforeValidator(_relation)] = Relation.NEW
    about: Annotated[int | None, BeforeValidator(_about)] = None
    event: Annotated[datetime | date | None, BeforeValidator(_day)] = Field(
        None, validation_alias=AliasChoices("event_date", "event_at", "date")
    )


def _candidate(item: _Item, *, at: datetime, out_of_ten: bool) -> Candidate:
    importance = 0.5 if item.importance is None else item.importance
    if out_of_ten and importance >= 1:
        importance /= 10
    confidence = 1.0 if item.confidence is None else item.confidence
    return Candidate(
        content=item.content,
        kind=item.kind,
        importance=min(1.0, max(0.0, importance)),
        evidence=item.evidence,
        confidence=min(1.0, max(0.0, confidence)),
        relation=item.relation,
        about=item.about,
        event_at=_moment(item.event, at),
    )


def _moment(event: datetime | date | None, at: datetime) -> datetime | None:
    if event is None:
        return None
    moment = event if isinstance(event, datetime) else datetime.combine(event, time())
    if not _EARLIEST <= moment.date() <= _LATEST:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=at.tzinfo)
