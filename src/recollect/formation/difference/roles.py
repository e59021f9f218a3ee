# ruff: noqa: RUF001 - words of many scripts, some of whose letters look alike
"""Whether two statements of the same words give them other roles: who taught whom, from where to where.

Pure. Never: what the words mean.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from recollect.formation.difference.names import tells
from recollect.formation.wording import Word, Wording
from recollect.patterns import bounded

_MOST_WORDS = 400
_MOST_SHARED = 20
_MARKING = """
    from: from von vom aus van uit dal dallo dalla dai dagli dalle desde из изо от ото с со
    to: to into onto nach zu zum zur ins naar vers al a ao aos au aux allo alla all ai agli alle hacia para ate до к ко
    of: of du de d des del di dello della dell degli delle do dos
    in: in im en dans nel nello nella nell no na nos nas в во
    on: on auf op sur sul sulla sull на
    than: than als wie que dan как чем
    with: with mit avec con com met
    without: without ohne sans sin senza sem zonder без
    against: against gegen contre contra contro tegen против
    for: for fur pour por per voor для pelo pela
    by: by at as via bei beim par chez da bij у
    over: over through uber durch door через про о об
    before: before until bis vor avant antes prima до
    after: after since ab seit depuis desde dopo sinds после
    behind: behind under above below beside near hinter unter neben за под над перед между
