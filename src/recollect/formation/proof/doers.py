"""Whose deed the evidence tells of, where that is not the person's. Pure. Never: what becomes of the candidate."""

from recollect.formation.proof.passages import Passage
from recollect.formation.word_lists.people import OTHERS, SELF_AGAIN, SHARES, TOO, UNSPACED_OTHERS, people_in
from recollect.model import Candidate

_MARKS = ",.;:!?"


def is_anothers(candidate: Candidate, passage: Passage) -> bool:
    """Tell whether a quote says what another person does, and the content names nobody: so it would be the person's.

    Args:
        candidate: What is said, and what it rests on.
        passage: Where that stands.
    """
    clauses = passage.clauses
    other = OTHERS.search(clauses) or UNSPACED_OTHERS.search(clauses)
    if other is None or people_in(candidate.content):
        return False
    if "name" in other.re.groupindex and _is_named(other["name"], candidate):
        return False
    end = clauses.find(passage.quote) + len(passage.quote)
    if SHARES.match(clauses, other.end()) or SELF_AGAIN.search(clauses, other.end(), end):
        return False
    return other.end() < end and not TOO.match(clauses, end)


def _is_named(name: str | None, candidate: Candidate) -> bool:
    """Tell whether what stands behind the other is their name, and the content has it."""
    if not name:
        return False
    begin, _, rest = candidate.content.partition(" ")
    named = {word.casefold().strip(_MARKS) for word in rest.split() if word[0].isupper()}
    if begin.casefold().strip(_MARKS) == name:
        _, _, quoted = candidate.evidence.partition(" ")
        named |= {word.casefold().strip(_MARKS) for word in quoted.split() if word[0].isupper()}
    return name in named
