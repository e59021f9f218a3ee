"""All expressions on people's text: those of every module. Never: a test."""

import gc
import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from typing import TypeVar

from tests.recollect.patterns.alternatives import alternatives

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
