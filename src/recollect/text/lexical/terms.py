"""The terms by which a text is found, and those a question looks for.

A text is cut into chunks at its spaces. Each chunk is read once, wherever it stands: into identifiers and numbers as they
are, and words to be stemmed; the results are cached. Writing whose words are not parted by spaces gives overlapping
n-grams: pairs for Chinese, Japanese and Korean, as in Lucene's CJKAnalyzer; triples for Thai, Lao, Burmese and Khmer,
whose few dozen letters would make pairs say too little. Japanese is cut where the script changes, so that a word of one
Han character between kana stands alone.

The rule for identifiers of code is strict on purpose: a brand or a surname with a capital inside, a sentence that
begins without a space, and an abbreviation with dots are prose.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from recollect.text.lexical.languages import (
    HAN_FUNCTION_CHARACTERS,
    HAN_FUNCTION_WORDS,
    SYLLABIC_STOP_BIGRAMS,
    english_stop_words,
    language_of,
    word_terms,
    written,
)
from recollect.text.lexical.letters import (
    HAN,
    HANGUL,
    HIRAGANA,
    KATAKANA,
    LETTER,
    LONGEST_TERM,
    SPACELESS,
    clipped,
    fold,
    readable,
)
from recollect.text.patterns import anchored, bounded

_KEPT_READINGS = 8_192
_PUNCTUATION = ".,;:!?\"'()[]{}*`<>\u201c\u201d\u201e\u00ab\u00bb\u2026\u3002\u3001\u060c\u061f|"

_LINK = r"(?:https?://|www\.)[^\s<>\"'`{}|\\^\[\]\x00-\x1f\ud800-\udfff]+"
_TOKEN = bounded(
    rf"(?P<link>{_LINK})|(?P<han>[{HAN}]+)|(?P<hiragana>[{HIRAGANA}]+)|(?P<katakana>[{KATAKANA}]+)"
    rf"|(?P<hangul>[{HANGUL}]+)|(?P<spaceless>[{SPACELESS}]+)|(?P<sharp>(?<!\w)[cCfF](?:\+\+|\#)(?!\w))"
    rf"|(?P<compound>(?:(?<![\w-])--|(?:~|(?<!\.)\.{{1,2}})?(?<![\w/])/)?"
    rf"{LETTER}+(?:(?:::|->|[./\\:'@+&=~\#-]|(?<=\d),(?=\d)){LETTER}+)*)(?P<call>\(\))?"
)
_BEFORE_HOST = bounded(r"^(?:https?://)?(?:www\.)?")
_BETWEEN_DATE_PARTS = bounded(r"[-/.]")
_EMAIL = anchored(r"[^@/:]+@(?P<domain>[^@/:]+\.[^\W\d]{2,})")
_DIGEST = anchored(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|(?=[a-f]*[0-9])[0-9a-f]{16,}")
_BLOB = anchored(r"[A-Za-z0-9+/=_-]+")
_ACRONYM = anchored(r"[^\W\d_](?:\.[^\W\d_])+")
_MODEL = anchored(r"[^\W\d_]{1,10}-\d{1,4}[^\W\d_]?")
_PIECE = bounded(
    r"(?<!\d)(?P<date>\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3\d{2,4})(?!\d)"
    rf"|(?P<number>\d+(?:[.,:]\d+)+)|(?P<word>(?!T\d\d:)(?:(?!_){LETTER})+(?:'(?:(?!_){LETTER})+)*)"
)
_THOUSANDS = anchored(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_CONTRACTION = bounded(r"(?:'s|'ll|'d|'re|'ve|'m|s')$")


class ChunkWords(NamedTuple):
    """The words of a chunk by their sort, in order of appearance."""

    exact: tuple[str, ...] = ()
    """Terms as they are: identifiers whole, numbers, links, n-grams."""
    words: tuple[str, ...] = ()
    """Words of prose in lower case with their accents, to be stemmed; they tell the language."""
    parts: tuple[str, ...] = ()
    """Words inside identifiers: stemmed too, but programs are in English whatever the text."""
    identifiers: frozenset[str] = frozenset()
    """The strict identifiers of code among `exact`, and the names of calls."""


def chunk_words(chunk: str) -> ChunkWords:
    """Return the words of ``chunk``, a piece of text without spaces, before they are stemmed."""
    return _read_and_keep(chunk) if len(chunk) <= LONGEST_TERM else _analyze_chunk(chunk)


def _analyze_chunk(chunk: str) -> ChunkWords:
    bare = chunk.strip(_PUNCTUATION)
    if bare.isascii() and bare.isalpha() and (bare.islower() or bare.istitle()) and "()" not in chunk:
        return ChunkWords(words=(bare.lower(),))
    found = _Found()
    for piece in readable(chunk).split():
        for token in _TOKEN.finditer(piece):
            found.token(token)
    return ChunkWords(
        tuple(clipped(term) for term in found.exact if term),
        tuple(found.words),
        tuple(found.parts),
        frozenset(map(clipped, found.identifiers)),
    )


_read_and_keep = lru_cache(_KEPT_READINGS)(_analyze_chunk)


class _Found:
    """A reading as it grows."""

    def __init__(self) -> None:
        self.exact: list[str] = []
        self.words: list[str] = []
        self.parts: list[str] = []
        self.identifiers: set[str] = set()

    def token(self, token: re.Match[str]) -> None:
        kind = token.lastgroup or ""
        if kind in NGRAMS:
            self.exact += NGRAMS[kind](token[0])
        elif kind == "link":
            self.link(token[0])
        elif kind == "sharp":
            self.exact.append(fold(token[0]))
        else:
            self.compound(token["compound"], is_call=token["call"] is not None)

    def link(self, link: str) -> None:
        whole = _BEFORE_HOST.sub("", fold(link)).rstrip(".,;:!?)*_/'")
        self.exact.append(whole)
        host, _, rest = whole.partition("/")
        if rest:
            self.exact.append(host)
        self._name_parts(whole.partition("?")[0].partition("#")[0])

    def compound(self, compound: str, *, is_call: bool) -> None:
        email = _EMAIL.fullmatch(compound)
        if email:
            self.exact += [fold(compound), fold(email["domain"])]
            self._name_parts(compound)
        elif _is_noise(compound):
            pass
        elif _DIGEST.fullmatch(compound):
            self.exact.append(fold(compound))
        elif _is_identifier(compound) or (is_call and compound.isidentifier()):
            self._identifier(compound)
        elif _ACRONYM.fullmatch(compound):
            letters = fold(compound.replace(".", ""))
            self.exact += [] if letters in english_stop_words() - {"us", "am"} else [letters]
        else:
            self._prose(compound)

    def _identifier(self, identifier: str) -> None:
        whole = fold(identifier).removeprefix("./").removeprefix("--")
        self.exact.append(whole)
        self.identifiers.add(whole)
        self.exact += [whole[1:]] if _VERSION.fullmatch(identifier) else []
        self._name_parts(identifier)

    def _name_parts(self, identifier: str) -> None:
        """Add the parts of ``identifier``; one of letters alone is a word too, as people write it small."""
        names, words = _parts(identifier)
        if identifier.isalpha():
            words.append(identifier)
        self.exact += (fold(name) for name in names)
        for word in words:
            if word.isalpha():
                self.parts += [written(word)] if len(word) > 1 else []
            elif word != identifier:
                self.exact.append(fold(word))

    def _prose(self, compound: str) -> None:
        if _MODEL.fullmatch(compound):
            self.exact.append(fold(compound))
        for piece in _PIECE.finditer(compound):
            text = piece[0]
            if piece["date"]:
                self.exact += [text, *_BETWEEN_DATE_PARTS.split(text)]
            elif piece["number"]:
                self.exact.append(text.replace(",", "" if _THOUSANDS.fullmatch(text) else "."))
            elif any(character.isdigit() for character in text):
                self.exact.append(fold(text.replace("'", "")))
            else:
                self._word(written(text))

    def _word(self, word: str) -> None:
        """Read a word that may be contracted (don't, Anna's) or elided (l'ami)."""
        if "'" not in word or word in english_stop_words():
            self.words.append(word)
            return
        stem = _CONTRACTION.sub("", word)
        self.words += (piece for piece in stem.split("'") if len(piece) > 1)


def _is_noise(compound: str) -> bool:
    """Return whether ``compound`` is encoded bytes that nobody will ask for."""
    if len(compound) <= LONGEST_TERM or not _BLOB.fullmatch(compound):
        return False
    digits = sum(map(compound.count, "0123456789"))
    joints = sum(map(compound.count, "+/=_-"))
    return digits * 32 > len(compound) and joints * 10 < len(compound)


_FUNCTION_CHARACTER = bounded(
    f"(?:{'|'.join(HAN_FUNCTION_WORDS)}|[{''.join(sorted(HAN_FUNCTION_CHARACTERS))}])+"
)


def _overlapping(run: str, size: int) -> list[str]:
    return [run[start : start + size] for start in range(max(1, len(run) - size + 1))]


def _han(run: str) -> list[str]:
    pieces = (piece for piece in _FUNCTION_CHARACTER.split(run) if piece)
    return [pair for piece in pieces for pair in _overlapping(piece, 2)]


def _telling_pairs(run: str) -> list[str]:
    return [pair for pair in _overlapping(run, 2) if pair not in SYLLABIC_STOP_BIGRAMS]


NGRAMS: dict[str, Callable[[str], list[str]]] = {
    "han": _han,
    "hiragana": lambda run: _telling_pairs(run) if len(run) > 1 else [],  # one syllable alone is a particle
    "katakana": lambda run: _overlapping(run, 2),
    "hangul": _telling_pairs,
    # marks begin no word
    "spaceless": lambda run: [
        gram for gram in _overlapping(run, 3) if unicodedata.category(gram[0])[0] != "M"
    ],
}
"""Name of a kind of run -> what makes terms of one. A run holds nothing but letters of its kind."""


MOST_CHARACTERS = 100_000
"""The most characters of a text that are read: a whole book is no message."""
MOST_TERMS = 2_000
"""Distinct terms of one text; its first ones are kept."""
MOST_QUERY_TERMS = 32
"""Distinct terms of a question: a pasted page must not become a question of thousands."""

_VOTING_CHUNKS = 500
"""Distinct words that tell a text's language: more would say the same."""

_LONGEST_CHUNK = 1_000
"""Characters of the longest run without spaces that is read in one: what repeats in a longer one is read once."""

_CUT = bounded(rf".{{1,{_LONGEST_CHUNK}}}\b|.{{1,{_LONGEST_CHUNK}}}", longest=2 * _LONGEST_CHUNK + 2)
"""The part of a run without spaces before its cut, which is between words if possible."""


def document_terms(text: str) -> dict[str, int]:
    """Return the terms of ``text`` and how often it holds each, in order of appearance.

    At most `MOST_TERMS`, each of at most 64 characters, without NUL and lone surrogates, so that
    Postgres can hold them. Linear in the text, of which the first `MOST_CHARACTERS` are read.
    """
    chunks = Counter(_chunks(text))
    readings = {chunk: chunk_words(chunk) for chunk in islice(chunks, _VOTING_CHUNKS)}
    language = language_of({word for reading in readings.values() for word in reading.words})
    counts: dict[str, int] = {}
    for chunk, times in chunks.items():
        for term in _terms(readings.get(chunk) or chunk_words(chunk), language):
            counts[term] = counts.get(term, 0) + times
        if len(counts) >= MOST_TERMS:
            break
    return dict(islice(counts.items(), MOST_TERMS))


def query_terms(text: str) -> tuple[str, ...]:
    """Return the distinct terms of the question ``text``, in order of appearance.

    They are terms that `document_terms` gives for the same text. Of more than `MOST_QUERY_TERMS` the
    most telling stay: identifiers and numbers, then long words. A question of stop words has none.
    """
    terms = tuple(document_terms(text))
    if len(terms) <= MOST_QUERY_TERMS:
        return terms
    telling = set(sorted(terms, key=lambda term: (term.isalpha(), -len(term)))[:MOST_QUERY_TERMS])
    return tuple(term for term in terms if term in telling)


def identifiers(text: str) -> frozenset[str]:
    """Return the identifiers of code in ``text``, in folded case: none in ordinary prose."""
    return frozenset().union(*(chunk_words(chunk).identifiers for chunk in dict.fromkeys(_chunks(text))))


def _chunks(text: str) -> list[str]:
    """Return the pieces of ``text`` between spaces, the longest cut."""
    pieces = text[:MOST_CHARACTERS].split()
    if max(map(len, pieces), default=0) <= _LONGEST_CHUNK:
        return pieces
    return [cut for piece in pieces for cut in _CUT.findall(piece)]


def _terms(reading: ChunkWords, language: str) -> list[str]:
    terms = list(reading.exact)
    for word in reading.words + reading.parts:
        terms += word_terms(language, word)
    return terms


_LONGEST_IDENTIFIER = 256
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


def _is_identifier(token: str) -> bool:
    """Return whether ``token``, as written and without spaces, is an identifier of code.

    Names in camelCase, PascalCase, snake_case or CONSTANT_CASE, dotted names, flags, files, rooted
    paths, versions (v1.2.3), error codes (E1234, CVE-2021-44228, 0x80070005).
    """
    if len(token) > _LONGEST_IDENTIFIER or (
        token.isalpha() and (token.islower() or token.istitle() or token.isupper())
    ):
        return False
    if _FLAG.fullmatch(token):
        return token[2:] not in english_stop_words()
    return (
        _is_name(token)
        or any(pattern.fullmatch(token) for pattern in (_FILE, _ROOTED_PATH, _VERSION, _ERROR_CODE))
        or _is_file_path(token)
        or _is_dotted(token)
    )


def _parts(identifier: str) -> tuple[list[str], list[str]]:
    """Return the names inside an identifier, as written, and the words inside those.

    ``Foo.barBaz`` has the name ``barBaz`` and the words ``Foo``, ``bar`` and ``Baz``. Names that are
    one word are among the words only. A version has no parts, nor has an identifier of more than ``_MOST_PARTS`` words.
    """
    if _VERSION.fullmatch(identifier):
        return [], []
    names = [name for name in _NO_WORD.split(identifier) if name]
    words_by_name = [_words_in(name) for name in names]
    words = [word for found in words_by_name for word in found]
    if len(words) > _MOST_PARTS:
        return [], []
    if len(names) == 1:
        return [], words
    return [name for name, found in zip(names, words_by_name, strict=True) if len(found) > 1], words


def _words_in(name: str) -> list[str]:
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
