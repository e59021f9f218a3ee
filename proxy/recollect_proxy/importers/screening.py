"""Converts memories of a source product, screens them as formation does, and compares them with what earlier imports wrote. Pure.

Secrets are masked, and planted instructions go into quarantine. The texts are judged as statements about a person, not as the
person's own words.

Each text that an import writes for one memory of the source is a version of it. A version's id is derived from the id of the
source memory and the version's number, so that all versions are found again, also those that the person has deleted. The audit
trail says what became of them. It does not use the store.
"""

import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import TypeAlias
from uuid import UUID

from recollect.formation.wording import masked_metadata, masked_tags, without_secrets
from recollect.model import (
    Action,
    Actor,
    Add,
    Candidate,
    Ignore,
    Kind,
    Memory,
    Provenance,
    Quarantine,
    Reason,
    Replace,
    Source,
    Update,
)
from recollect.text.lexical import document_terms
from recollect.text.normalization import content_hash
from recollect.text.patterns import anchored
from recollect.text.prompt_injection import is_instruction
from recollect_proxy.importers.common_format import SourceMemory, stable_id

LONGEST = 8_000
"""The most characters of a memory, as in the memory API."""

_LONGEST_READ = 10 * LONGEST
"""A longer text is refused unread: even without decorations it would be too long."""

_IMPORTANCE, _IMPORTANT = 0.5, 0.7
_IMPORTANT_TAGS = frozenset({"identity", "relationship", "goal"})


def screened(stored: SourceMemory, *, at: datetime) -> Add | Quarantine | Ignore:
    """Decide at the time ``at`` how to import a memory.

    Returns:
        Add; Quarantine if the text is an instruction to the assistant; Ignore if it is EMPTY, TOO_LONG, or CONFIDENTIAL
        (nothing but a secret).
    """
    if len(stored.content) > _LONGEST_READ:
        return Ignore(Reason.TOO_LONG)
    plain = undecorated(stored.content)
    if not any(map(str.isalnum, plain.text)):
        return Ignore(Reason.EMPTY)
    content = _with_path(plain.text, stored.path)
    if len(content) > LONGEST:
        return Ignore(Reason.TOO_LONG)
    candidate = Candidate(
        content=content,
        kind=Kind.PREFERENCE if "preference" in plain.tags else Kind.FACT,
        importance=_IMPORTANT if stored.is_always_told or plain.tags & _IMPORTANT_TAGS else _IMPORTANCE,
        evidence=plain.text,
        confidence=1.0 if plain.confidence is None else plain.confidence,
    )
    clean = without_secrets(candidate)
    if clean is None:
        return Ignore(Reason.CONFIDENTIAL)
    memory = _memory(stored, clean, at)
    if is_instruction(clean.content):
        return Quarantine(memory, Reason.INSTRUCTION)
    # WRITTEN: the person wrote it by hand, so that no cap on memories removes it.
    return Add(memory, Reason.WRITTEN if stored.is_manual and not plain.is_decorated else Reason.NEW)


def _memory(stored: SourceMemory, candidate: Candidate, at: datetime) -> Memory:
    return Memory(
        id=version_id(stored),
        owner=stored.user_id,
        kind=candidate.kind,
        source=Source.IMPORT,
        content=candidate.content,
        importance=candidate.importance,
        confidence=candidate.confidence,
        observed_at=min(stored.said_at or at, at),
        created_at=at,
        provenance=Provenance(stored.session_id, (), candidate.evidence, stored.origin),
        tags=masked_tags(stored.tags),
        metadata=masked_metadata(stored.metadata),
    )


def _with_path(text: str, path: str) -> str:
    """Prepend the path to a text, as OpenWebUI does, unless the text contains the words of the path's last part."""
    name = path.rpartition("/")[2]
    if not name or set(document_terms(name)) <= set(document_terms(text)):
        return text
    return f"{path}: {text}"


# Community filters decorate a text: `[Tags: a, b] text [Memory Bank: Work] [Confidence: 0.95]` (Adaptive Memory, its forks).
_MARK = anchored(r"\[(tags|memory bank|confidence):([^\[\]\n]{0,300})\]", re.IGNORECASE)
_LONGEST = 320
_MOST = 6
"""The most decorations to strip at either end."""


@dataclass(frozen=True, slots=True)
class Undecorated:
    """A memory's text without its decorations, and their values: the tags in lower case, the confidence from 0 to 1."""

    text: str
    tags: frozenset[str] = frozenset()
    confidence: float | None = None
    is_decorated: bool = False


def undecorated(text: str) -> Undecorated:
    """Strip the decorations at the beginning and the end of a text; those within it stay."""
    text = text.strip()
    marks: dict[str, str] = {}
    for _ in range(_MOST):
        if leading := _MARK.match(text[:_LONGEST]):
            text = text[leading.end() :].strip()
            marks.setdefault(leading[1].lower(), leading[2])
        opens = text.rfind("[", -_LONGEST) if text.endswith("]") else -1
        if opens >= 0 and (trailing := _MARK.fullmatch(text[opens:])):
            text = text[:opens].strip()
            marks.setdefault(trailing[1].lower(), trailing[2])
    tags = frozenset(filter(None, (tag.strip().lower() for tag in marks.get("tags", "").split(","))))
    return Undecorated(text, tags, _share(marks.get("confidence")), is_decorated=bool(marks))


