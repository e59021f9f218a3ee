"""Finds what speaks against a new statement being a repetition of a known one. Pure.

Models that compare statements take "50 mg" for "75 mg", and one sister for the other. So numbers, dates, names and
denials are compared by rule, and words where all other letters are the same. A repeated statement is dropped, and a
refined one replaced; only there may a rule overrule a model.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from recollect.model import Candidate, Memory
from recollect.text.comparison.figures import Figures, figure_names, figures
from recollect.text.normalization import normalize
from recollect.text.patterns import bounded
from recollect.text.word_analysis import MOST_CHARACTERS, Word, analyze_words

SAME_LETTERS = 0.8
"""Above which share of equal letters (normalised Levenshtein similarity) two statements may be one."""

_SHORTEST_WORD, _SHORTEST_KANA = 4, 2
"""From how many letters on a function word may say something, as "after" and "without" do."""


def same_letters(one: str, other: str) -> bool:
    """Return whether two statements are spelled almost alike, whatever differs."""
    letters, others = _letters(one[:MOST_CHARACTERS]), _letters(other[:MOST_CHARACTERS])
    if min(len(letters), len(others)) <= SAME_LETTERS * max(len(letters), len(others)):
        return False
    return Levenshtein.normalized_similarity(letters, others, score_cutoff=SAME_LETTERS) > SAME_LETTERS


_letters = lru_cache(4_096)(normalize)


def same_letter(one: str, other: str) -> bool:
    """Return whether a statement only repeats another, apart from differences without meaning.

    More than 0.8 of their letters are equal, and what differs are function words and forms of one word; never a number,
    a date, a name, a denial or the order of what is said.
    """
    if max(len(one), len(other)) > MOST_CHARACTERS or not same_letters(one, other):
        return False
    return (
        _telling(one) == _telling(other) and figures(one) == figures(other) and not denied_words(one, other)
    )


def _telling(text: str) -> list[frozenset[str]]:
    """Return the stems of each content word of a text, in order."""
    return [stems for word in analyze_words(text).words if (stems := _meaning(word))]


def _meaning(word: Word) -> frozenset[str]:
    if word.stems:
        return word.stems
    # digits have no stems, nor have function words and kana: of these the short ones, articles and particles, say nothing
    is_short = len(word.text) < (_SHORTEST_KANA if word.is_unspaced else _SHORTEST_WORD)
    return frozenset() if is_short and not word.plain.isdecimal() else frozenset({word.plain})


def repetition_key(content: str) -> int:
    """Return a number that two statements share wherever ``same_letter`` takes one for a repetition of the other."""
    return hash((tuple(_telling(content)), figures(content)))


def frame_key(content: str) -> int | None:
    """Return a number that two statements share whose words are the same but for figures and denials; None without words."""
    told = _frame(content)
    return hash(told) if told else None


def disagreement(one: "ComparedStatement", other: "ComparedStatement") -> "Veto | None":
    """Return in what two statements disagree that say the same of the same thing otherwise: NUMBER or DENIAL; else None.

    Their words are the same, in order, and so are the months, weekdays and periods they name. Events on two days may both have
    happened.
    """
    frame = _frame(one.content)
    if not frame or frame != _frame(other.content) or _is_another_day(one, other):
        return None
    counted, counted_there = figures(one.content), figures(other.content)
    if counted.dates != counted_there.dates:
        return None
    if bool(denied_words(one.content, other.content)):
        return Veto.DENIAL if counted.numbers == counted_there.numbers else None
    is_counted = bool(counted.numbers - counted_there.numbers and counted_there.numbers - counted.numbers)
    return Veto.NUMBER if is_counted else None


def _frame(content: str) -> tuple[frozenset[str], ...]:
    """Return the stems of the words of a statement, in order, without figures and denials."""
    said = analyze_words(content)
    return tuple(
        word.stems for word in said.words if _tells(word) and not is_denial(word.plain, said.language)
    )


def _tells(word: Word) -> bool:
    return bool(word.stems) and word.plain not in figure_names() and not word.plain[:1].isdigit()


def names_in(content: str, evidence: str) -> list[Word]:
    """Return the words of a statement that are names, judged by their capitals.

    They have one where no sentence begins, there or in the words it rests on. In German all nouns have one, which shows nothing.
    """
    if "german" in {analyze_words(content).language, analyze_words(evidence).language}:
        return []
    within = {word.plain for word in analyze_words(evidence).words if word.is_capital}
    return [
        word
        for word in analyze_words(content).words
        if _tells(word)
        and (word.is_capital or (word.begins and word.text[0].isupper() and word.plain in within))
    ]


_DENYING = """
    no not never none nobody nothing without cannot nor neither nowhere dont doesnt didnt cant couldnt wont isnt
    arent wasnt hasnt havent hadnt wouldnt shouldnt
    nicht nichts nie niemals nimmer ohne weder kein keine keinen keinem keiner keines
    pas jamais sans aucun aucune nunca jamas sin ningun ninguno ninguna nadie tampoco nao sem nem nenhum nenhuma
    non senza nessun nessuno nessuna niet geen nooit zonder inte aldrig ingen inget inga utan ikke
    ei eivat nem nincs soha nu niciodata fara degil yok hayir nie nigdy bez
    не нет никогда без ни δεν οχι χωρις لا ليس لم لن بدون לא אין בלי नहीं không chẳng
    """
_DENIALS = frozenset(_DENYING.split())
_BEHIND = "nicht nichts nie niemals nimmer niet nooit inte aldrig ikke degil yok नहीं لا не нет никогда"
_WHOLE_CLAUSE = frozenset(_BEHIND.split())
"""Denials that may follow the denied words."""
_ONLY_IN = {"ne": "french", "n": "french", "mai": "italian"}
"""Denials that are other words elsewhere."""
_UNSPACED_DENIAL = bounded(
    "不(?![错錯过過管仅僅但])|[没沒無无]|未(?![来來])|(?<![特区區性级級分个個])[别別](?![人的墅])"
    "|(?<![少危])ない|なく|ません|ず(?=[にっ]|$)|않|(?:^| )안 |못|없|ไม่|ບໍ່|មិន"
)


class Denial(NamedTuple):
    """The stems of a statement's denied words, and of the rest."""

    denied: frozenset[str]
    affirmed: frozenset[str]


