"""Recognizes code identifiers in a text, and splits them into parts.

Strict on purpose: a brand or a surname with a capital inside, a sentence that begins without a space, and an abbreviation with
dots are prose.
"""

import re

from recollect.text.lexical.folding import LETTER
from recollect.text.lexical.stop_words import english_stop_words
from recollect.text.patterns import anchored, bounded

_LONGEST = 256
"""Characters of the longest identifier: a longer run without spaces is read as prose."""
_MOST_PARTS = 12
"""An identifier of more parts than this is a digest or a blob: it is found whole or not at all."""

_EXTENSIONS = (
    "bash|bat|bib|c|cc|cfg|cjs|conf|cpp|cs|css|csv|cxx|dart|db|dll|docx|env|exe|gif|go|gz|h|hpp|hs|html|ini|ipynb|"
    "jar|java|jpeg|jpg|js|json|jsonl|jsx|kt|lock|log|lua|md|mjs|mp3|mp4|parquet|pdf|php|png|pptx|proto|ps1|py|pyi|"
    "pyx|rb|rs|rst|scala|scss|sh|so|sql|svelte|svg|swift|tar|tex|tf|toml|ts|tsv|tsx|txt|vue|wasm|wav|xlsx|xml|yaml|"
    "yml|zip|zsh"
)
_FILE = anchored(rf"(?:{LETTER}[\w.+-]*)?{LETTER}\.(?:{_EXTENSIONS})", re.IGNORECASE)
_ROOTED_PATH = anchored(r"(?:~|\.{1,2})?/[\w.+-]{2,}(?:/[\w.+-]+)+")
_SNAKE = anchored(r"_*[^\W_]+(?:_+[^\W_]+)+_*|__[a-z][a-z0-9]*__")
_CAMEL = anchored(r"_*[a-z][a-z0-9]+(?:[A-Z]+[a-z0-9]+)+[A-Z]*")
_PASCAL = anchored(
    r"_*[A-Z]+[a-z0-9]+(?:[A-Z]+[a-z0-9]+)*[A-Z]+[a-z][a-z0-9]*[A-Z]*|[A-Z]{3,}[a-z]{2,}[a-z0-9]*"
)
_SURNAME = anchored(r"(?:Da|De|Del|Della|Di|Du|Fitz|La|Le|Ma?c|St|Van|Von)[A-Z][a-z]+")
_FLAG = anchored(r"--[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_VERSION = anchored(r"[vV]\d+(?:\.\d+)+(?:-[a-z0-9.]+)?")
_ERROR_CODE = anchored(r"[A-Z]\d{4,}|[A-Z]{2,6}-?\d{4,}(?:-\d+)?|0[xX][0-9a-fA-F]{2,}")
_NO_WORD = bounded(r"\W+")
_BETWEEN_NAMES = bounded(r"\.|::|->|#")
_NAME = anchored(r"[^\W\d]\w*")
_SEPARATOR = bounded(r"[^\w]+|_+")
_HUMP = bounded(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+[0-9]*|[0-9]+")

_BRAND_NAMES = """
    airbnb airpods bitcoin bytedance chatgpt deepmind deepseek doordash dropbox ebay espn facebook facetime fedex
    github gitlab imessage iphone icloud ikea imovie instagram javascript jetbrains latex linkedin macbook mastercard
    mcdonald mcdonalds mongodb mysql netflix openai paypal playstation postgresql powerpoint sharepoint snapchat
    soundcloud spacex stackoverflow tiktok tripadvisor typescript volkswagen wechat whatsapp wifi wordpress xbox youtube
"""
_BRANDS = frozenset(_BRAND_NAMES.split())
"""Names everybody writes, and some write with a hump."""


def is_identifier(token: str) -> bool:
    """Return whether ``token``, as written and without spaces, is an identifier of code.

    Names in camelCase, PascalCase, snake_case or CONSTANT_CASE, dotted names, flags, files, rooted
    paths, versions (v1.2.3), error codes (E1234, CVE-2021-44228, 0x80070005).
    """
    if len(token) > _LONGEST or (token.isalpha() and (token.islower() or token.istitle() or token.isupper())):
        return False
    if _FLAG.fullmatch(token):
        return token[2:] not in english_stop_words()
    return (
        _is_name(token)
        or any(pattern.fullmatch(token) for pattern in (_FILE, _ROOTED_PATH, _VERSION, _ERROR_CODE))
        or _is_file_path(token)
        or _is_dotted(token)
    )


def is_version(token: str) -> bool:
    """Return whether ``token`` is a version with its prefix, ``v1.2.3``; without the prefix it might be a date."""
    return bool(_VERSION.fullmatch(token))


def parts(identifier: str) -> tuple[list[str], list[str]]:
    """Return the names inside an identifier, as written, and the words inside those.

    ``Foo.barBaz`` has the name ``barBaz`` and the words ``Foo``, ``bar`` and ``Baz``. Names that are
    one word are among the words only. A version has no parts, nor has what has more than a person writes.
    """
    if is_version(identifier):
        return [], []
    names = [name for name in _NO_WORD.split(identifier) if name]
    words_by_name = [_words(name) for name in names]
    words = [word for found in words_by_name for word in found]
    if len(words) > _MOST_PARTS:
        return [], []
    if len(names) == 1:
        return [], words
    return [name for name, found in zip(names, words_by_name, strict=True) if len(found) > 1], words


def _words(name: str) -> list[str]:
    """Return the words of a name by its underscores and, in ASCII, its humps."""
    pieces = [piece for piece in _SEPARATOR.split(name) if piece]
    return [word for piece in pieces for word in (_HUMP.findall(piece) if piece.isascii() else [piece])]


def _is_name(token: str) -> bool:
    if _SNAKE.fullmatch(token):
        return True
    if not (_CAMEL.fullmatch(token) or _PASCAL.fullmatch(token)):
        return False
    return token.casefold() not in _BRANDS and not _SURNAME.fullmatch(token)


def _is_file_path(token: str) -> bool:
    """Return whether ``token`` is a path that ends in a file; ``and/or`` is not."""
    _, slash, last = token.replace("\\", "/").rpartition("/")
    return bool(slash) and bool(_FILE.fullmatch(last))


def _is_dotted(token: str) -> bool:
    """Return whether ``token`` is a dotted name, neither an abbreviation nor the seam of two sentences."""
    segments = _BETWEEN_NAMES.split(token)
    if len(segments) == 1 or not all(_NAME.fullmatch(segment) for segment in segments):
        return False
    if any(_is_name(segment) for segment in segments):
        return True
    if "." not in token:
        return True
    return all(
        len(segment) > 1 and (index == 0 or (segment.islower() and segment not in english_stop_words()))
        for index, segment in enumerate(segments)
    )
