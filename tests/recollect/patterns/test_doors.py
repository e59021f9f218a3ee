"""Both doors give what ``re`` gives, and nothing that people write meets any other expression."""

import ast
import random
import re
import sys
import unicodedata
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.architecture import Module, modules
from tests.recollect.patterns.compiled_patterns import linear_ones
from tests.support.tables import table

from recollect.text.patterns import anchored, bounded, linear

REPOSITORY = Path(__file__).parents[3]
_FUNCTIONS = {
    *("compile", "search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn", "template"),
    "purge",
}
_WORDS = st.sampled_from(["a", "ab", "b", " ", "\n", "\u00e9", "1", "aa b", ",", "\u8bf7", "ba ", "\ud83d"])
_EXPRESSIONS = (
    *(r"a", r"\w{1,3}", r"\b", r"a?", r"(a)|b?", r"(?<=a)b", r"(?=b)", r"^a", r"a{0,3}$", r"\Aa", r"b\Z"),
    *(r"\s*,?", r"(?<!\w)a{1,2}(?!\w)", r"(?P<x>a|(?P<y>b))", r"a{2}?|", r"(?!a)"),
)

EXCEPTIONS = {
    "recollect.text.patterns": "the doors themselves; what is compiled there reads one character, or our own expressions",
    "recollect.model.local_time": "a name of 64 characters at most, and its whole",
    "recollect.store.sql": "our own files of queries and migrations",
    "recollect.text.tokens": "bytes: three digits at most, counted",
    "recollect.wire.raw_json": "bytes, which the doors do not take: what is repeated is possessive, of a string the first thousand; and an automaton in linear time",
    "recollect.wire.turn": "bytes of a request: what is repeated is possessive",
    "recollect_proxy.identity.plain_header": "bytes of a header, which the server bounds; nothing in it is repeated",
    "recollect_proxy.upstream.connection": "bytes of a header: one byte",
    "recollect_proxy.web.paths": "bytes of a path, which the server bounds; what is repeated can be read in one way",
    "recollect_proxy.web.headers": "bytes of a header: as long as a key of ours",
    "recollect_proxy.doctor.captured_request": "bytes of a file that an operator names; its parts exclude each other",
    "recollect_proxy.memory_api.memory_operations": "a parameter of a query, of a bounded length, in one fixed form",
    "recollect_proxy.memory_api.documentation": "our own paths",
    "recollect.client": "our own paths",
    "recollect.text.memory_requests": "our own list of requests, of which it makes expressions",
    "recollect_proxy.store_commands.options_of_commands": "a part of an id, whose length it says",
    "recollect_memories": "an id, whose length it says; it runs where the package is not",
    "recollect_events": "an id, whose length it says; it runs where the package is not",
}
"""Where ``re`` is used itself, and why it may be."""


_NAMED = re.compile(r"\b(?:re2?|regex)\b")


def _uses_re(module: Module) -> bool:
    return _NAMED.search(module.text) is not None and any(
        (isinstance(node, ast.Attribute) and node.attr in _FUNCTIONS and _is_re(node.value))
        or (isinstance(node, ast.ImportFrom) and node.module in {"re", "re2", "regex"})
        or (isinstance(node, ast.Import) and any(each.name in {"re2", "regex"} for each in node.names))
        for node in module.nodes
    )


