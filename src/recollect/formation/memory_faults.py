"""Finds faults of kept memories, by the rules that formation has for new ones. Pure.

A memory is verified again as a candidate, against the messages it rests on: it has a fault if it would be refused, held back
or masked today. Two memories are compared as a new statement is with a known one. The only rule that formation lacks is the one
for impossible times. It repairs nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from recollect.formation.statement_times import with_checked_date
from recollect.formation.verification import AcceptedCandidate, FormationRules, HeldCandidate, verify
from recollect.formation.wording import without_secrets
from recollect.model import (
    STATEMENTS,
    Candidate,
    Exchange,
    Fault,
    Finding,
    Kind,
    Memory,
    Outline,
    Reason,
    Scope,
    Source,
    Turn,
)
from recollect.text.attribution import Attribution, attribute
from recollect.text.comparison import disagreement, of_memory, same_letter, veto
from recollect.text.lexical import document_terms
from recollect.text.lexical.letters import ends_asking, sentences
from recollect.text.prompt_injection import is_instruction
from recollect.text.secrets import mask

_DAY = timedelta(days=1)
"""Clocks and time zones differ by less."""

_READ = 12_000  # as much of a message as a model is shown

_UNSOURCED = frozenset({Reason.NO_EVIDENCE, Reason.INJECTED})
_JUNK = frozenset({Reason.EMPTY, Reason.TOO_LONG, Reason.LOW_IMPORTANCE})


def faults_of(
    memory: Memory, said: Sequence[Exchange], *, rules: FormationRules, at: datetime
) -> list[Finding]:
    """Return the faults of one memory alone, which rests on the exchanges ``said``, as far as the log has them."""
    found = list(_secrets(memory))
    if memory.kind not in STATEMENTS:
        return found
    if memory.source is Source.EXTRACTED:
        found += _unverified(memory, said, rules)
    elif memory.source is not Source.MANUAL:  # people vouch for their own writing
        found += _unscreened(memory)
    return found + list(_wrong_dates(memory, said, at))


def _secrets(memory: Memory) -> Iterator[Finding]:
    """Yield a memory that holds a secret, corrected so that it holds none; without a correction where nothing else is in it."""
    evidence, outline = memory.provenance.evidence, memory.outline
    content = mask(memory.content).text
    clean = replace(
        memory,
        content=content,
        provenance=replace(memory.provenance, evidence=None if evidence is None else mask(evidence).text),
        outline=None if outline is None else _masked_outline(outline),
    )
    if clean == memory:
        return
    says_more = (
        memory.kind not in STATEMENTS
        or content == memory.content
        or without_secrets(_candidate(memory)) is not None
    )
    yield Finding(Fault.SECRET, memory, Reason.CONFIDENTIAL, corrected=clean if says_more else None)


def _masked_outline(outline: Outline) -> Outline:
    parts = (outline.facts, outline.preferences, outline.decisions, outline.todos, outline.entities)
    return Outline(*(tuple(mask(text).text for text in part) for part in parts))


def _unverified(memory: Memory, said: Sequence[Exchange], rules: FormationRules) -> Iterator[Finding]:
    """Yield what speaks against a memory that a model found in what someone said."""
    evidence = memory.provenance.evidence
    if not evidence:
        yield Finding(Fault.NO_SOURCE, memory, Reason.NO_EVIDENCE)
        return
    if memory.provenance.message_ids and not said:
        yield Finding(Fault.NO_SOURCE, memory, Reason.NO_EVIDENCE, decided_by="messages gone")
    attributions = [attribute(each) for each in said] or [Attribution(evidence, ())]
    [verdict] = verify(
        [_candidate(memory)],
        attributions,
        minimum_importance=rules.minimum_importance,
    )
    if isinstance(verdict, HeldCandidate):
        yield Finding(Fault.ORDER, memory, verdict.reason)
    elif not isinstance(verdict, AcceptedCandidate) and verdict.reason in _UNSOURCED:
        yield Finding(Fault.NO_SOURCE, memory, verdict.reason)
    elif not isinstance(verdict, AcceptedCandidate) and verdict.reason in _JUNK:
        yield Finding(Fault.JUNK, memory, verdict.reason)
    elif not _states_something(memory):
        yield Finding(Fault.JUNK, memory, Reason.NOT_STATED)


def _unscreened(memory: Memory) -> Iterator[Finding]:
    """Yield what speaks against a memory that another product wrote: it is judged as an import judges it."""
    provenance = memory.provenance
    if memory.source is Source.IMPORT and not (
        provenance.evidence or provenance.session_id or provenance.extractor
    ):
        yield Finding(Fault.NO_SOURCE, memory, Reason.NO_EVIDENCE)
    if is_instruction(memory.content):
        yield Finding(Fault.ORDER, memory, Reason.INSTRUCTION)
    if not _states_something(memory):
        yield Finding(Fault.JUNK, memory, Reason.NOT_STATED)


def _states_something(memory: Memory) -> bool:
    """Return whether a statement says anything besides questions, code, logs and others' words."""
    turn = Turn(Scope(memory.owner, ""), memory.content, "", memory.observed_at, "")
    exchange = Exchange(memory.id, turn, "", memory.id, memory.id)
    said = sentences(attribute(exchange).authored[:_READ])
    return bool(document_terms(" ".join(each for each in said if not ends_asking(each))))