def _share(written: str | None) -> float | None:
    """Parse a share such as "0.95" or "95 %", limited to 0 to 1; None if it is no number."""
    try:
        number = float((written or "").strip().rstrip("% "))
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    return min(1.0, max(0.0, number / 100 if number > 1 else number))


_EPOCH = datetime.fromtimestamp(0, UTC)
_WRITES = frozenset({Action.ADD, Action.REPLACE})
_HOLDS = frozenset({Action.QUARANTINE, Action.REFUSE})
_LEAVES = frozenset({Action.REINFORCE, Action.MARK})
"""The actions of formation that leave the imported text as it is."""

Brought: TypeAlias = Add | Quarantine
"""The change that ``screened`` chose for a memory, which applies if it was not imported before."""


class NotAgain(StrEnum):
    """Why a memory is not imported again."""

    THERE = "there"
    LEFT = "left"
    """It has changed in the source, but the imported text was changed here, too."""


@dataclass(frozen=True, slots=True)
class ImportedText:
    """A text that an import wrote for a memory of the source.

    Attributes:
        memory: The memory as the user has it now; None if it was deleted, or is in quarantine.
        updates: Its audit trail, newest first.
    """

    memory: Memory | None
    updates: Sequence[Update]


def version_id(stored: SourceMemory, number: int = 0) -> UUID:
    """Return the id of a version of a source memory; the first version has the number 0."""
    names = (stored.origin, "memory", stored.user_id, stored.id, str(number))
    return stable_id(stored.created_at or _EPOCH, *names)


def next_change(
    stored: SourceMemory, brought: Brought, versions: Sequence[ImportedText], known: Collection[bytes]
) -> Brought | Replace | NotAgain:
    """Return how to import the present text of a source memory.

    A later text, by the source's own timestamps, replaces the imported one, unless that was changed here. An older
    export therefore never undoes a newer one.

    ``brought`` applies if it was not imported before. ``versions`` are those that earlier imports wrote, oldest first,
    ``known`` the content hashes of the user's memories and of those in quarantine.
    """
    new = brought.memory
    is_known = content_hash(new.content) in known
    if not versions:
        return NotAgain.THERE if is_known else brought
    standing = next((each for each in reversed(versions) if each.memory is not None), None)
    if _came_before(brought, versions):
        return NotAgain.THERE
    further = replace(brought, memory=replace(new, id=version_id(stored, len(versions))))
    if standing is None or standing.memory is None:
        return _beside(further, versions, is_known=is_known)
    if not _is_later(new, standing.memory):
        return NotAgain.THERE
    return _in_place_of(standing.memory, further, is_known=is_known, is_touched=_is_touched(standing, new))


def _in_place_of(
    standing: Memory, further: Brought, *, is_known: bool, is_touched: bool
) -> Brought | Replace | NotAgain:
    """Return how to import a later text of a memory whose imported version the user still has."""
    if is_touched:
        return NotAgain.THERE if is_known else NotAgain.LEFT
    if isinstance(further, Quarantine):  # the present version stays until the person approves the new one
        return NotAgain.THERE if is_known else further
    reason = Reason.WRITTEN if further.reason is Reason.WRITTEN else Reason.CORRECTED
    return Replace(standing.id, further.memory, reason)


def _beside(further: Brought, versions: Sequence[ImportedText], *, is_known: bool) -> Brought | NotAgain:
    """Return how to import a text of a memory of which the user has no version any more."""
    if is_known or content_hash(further.memory.content) in map(content_hash, _texts(versions)):
        return NotAgain.THERE
    latest = versions[-1].updates
    # The last version was never approved: a later text gets a new chance.
    if latest and latest[0].action in _HOLDS:
        return NotAgain.THERE if further.memory.observed_at <= latest[-1].at else further
    is_ours = all(update.actor is Actor.IMPORT for version in versions for update in version.updates)
    return further if is_ours else NotAgain.LEFT


def _came_before(brought: Brought, versions: Sequence[ImportedText]) -> bool:
    """Return whether the last import brought this text. The audit has no text of a held-back one, so its time decides."""
    if isinstance(brought, Quarantine):
        rows = [update for version in versions for update in version.updates]
        held = [update.at for update in rows if update.action is Action.QUARANTINE]
        return bool(held) and brought.memory.observed_at <= max(held)
    last = next(_texts(versions), None)
    return last is not None and content_hash(last) == content_hash(brought.memory.content)


def _texts(versions: Sequence[ImportedText]) -> Iterator[str]:
    """Yield the texts that imports wrote, newest first."""
    for version in reversed(versions):
        for update in version.updates:
            if update.actor is Actor.IMPORT and update.action in _WRITES and update.after is not None:
                yield update.after


def _is_later(new: Memory, standing: Memory) -> bool:
    is_same = content_hash(new.content) == content_hash(standing.content)
    return not is_same and new.observed_at > standing.observed_at


def _is_touched(version: ImportedText, new: Memory) -> bool:
    """Return whether anything but an import changed a version, or reinforced it after the source had changed its text."""
    return any(
        update.actor is not Actor.IMPORT
        and (
            update.action not in _LEAVES
            or (update.action is Action.REINFORCE and update.at > new.observed_at)
        )
        for update in version.updates
    )