def denied_words(new: str, known: str) -> frozenset[str]:
    """Return the stems that one of two texts denies and the other affirms."""
    one, other = denial(new), denial(known)
    return ((one.denied & other.affirmed) - other.denied - one.affirmed) | (
        (other.denied & one.affirmed) - one.denied - other.affirmed
    )


@lru_cache(4_096)
def denial(text: str) -> Denial:
    """Return what ``text`` denies and affirms."""
    denied: set[str] = set()
    affirmed: set[str] = set()
    said = analyze_words(text)
    for _, clause in groupby(said.words, key=lambda word: word.clause):
        words = list(clause)
        start = _denied_from(words, said.language)
        for number, word in enumerate(words):
            (affirmed if start is None or number < start else denied).update(word.stems)
    return Denial(frozenset(denied), frozenset(affirmed))


def _denied_from(words: Sequence[Word], language: str) -> int | None:
    """Return the place of the word from which a clause is denied; None if it is not."""
    for number, word in enumerate(words):
        if is_denial(word.plain, language):
            has_more = any(later.stems for later in words[number + 1 :])
            return number if has_more and word.plain not in _WHOLE_CLAUSE else 0
    unspaced = "".join(f"{word.text} " if word.is_hangul else word.text for word in words if word.is_unspaced)
    return 0 if unspaced and _UNSPACED_DENIAL.search(unspaced) else None


def is_denial(word: str, language: str) -> bool:
    """Return True for a word, in folded case, that denies in a language."""
    if word == "no" and language == "portuguese":  # in the
        return False
    return word in _DENIALS or word.endswith("n't") or _ONLY_IN.get(word) == language


_FEW = 6
"""The most words that a refinement may lack: "a sport" becomes "judo", but a diagnosis with its diet does not become a dose."""

_DAY = timedelta(days=1)
_HABIT = frozenset({"per day"})
"""A habit holds every day, whether said or not."""


class Veto(StrEnum):
    """Reasons against two statements being one."""

    NUMBER = "number"
    DATE = "date"
    NAME = "name"
    DENIAL = "denial"
    WORD = "word"


@dataclass(frozen=True, slots=True)
class ComparedStatement:
    """A statement prepared for comparison.

    Attributes:
        content: Its statement.
        evidence: The words it rests on.
        event_at: When it happened or will happen, if known.
        said_at: When it was said.
        subject: Whom it tells of, if that is said and is not the person.
    """

    content: str
    evidence: str = ""
    event_at: datetime | None = None
    said_at: datetime | None = None
    subject: str | None = None


def of_candidate(candidate: Candidate, at: datetime) -> ComparedStatement:
    """Return a candidate, said at a time, prepared for comparison."""
    return ComparedStatement(candidate.content, candidate.evidence, candidate.event_at, at, candidate.subject)


def of_memory(memory: Memory) -> ComparedStatement:
    """Return a memory prepared for comparison."""
    return ComparedStatement(
        memory.content, memory.provenance.evidence or "", memory.event_at, memory.observed_at
    )


