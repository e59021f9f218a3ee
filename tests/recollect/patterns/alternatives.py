"""Texts that a pattern's alternatives match, one each: what repeats them finds a pattern that is read in many ways. Never: a test."""

import re
from collections.abc import Iterator
from itertools import islice
from re import _constants as kinds  # type: ignore[attr-defined]  # the standard library's own reading of patterns
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

_MOST = 400


def alternatives(pattern: str) -> list[str]:
    """Return a short text for each alternative of a pattern, wherever in it, at most so many; those within it too."""
    texts = islice(_of(parser.parse(pattern, re.MULTILINE)), _MOST)
    return sorted({text.strip() for text in texts if text.strip()})


def _of(nodes: Any) -> Iterator[str]:
    """Yield texts: the first of each node's one after the other, then again with each other one in its place."""
    each = [list(islice(_node(kind, value), _MOST)) or [""] for kind, value in nodes]
    yield "".join(texts[0] for texts in each)
    for place, texts in enumerate(each):
        before, behind = ("".join(other[0] for other in part) for part in (each[:place], each[place + 1 :]))
        for text in texts[1:]:
            yield before + text + behind


def _node(kind: Any, value: Any) -> Iterator[str]:
    if kind is kinds.BRANCH:
        for branch in value[1]:
            yield from _of(branch)
    elif kind in {kinds.SUBPATTERN, kinds.ATOMIC_GROUP}:
        yield from _of(value[-1] if kind is kinds.SUBPATTERN else value)
    elif kind in {kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT}:
        least, _, inner = value
        yield from (text * max(least, 1) for text in _of(inner))
        yield from () if least else ("",)
    else:
        yield _character(kind, value)


def _character(kind: Any, value: Any) -> str:
    """Return a character that is matched; none where it is an edge, or a look around."""
    if kind is kinds.LITERAL:
        return chr(value)
    if kind is kinds.IN:
        return _one_of(value)
    return "a" if kind in {kinds.ANY, kinds.NOT_LITERAL} else ""


def _one_of(members: Any) -> str:
    """Return a character of a set, a plain one where it can be told."""
    kind, value = members[0]
    if kind is kinds.LITERAL:
        return chr(value)
    if kind is kinds.RANGE:
        return chr(value[0])
    if kind is kinds.CATEGORY:
        return {kinds.CATEGORY_DIGIT: "1", kinds.CATEGORY_SPACE: " ", kinds.CATEGORY_NOT_WORD: "-"}.get(
            value, "a"
        )
    return "a"
