"""The memory commands that a model understood, and statements that commands alone tell. Pure.

A command that a model understood counts where the words that ask are the person's own.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from recollect.formation.grounding import plain_quote, searchable, weight
from recollect.formation.turns import AnalyzedTurn, MemoryCommand, statement_of
from recollect.model import Asking, Candidate, Exchange, ExtractedCommand, Kind, Memory, Relation
from recollect.ports import Extracted
from recollect.text.comparison.vetoes import same_letter
from recollect.text.cues.memory_requests import read_memory_request
from recollect.text.lexical import document_terms

_IMPORTANCE = 0.8
_EVIDENCE_LENGTH = 1_000
_LEAST_QUOTE = 4
"""The least letters and digits of a quote in a message that asks for something: "is" is in every message."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """The answer of an extraction model, and the memories it was shown."""

    extracted: Extracted = field(default_factory=Extracted)
    known: tuple[Memory, ...] = ()

    def without(self, gone: Collection[UUID], wishes: Sequence[MemoryCommand] = ()) -> "Extraction":
        """Return the extraction as if these memories had not been known; candidates that repeat them are left out.

        So are candidates that only say again what a wish to erase, to forget or to correct lets go.
        """
        left = [number for number, each in enumerate(self.known) if each.id not in gone]
        if len(left) == len(self.known) and not wishes:
            return self
        numbers = {old: new for new, old in enumerate(left)}
        let_go = [each.content for each in self.known if each.id in gone]
        candidates = [
            _renumbered(each, numbers)
            for each in self.extracted.candidates
            if not any(same_letter(each.content, content) for content in let_go)
            and not any(self._says_again(each, wish, let_go) for wish in wishes)
        ]
        return Extraction(
            replace(self.extracted, candidates=tuple(each for each in candidates if each)),
            tuple(self.known[number] for number in left),
        )

    def _says_again(self, candidate: Candidate, wish: MemoryCommand, let_go: Sequence[str]) -> bool:
        """Tell whether a candidate rests on the words of a wish and states nothing but what it lets go.

        A statement that the model calls a contradiction says what is right instead. A correction that names no memory lets none
        go: the assistant alone was wrong. Nor does another clause than the one that asks ("forget the milk, I am intolerant") say
        again what goes. What is to be kept nowhere is never said again.
        """
        if not share_words(candidate.evidence, wish.quote):
            return False
        if wish.asking is Asking.ERASE:
            return True
        if not wish.meant and (
            wish.asking is Asking.CORRECT or _is_other_clause(candidate.evidence, wish.quote)
        ):
            return False
        named = [each.content for each in wish.meant or ()]
        is_contradiction = candidate.relation is Relation.CONTRADICTS and any(
            0 <= number < len(self.known) for number in candidate.about
        )
        return not is_contradiction and not _tells_other(candidate, wish.quote, [*named, *let_go])


def _tells_other(candidate: Candidate, quote: str, let_go: Sequence[str]) -> bool:
    """Tell whether a candidate has words of its own in a wish whose other words name what is let go.

    So has "we moved to Leeds" in "forget London, we moved to Leeds"; not so "I have a nephew" in "I never said I have a nephew".
    """
    own, wish = set(document_terms(candidate.evidence)), set(document_terms(quote))
    if wish < own:
        own -= wish
    gone = set(document_terms("\n".join(let_go)))
    says = own & set(document_terms(candidate.content))
    return bool(says and gone & (wish - own)) and not gone & own


def _is_other_clause(evidence: str, quote: str) -> bool:
    """Tell whether a quote is one whole clause of a wish that has more than this one."""
    wish, words = searchable(quote), plain_quote(evidence)
    return wish.letters != words.letters and wish.is_clause(words)


def share_words(evidence: str, words: str) -> bool:
    """Tell whether one of two quotes of a message lies within the other."""
    return bool(evidence) and (
        searchable(words).has(plain_quote(evidence)) or searchable(evidence).has(plain_quote(words))
    )


def _renumbered(candidate: Candidate, numbers: dict[int, int]) -> Candidate | None:
    """Return a candidate renumbered for the remaining memories; None if it only repeats a forgotten one.

    A contradiction of a forgotten memory is new: a person who says "forget Kiel, I live in Bonn" lives in Bonn.
    """

    def among(old: Sequence[int]) -> tuple[int, ...]:
        return tuple(numbers[each] for each in old if each in numbers)

    about, relation = among(candidate.about), candidate.relation
    if candidate.about and not about:
        if relation in {Relation.REPEATS, Relation.REFINES}:
            return None
        relation = Relation.NEW
    return replace(
        candidate,
        relation=relation,
        about=about,
        unsettles=among(candidate.unsettles),
        ends=among(candidate.ends),
    )


def with_understood_commands(turns: Sequence[AnalyzedTurn], extraction: Extraction) -> list[AnalyzedTurn]:
    """Return the turns with the commands that a model understood, each with the newest turn that holds its evidence.

    A command whose evidence no turn holds is ignored, and so is one that points at a list, which was done before the answer.
    """
    of_turn: dict[int, list[MemoryCommand]] = {}
    named = {
        asking: {
            number
            for each in extraction.extracted.commands
            if each.asking is asking
            for number in each.about
            if 0 <= number < len(extraction.known)
        }
        for asking in Asking
    }
    for command in extraction.extracted.commands:
        turn = _turn_of(command, turns)
        if turn is None or read_memory_request(command.evidence):
            continue
        of_turn.setdefault(turn, []).append(
            MemoryCommand(
                command.asking,
                _sentence_around(command.evidence, turns[turn].words),
                meant=tuple(
                    extraction.known[number]
                    for number in dict.fromkeys(command.about)
                    if number in named[command.asking]
                    and not is_told_later(extraction.known[number], turns[turn].exchange)
                ),
                is_beside_others=bool(turns[turn].attribution.elsewhere),
                quote=command.evidence,
            )
        )
    return [replace(each, commands=tuple(of_turn.get(number, ()))) for number, each in enumerate(turns)]


def is_told_later(memory: Memory, exchange: Exchange) -> bool:
    """Tell whether a memory was told after an exchange, which may have waited for a model: that asks nothing of it."""
    return memory.observed_at > exchange.turn.at


def _turn_of(command: ExtractedCommand, turns: Sequence[AnalyzedTurn]) -> int | None:
    """Return the newest turn whose own words hold a command's evidence; of a message with others' words, to the letter, and alone."""
    quote = plain_quote(command.evidence)
    for number in reversed(range(len(turns))):
        words = searchable(turns[number].words)
        if weight(quote) < _LEAST_QUOTE and _letters(command.evidence) != _letters(turns[number].words):
            continue
        others = [searchable(each) for each in turns[number].attribution.elsewhere]
        if any(each.has(quote) for each in others) or (others and not words.has(quote)):
            continue
        if words.source_of(quote):
            return number
    return None


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text[:_EVIDENCE_LENGTH].casefold()))


def _sentence_around(evidence: str, words: str) -> str:
    """Return the words that ask, with those before them: in "my lungs? Let that slip your mind" they name the subject."""
    at = words.find(evidence)
    return words[max(0, at - _LEADING) : at + len(evidence)] if at > 0 else evidence


_LEADING = 150
"""Characters before the words that ask."""


def told_by_form(turns: Sequence[AnalyzedTurn]) -> list[Candidate]:
    """Return a candidate for each statement that a command tells where no model was asked."""
    return [
        Candidate(statement_of(command), Kind.FACT, _IMPORTANCE, command.about[:_EVIDENCE_LENGTH])
        for each in turns
        for command in each.commands
        if command.meant is None and command.asking is not Asking.FORGET
    ]
