"""Finds repetition within repetition that can be read in many ways, in the standard library's tree."""

import re
from collections.abc import Iterator
from functools import cache
from re import _constants as kinds  # type: ignore[attr-defined]  # the standard library's own reading of patterns
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

_SAMPLES = frozenset(chr(code) for code in (*range(9, 0x590), 0x2019, 0x3002, 0x3042, 0x30A2, 0x8BF7, 0xAC00))
_REPEATS = {kinds.MAX_REPEAT, kinds.MIN_REPEAT}
_NOTHING: frozenset[str] = frozenset()
_CATEGORIES = {
    kinds.CATEGORY_DIGIT: r"\d",
    kinds.CATEGORY_NOT_DIGIT: r"\D",
    kinds.CATEGORY_SPACE: r"\s",
    kinds.CATEGORY_NOT_SPACE: r"\S",
    kinds.CATEGORY_WORD: r"\w",
    kinds.CATEGORY_NOT_WORD: r"\W",
}


def ambiguous(pattern: str, flags: int = 0) -> list[str]:
    """Return the repeated parts of an expression whose end may as well be the beginning of their next round.

    A part that is repeated without an end, and ends in something that is, too: where what it ends in holds a character
    that the part may begin with, a long run of that is divided in twice as many ways with each character.
    """
    return list(_within(parser.parse(pattern, flags)))


def _within(nodes: Any) -> Iterator[str]:
    for kind, value in nodes:
        if kind in _REPEATS and value[1] == kinds.MAXREPEAT:
            shared = _ends(value[2]) & _begins(value[2])
            if shared and not _is_single(value[2]):
                yield "".join(sorted(shared)[:20])
        for inner in _parts(kind, value):
            yield from _within(inner)


def _parts(kind: Any, value: Any) -> list[Any]:
    if kind is kinds.BRANCH:
        return list(value[1])
    if kind is kinds.SUBPATTERN:
        return [value[-1]]
    if kind in {*_REPEATS, kinds.POSSESSIVE_REPEAT}:
        return [value[2]]
    if kind in {kinds.ASSERT, kinds.ASSERT_NOT}:
        return [value[1]]
    return [value] if kind is kinds.ATOMIC_GROUP else []


def _is_single(nodes: Any) -> bool:
    """Tell whether it is one character, which can be repeated in one way alone."""
    return len(nodes) == 1 and nodes[0][0] in {kinds.LITERAL, kinds.NOT_LITERAL, kinds.IN, kinds.ANY}


def _begins(nodes: Any) -> frozenset[str]:
    """Return the characters that a match may begin with."""
    found = _NOTHING
    for kind, value in nodes:
        found |= _first(kind, value)
        if not _may_be_empty(kind, value):
            break
    return found


def _first(kind: Any, value: Any) -> frozenset[str]:
    if kind in {kinds.ASSERT, kinds.ASSERT_NOT}:
        return _NOTHING
    parts = _parts(kind, value)
    return _NOTHING.union(*map(_begins, parts)) if parts else _characters(kind, value)


def _ends(nodes: Any) -> frozenset[str]:
    """Return the characters of what a match may end in that is repeated without an end."""
    found = _NOTHING
    for kind, value in reversed(list(nodes)):
        if kind in {kinds.ASSERT, kinds.ASSERT_NOT}:
            continue
        parts = _parts(kind, value)
        if kind in _REPEATS and value[1] == kinds.MAXREPEAT and _is_single(value[2]):
            found |= _begins(value[2])
        elif kind not in {kinds.POSSESSIVE_REPEAT, kinds.ATOMIC_GROUP} and parts:
            found = found.union(*map(_ends, parts))
        if not _may_be_empty(kind, value):
            break
    return found


def _may_be_empty(kind: Any, value: Any) -> bool:
    if kind in {kinds.AT, kinds.ASSERT, kinds.ASSERT_NOT}:
        return True
    if kind in {*_REPEATS, kinds.POSSESSIVE_REPEAT}:
        return value[0] == 0 or all(_may_be_empty(*each) for each in value[2])
    parts = _parts(kind, value)
    return bool(parts) and any(all(_may_be_empty(*each) for each in part) for part in parts)


def _characters(kind: Any, value: Any) -> frozenset[str]:
    if kind is kinds.LITERAL:
        return frozenset({chr(value).lower(), chr(value).upper()})
    if kind is kinds.NOT_LITERAL:
        return _SAMPLES - {chr(value)}
    if kind is kinds.ANY:
        return _SAMPLES - {"\n"}
    if kind is not kinds.IN:
        return _NOTHING
    is_negated = value[0][0] is kinds.NEGATE
    found = _NOTHING.union(*(_members(*each) for each in value[is_negated:]))
    return _SAMPLES - found if is_negated else found


def _members(kind: Any, value: Any) -> frozenset[str]:
    if kind is kinds.LITERAL:
        return frozenset({chr(value)})
    if kind is kinds.RANGE:
        return frozenset(each for each in _SAMPLES if value[0] <= ord(each) <= value[1])
    return _of_category(_CATEGORIES[value])


@cache
def _of_category(escape: str) -> frozenset[str]:
    return frozenset(each for each in _SAMPLES if re.match(escape, each))
