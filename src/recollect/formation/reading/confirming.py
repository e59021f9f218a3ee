"""Tells what of the assistant's words a person confirms. Pure. Never: what they say besides."""

import unicodedata
from collections.abc import Sequence

from recollect.formation.word_lists.confirming import (
    ACCEPTS,
    BUT,
    EITHER_OR,
    EITHER_OR_IN,
    OF_COURSE,
    OPEN,
    YES,
)
from recollect.formation.wording import wording
from recollect.model import Message, Role
from recollect.patterns import anchored, bounded

_MOST_WORDS = 12
_OPENING_WORDS = 5
"""The same of a yes that opens a longer message."""
_LONGEST = 600
_NEAR_END = 200
"""Characters within which an assistant's last question stands, at the end of what it said."""
_ONLY_ASKS = 40
"""Characters of a question that only asks whether what was said before is right."""
_WORD = bounded(r"\w+(?:['\u2019]\w+)*")
_UNSPACED = bounded("[\u3040-\u30ff\u3400-\u9fff]")
_NOTICE = bounded(r"\A\[Historical voice assistant transcript;[^\]\n]{0,200}\][ \t]*\n?")
_OPENS = bounded(r"\A[\W_]{0,20}")
_QUESTIONS = ("?", "\uff1f", "\u061f")
_SENTENCE_END = bounded("[.!?\u2026\n\u3002\uff01\uff1f\u061f]+")
_CLOSERS = anchored("[*_)\"'\u201d\u2019\u300d]*")
_FIRST_CLAUSE = bounded("[,;:\u2013\u2014\uff0c\u3001]")


def confirmed_words(authored: str, history: Sequence[Message]) -> str:
    """Return what the assistant said last, where the person's message is a yes to it, or opens with one; else "".

    It has to be short or to hold a question near its end: "ok" to a long proposal confirms nothing about the
    person. Of a long one only the paragraph with the question is confirmed, of that the last 600 characters;
    and what stands before, where the question is no more than "is that right?".

    Args:
        authored: The person's own words.
        history: What was said before, oldest first.
    """
    if not history or history[-1].role is not Role.ASSISTANT:
        return ""
    said = _NOTICE.sub("", history[-1].text.strip()).strip()
    asked = _question_in(said)
    if not _is_yes(authored, to_question=bool(asked)):
        return ""
    if asked and _leaves_open(asked, said):
        return ""
    return said if len(said) <= _LONGEST else asked


def _leaves_open(asked: str, said: str) -> bool:
    """Tell whether a question asks for more than a yes or no: which of two, or what."""
    sentences = [sentence.strip() for sentence in _SENTENCE_END.split(asked)]
    last = next((sentence for sentence in reversed(sentences) if any(map(str.isalnum, sentence))), "")
    joins = EITHER_OR_IN.get(wording(said).language)
    if EITHER_OR.search(last) or (joins and joins.search(last)):
        return True
    # what was summed up before is confirmed, where only the last clause asks for more
    return OPEN.search(_FIRST_CLAUSE.split(last)[0]) is not None


def _question_in(said: str) -> str:
    """Return the words that lead up to the last question, where it stands near the end; else ""."""
    tail = said[-_NEAR_END:]
    last = max(tail.rfind(mark) for mark in _QUESTIONS)
    if last < 0:
        return ""
    closers = _CLOSERS.match(tail, last + 1)
    asked = said[: len(said) - len(tail) + (closers.end() if closers else last + 1)]
    paragraph = asked.rpartition("\n\n")[2].strip()
    return (paragraph if len(paragraph) >= _ONLY_ASKS else asked.strip())[-_LONGEST:]


def _is_yes(authored: str, *, to_question: bool) -> bool:
    plain = _OPENS.sub("", unicodedata.normalize("NFC", authored[: 2 * _LONGEST])).strip()
    first, mark, rest = _first_sentence(plain)
    if len(authored) > _LONGEST and not mark:
        return False
    if _words(first) > _MOST_WORDS or mark in _QUESTIONS:
        return False
    if not (YES.match(first) or (to_question and not rest and OF_COURSE.match(first))):
        return False
    if BUT.search(first) or ACCEPTS.search(first):
        return False
    return not BUT.match(rest) and (
        not rest or _words(_FIRST_CLAUSE.split(first, maxsplit=1)[0]) <= _OPENING_WORDS
    )


def _first_sentence(plain: str) -> tuple[str, str, str]:
    """Return the first sentence, its mark, and what follows."""
    end = _SENTENCE_END.search(plain)
    if end is None:
        return plain, "", ""
    return plain[: end.start()], end[0][:1], plain[end.end() :].strip()


def _words(text: str) -> int:
    """Return how many words a text has; of scripts without spaces two characters count for one."""
    return len(_WORD.findall(_UNSPACED.sub(" ", text))) + len(_UNSPACED.findall(text)) // 2
