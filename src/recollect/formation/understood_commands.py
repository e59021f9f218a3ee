"""Assigns the memory commands that a model understood to turns, and holds back changes for approval that no command asks for. Pure.

A command counts only if its words are the person's own. If a person approves everything first, their request to remember or to
correct something still takes effect at once. The model's other proposals wait, also replacements and ends; the old statement
stays until they are approved. A doubt about a memory is dropped, since it can't be approved.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from recollect.formation.analyzed_turn import AnalyzedTurn, MemoryCommand, statement_of
from recollect.formation.quote_search import clauses_of, plain_quote, searchable, weight
from recollect.model import (
    Add,
    Asking,
    Candidate,
    Change,
    Exchange,
    ExtractedCommand,
    Kind,
    Limit,
    Mark,
    Memory,
    Provenance,
    Quarantine,
    Reason,
    Relation,
    Replace,
    Retire,
)
from recollect.ports import Extracted
from recollect.text.comparison import same_letter
from recollect.text.lexical import document_terms
from recollect.text.memory_requests import read_memory_request

_ASKED = frozenset({Asking.REMEMBER, Asking.CORRECT})
_IMPORTANCE = 0.8  # the person asked for it in so many words
_EVIDENCE_LENGTH = 1_000
_LEADING = 150
"""Characters before the words that ask."""
_LEAST_QUOTE = 4
"""The least letters and digits of a quote in a message that asks for something: "is" is in every message."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """The answer of an extraction model, and the memories it was shown."""

    extracted: Extracted = field(default_factory=Extracted)
    known: tuple[Memory, ...] = ()

    def without(self, gone: Collection[UUID], wishes: Sequence[MemoryCommand] = ()) -> "Extraction":
        """Return the extraction as if these memories had not been known; candidates that repeat them are left out.

        So are candidates that only repeat memories that a wish to erase, to forget or to correct lets go.
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
        """Return whether a candidate rests on the words of a wish and only repeats the memories that the wish lets go.

        A contradiction, by the model's word, is the right statement instead.
        """
        if not share_words(candidate.evidence, wish.quote):
            return False
        if wish.asking is Asking.ERASE:  # it is to be kept nowhere
            return True
        # A correction without a memory corrects only the assistant. In "forget the milk, I am intolerant" the clause is separate.
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
    """Return whether a candidate says something other than the memory that a wish lets go.

    "We moved to Leeds" does in "forget London, we moved to Leeds"; "I have a nephew" does not in "I never said I have a nephew".
    If candidate and wish quote the same words, only the clauses count that share no word with the forgotten memory.
    """
    own, wish = set(document_terms(candidate.evidence)), set(document_terms(quote))
    gone, told = set(document_terms("\n".join(let_go))), set(document_terms(candidate.content))
    if own == wish and not gone & told:
        clauses = (set(document_terms(each)) for each in clauses_of(candidate.evidence))
        own = {term for clause in clauses if not clause & gone for term in clause}
    elif wish < own:
        own -= wish
    return bool((own - gone) & told and gone & (wish - own))


def _is_other_clause(evidence: str, quote: str) -> bool:
    """Return whether a quote is one whole clause of a wish with several."""
    wish, words = searchable(quote), plain_quote(evidence)
    return wish.letters != words.letters and wish.is_clause(words)


def share_words(evidence: str, words: str) -> bool:
    """Return whether one of two quotes of a message contains the other."""
    return bool(evidence) and (
        searchable(words).has(plain_quote(evidence)) or searchable(evidence).has(plain_quote(words))
    )


