"""Reads the statements and commands in an extraction model's answer.

Models get types wrong and leave fields out; a statement that can be read is read, one that can't is left out.
"""

from collections.abc import Collection
from dataclasses import replace
from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, Any, TypeVar

from pydantic import AliasChoices, BeforeValidator, Field, ValidationError

from recollect.errors import InvalidExtractionError
from recollect.model import (
    MOST_TAGS,
    STATEMENTS,
    TAG_LENGTH,
    Asking,
    Candidate,
    ExtractedCommand,
    Kind,
    Lasting,
    Relation,
    Stance,
    tags_named,
)
from recollect.models.extractors.json_answers import (
    ANSWER_LENGTH,
    breaks,
    clean,
    day,
    find,
    finite,
    first_day,
    in_one_line,
    indexes,
    last_day,
    lines_of,
    list_in,
    loosely,
    moment,
    values_within,
    whole_values,
    word,
    yes,
)
from recollect.models.extractors.schema import HintFields
from recollect.ports import Extracted
from recollect.text.attribution.thoughts import without_thoughts

ITEM_LIMIT = 100
"""The most statements read of one answer."""

COMMAND_LIMIT = 10
"""The most commands read of one answer."""

_CONTAINERS = ("memories", "facts", "candidates", "statements", "items", "results")
_BESIDE = frozenset({"words", "wishes"})
_OTHERS = frozenset({"pasted", "played"})
"""The author of a message without words of the person."""
_NOTHING = frozenset({"none", "null", "nothing", "no memories", "{}", "[]"})
_ONESELF = frozenset({"", "null", "none", "person", "the person", "user", "the user", "self", "me", "i"})
"""The subjects by which models name the person."""

_KINDS = {str(kind): kind for kind in STATEMENTS}
_ASKINGS = {str(asking): asking for asking in Asking}
_Word = TypeVar("_Word", bound=StrEnum)


def _one_of(default: _Word) -> BeforeValidator:
    """Read a word of the default's enumeration; any other counts as the default."""
    words = {str(each): each for each in type(default)}
    return BeforeValidator(lambda value: words.get(word(value), default))


def with_rest(found: Extracted, rest: Extracted) -> Extracted:
    """Return what two answers hold, without repetitions in the second."""
    known = {each.content for each in found.candidates}
    new = tuple(each for each in rest.candidates if each.content not in known)
    commands = tuple(dict.fromkeys((*found.commands, *rest.commands)))
    return replace(rest, candidates=(*found.candidates, *new), commands=commands)


def read_answer(
    text: str, *, at: datetime, known: int, name: str | None = None, tags: Collection[str] = ()
) -> Extracted:
    """Return the content of the model's answer: at most ``ITEM_LIMIT`` candidates, and ``COMMAND_LIMIT`` commands.

    Dates get the time zone of ``at``, the message's. Numbers of other memories than the ``known`` ones, and other tags than the
    operator's, are left out. A statement about the person's ``name`` is about the person.

    Raises:
        InvalidExtractionError: Nothing in the answer can be read. The message names the fault in words for the model, and quotes
            nothing of the answer.
    """
    items, is_whole = _find_items(text[:ANSWER_LENGTH])
    if not is_whole and (loose := loosely(text)):
        found, is_whole = _find_items(loose)
        items, text = (found, loose) if items is None or is_whole else (items, text)
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
    oneself = _ONESELF | {word(name), *word(name).split()[:1]}
    candidates = [_candidate(item, at, known, oneself, out_of_ten=out_of_ten) for item in read]
    chosen = [tuple(tag for tag in item.tags if tag in tags) for item in read]
    candidates = [replace(each, tags=own) for each, own in zip(candidates, chosen, strict=True)]
    if find(text, _are_of_others):
        candidates = [replace(each, of_others=True) for each in candidates]
    is_whole = is_whole and len(read) == len(items[:ITEM_LIMIT])
    return Extracted(tuple(candidates), _commands(text, known), is_whole=is_whole)


def _find_items(text: str) -> tuple[list[Any] | None, bool]:
    """Return the list of raw statements in ``text``, or None when there is none; and whether the list came to its end."""
    if without_thoughts(text).strip(" .\n").casefold() in _NOTHING:
        return [], True
    for whole in whole_values(text):
        items = _items_of(whole)
        if items is not None:
            return items, True
    last: list[Any] | None = None
    single: list[Any] = []
    for value in values_within(text):
        if value == [] and "{" in text:
            continue  # a field of an answer that breaks off
        if isinstance(value, dict) and "content" in value:
            single.append(value)
        else:
            items = _items_of(value)
            last = items if items is not None else last
    is_whole = text.count("{") <= text.count("}") and not breaks(text)
    return (single or None) if last is None else last, is_whole


def _items_of(value: object) -> list[Any] | None:
    if isinstance(value, list):
        # "[0]" and the like in prose are lists too, and so are the commands of an answer that breaks off
        items = [item for item in value if isinstance(item, dict) and "asking" not in item]
        return value if items or not value else None
    if not isinstance(value, dict):
        return None
    for name in _CONTAINERS:
        if name in value:
            inner = value[name]
            return inner if isinstance(inner, list) else [] if inner is None else [inner]
    if "content" in value:
        return [value]
    return [] if value and value.keys() <= _BESIDE else None