def _wrong_dates(memory: Memory, said: Sequence[Exchange], at: datetime) -> Iterator[Finding]:
    """Yield a memory with a date that can't be right, corrected."""
    corrected = memory
    last = max((each.turn.at for each in said), default=None)
    if memory.source is Source.EXTRACTED and last is not None and memory.observed_at > last + _DAY:
        corrected = replace(corrected, observed_at=last)
    elif memory.observed_at > at + _DAY:
        corrected = replace(corrected, observed_at=min(memory.created_at, at))
    if memory.holds_from and memory.holds_until and memory.holds_until < memory.holds_from:
        corrected = replace(corrected, holds_from=None, holds_until=None)
    if memory.source is Source.EXTRACTED:
        event_at = with_checked_date(_candidate(memory), corrected.observed_at).event_at
        corrected = replace(corrected, event_at=event_at)
    if corrected != memory:
        yield Finding(Fault.WRONG_DATE, memory, Reason.REFINES, corrected=corrected)


def _candidate(memory: Memory) -> Candidate:
    return Candidate(
        content=memory.content,
        kind=memory.kind,
        importance=memory.importance,
        evidence=memory.provenance.evidence or "",
        confidence=memory.confidence,
        event_at=memory.event_at,
        holds_from=memory.holds_from,
        holds_until=memory.holds_until,
    )


def duplicate_of(older: Memory, newer: Memory) -> Finding | None:
    """Return the fault of one of two statements that repeat each other; None if they do not.

    The older one stays, as with a repetition, unless only the newer one was written by hand.
    """
    if not {older.kind, newer.kind} <= STATEMENTS or not same_letter(newer.content, older.content):
        return None
    if veto(of_memory(newer), of_memory(older)) is not None:
        return None
    is_by_hand = newer.source is Source.MANUAL and older.source is not Source.MANUAL
    goes, stays = (older, newer) if is_by_hand else (newer, older)
    return Finding(Fault.DUPLICATE, goes, Reason.REPEATS, stays, decided_by="equal letters")


def contradiction_of(older: Memory, newer: Memory) -> Finding | None:
    """Return the fault of a newer statement that contradicts an older one; None if it does not.

    Todos, past statements, and doubted ones contradict nothing.
    """
    if not {older.kind, newer.kind} <= STATEMENTS - {Kind.TODO} or older.doubt is not None:
        return None
    if older.holds_until is not None and older.holds_until <= newer.dated:
        return None
    against = disagreement(of_memory(newer), of_memory(older))
    if against is None:
        return None
    return Finding(Fault.CONTRADICTION, older, Reason.DISPUTED, newer, decided_by=f"another {against}")
