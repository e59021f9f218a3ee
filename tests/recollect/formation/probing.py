"""What becomes of one candidate, given what was said: shared by the probes of formation."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeAlias
from uuid import uuid4

from recollect.formation.verification import Verdict, verify
from recollect.model import Candidate, Exchange, Kind, Message, Role, Scope, Turn
from recollect.text.attribution import attribute

Probe: TypeAlias = tuple[str, ...]
"""What stood in the prompt or was said by the assistant before (where it matters), what the person says, the content, its evidence."""

SAID_AT = datetime(2026, 5, 10, 18, tzinfo=UTC)


def probes(lines: str) -> list[Probe]:
    """Return a probe of each line, its parts between bars."""
    return [tuple(part.strip() for part in line.split(" | ")) for line in lines.strip().splitlines()]


def judged(
    said: str,
    content: str,
    evidence: str,
    *,
    injected: str = "",
    assistant: str = "",
    reply: str = "All right.",
) -> Verdict:
    """Return the verdict on a candidate."""
    history = (Message(Role.ASSISTANT, assistant),) if assistant else ()
    turn = Turn(Scope("anna", "chat"), said, "key", SAID_AT, "model", history=history)
    reading = attribute(Exchange(uuid4(), turn, reply, uuid4(), uuid4()))
    candidate = Candidate(content, Kind.FACT, 0.7, evidence)
    if injected:
        reading = replace(reading, injected=(injected,))
    [verdict] = verify([candidate], [reading], minimum_importance=0.3)
    return verdict
