# ruff: noqa: RUF001 - words of many scripts, some of whose letters look alike
"""Where two statements of one form have different words in one place. Pure. Never: what the words mean."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from recollect.formation.difference.figure_words import NUMBERS, NUMBERS_OF
from recollect.formation.difference.kinds import are_of_one_kind
from recollect.formation.difference.names import tells
from recollect.formation.difference.roles import MARKERS
from recollect.formation.difference.spelling import is_of_one_family, is_spelled_alike
from recollect.formation.wording import Word, Wording
from recollect.patterns import anchored

_GERMAN = "german"
_MOST_WORDS = 400
_CHANGED = 0.5
"""Up to which share of the characters may be others, for the rest to be the same statement of another thing."""
_CHANGED_RUN = 0.67
_LIGHT_VERBS = frozenset("当當做是任为為在住有养養叫名去到用吃喝想要爱愛骑騎坐开開会會能可来來每天日")
"""Characters of verbs and the like for which another says the same: to be, do or have a trade."""
_LONGEST_NOUN = 6
_MOST_IN_SLOT = 4
_SHORTEST_PART = 3
_OKURIGANA = anchored("[\u3041-\u3096](?<![はがをにでとへもの])")
_BEFORE_NOUNS = """
    a an the my our his her their your its of in at on for from by with no any some every each this that as to than
    und oder ein eine einen einem einer der die das den dem des mein meine meinen meinem meiner sein ihr unser im am zum zur vom
    un une le la les du des de mon ma mes ton ta son sa ses notre nos leur leurs au aux en dans sur par avec pour chez l d
    el los las del al una uno unos unas mi mis tu tus su sus nuestro nuestra con por para sin
    il lo gli i dello della dei delle nel nella sul mio mia suo sua di da
    o os as um uma do dos da das no na nos nas meu minha seu sua em com
    het een de mijn zijn haar
    на в во с со к ко у о об от из за под над при для без мой моя мое мои свой своя свое свои
