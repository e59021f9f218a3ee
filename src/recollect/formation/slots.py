# ruff: noqa: RUF001 - words of many scripts, some of whose letters look alike
"""Where two statements of one form have different words in one place. Pure. Never: what the words mean."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from recollect.formation.names import tells
from recollect.formation.spelling import is_of_one_family, is_spelled_alike
from recollect.formation.wording import Word, Wording

_GERMAN = "german"
_MOST_WORDS = 400
_CHANGED = 0.5
"""Up to which share of the characters may be others, for the rest to be the same statement of another thing."""
_LIGHT_VERBS = frozenset("当當做是任为為在住有养養叫名去到用吃喝想要爱愛骑騎坐开開会會能可来來每天日")
"""Characters of verbs and the like for which another says the same: to be, do or have a trade."""
_LONGEST_NOUN = 3
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
    """Return the nouns that stand in one another's place, where all else that means something is alike.

    What stands behind an article, a possessive or a preposition is taken for a noun, in German what has a
    capital. In scripts without spaces it is a run of up to three characters for another, but for light verbs.
    """
    words_new, words_known = _telling(new), _telling(known)
    if _are_unspaced(words_new, words_known):
        return _runs_in_one_place(words_new, words_known)
    slot = _slot(words_new, words_known)
    is_german = _GERMAN in {new.language, known.language}
    if slot is None or not (
        _is_noun(slot.new, new, is_german=is_german) and _is_noun(slot.known, known, is_german=is_german)
    ):
        return None
    return slot.new.plain, slot.known.plain


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


def _is_noun(word: Word, said: Wording, *, is_german: bool) -> bool:
    if is_german:
        return word.is_capital
    before = next((one for one, each in zip(said.words, said.words[1:], strict=False) if each is word), None)
    return before is not None and before.plain in _DETERMINERS


def _characters_in_one_place(
    new: Sequence[Word], known: Sequence[Word]
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the characters of each that stand in the other's place, where most of the others are alike."""
    replaced = _replaced_characters(new, known)
    return (
        frozenset(word.plain for change in replaced for word in new[change.start : change.end]),
        frozenset(word.plain for change in replaced for word in known[change.from_ : change.to]),
    )


def _replaced_characters(new: Sequence[Word], known: Sequence[Word]) -> list[Change]:
    changed = changes([min(word.stems) for word in new], [min(word.stems) for word in known])
    size = sum(max(change.end - change.start, change.to - change.from_) for change in changed)
    if size > min(len(new), len(known)) * _CHANGED:
        return []
    return [change for change in changed if change.end > change.start and change.to > change.from_]


def _runs_in_one_place(new: Sequence[Word], known: Sequence[Word]) -> tuple[str, str] | None:
    for change in _replaced_characters(new, known):
        one = "".join(word.text for word in new[change.start : change.end])
        other = "".join(word.text for word in known[change.from_ : change.to])
        are_verbs = not (_LIGHT_VERBS.isdisjoint(one) and _LIGHT_VERBS.isdisjoint(other))
        if not are_verbs and abs(len(one) - len(other)) <= 1 and max(len(one), len(other)) <= _LONGEST_NOUN:
            return one, other
    return None