def _describe(error: ValidationError) -> str:
    """Describe the fault of the first bad field, without its content."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    return f"{'.'.join(str(part) for part in first['loc'])[:60] or 'memory'}: {first['type']}"


def _quote(value: object) -> str:
    if isinstance(value, list):
        value = next((part for part in value if isinstance(part, str)), "")
    return clean(value) or ""


def _commands(text: str, known: int) -> tuple[ExtractedCommand, ...]:
    """Return the requests to the memory, without those of an unknown kind or without words."""
    read = []
    for item in (find(text, _commands_of) or [])[:COMMAND_LIMIT]:
        asking = _ASKINGS.get(word(item.get("asking"))) if isinstance(item, dict) else None
        evidence = _quote(item.get("evidence")) if asking is not None else ""
        if asking is not None and evidence:
            read.append(ExtractedCommand(asking, evidence, _known_numbers(indexes(item.get("about")), known)))
    return tuple(read)


def _commands_of(value: object) -> list[Any] | None:
    inner = value if isinstance(value, list) else list_in(value, "wishes")
    if inner is None:
        return None
    if _are_of_others(value):
        return []  # a page that asks for something to be forgotten is not the person who does
    names_wishes = isinstance(value, dict) or any(
        isinstance(item, dict) and "asking" in item for item in inner
    )
    return inner if names_wishes else None


def _are_of_others(value: object) -> bool | None:
    return (isinstance(value, dict) and word(value.get("words")) in _OTHERS) or None


def _known_numbers(numbers: tuple[int, ...], known: int, *but: int) -> tuple[int, ...]:
    return tuple(number for number in numbers if number < known and number not in but)


class _Item(HintFields):
    """One statement as the model wrote it; only the content must be there."""

    content: Annotated[str, BeforeValidator(in_one_line)] = Field(
        validation_alias=AliasChoices("content", "memory", "fact", "statement", "text")
    )
    evidence: Annotated[str, BeforeValidator(_quote)] = Field(
        "", validation_alias=AliasChoices("evidence", "quote")
    )
    confirms: Annotated[str, BeforeValidator(_quote)] = ""
    subject: Annotated[str | None, BeforeValidator(in_one_line)] = None
    stance: Annotated[Stance, _one_of(Stance.STATED)] = Stance.STATED
    steers: Annotated[bool, BeforeValidator(yes)] = False
    lasting: Annotated[Lasting, _one_of(Lasting.YEARS)] = Field(
        Lasting.YEARS, validation_alias=AliasChoices("lasts", "lasting")
    )
    kind: Annotated[Kind, BeforeValidator(lambda value: _KINDS.get(word(value), Kind.FACT))] = Field(
        Kind.FACT, validation_alias=AliasChoices("kind", "type", "category")
    )
    importance: Annotated[float | None, BeforeValidator(finite)] = None
    confidence: Annotated[float | None, BeforeValidator(finite)] = None
    relation: Annotated[Relation, _one_of(Relation.NEW)] = Relation.NEW
    about: Annotated[tuple[int, ...], BeforeValidator(indexes)] = ()
    ends: Annotated[tuple[int, ...], BeforeValidator(indexes)] = ()
    event: Annotated[datetime | date | None, BeforeValidator(day)] = Field(
        None, validation_alias=AliasChoices("event_date", "event_at", "date")
    )
    holds_from: Annotated[datetime | date | None, BeforeValidator(first_day)] = Field(
        None, validation_alias=AliasChoices("valid_from", "holds_from")
    )
    holds_until: Annotated[datetime | date | None, BeforeValidator(last_day)] = Field(
        None, validation_alias=AliasChoices("valid_to", "valid_until", "holds_until")
    )
    affects: Annotated[tuple[int, ...], BeforeValidator(indexes)] = ()
    tags: Annotated[
        tuple[str, ...], BeforeValidator(lambda value: tags_named(lines_of(value, MOST_TAGS, TAG_LENGTH)))
    ] = ()


def _candidate(
    item: _Item, at: datetime, known: int, oneself: frozenset[str], *, out_of_ten: bool
) -> Candidate:
    importance = 0.5 if item.importance is None else item.importance
    if out_of_ten and importance >= 1:
        importance /= 10
    confidence = 1.0 if item.confidence is None else item.confidence
    about = _known_numbers(item.about, known)
    ends = _known_numbers(item.ends, known, *about)
    since = moment(item.holds_from, at.tzinfo)
    until = moment(item.holds_until, at.tzinfo, is_end=True)
    if since is not None and until is not None and since > until:
        since = until = None  # one of them is wrong, and none can tell which
    return Candidate(
        content=item.content,
        kind=item.kind,
        importance=min(1.0, max(0.0, importance)),
        evidence=item.evidence,
        confidence=min(1.0, max(0.0, confidence)),
        relation=item.relation,
        about=about,
        event_at=moment(item.event, at.tzinfo),
        holds_from=since,
        holds_until=until,
        unsettles=_known_numbers(item.affects, known, *about, *ends),
        ends=ends,
        subject=None if word(item.subject) in oneself else item.subject,
        stance=item.stance,
        steers=item.steers,
        lasting=item.lasting,
        confirms=None if word(item.confirms) in {"", "null", "none"} else item.confirms,
        hints=item.hints,
    )
