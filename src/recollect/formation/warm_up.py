"""Runs formation's rules once on a made-up message, so that their expressions are compiled before the first exchange."""

from datetime import UTC, datetime
from uuid import UUID

from recollect.formation.turns import analyze_turn
from recollect.formation.verification import verify
from recollect.model import Candidate, Exchange, Kind, Scope, Turn
from recollect.text.prompt_injection import is_injected
from recollect.text.secrets import warm

_SAID = "I live in Kassel with my sister Anna, and I like tea. Where can I buy some?"
_NOBODY = UUID(int=0)


def warm_up() -> None:
    """Verify a made-up message and look for injected instructions once; it takes about a second of processor time."""
    turn = Turn(Scope("", ""), _SAID, "", datetime(2026, 1, 1, tzinfo=UTC), "")
    said = analyze_turn(Exchange(_NOBODY, turn, "In town.", _NOBODY, _NOBODY))
    quote = _SAID.partition(",")[0]
    verify([Candidate("Lives in Kassel", Kind.FACT, 0.5, quote)], [said.attribution], minimum_importance=0.0)
    is_injected(_SAID, _SAID, _SAID)
    warm()
