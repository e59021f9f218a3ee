"""Judges a statement that an agent wants kept of a person, by the rules for what a model extracts. Pure.

An agent writes in its own words what a person told it, or what it read on a page. So the statement itself stands for the
person's words: nothing else is known of them. Never: keeps anything.
"""

import re
from dataclasses import replace

from recollect.formation.grounding import plain_quote, weight
from recollect.formation.verification import (
    LEAST_EVIDENCE,
    AcceptedCandidate,
    HeldCandidate,
    RefusedCandidate,
    Verdict,
    verify,
)
from recollect.model import Candidate, Ignore, Kind, Reason
from recollect.text.attribution import Attribution
from recollect.text.patterns import linear
from recollect.text.prompt_injection import WISHES, contains_takeover
from recollect.text.secrets import mask

_SUBJECT = linear(r"(?i)(^|[.!?;]\s+|\n)(?:the\s+)?user(?:['\u2019]s)?\s+(\w+)")
"""How agents name the person at the beginning of a sentence, and the word behind it."""


def judge_dictated(content: str, *, kind: Kind, importance: float, allowance: int | None) -> Verdict:
    """Return whether a statement may be kept: accepted, held for the person's approval, or ignored, and why.

    Secrets in it are masked. How little it matters does not count: it was asked for.

    Args:
        content: The statement.
        kind: What sort of statement it is.
        importance: 0 to 1.
        allowance: How many more memories the person may get now; None: any number.
    """
    evidence = _SUBJECT.sub(lambda found: f"{found[1]}{found[2]}", content).strip()
    if 0 < weight(plain_quote(evidence)) < LEAST_EVIDENCE:
        return Ignore(Reason.NO_EVIDENCE, Candidate(content, kind, importance, evidence))
    candidate = Candidate(_SUBJECT.sub(_without_person, content).strip(), kind, importance, evidence)
    [verdict] = verify(
        [candidate],
        [Attribution(evidence, ())],
        minimum_importance=0.0,
        asked=frozenset({0}),
        allowance=allowance,
    )
    if isinstance(verdict, Ignore | RefusedCandidate):
        return verdict
    as_written = replace(verdict.candidate, content=mask(content).text)
    if isinstance(verdict, AcceptedCandidate) and contains_takeover(content):
        return HeldCandidate(as_written, verdict.turn, Reason.INSTRUCTION)
    return replace(verdict, candidate=as_written)


def _without_person(found: re.Match[str]) -> str:
    """Return a sentence's beginning without the person, unless it tells what is to be done for them."""
    return found[0] if found[2].lower() in WISHES else f"{found[1]}{found[2]}"
