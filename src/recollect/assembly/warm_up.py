"""Reads and composes a made-up turn, so that the first chat does not wait until expressions are compiled. Pure.

Never: a model, a store.
"""

from datetime import UTC, datetime
from uuid import UUID

from recollect.composition.excerpts import excerpt, focus_of
from recollect.composition.fences import quoted
from recollect.formation.memory_commands import read_commands
from recollect.model import Kind, Memory, Recollection, Scope, Source, Turn
from recollect.recall import PromptTexts, SelectionContext, SelectionLimits, select
from recollect.recall.query import read_query
from recollect.text.attribution.thoughts import without_thoughts
from recollect.text.cues.memory_requests import read_memory_request
from recollect.text.tokens import estimate_tokens

_ASKED = "Where did I live in May 2024, when my sister Anna moved to the river? I don't remember the address."
_AT = datetime(2026, 1, 1, tzinfo=UTC)


def warm_up() -> None:
    """Read a turn, select a memory and compose a block; this takes some tenths of a second of processor time."""
    read_query(Turn(Scope("", ""), _ASKED, "", _AT, ""))
    for text in (_ASKED, "Forget number 2."):
        read_memory_request(text)
        read_commands(text)
    without_thoughts("<think>It is by the river.</think> You lived by the river.")
    memory = Memory(UUID(int=0), "", Kind.FACT, Source.EXTRACTED, _ASKED, 0.5, _AT, _AT)
    around = SelectionContext("", user_wide=False, prompt=PromptTexts([_ASKED]))
    select([Recollection(memory, 0.5)], around, SelectionLimits(), relevant=True)
    quoted(excerpt(_ASKED, limit=10, count=estimate_tokens, focus=focus_of(_ASKED)))
