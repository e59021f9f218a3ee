"""The terms by which a text is found, and those a question looks for.

Words of prose yield their stems. Writing whose words are not parted by spaces gives overlapping
n-grams: pairs for Chinese, Japanese and Korean, as in Lucene's CJKAnalyzer; triples for Thai, Lao, Burmese and Khmer, whose
few dozen letters would make pairs say too little. A number, a link, or a name in code is a term as a whole, too.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice

from recollect.text.lexical.languages import (
    HAN_FUNCTION_CHARACTERS,
    SYLLABIC_STOP_BIGRAMS,
    english_stop_words,
    language_of,
    stems_of,
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

_JOINT = r"[./\\:@+&=~\#?,>-]"
_TOKEN = bounded(
    rf"(?P<pairs>[{HAN}]+|[{HIRAGANA}]{{2,}}|[{KATAKANA}]+|[{HANGUL}]+)|(?P<triples>[{SPACELESS}]+)"
    rf"|(?P<compound>{LETTER}+(?:(?:'|{_JOINT}{{1,3}}){LETTER}+)*(?:\+\+|\#)?)"
)
_FUNCTION = bounded(f"[{''.join(sorted(HAN_FUNCTION_CHARACTERS))}]+")
_JOINTS = bounded(f"{_JOINT}+")
_HUMPED = bounded("[a-z][A-Z]")
_HUMP = bounded(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+[0-9]*|[0-9]+")
_SAID_WHOLE = bounded(r"[\d_.@#=?]|\+\+|::|->|[a-z][A-Z]")
"""Matches numbers, links and names in code, but not "and/or"."""
_BEFORE_HOST = bounded(r"^(?:https?://)?(?:www\.)?")
_BETWEEN_THOUSANDS = bounded(r"(?<=\d),(?=\d{3}(?!\d))")
_TIME = bounded(r"(?<=\d)T(?=\d\d:)")
"""The T between a day and its time in ISO 8601."""
_BLOB = anchored(r"[A-Za-z0-9+/=_-]+")

_IDENTIFIER = bounded(
    r"(?<!\w)(?<!\w@)(?<!//)(?:[^\W\d]\w+(?:\.[a-z_]\w+)+|__[a-z][a-z0-9]*__|\w*[^\W_]_+[^\W_]\w*|_*[a-z][a-z0-9]+(?:[A-Z]+[a-z0-9]+)+"
    r"|\w+\(\)|\w+(?:(?:::|->)\w+)+|(?<!-)--[a-z][a-z0-9-]+|[vV]\d+(?:\.\d+)+|[A-Z]{1,6}-?\d{4,}(?:-\d+)?|0[xX][0-9a-fA-F]{2,})"
    r"(?![\w@])"
)
"""Names in snake_case and camelCase, calls, dotted names, files, flags, versions, and codes of errors."""


@lru_cache(_KEPT_READINGS)
def _read(chunk: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the terms of a piece of text without spaces that are as they stand, and its words."""
    bare = chunk.strip(_PUNCTUATION)
    if bare.isascii() and bare.isalpha() and (bare.islower() or bare.istitle()):
        return (), (bare.lower(),)
    exact: list[str] = []
    words: list[str] = []
    for token in _TOKEN.finditer(_TIME.sub(" ", readable(chunk))):
        run = token[0]
        if token["pairs"]:
            pairs = (pair for piece in _FUNCTION.split(run) if piece for pair in _overlapping(piece, 2))
            exact += (pair for pair in pairs if pair not in SYLLABIC_STOP_BIGRAMS)
        elif token["triples"]:  # marks begin no word
            exact += (gram for gram in _overlapping(run, 3) if unicodedata.category(gram[0])[0] != "M")
        elif not _is_noise(run):
            run = _BETWEEN_THOUSANDS.sub("", run)
            if _SAID_WHOLE.search(run):
                exact.append(_BEFORE_HOST.sub("", fold(run)))
            for name in _JOINTS.split(run):
                is_name = _SAID_WHOLE.search(name) is not None
                exact += [fold(name)] if is_name and name != run else []
                # A single letter is a word alone; a number is a term already.
                words += (
                    written(each)
                    for each in _words(name)
                    if (not is_name or each != name or name.isalpha()) and (len(each) > 1 or each == run)
                )
    return tuple(clipped(term) for term in exact), tuple(words)


def _words(name: str) -> Iterator[str]:
    """Yield the words of a name by its humps, and a name in one word as people write it small."""
    is_contracted = "'" in name and name.casefold() not in english_stop_words()
    for word in name.replace("_", "'" if is_contracted else " ").split("'" if is_contracted else None):
        yield word
        if word.isascii() and _HUMPED.search(word):
            yield from _HUMP.findall(word)


def _overlapping(run: str, size: int) -> list[str]:
    return [run[start : start + size] for start in range(max(1, len(run) - size + 1))]


def _is_noise(run: str) -> bool:
    """Return whether a run is encoded bytes, which no question contains."""
    if len(run) <= LONGEST_TERM or not _BLOB.fullmatch(run):
        return False
    digits, joints = sum(map(run.count, "0123456789")), sum(map(run.count, "+/=_-"))
    return digits * 32 > len(run) and joints * 10 < len(run)


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
    language = language_of({word for chunk in islice(chunks, _VOTING_CHUNKS) for word in _read(chunk)[1]})
    counts: dict[str, int] = {}
    for chunk, times in chunks.items():
        exact, words = _read(chunk)
        for term in chain(exact, *(stems_of(language, word) for word in words)):
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
    """Return the identifiers of code in ``text``, in folded case: hardly any in ordinary prose."""
    found = (each[0].strip("-()") for each in _IDENTIFIER.finditer(readable(text[:MOST_CHARACTERS])))
    # Not the seam of two sentences, as in "was there.it was fun".
    return frozenset(fold(each) for each in found if english_stop_words().isdisjoint(each.split(".")))


def _chunks(text: str) -> list[str]:
    """Return the pieces of ``text`` between spaces, the longest cut."""
    pieces = text[:MOST_CHARACTERS].split()
    if max(map(len, pieces), default=0) <= _LONGEST_CHUNK:
        return pieces
    return [cut for piece in pieces for cut in _CUT.findall(piece)]
