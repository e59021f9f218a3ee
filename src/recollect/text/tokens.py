"""Estimates how many tokens a text costs a model. It does without a tokenizer, which differs by model.

Characters are counted by class (letters, digits, marks, scripts) and each class has a weight, in
hundredths of a token. The weights of a family were fitted by weighted 0.9 quantile regression to the
true counts of its tokenizer on 2,392 texts of about 350 to 1,500 characters (English talk and
documentation, markdown, Python, JavaScript, C, SQL, JSON, shell, logs, and program messages in 28 other
languages). The weights of signs, pictures, surrogates and other scripts are set by hand, so is a minimum for
line ends, and higher weights for scripts whose everyday sentences (in the tests) cost more. The 0.9 quantile
holds over all texts, not for each language: Dutch and Finnish come out up to a tenth too low. A run of letters
costs as much as its parts, any other run at most as much, so two texts never cost less apart than joined.
"""

import re
import string
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import mul

from recollect.text import read_table
from recollect.text.patterns import Pattern, bounded

_HUNDRED = 100

_LETTERS = string.ascii_letters.encode()
_CAPITALS = string.ascii_uppercase.encode()
_DIGITS = string.digits.encode()
_GROUPS_OF_DIGITS = re.compile(rb"[0-9]{1,3}")
_ASCII, _NOT_ASCII = bytes(range(128)), bytes(range(128, 256))
_KINDS = bytes(
    ord("a") if chr(byte).isalnum() else ord(" ") if chr(byte) in "\t\n\v\f\r " else ord("!")
    for byte in range(128)
).ljust(256)
"""Each ASCII character as a letter or digit, as a space or line end, or as a mark."""

_SCRIPTS = (
    ((0x00, 0x02), (0x1E, 0x1E)),  # Latin with accents; also the signs of Latin-1
    ((0x03, 0x03), (0x1F, 0x1F)),  # Greek
    ((0x04, 0x04),),  # Cyrillic
    ((0x05, 0x05),),  # Hebrew
    ((0x06, 0x08),),  # Arabic
    ((0x09, 0x0D),),  # the scripts of India
    ((0x0E, 0x0E),),  # Thai and Lao
    ((0x30, 0x30),),  # Japanese syllables
    ((0x11, 0x11), (0xAC, 0xD7)),  # Korean
    ((0x2E, 0x2F), (0x31, 0x9F), (0xF9, 0xFA), (0xFF, 0xFF)),  # Chinese, full width
    ((0x20, 0x25),),  # dashes, quotation marks, arrows, signs
    ((0x26, 0x2B), (0xFE, 0xFE)),  # pictures and what varies them
    ((0xD8, 0xDF),),  # surrogate halves of UTF-16: emoji, rare Chinese
)
"""The pages (of 256 code points) of each script, by the upper byte of UTF-16."""


def _pages() -> bytes:
    scripts = bytearray([len(_SCRIPTS)]) * 256
    for script, ranges in enumerate(_SCRIPTS):
        for first, last in ranges:
            scripts[first : last + 1] = bytes([script]) * (last + 1 - first)
    return bytes(scripts)


_SCRIPT_OF_PAGE = _pages()
_COMBINING = bounded("[\u0300-\u036f]")
_ARMENIAN = bounded("[\u0530-\u058f]")
_LATIN, _GREEK, _HEBREW, _ELSEWHERE = 0, 1, 3, len(_SCRIPTS)


@dataclass(frozen=True, slots=True)
class _Family:
    """The cost of each class in the tokenizer that a family of models shares.

    Attributes:
        ascii: Hundredths of a token for each letter, capital (besides), digit, group of three digits,
            mark, run of marks (besides), space, line end.
        beyond: Hundredths of a token for each character of the scripts above, in their order (for surrogates:
            for each half), and of any script that is not there.
    """

    ascii: tuple[int, ...]
    beyond: tuple[int, ...]


def _families() -> dict[str, _Family]:
    """Return the families by name: ``general`` is the largest count of several, which serves for unknown models."""
    table: dict[str, dict[str, list[int]]] = read_table("recollect.text", "tokens")
    weights = ((name, table[name]) for name in table if name != "models")
    return {name: _Family(tuple(each["ascii"]), tuple(each["beyond"])) for name, each in weights}


_FAMILIES = _families()
_GENERAL = _FAMILIES["general"]
_OF_MODELS = tuple(
    (bounded(pattern), _FAMILIES[family])
    for pattern, family in read_table("recollect.text", "tokens")["models"].items()
)
"""Expressions for the names of models, in order, and the family of each."""

_LONGEST_NAME = 200
"""Characters of a model's name that are looked at."""


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of ``text`` for an unknown model.

    It errs on the side of too many, so that a budget is kept rather than passed: English talk comes
    out about a fifth too high (formal prose of long words more), Chinese at about 1.3 tokens a character. Only the empty text has none.
    """
    return -(-estimate_hundredths(text) // _HUNDRED)


def estimate_hundredths(text: str) -> int:
    """Return what ``estimate_tokens`` rounds up: hundredths of a token, to add up without loss."""
    return _hundredths(text, _GENERAL)


@lru_cache(maxsize=256)
def token_counter(model: str) -> Callable[[str], int]:
    """Return the counter of a model's family by its name on the wire; ``estimate_tokens`` for a model of no family known."""
    name = model[:_LONGEST_NAME].lower()
    for pattern, family in _OF_MODELS:
        if pattern.search(name):
            return _counter_of(family)
    return estimate_tokens


@cache
def _counter_of(family: _Family) -> Callable[[str], int]:
    return lambda text: -(-_hundredths(text, family) // _HUNDRED)


def _hundredths(text: str, family: _Family) -> int:
    encoded = text.encode("utf-8", "surrogatepass")
    ascii_text = encoded if len(encoded) == len(text) else encoded.translate(None, _NOT_ASCII)
    cost: int = sum(map(mul, _ascii_counts(ascii_text), family.ascii))
    if len(ascii_text) < len(text):
        others = encoded.translate(None, _ASCII).decode("utf-8", "surrogatepass")
        cost += sum(map(mul, _counts_beyond_ascii(others), family.beyond))
    return cost


def _ascii_counts(ascii_text: bytes) -> tuple[int, ...]:
    digits = _count(_DIGITS, ascii_text)
    kinds = ascii_text.translate(_KINDS)
    runs_of_marks = kinds.count(b"a!") + kinds.count(b" !") + kinds.startswith(b"!")
    lines = ascii_text.count(b"\n")
    return (
        _count(_LETTERS, ascii_text),
        _count(_CAPITALS, ascii_text),
        digits,
        len(_GROUPS_OF_DIGITS.findall(ascii_text)) if digits else 0,
        kinds.count(b"!"),
        runs_of_marks,
        kinds.count(b" ") - lines,
        lines,
    )


def _counts_beyond_ascii(text: str) -> list[int]:
    pages = text.encode("utf-16-le", "surrogatepass")[1::2].translate(_SCRIPT_OF_PAGE)
    counts = [pages.count(script) for script in range(len(_SCRIPTS) + 1)]
    _move(_COMBINING, text, counts, _GREEK, _LATIN)
    _move(_ARMENIAN, text, counts, _HEBREW, _ELSEWHERE)
    return counts


def _move(characters: Pattern, text: str, counts: list[int], page: int, to: int) -> None:
    """Count characters that share a page with another script for their own script."""
    if counts[page]:
        found = len(characters.findall(text))
        counts[page] -= found
        counts[to] += found


def _count(characters: bytes, text: bytes) -> int:
    return len(text) - len(text.translate(None, characters))
