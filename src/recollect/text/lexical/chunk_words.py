"""What stands in a chunk of text without spaces: words, and terms as they are. Never: a language's stems.

A chunk reads the same wherever it stands, so that readings are kept (as are stems) and a long text
costs little more than its distinct chunks.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from recollect.text.lexical.folding import LONGEST_TERM, clipped, fold, readable
from recollect.text.lexical.identifiers import is_identifier, is_version, parts
from recollect.text.lexical.languages import written
from recollect.text.lexical.ngrams import NGRAMS
from recollect.text.lexical.scripts import HAN, HANGUL, HIRAGANA, KATAKANA, LETTER, SPACELESS
from recollect.text.lexical.stop_words import STOP_WORDS
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
_ENGLISH = frozenset(STOP_WORDS["english"].split())


class ChunkWords(NamedTuple):
    """What stands in a chunk, each in order of appearance."""

    exact: tuple[str, ...] = ()
    """Terms as they are: identifiers whole, numbers, links, n-grams."""
    words: tuple[str, ...] = ()
    """Words of prose in lower case with their accents, to be stemmed; they tell the language."""
    parts: tuple[str, ...] = ()
    """Words inside identifiers: stemmed too, but programs are in English whatever the text."""
    identifiers: frozenset[str] = frozenset()
    """The strict identifiers of code among `exact`, and the names of calls."""


def chunk_words(chunk: str) -> ChunkWords:
    """Return what stands in ``chunk``, a piece of text without spaces, as it was written."""
    return _read_and_keep(chunk) if len(chunk) <= LONGEST_TERM else _read(chunk)


def _read(chunk: str) -> ChunkWords:
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


_read_and_keep = lru_cache(_KEPT_READINGS)(_read)


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
        elif is_identifier(compound) or (is_call and compound.isidentifier()):
            self._identifier(compound)
        elif _ACRONYM.fullmatch(compound):
            letters = fold(compound.replace(".", ""))
            self.exact += [] if letters in _ENGLISH - {"us", "am"} else [letters]
        else:
            self._prose(compound)

    def _identifier(self, identifier: str) -> None:
        whole = fold(identifier).removeprefix("./").removeprefix("--")
        self.exact.append(whole)
        self.identifiers.add(whole)
        self.exact += [whole[1:]] if is_version(identifier) else []
        self._name_parts(identifier)

    def _name_parts(self, identifier: str) -> None:
        """Add the parts of ``identifier``; one of letters alone is a word too, as people write it small."""
        names, words = parts(identifier)
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
        if "'" not in word or word in _ENGLISH:
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
