"""The memory commands that a model understood, and those that no candidate fulfils. Pure.

A command that a model understood counts where the words that ask are the person's own. Without a model the patterns of
`memory_commands` are all there is.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from recollect.formation.grounding import ComparableText, plain_quote, searchable, weight
from recollect.formation.memory_commands import MemoryCommand, read_commands, sentences_with, statement_of
from recollect.formation.turns import AnalyzedTurn
from recollect.formation.verification import AcceptedCandidate, HeldCandidate, Verdict
from recollect.model import Asking, Candidate, ExtractedCommand, Kind, Memory, Relation
from recollect.ports import Extracted
from recollect.text.comparison.vetoes import same_letter
from recollect.text.cues.memory_requests import request_in
from recollect.text.lexical import document_terms

_IMPORTANCE = 0.8
_EVIDENCE_LENGTH = 1_000
_LEADING = 150
"""Characters before the words that ask."""
_LEAST_QUOTE = 4
"""Letters and digits of a quote that asks for something: "is" stands in every message."""
_EVERYTHING = 10
"""Who means so many memories means all of them: that is done elsewhere, and asked twice."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """The answer of an extraction model, and the memories it was shown."""

    extracted: Extracted = field(default_factory=Extracted)
    known: tuple[Memory, ...] = ()

    def without(self, gone: Collection[UUID]) -> "Extraction":
        """Return the extraction as if these memories had not been known; candidates that repeat them are left out."""
        left = [number for number, each in enumerate(self.known) if each.id not in gone]
        if len(left) == len(self.known):
            return self
        numbers = {old: new for new, old in enumerate(left)}
        let_go = [each.content for each in self.known if each.id in gone]
        candidates = [
            _renumbered(each, numbers)
            for each in self.extracted.candidates
            if not any(_says(each.content, content) for content in let_go)
        ]
        return Extraction(
            replace(self.extracted, candidates=tuple(each for each in candidates if each)),
            tuple(self.known[number] for number in left),
        )


def _says(content: str, forgotten: str) -> bool:
    """Tell whether a statement repeats what is forgotten, or a part of it, and says nothing else."""
    said, gone = ComparableText(content), ComparableText(forgotten)
    return same_letter(content, forgotten) or bool(
        said.telling and gone.telling and (said.holds(gone) or gone.holds(said))
    )


def _renumbered(candidate: Candidate, numbers: dict[int, int]) -> Candidate | None:
    """Return a candidate renumbered for the remaining memories; None where it only repeats a forgotten one.

    What contradicts something forgotten is new: who says "forget Kiel, I live in Bonn" lives in Bonn.
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
    """Return the turns with the commands that a model understood, which take precedence over those found by pattern.

    A command belongs to the newest turn that holds its evidence; a command whose evidence no turn holds is ignored. Of a message
    that holds others' words, too, the person's have to be quoted to the letter, and not be the others' as well, to forget something.
    From the sentences that ask to forget something nothing is learned.
    """
    of_turn: dict[int, list[MemoryCommand]] = {}
    forgotten: dict[int, list[str]] = {}
    meant = {
        each
        for command in extraction.extracted.commands
        if command.asking is Asking.FORGET
        for each in command.about
    }
    for command in extraction.extracted.commands:
        quote = plain_quote(command.evidence)
        if weight(quote) < _LEAST_QUOTE:
            continue
        for number in reversed(range(len(turns))):
            words = searchable(turns[number].words)
            others = [searchable(each) for each in turns[number].attribution.elsewhere]
            is_mixed = bool(others) and command.asking is Asking.FORGET
            if is_mixed and (not words.has(quote) or any(each.has(quote) for each in others)):
                continue
            if standing := words.source_of(quote):
                if request_in(sentences_with(standing, words.text)):
                    break  # it points at a list that the model was not shown
                read = _command(
                    command, extraction.known, words.text, standing, is_all=len(meant) >= _EVERYTHING
                )
                of_turn.setdefault(number, []).append(replace(read, is_beside_others=is_mixed))
                if command.asking is Asking.FORGET:
                    forgotten.setdefault(number, []).append(sentences_with(standing, words.text))
                break
    return [
        _with(_without(each, forgotten.get(number, [])), of_turn.get(number, []))
        for number, each in enumerate(turns)
    ]


def _without(turn: AnalyzedTurn, sentences: Sequence[str]) -> AnalyzedTurn:
    """Return a turn from which nothing is learned of these sentences."""
    if not sentences:
        return turn
    by_form = [each.about for each in turn.commands if each.asking is Asking.FORGET]
    authored = turn.words
    for words in filter(None, (*sentences, *by_form)):
        authored = authored.replace(words, " ")
    return replace(turn, attribution=replace(turn.attribution, authored=authored))


def _with(turn: AnalyzedTurn, commands: Sequence[MemoryCommand]) -> AnalyzedTurn:
    """Return a turn with these commands; of those found by pattern, only commands to remember stay, in front."""
    if not commands:
        return turn
    to_forget = any(each.asking is Asking.FORGET for each in commands)
    formal = [each for each in turn.commands if not (to_forget and each.asking is Asking.FORGET)]
    told = [each.about for each in formal if each.asking is Asking.REMEMBER and each.about]
    further = [
        each
        for each in commands
        if not (each.asking is Asking.REMEMBER and any(about in each.about for about in told))
    ]
    return replace(turn, commands=(*formal, *further))


def _command(
    command: ExtractedCommand, known: Sequence[Memory], words: str, standing: str, *, is_all: bool
) -> MemoryCommand:
    """Return a command in the form that rules give it. To remember: the sentence that asks, with the one before it, which it may refer to."""
    if command.asking is Asking.REMEMBER:
        return MemoryCommand(Asking.REMEMBER, sentences_with(standing, words, leading=True))
    if command.asking is not Asking.FORGET:
        return MemoryCommand(command.asking, "")
    formal = next((each for each in read_commands(command.evidence) if each.asking is Asking.FORGET), None)
    about = formal or MemoryCommand(Asking.FORGET, _with_what_leads_to_it(command.evidence, words))
    meant = tuple(known[number] for number in dict.fromkeys(command.about) if 0 <= number < len(known))
    if is_all:
        return MemoryCommand(Asking.FORGET, "", broad=True)
    return replace(about, meant=meant)


def _with_what_leads_to_it(evidence: str, words: str) -> str:
    """Return the words that ask, with those before them: in "my lungs? Let that slip your mind" they name the subject."""
    at = words.find(evidence)
    return words[max(0, at - _LEADING) : at + len(evidence)] if at > 0 else evidence


def unmet_commands(turns: Sequence[AnalyzedTurn], verdicts: Sequence[Verdict]) -> list[Candidate]:
    """Return a candidate for each command to remember that no accepted or held candidate fulfils.

    Args:
        turns: What was said.
        verdicts: What became of what a model found in it.
    """
    served: dict[int, set[str]] = {}
    for verdict in verdicts:
        if isinstance(verdict, AcceptedCandidate | HeldCandidate):
            words = f"{verdict.candidate.evidence}\n{verdict.candidate.content}"
            served.setdefault(verdict.turn, set()).update(document_terms(words))
    unmet = []
    for number, each in enumerate(turns):
        for command in each.commands:
            terms = set(document_terms(command.about))
            if command.asking is Asking.REMEMBER and terms and not terms & served.get(number, set()):
                evidence = command.about[:_EVIDENCE_LENGTH]
                unmet.append(Candidate(statement_of(command), Kind.FACT, _IMPORTANCE, evidence))
    return unmet