def _is_re(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "re"


def test_re_is_used_where_it_says_why_and_nowhere_else() -> None:
    shipped = [each for each in modules(REPOSITORY) if each.name.split(".")[0] not in {"bench", "examples"}]
    assert {module.name for module in shipped if _uses_re(module)} == set(EXCEPTIONS)


def test_all_that_is_linear_is_read_by_re2() -> None:
    assert linear_ones()
    for each in linear_ones():
        each.search("")  # raises where RE2 does not read it


@given(st.sampled_from(_EXPRESSIONS), st.lists(_WORDS, max_size=60).map("".join), st.integers(12, 40))
def test_what_is_shorter_than_half_a_window_is_found_as_ever(pattern: str, text: str, longest: int) -> None:
    ours, theirs = bounded(pattern, longest=longest), re.compile(pattern)

    assert [each.span() for each in ours.finditer(text)] == [each.span() for each in theirs.finditer(text)]
    assert ours.findall(text) == theirs.findall(text)
    assert ours.sub("<\\g<0>>", text) == theirs.sub("<\\g<0>>", text)
    assert ours.split(text) == theirs.split(text)
    found = ours.search(text)
    assert (found and found.span()) == ((other := theirs.search(text)) and other.span())


@given(st.sampled_from(_EXPRESSIONS), st.lists(_WORDS, max_size=20).map("".join), st.integers(0, 30))
def test_a_place_is_asked_as_re_asks_it(pattern: str, text: str, at: int) -> None:
    ours, theirs = anchored(pattern), re.compile(pattern)

    for one, other in ((ours.match, theirs.match), (ours.fullmatch, theirs.fullmatch)):
        found, expected = one(text, at), other(text, at)
        assert (found and found.span()) == (expected and expected.span())


def test_of_a_longer_match_as_much_is_found_as_a_window_holds() -> None:
    assert [len(each) for each in bounded("a+", longest=10).findall("a" * 25)] == [10, 10, 5]
    assert bounded("a+b", longest=10).search("a" * 25 + "b") is not None
    assert bounded("xa+b", longest=10).search("x" + "a" * 25 + "b") is None


def test_what_is_longer_than_a_window_is_no_whole() -> None:
    assert anchored("a*", longest=10).fullmatch("a" * 10)
    assert anchored("a*", longest=10).fullmatch("a" * 11) is None


@pytest.mark.parametrize("name", ["w", "d", "s", "W", "D", "S"])
def test_a_class_is_what_python_means_by_it(name: str) -> None:
    assert linear(rf"\{name}+").findall(every_character()) == re.findall(rf"\{name}+", every_character())


@cache
def every_character() -> str:
    """Return all assigned characters of Unicode; a later version assigns more."""
    return "".join(
        chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) not in {"Cn", "Cs"}
    )


@given(
    st.sampled_from([r"[^\n.]+\.?", r"\w+", r"(?P<a>a+)|(b)", r"\s+", r"[\w,]+", r"a\Z", "\u8bf7|[\\u00e9]"]),
    st.lists(_WORDS, max_size=20).map("".join),
)
def test_what_is_linear_finds_what_re_finds(pattern: str, text: str) -> None:
    ours, theirs = linear(pattern), re.compile(pattern)

    assert [each.span() for each in ours.finditer(text)] == [each.span() for each in theirs.finditer(text)]
    assert [each.groupdict() for each in ours.finditer(text)] == [
        each.groupdict() for each in theirs.finditer(text)
    ]


@table(
    ("pattern", "text"),
    [(r"\x{2022}+", "\u2022\u2022"), (r"\p{L}+", "\u00e9a"), (r"[\x{61}-\x{63}]+", "abc")],
)
def test_a_name_in_braces_may_be_repeated(pattern: str, text: str) -> None:
    assert linear(pattern).fullmatch(text)


@table("pattern", [r"a*+b", r"a{2}+b", r"\p{L}++b", r"[^\W\d]", r"(?=a)", r"(?<!a)b", r"(a)\1"])
def test_what_re2_can_not_mean_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="RE2"):
        linear(pattern).search("ab")


def test_flags_stand_for_what_they_stand_for_in_python() -> None:
    assert linear("^A.b$", re.IGNORECASE | re.MULTILINE | re.DOTALL).search("x\na\nB\n")
    with pytest.raises(ValueError, match="flag"):
        linear("a", re.VERBOSE)


def test_megabytes_are_read_by_both() -> None:
    letters = random.Random(1).choices("ab c.\n", k=500_000)  # quadratic time would take hours
    text = "".join(letters)

    assert sum(1 for _ in linear(r"[^.\n]+[.\n]").finditer(text)) > 25_000
    assert bounded(r"(?:a+b?)+x").search(text) is None
