"""All expressions on people's text: those of every module."""

import gc
import importlib
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from re import _constants as kinds  # type: ignore[attr-defined]  # the standard library's own reading of patterns
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, TypeVar

import recollect
import recollect_proxy
from recollect.text.patterns import Anchored, Linear

_Kind = TypeVar("_Kind")


@cache
def modules() -> tuple[str, ...]:
    """Import every module of the packages, and return their names."""
    names = [
        found.name
        for package in (recollect, recollect_proxy)
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        if not found.name.endswith("__main__")
    ]
    for name in names:
        importlib.import_module(name)
    return tuple(names)


@cache
def anchored_and_bounded() -> tuple[Anchored, ...]:
    """Return the expressions that Python's engine reads, each once."""
    return tuple({(each.pattern, each.flags): each for each in _made(Anchored)}.values())


@cache
def linear_ones() -> tuple[Linear, ...]:
    """Return the expressions that RE2 reads, each once."""
    return tuple({each.written: each for each in _made(Linear)}.values())


def texts_of(pattern: str) -> list[str]:
    """Return what is repeated to find an expression that is read in many ways: a text for each of its alternatives."""
    return [*alternatives(pattern), "a ", "a", " ", "1", "\u8bf7", "-", "\n", ". "]


def _made(kind: type[_Kind]) -> Iterator[_Kind]:
    modules()
    gc.unfreeze()  # a server that another test started in this process may have frozen what there was
    yield from (each for each in gc.get_objects() if isinstance(each, kind))


_MOST = 400


def alternatives(pattern: str) -> list[str]:
    """Return a short text for each alternative of a pattern, wherever in it, at most so many; those within it too."""
    texts = islice(_texts_in(parser.parse(pattern, re.MULTILINE)), _MOST)
    return sorted({text.strip() for text in texts if text.strip()})


def _texts_in(nodes: Any) -> Iterator[str]:
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
            yield from _texts_in(branch)
    elif kind in {kinds.SUBPATTERN, kinds.ATOMIC_GROUP}:
        yield from _texts_in(value[-1] if kind is kinds.SUBPATTERN else value)
    elif kind in {kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT}:
        least, _, inner = value
        yield from (text * max(least, 1) for text in _texts_in(inner))
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