def _renumbered(candidate: Candidate, numbers: dict[int, int]) -> Candidate | None:
    """Return a candidate renumbered for the remaining memories; None if it only repeats a forgotten one."""

    def among(old: Sequence[int]) -> tuple[int, ...]:
        return tuple(numbers[each] for each in old if each in numbers)

    about, relation = among(candidate.about), candidate.relation
    if candidate.about and not about:
        if relation in {Relation.REPEATS, Relation.REFINES}:
            return None
        relation = Relation.NEW  # a person who says "forget Kiel, I live in Bonn" lives in Bonn
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
                    if 0 <= number < len(extraction.known)
                    and not is_told_later(extraction.known[number], turns[turn].exchange)
                ),
                is_beside_others=bool(turns[turn].attribution.elsewhere),
                quote=command.evidence,
            )
        )
    return [replace(each, commands=tuple(of_turn.get(number, ()))) for number, each in enumerate(turns)]


def is_told_later(memory: Memory, exchange: Exchange) -> bool:
    """Return whether a memory is newer than an exchange: one that waited for a model changes no later memory."""
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


def told_by_form(turns: Sequence[AnalyzedTurn]) -> list[Candidate]:
    """Return a candidate for each statement in a command that was recognized by its form, without a model."""
    return [
        Candidate(statement_of(command), Kind.FACT, _IMPORTANCE, command.about[:_EVIDENCE_LENGTH])
        for each in turns
        for command in each.commands
        if command.meant is None and command.asking is not Asking.FORGET
    ]


def held_for_approval(
    learned: Sequence[tuple[int, Change]],
    turns: Sequence[AnalyzedTurn],
    known: Sequence[Memory],
    *,
    at: datetime,
    new_id: Callable[[], UUID],
) -> list[tuple[int, Change]]:
    """Return a batch's changes, each with the number of its turn; changes that the person did not ask for wait."""
    waiting: dict[UUID, tuple[int, Quarantine]] = {}
    done: list[tuple[int, Change]] = []
    asked: set[UUID] = set()
    for number, change in learned:
        match change:
            case Add() | Replace():
                earlier = waiting.pop(change.old, None) if isinstance(change, Replace) else None
                if _is_asked_for(change, turns[number]):
                    asked.add(change.memory.id)
                    done.append((number, change))
                else:
                    own = (change,) if isinstance(change, Replace) else ()
                    waiting[change.memory.id] = number, _held(change, earlier[1].then if earlier else own)
            case Retire(heir=Memory() as heir) | Limit(heir=heir) if heir.id in waiting:
                of_heir, held = waiting[heir.id]
                waiting[heir.id] = of_heir, replace(held, then=(*held.then, change))
            case Retire(heir=Memory() as heir) | Limit(heir=heir) if heir.id in asked:
                done.append((number, change))
            case Retire():
                ended = [each for each in known if each.id == change.target]
                done += [(number, _end(change, each, turns[number], at, new_id())) for each in ended]
            case Mark() | Limit():
                pass
            case _:
                done.append((number, change))
    return [*done, *waiting.values()]


def _is_asked_for(change: Add | Replace, turn: AnalyzedTurn) -> bool:
    """Return whether a statement rests on the words by which its person asks to remember or to correct something.

    Without a model, a command's own form tells the statement.
    """
    evidence = change.memory.provenance.evidence or ""
    asking = [each for each in turn.commands if each.asking in _ASKED]
    return any(each.meant is None or share_words(evidence, each.quote) for each in asking)


def _held(change: Add | Replace, further: Sequence[Replace | Retire | Limit]) -> Quarantine:
    return Quarantine(change.memory, Reason.APPROVAL, change.decided_by, hides=False, then=tuple(further))


def _end(change: Retire, old: Memory, turn: AnalyzedTurn, at: datetime, id_: UUID) -> Quarantine:
    """Return the proposal that a statement is over; it waits under the statement's own words."""
    exchange = turn.exchange
    origin = Provenance(exchange.turn.scope.session_id, (exchange.message_id,), turn.words or None)
    owner = exchange.turn.scope.user_id  # also of the end of a shared statement
    proposal = replace(old, id=id_, owner=owner, created_at=at, provenance=origin, doubt=None)
    gone = replace(change, heir=None)
    return Quarantine(proposal, Reason.ENDED, change.decided_by, hides=False, then=(gone,))