"""
_DETERMINERS = frozenset(_BEFORE_NOUNS.split())
_NO_THINGS = _DETERMINERS.union(MARKERS, NUMBERS, *NUMBERS_OF.values())


class Change(NamedTuple):
    """A part of one sequence, and the part of another that stands in its place."""

    start: int
    end: int
    from_: int
    to: int


class _Slot(NamedTuple):
    """The one place in which two statements differ."""

    new: Word
    known: Word
    number: int


def changes(new: Sequence[str], known: Sequence[str]) -> list[Change]:
    """Return the parts in which two sequences differ (Levenshtein alignment); neighbouring ones are one."""
    found: list[Change] = []
    for code in Levenshtein.opcodes(new, known):
        if code.tag == "equal":
            continue
        start, end, from_, to = code.src_start, code.src_end, code.dest_start, code.dest_end
        if found and (found[-1].end, found[-1].to) == (start, from_):
            found[-1] = found[-1]._replace(end=end, to=to)
        else:
            found.append(Change(start, end, from_, to))
    return found


def in_one_place(new: Wording, known: Wording) -> tuple[frozenset[str], frozenset[str]]:
    """Return the word of each that stands in the other's place, where all else that means something is alike.

    A statement begins with its verb, for which there are many words ("works", "is employed"): that counts
    only in scripts without spaces, of which characters are compared. German tells nouns by their capitals.
    """
    words_new, words_known = _telling(new), _telling(known)
    if _are_unspaced(words_new, words_known):
        return _characters_in_one_place(words_new, words_known)
    slot = None if _GERMAN in {new.language, known.language} else _slot(words_new, words_known)
    if slot is None or slot.number == 0:
        return frozenset(), frozenset()
    return frozenset({slot.new.plain}), frozenset({slot.known.plain})


def nouns_in_one_place(new: Wording, known: Wording) -> tuple[str, str] | None:
    """Return the nouns that stand in one another's place, where else the statements are alike for the most part.

    What stands behind an article, a possessive or a preposition is taken for a noun, in German what has a
    capital; either may be of several words, and the frame may have another verb. In scripts without spaces it is
    a run of a few characters for another, but for verbs.
    """
    words_new, words_known = _telling(new), _telling(known)
    if _are_unspaced(words_new, words_known):
        return _runs_in_one_place(words_new, words_known, new, known)
    changed = changes(*_keys(words_new, words_known))
    kept = len(words_new) - sum(change.end - change.start for change in changed)
    slots = [
        (words_new[change.start : change.end], words_known[change.from_ : change.to])
        for change in changed
        if change.start < change.end and change.from_ < change.to
    ]
    if kept < len(slots) or not kept:
        return None
    is_german = _GERMAN in {new.language, known.language}
    is_bare = (
        len(changed) == len(slots) == 1
        and not is_german
        and min(changed[0].start, changed[0].from_) > 0
        and all(_is_bare(words, said) for words, said in zip(slots[0], (new, known), strict=True))
    )
    for one, other in slots:
        if _are_two_things(one, other) and (
            is_bare
            or (
                _is_noun(one, new, known, is_german=is_german)
                and _is_noun(other, known, new, is_german=is_german)
            )
        ):
            return " ".join(word.plain for word in one), " ".join(word.plain for word in other)
    return None


def _telling(said: Wording) -> list[Word]:
    return [word for word in said.words[:_MOST_WORDS] if tells(word)]


def _are_unspaced(new: Iterable[Word], known: Iterable[Word]) -> bool:
    return all(word.is_unspaced and not word.is_hangul for word in (*new, *known))


def _slot(new: Sequence[Word], known: Sequence[Word]) -> _Slot | None:
    """Return the one word in which two statements of the same words differ, unless they are forms of one word."""
    changed = changes(*_keys(new, known))
    if len(changed) != 1:
        return None
    start, end, from_, to = changed[0]
    if (end - start, to - from_) != (1, 1):
        return None
    one, other = new[start], known[from_]
    if one.stems & other.stems or is_spelled_alike(one.plain, other.plain):
        return None
    return None if is_of_one_family(one.plain, other.plain) else _Slot(one, other, min(start, from_))


def _keys(new: Iterable[Word], known: Iterable[Word]) -> tuple[list[str], list[str]]:
    """Return a key for each word, the same for words that share a stem: a short text may be read in another language."""
    keys: dict[str, str] = {}
    of_new = []
    for word in new:
        of_new.append(min(word.stems))
        keys |= dict.fromkeys(word.stems, of_new[-1])
    return of_new, [
        min((keys[stem] for stem in word.stems if stem in keys), default=min(word.stems)) for word in known
    ]


def _are_two_things(one: Sequence[Word], other: Sequence[Word]) -> bool:
    """Tell whether no word of a slot is a form of one in the other, nor of its kind."""
    if not all(any(word.plain not in _NO_THINGS for word in words) for words in (one, other)):
        return False
    return max(len(one), len(other)) <= _MOST_IN_SLOT and not any(
        left.stems & right.stems
        or is_spelled_alike(left.plain, right.plain)
        or is_of_one_family(left.plain, right.plain)
        or _contains(left.plain, right.plain)
        or are_of_one_kind(left.plain, right.plain)
        for left in one
        for right in other
    )


def _is_bare(words: Sequence[Word], said: Wording) -> bool:
    """Tell whether a slot is the whole object of the verb that begins a statement, without an article.

    What stands next to another noun may be its adjective, for which there are others that say the same.
    """
    number = next((number for number, word in enumerate(said.words) if word is words[0]), 0)
    behind = number + len(words)
    first = next((place for place, word in enumerate(said.words) if tells(word)), 0)
    return (
        number > 0
        and words[-1] is said.words[min(behind, len(said.words)) - 1]
        and (number - 1 == first or not tells(said.words[number - 1]))
        and (behind >= len(said.words) or not tells(said.words[behind]))
    )


def _contains(one: str, other: str) -> bool:
    """Tell whether one word is part of the other, as "Pflege" is of "Krankenpfleger"."""
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) >= _SHORTEST_PART and (
        longer.endswith(shorter) or (shorter in longer and len(shorter) > _SHORTEST_PART)
    )


def _is_noun(words: Sequence[Word], said: Wording, other: Wording, *, is_german: bool) -> bool:
    """Tell whether the words of a slot begin or end a noun phrase, and none of them stands elsewhere in the other text."""
    if any(word.stems & other.stems for word in words):
        return False
    if is_german:
        return any(word.is_capital for word in words)
    before = next(
        (one for one, each in zip(said.words, said.words[1:], strict=False) if each is words[0]), None
    )
    if before is None:
        return False
    is_quoted = words[0].begins and before.clause == words[0].clause
    return is_quoted or before.plain in _DETERMINERS or before.plain in MARKERS


def _characters_in_one_place(
    new: Sequence[Word], known: Sequence[Word]
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the characters of each that stand in the other's place, where most of the others are alike."""
    replaced = _replaced_characters(new, known)
    return (
        frozenset(word.plain for change in replaced for word in new[change.start : change.end]),
        frozenset(word.plain for change in replaced for word in known[change.from_ : change.to]),
    )


def _replaced_characters(
    new: Sequence[Word], known: Sequence[Word], *, most: float = _CHANGED
) -> list[Change]:
    changed = changes([min(word.stems) for word in new], [min(word.stems) for word in known])
    size = sum(max(change.end - change.start, change.to - change.from_) for change in changed)
    if size > min(len(new), len(known)) * most:
        return []
    return [change for change in changed if change.end > change.start and change.to > change.from_]


def _runs_in_one_place(
    new: Sequence[Word], known: Sequence[Word], said_new: Wording, said_known: Wording
) -> tuple[str, str] | None:
    if Counter(word.text for word in new) == Counter(word.text for word in known):
        return None  # the same in another order: not here
    for change in _replaced_characters(new, known, most=_CHANGED_RUN):
        words, others = new[change.start : change.end], known[change.from_ : change.to]
        one, other = "".join(word.text for word in words), "".join(word.text for word in others)
        are_light = not (_LIGHT_VERBS.isdisjoint(one) and _LIGHT_VERBS.isdisjoint(other))
        are_verbs = _is_inflected(words[-1], said_new) and _is_inflected(others[-1], said_known)
        if are_light or are_verbs or are_of_one_kind(one, other):
            continue
        if max(len(one), len(other)) <= _LONGEST_NOUN:
            return one, other
    return None


def _is_inflected(word: Word, said: Wording) -> bool:
    """Tell whether the ending of a Japanese verb or adjective follows, and no particle."""
    behind = next((each for one, each in zip(said.words, said.words[1:], strict=False) if one is word), None)
    return behind is not None and _OKURIGANA.match(behind.text) is not None
