# ruff: noqa: RUF001 - words of many scripts, some of whose letters look alike
"""Splits a statement into words with stems, so that two statements can be compared by them. Pure."""

from dataclasses import dataclass
from functools import lru_cache

from recollect.text.lexical.languages import HAN_FUNCTION_CHARACTERS, language_of, stems_of, written
from recollect.text.lexical.letters import HAN, HANGUL, HIRAGANA, KATAKANA, MARK, SPACELESS, fold, readable
from recollect.text.patterns import anchored, bounded

MOST_CHARACTERS = 4_000
"""The characters of a statement that are compared. A longer one never counts as a repetition."""

_KEPT, _KEPT_LONG, _SHORT = 4_096, 128, 200
"""Texts whose words are kept, short ones and longer ones, and up to how many characters one is short."""
_KEPT_WORDS = 8_192
_TOKEN = bounded(
    rf"(?P<unspaced>[{HAN}{SPACELESS}])|(?P<katakana>[{KATAKANA}]+)|(?P<hiragana>[{HIRAGANA}]+)"
    rf"|(?P<hangul>[{HANGUL}]+)|(?P<word>(?:[^\W_]|{MARK})+(?:'(?:[^\W_]|{MARK})+)*)"
    r"|(?P<clause>[,;:()\u3001\uff0c\uff1b\n\u2013\u2014\u060c])|(?P<sentence>[.!?\u3002\uff01\uff1f\u061f\u0964])"
    r"|(?P<opening>[\"\u201c\u201e\u00ab\u300c*#>])"
)
_ELISION = anchored(r"(?i)(?:[cdjlmnst]|qu|dell|nell|all|sull|un)'(?=.)")
_POSSESSIVE = bounded(r"'s?$")
_CONTRASTING = (
    "but although though while whereas instead rather aber sondern obwohl während stattdessen mais quoique "
    "plutôt pero sino aunque ma però anzi mas porém maar но хотя зато а"
)
_CLAUSE_WORDS = frozenset(_CONTRASTING.split())
_PARTICLE = bounded("(?:에서|에게|으로|은|는|이|가|을|를|에|의|도|로|와|과|만)$")
_LONGEST_WORD = 64


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a statement.

    Attributes:
        text: As it is written.
        plain: In folded case, without accents.
        stems: The stems that its other forms share; none for a function word or a number.
        clause: The number of its clause.
        is_capital: Whether it is written with a capital where a sentence does not begin.
        begins: Whether a sentence begins with it.
        is_unspaced: Whether it is of a script that does not part words by spaces.
        is_hangul: Whether it is Hangul, whose words are parted by spaces while particles cling to them.
    """

    text: str
    plain: str
    stems: frozenset[str]
    clause: int
    is_capital: bool
    begins: bool
    is_unspaced: bool
    is_hangul: bool


@dataclass(frozen=True, slots=True)
class WordAnalysis:
    """The words of a statement and their stems.

    Attributes:
        text: The text, readable (`recollect.text.lexical.letters.readable`) and cut.
        plain: The text in folded case, with single spaces.
        language: The language that its function words point to; English if it has none.
        words: The words of the text, in order.
        stems: All stems in the text.
    """

    text: str
    plain: str
    language: str
    words: tuple[Word, ...]
    stems: frozenset[str]


def analyze_words(text: str) -> WordAnalysis:
    """Return the words of ``text``: linear in the `MOST_CHARACTERS` that are read of it."""
    read = text[:MOST_CHARACTERS]
    return _of_short(read) if len(read) <= _SHORT else _of_long(read)


def _wording(text: str) -> WordAnalysis:
    clear = readable(text)
    tokens = list(_TOKEN.finditer(clear))
    language = language_of({written(token[0]) for token in tokens if token.lastgroup == "word"})
    words: list[Word] = []
    clause, begins = 0, True
    for token in tokens:
        kind = token.lastgroup or ""
        if kind in {"clause", "sentence", "opening"}:
            clause += kind != "opening"
            begins = begins or kind != "clause" or token[0] in ":\n"
            continue
        for piece in _pieces(token[0]) if kind == "word" else (token[0],):
            clause += piece.casefold() in _CLAUSE_WORDS
            words.append(_word(piece, kind, language, clause, begins=begins))
            begins = False
    stems = frozenset().union(*(word.stems for word in words))
    return WordAnalysis(clear, " ".join(clear.casefold().split()), language, tuple(words), stems)


_of_short, _of_long = lru_cache(_KEPT)(_wording), lru_cache(_KEPT_LONG)(_wording)


@lru_cache(_KEPT_WORDS)
def _pieces(token: str) -> tuple[str, ...]:
    """Return the words in ``token``: an elided article is a word of its own, and a possessive loses its ending."""
    elided = _ELISION.match(token)
    article = (token[: elided.end() - 1],) if elided else ()
    rest = token[elided.end() :] if elided else token
    return (*article, _POSSESSIVE.sub("", rest) or rest)


def _word(text: str, kind: str, language: str, clause: int, *, begins: bool) -> Word:
    plain, stems = _meaning(text[:_LONGEST_WORD], kind, language)
    is_spaced = kind == "word"
    has_hump = not text.islower() and not text.isupper() and any(map(str.isupper, text[1:]))
    is_capital = is_spaced and bool(stems) and ((text[0].isupper() and not begins) or has_hump)
    return Word(text, plain, stems, clause, is_capital, begins, not is_spaced, kind == "hangul")


@lru_cache(_KEPT_WORDS)
def _meaning(text: str, kind: str, language: str) -> tuple[str, frozenset[str]]:
    """Return a word in folded case, and its stems."""
    plain = fold(text)
    if kind == "word":
        return plain, frozenset() if plain.isdecimal() else frozenset(stems_of(language, written(text)))
    if kind == "unspaced":
        return plain, frozenset() if text in HAN_FUNCTION_CHARACTERS else frozenset({text})
    if kind == "hangul":
        return plain, frozenset({(_PARTICLE.sub("", text) if len(text) > 1 else "") or text})
    return plain, frozenset({plain}) if kind == "katakana" else frozenset()
