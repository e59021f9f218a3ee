"""Whether the text that a prompt is given says what its evidence says: not only whether anything of it is quoted. Pure.

A turn counts as found when any part of it is quoted. Here the words of the block are compared with those of the turn.
Words are the terms that texts are found by: stemmed, without stop words; those of the question itself do not count, as
they answer nothing. The words that answer are those of the labelled answer (``Question.answer``), or of the facts that
rest on the turn, as far as the turn says them: what an answer concludes stands in no turn.

Never: what recalled it, how it is shown.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from bench.recall.asking import Asked
from bench.recall.dataset import UNANSWERABLE, LabelledConversation
from bench.recall.facts import Facts
from recollect.text.lexical import document_terms


@dataclass(frozen=True, slots=True)
class Quoted:
    """How much of a found evidence turn stands in the block.

    Attributes:
        turn: The share of the turn's words.
        answer: The share of the words that answer; None where nothing says which these are.
    """

    turn: float
    answer: float | None


def quoted(
    asked: Sequence[Asked], conversations: Iterable[LabelledConversation], facts: Facts | None = None
) -> dict[str, Any]:
    """Return how often, and how much of, found evidence is quoted, over all questions that somebody answers.

    Args:
        asked: What came of the questions.
        conversations: What was said.
        facts: What the turns say, if that is labelled.

    Returns:
        ``evidence``: the questions' evidence turns; ``found``: those of which anything is quoted;
        ``whole``, ``words``: of the found ones, the share whose words all stand there, and the mean share of their
        words that do. ``labelled``: found ones for which it is known which words answer; ``answers``: of these, the
        share of which all these words stand in the block; ``answer_words``: the mean share of these words that do.
        Shares are from 0 to 1, None of nothing.
    """
    texts = {each.id: {turn.id: turn.text for turn in each.turns} for each in conversations}
    saying = _saying(facts)
    counted = [each for each in asked if each.question.category != UNANSWERABLE]
    found = [
        _quoted(each, texts[each.user_id][turn_id], saying.get((each.user_id, turn_id), ""))
        for each in counted
        for turn_id in dict.fromkeys(each.question.evidence)
        if turn_id in each.injected
    ]
    answers = [each.answer for each in found if each.answer is not None]
    return {
        "evidence": sum(len(set(each.question.evidence)) for each in counted),
        "found": len(found),
        "whole": _mean(each.turn == 1 for each in found),
        "words": _mean(each.turn for each in found),
        "labelled": len(answers),
        "answers": _mean(each == 1 for each in answers),
        "answer_words": _mean(answers),
    }


def _saying(facts: Facts | None) -> Mapping[tuple[str, str], str]:
    """Return what the facts say that rest on a turn, by conversation and turn."""
    said: dict[tuple[str, str], str] = {}
    for conversation_id, known in (facts.of if facts else {}).items():
        for fact in known:
            for turn_id in fact.evidence:
                said[conversation_id, turn_id] = f"{said.get((conversation_id, turn_id), '')}\n{fact.text}"
    return said


def _quoted(asked: Asked, turn: str, fact: str) -> Quoted:
    given, question = _words(asked.block), _words(asked.question.text)
    said = _words(turn)
    answer = (_words(asked.question.answer or fact) & said) - question
    return Quoted(_share(said - question, given) or 0.0, _share(answer, given))


def _words(text: str) -> frozenset[str]:
    return frozenset(document_terms(text))


def _share(wanted: frozenset[str], given: frozenset[str]) -> float | None:
    return len(wanted & given) / len(wanted) if wanted else None


def _mean(shares: Iterable[float]) -> float | None:
    every = list(shares)
    return fmean(every) if every else None