"""
MARKERS = {
    word: line.partition(":")[0].strip()
    for line in _MARKING.strip().splitlines()
    for word in line.partition(":")[2].split()
}
"""Prepositions, and what stands before the other side of a comparison: they give the next word its role."""
_OPPOSED = tuple(
    map(set, (("from", "to"), ("from", "in"), ("with", "without"), ("before", "after"), ("for", "against")))
)
_JOINING = frozenset("and or und oder sowie et ou y e и или".split())  # noqa: SIM905 - words
_JOINING_OF = {
    "dutch": frozenset(["en", "of"]),
    "spanish": frozenset(["o", "u"]),
    "italian": frozenset(["o", "ed"]),
}
"""What joins words in one language, and is another word in others."""
_IDENTITY = frozenset(
    """
    is are am was were be called named ist sind bin war heisst heissen est sont suis etait appelle appellent
    es son soy era llama llaman sono chiama chiamano sao chama sou heet heten zijn это зовут
    """.split()  # noqa: SIM905 - words
)
"""What says that one is the other: then the other is the one."""
_HAN_JOINING = bounded(
    "[和跟与與及或、]|(?<=[\u30a1-\u30fc\u4e00-\u9fff])[とや](?=[\u30a1-\u30fc\u4e00-\u9fff])"
)
_HIRAGANA = bounded("[\u3041-\u3096]")
_CHUNK = bounded(r"[^\u3041-\u3096\s]+[\u3041-\u3096]*")
"""A word of Japanese and the particles that tell its role."""


_ARTICLE = 2


class _Part(NamedTuple):
    """A word that means something, in its role.

    Attributes:
        key: What its forms share.
        marker: The preposition or the like that it depends on; "" of none.
        is_joined: Whether it stands in a list with the one before or behind.
        place: Which word it is.
    """

    key: str
    marker: str
    is_joined: bool
    place: int


def exchanged(new: Wording, known: Wording) -> tuple[str, str] | None:
    """Return two words that have one another's role in two statements; None if none have.

    "From Danish into Czech" is not "from Czech into Danish", and who taught whom is told by the order where
    nothing else tells it. A list may stand in any order, and a word may move with what marks its role.

    Args:
        new: The words of the one statement.
        known: The words of the other.
    """
    words_new, words_known = _telling(new), _telling(known)
    if all(word.is_unspaced and not word.is_hangul for word in (*words_new, *words_known)):
        return _exchanged_characters(new.text, known.text)
    keys = _keys(words_new, words_known)
    parts_new, parts_known = list(_parts(new, keys)), list(_parts(known, keys))
    of_new = _lone(parts_new)
    of_known = _lone(parts_known)
    shared = [key for key in of_new if key in of_known][:_MOST_SHARED]
    for key in shared:
        if {of_new[key].marker, of_known[key].marker} in _OPPOSED:
            return key, key
    for one, other in combinations(shared, 2):
        here, there = (of_new[one], of_new[other]), (of_known[one], of_known[other])
        if _have_swapped_markers(here, there):
            return one, other
    if _is_identity(new) or _is_identity(known):
        return None
    return _transposed(parts_new, parts_known)


def _telling(said: Wording) -> list[Word]:
    return [word for word in said.words[:_MOST_WORDS] if tells(word)]


def _keys(new: Sequence[Word], known: Sequence[Word]) -> Mapping[str, str]:
    """Return a key for each stem, one for all that stand for a word of both."""
    keys: dict[str, str] = {}
    for word in (*new, *known):
        key = min((keys[stem] for stem in word.stems if stem in keys), default=min(word.stems))
        for stem in word.stems:
            keys.setdefault(stem, key)
    return keys


def _parts(said: Wording, keys: Mapping[str, str]) -> Iterator[_Part]:
    words = said.words[:_MOST_WORDS]
    joining = _JOINING | _JOINING_OF.get(said.language, frozenset())
    joins = [word.plain in joining for word in words]
    joined = [_is_joined(joins, number) for number in range(len(words))]
    marker, last = "", ""
    for number, word in enumerate(words):
        if word.plain in MARKERS and word.plain not in joining:
            marker = marker or MARKERS[word.plain]
        elif tells(word):
            is_listed = joined[number] or (number > 0 and words[number - 1].clause != word.clause)
            marker = last if is_listed and not marker else marker
            yield _Part(keys[min(word.stems)], marker, joined[number], number)
            marker, last = "", marker


def _is_joined(joins: Sequence[bool], number: int) -> bool:
    """Tell whether a joining word stands behind a word, or before it and its article.

    Args:
        joins: Of each word, whether it joins others.
        number: Which word.
    """
    return True in joins[max(0, number - _ARTICLE) : number] or True in joins[number + 1 : number + 2]


def _lone(parts: Sequence[_Part]) -> dict[str, _Part]:
    """Return the parts by their key, but for those said twice."""
    counts: dict[str, int] = {}
    for part in parts:
        counts[part.key] = counts.get(part.key, 0) + 1
    return {part.key: part for part in parts if counts[part.key] == 1}


def _have_swapped_markers(here: tuple[_Part, _Part], there: tuple[_Part, _Part]) -> bool:
    if any(part.is_joined for part in (*here, *there)) or any(
        abs(one.place - other.place) == 1 for one, other in (here, there)
    ):
        return False  # a name next to a title or a relative is the same one
    return (
        here[0].marker != here[1].marker
        and here[0].marker == there[1].marker
        and here[1].marker == there[0].marker
    )


def _is_identity(said: Wording) -> bool:
    return any(word.plain in _IDENTITY for word in said.words[:_MOST_WORDS]) or any(
        dash in said.text for dash in ("\u2013", "\u2014")
    )


def _transposed(new: Sequence[_Part], known: Sequence[_Part]) -> tuple[str, str] | None:
    """Return the two unmarked words that changed places, with another between them, where all else stays."""
    if len(new) != len(known):
        return None
    places = [
        place for place, (one, other) in enumerate(zip(new, known, strict=True)) if one.key != other.key
    ]
    if len(places) != 2 or places[1] - places[0] < 2:  # noqa: PLR2004 - a pair, and not neighbours
        return None
    first, second = places
    parts = (new[first], new[second], known[first], known[second])
    is_exchange = new[first].key == known[second].key and new[second].key == known[first].key
    if not is_exchange or any(part.is_joined or part.marker for part in parts):
        return None
    return new[first].key, new[second].key


def _exchanged_characters(new: str, known: str) -> tuple[str, str] | None:
    """Return both texts, where they are of the same characters in another order, which is no list and no moved word."""
    if new == known or sorted(new) != sorted(known):
        return None
    if _HAN_JOINING.search(new):
        return None
    if sorted(_CHUNK.findall(new)) == sorted(_CHUNK.findall(known)) and _HIRAGANA.search(new):
        return None
    return new, known
