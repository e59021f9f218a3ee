"""Decides whether a new statement repeats a known one, and names the reason if it can't. Pure.

Models that compare statements take "50 mg" for "75 mg", and one sister for the other. So numbers, days of events and names are
compared by rule, and words where all other letters are the same, and denials where all other words are. A repeated
statement is dropped, and a refined one replaced; only there may a rule overrule a model. Units, months and weekdays are
the model's: rules about them lost more than they kept (decision 0102).
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from recollect.model import Candidate, Memory
from recollect.text.denials import denied_words, is_denial
from recollect.text.normalization import normalize
from recollect.text.patterns import bounded
from recollect.text.word_analysis import MOST_CHARACTERS, Word, analyze_words

SAME_LETTERS = 0.8
"""Above which share of equal letters (normalised Levenshtein similarity) two statements may be one."""

_SHORTEST_WORD, _SHORTEST_KANA = 4, 2
"""From how many letters on a function word may say something, as "after" and "without" do."""
_SIGN = bounded(r"[%\u00b0$\u00a2-\u00a5\u20a0-\u20cf]")
_NUMBER = bounded(r"\d+")


def same_letters(one: str, other: str) -> bool:
    """Return whether more than 0.8 of two statements' letters are equal."""
    letters, others = _letters(one[:MOST_CHARACTERS]), _letters(other[:MOST_CHARACTERS])
    if min(len(letters), len(others)) <= SAME_LETTERS * max(len(letters), len(others)):
        return False
    return Levenshtein.normalized_similarity(letters, others, score_cutoff=SAME_LETTERS) > SAME_LETTERS


_letters = lru_cache(4_096)(normalize)


def same_letter(one: str, other: str) -> bool:
    """Return whether a statement only repeats another, apart from differences without meaning.

    More than 0.8 of their letters are equal. They may differ in short function words and in forms of a word, but not in
    numbers, signs, denials or word order.
    """
    if max(len(one), len(other)) > MOST_CHARACTERS or not same_letters(one, other):
        return False
    return _telling(one) == _telling(other) and not denied_words(one, other)


def repetition_key(content: str) -> int:
    """Return a number that two statements share wherever ``same_letter`` takes one for a repetition of the other."""
    return hash(_telling(content))


def frame_key(content: str) -> int | None:
    """Return a number that two statements share whose words are the same but for numbers and denials; None without words."""
    told = _frame(content)
    return hash(told) if told else None


def disagreement(one: "ComparedStatement", other: "ComparedStatement") -> "Veto | None":
    """Return in what two statements disagree whose other words are the same, in order: NUMBER or DENIAL; else None.

    Events on two days may both have happened.
    """
    frame = _frame(one.content)
    if not frame or frame != _frame(other.content) or _is_another_day(one, other):
        return None
    counted, counted_there = _numbers(one.content), _numbers(other.content)
    if denied_words(one.content, other.content):
        return Veto.DENIAL if counted == counted_there else None
    return Veto.NUMBER if counted - counted_there and counted_there - counted else None


def _telling(text: str) -> tuple[frozenset[str], ...]:
    """Return the stems of each content word of a text, in order, and its signs, such as those of currencies."""
    told = (_meaning(word) for word in analyze_words(text).words)
    return (*filter(None, told), *(frozenset({sign}) for sign in _SIGN.findall(text)))


def _meaning(word: Word) -> frozenset[str]:
    if word.stems:
        return word.stems
    # Digits have no stems, nor have function words and kana: of these the short ones, articles and particles, say nothing.
    is_short = len(word.text) < (_SHORTEST_KANA if word.is_unspaced else _SHORTEST_WORD)
    return frozenset() if is_short and not word.plain.isdecimal() else frozenset({word.plain})


def _frame(content: str) -> tuple[frozenset[str], ...]:
    """Return the stems of the words of a statement, in order, without numbers and denials."""
    said = analyze_words(content)
    return tuple(
        word.stems for word in said.words if _tells(word) and not is_denial(word.plain, said.language)
    )


def _tells(word: Word) -> bool:
    return bool(word.stems) and not word.plain[:1].isdigit()


def _numbers(content: str) -> frozenset[str]:
    """Return the numbers in a statement, without zeros in front."""
    text = analyze_words(content).text
    return frozenset(each.lstrip("0") or "0" for each in _NUMBER.findall(text))


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


_FEW = 6
"""The most words that a refinement may lack: "a sport" becomes "judo", but a diagnosis with its diet does not become a dose."""

_DAY = timedelta(days=1)


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
        subject: The person or thing that the statement is about, if it is named and is not the user.
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

    That is a number, the day of an event, a name or another subject. Among statements with more than 0.8 equal letters it is
    also one word in place of another.
    """
    at = known.event_at
    day = set[str]() if at is None else {str(at.year), str(at.month), str(at.day)}
    if _numbers(new.content) - _numbers(known.content) - day:
        return Veto.NUMBER
    if _is_another_day(new, known):
        return Veto.DATE
    if _names(new, known):
        return Veto.NAME
    is_slot = same_letters(new.content, known.content) and not _is_part_of(new.content, known.content)
    return Veto.WORD if is_slot else None


def distinction(new: ComparedStatement, known: ComparedStatement) -> Veto | None:
    """Return the reason why a new statement, which a model calls a repetition, is none: a veto, or a denial of the same words."""
    return veto(new, known) or disagreement(new, known)


def _is_part_of(one: str, other: str) -> bool:
    """Return whether a statement only leaves out words of another, which has all of its words in the same order."""
    telling = iter(_telling(other))
    return all(word in telling for word in _telling(one))


def says_all_of(new: ComparedStatement, known: ComparedStatement) -> bool:
    """Return whether a new statement holds all words and numbers of a known one, and more, so that nothing is lost."""
    of_new, of_known = analyze_words(new.content).stems, analyze_words(known.content).stems
    return bool(of_known) and of_known <= of_new and _numbers(known.content) <= _numbers(new.content)


def says_little_of(new: ComparedStatement, known: ComparedStatement) -> bool:
    """Return whether a new statement lacks more than half of the words of a known one, and more than a few."""
    of_known = analyze_words(known.content).stems
    lacking = len(of_known - analyze_words(new.content).stems)
    return lacking > _FEW and 2 * lacking > len(of_known)


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