def veto(new: ComparedStatement, known: ComparedStatement) -> Veto | None:
    """Return the reason why a new statement is no repetition of a known one; None if there is none.

    That is a number, a unit, a month, a weekday, a period, the day of an event, a name, another subject, or a denial. Among
    statements with more than 0.8 equal letters it is also one word in place of another. The month of its telling ("weighs
    61 kg, in November 2026") is no difference.
    """
    of_new, of_known = figures(new.content), figures(known.content)
    is_told_again = _names_its_telling(of_new, new) and (
        _names_its_telling(of_known, known) or not _months(of_known)
    )
    if is_told_again:
        of_new = _without_telling(of_new, new)
    if _numbers(of_new, of_known, known):
        return Veto.NUMBER
    if _dates(of_new, of_known, known) or _is_another_day(new, known):
        return Veto.DATE
    if _names(new, known):
        return Veto.NAME
    if denied_words(new.content, known.content):
        return Veto.DENIAL
    if is_told_again and _frame(new.content) == _frame(known.content):
        return None
    is_slot = same_letters(new.content, known.content) and not same_letter(new.content, known.content)
    return Veto.WORD if is_slot and not _is_part_of(new.content, known.content) else None


def _is_part_of(one: str, other: str) -> bool:
    """Return whether a statement only leaves out words of another, which has all of its words in the same order."""
    telling = iter(_telling(other))
    return all(word in telling for word in _telling(one))


def _months(found: Figures) -> frozenset[str]:
    return frozenset(each for each in found.dates if each.startswith("month "))


def _names_its_telling(found: Figures, statement: ComparedStatement) -> bool:
    """Return True if a statement names one month, and was made in that month."""
    said, months = statement.said_at, _months(found)
    return said is not None and months == {f"month {said.month}"}


def _without_telling(found: Figures, statement: ComparedStatement) -> Figures:
    year = {str(statement.said_at.year)} if statement.said_at else set[str]()
    return replace(found, numbers=found.numbers - year, dates=found.dates - _months(found))


def says_all_of(new: ComparedStatement, known: ComparedStatement) -> bool:
    """Return whether a new statement holds all words and figures of a known one, and more, so that nothing is lost."""
    of_new, of_known = analyze_words(new.content).stems, analyze_words(known.content).stems
    counted, counted_before = figures(new.content), figures(known.content)
    return (
        bool(of_known)
        and of_known <= of_new
        and counted_before.numbers <= counted.numbers
        and counted_before.dates <= counted.dates
        and not denied_words(new.content, known.content)
    )


def says_little_of(new: ComparedStatement, known: ComparedStatement) -> bool:
    """Return whether a new statement lacks more than half of the words of a known one, and more than a few."""
    of_known = analyze_words(known.content).stems
    lacking = len(of_known - analyze_words(new.content).stems)
    return lacking > _FEW and 2 * lacking > len(of_known)


def _numbers(of_new: Figures, of_known: Figures, known: ComparedStatement) -> frozenset[str]:
    """Return the numbers that only the new statement has, and those with another unit: 40 miles are not 40 km."""
    units: dict[str, set[str]] = {}
    for number, unit in of_known.units:
        units.setdefault(number, set()).add(unit)
    at = known.event_at
    day = {str(at.year), str(at.day)} if at else set[str]()
    others = {number for number, unit in of_new.units if number in units and unit not in units[number]}
    return (of_new.numbers - of_known.numbers - day) | others


def _dates(of_new: Figures, of_known: Figures, known: ComparedStatement) -> frozenset[str]:
    month = frozenset({f"month {known.event_at.month}"}) if known.event_at else frozenset()
    habit = frozenset() if of_known.dates else _HABIT
    return of_new.dates - of_known.dates - month - habit


def _is_another_day(new: ComparedStatement, known: ComparedStatement) -> bool:
    day, other = _event_day(new), _event_day(known)
    return day is not None and other is not None and abs(day - other) > _DAY


def _event_day(statement: ComparedStatement) -> datetime | None:
    """Return the day of the event, unless that is only the day it was said."""
    event, said = statement.event_at, statement.said_at
    return None if event is None or (said is not None and abs(event - said) <= _DAY) else event


def _names(new: ComparedStatement, known: ComparedStatement) -> bool:
    """Return whether the new statement holds a name that neither the known one nor its evidence holds."""
    said = analyze_words(known.content).stems | analyze_words(known.evidence).stems
    of_whom = analyze_words(new.subject or "").stems
    is_of_another = bool(of_whom) and not of_whom & said
    return is_of_another or any(not name.stems & said for name in names_in(new.content, new.evidence))
