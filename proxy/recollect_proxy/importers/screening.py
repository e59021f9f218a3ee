"""Converts memories of a source product, and screens them like formation does. Pure. Never: a store.

Secrets are masked, and planted instructions go into quarantine. The texts are judged as statements about a person, not as the
person's own words.
"""

import math
import re
from dataclasses import dataclass
from datetime import datetime

from recollect.formation.wording import masked_metadata, masked_tags, without_secrets
from recollect.model import Add, Candidate, Ignore, Kind, Memory, Provenance, Quarantine, Reason, Source
from recollect.text.lexical import document_terms
from recollect.text.patterns import anchored
from recollect.text.prompt_injection import is_instruction
from recollect_proxy.importers.common_format import StoredMemory
from recollect_proxy.importers.earlier_imports import version_id

LONGEST = 8_000
"""The most characters of a memory, as in the memory API."""

_LONGEST_READ = 10 * LONGEST
"""A longer text is refused unread: even without decorations it would be too long."""

_IMPORTANCE, _IMPORTANT = 0.5, 0.7
_IMPORTANT_TAGS = frozenset({"identity", "relationship", "goal"})


def screened(stored: StoredMemory, *, at: datetime) -> Add | Quarantine | Ignore:
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


def _memory(stored: StoredMemory, candidate: Candidate, at: datetime) -> Memory:
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
