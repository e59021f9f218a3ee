"""Turns memories of OpenWebUI into ours, and says which of them may not be kept as they are. Pure. Never: a store.

They are treated as formation treats what people say: secrets are masked, and planted orders wait for the person. The texts are statements about a person, not quotes of them, and are judged as such.
"""

from datetime import datetime

from recollect.formation.verification import without_secrets
from recollect.model import Add, Candidate, Ignore, Kind, Memory, Provenance, Quarantine, Reason, Source
from recollect.text.lexical import document_terms
from recollect.text.prompt_injection import is_instruction
from recollect_proxy.importers.decorations import undecorated
from recollect_proxy.importers.rows import StoredMemory
from recollect_proxy.importers.versions import version_id

LONGEST = 8_000
"""Characters of a memory, as the memory API has it."""

_LONGEST_READ = 10 * LONGEST
"""Of a longer text nothing is read: it would not be kept with the decorations gone, either."""

_IMPORTANCE, _IMPORTANT = 0.5, 0.7
_IMPORTANT_TAGS = frozenset({"identity", "relationship", "goal"})


def screened(stored: StoredMemory, *, at: datetime) -> Add | Quarantine | Ignore:
    """Return what is to be done with a memory of OpenWebUI's.

    Args:
        stored: The memory.
        at: Now.

    Returns:
        An addition; a quarantine where it is an order to the assistant; or why it is not kept: EMPTY, TOO_LONG,
        CONFIDENTIAL where nothing but a secret is in it.
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
    # What a person wrote by hand they stand behind, and no cap takes it.
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
    )


def _with_path(text: str, path: str) -> str:
    """Return a text with where it is filed, as OpenWebUI tells it, unless the text says as much itself."""
    name = path.rpartition("/")[2]
    if not name or set(document_terms(name)) <= set(document_terms(text)):
        return text
    return f"{path}: {text}"
