"""What a person asks to be remembered, and nobody made a statement of. Pure. Never: a model."""

from collections.abc import Sequence

from recollect.formation.requests import statement_of
from recollect.formation.said import Said
from recollect.formation.verification import Believed, Held, Verdict
from recollect.lexical import document_terms
from recollect.model import Asking, Candidate, Kind

_IMPORTANCE = 0.8
_EVIDENCE_LENGTH = 1_000


def unserved(said: Sequence[Said], verdicts: Sequence[Verdict]) -> list[Candidate]:
    """Return a candidate for each wish to remember something that nothing believed or held is about.

    Args:
        said: What was said.
        verdicts: What became of what a model found in it.
    """
    served: dict[int, set[str]] = {}
    for verdict in verdicts:
        if isinstance(verdict, Believed | Held):
            words = f"{verdict.candidate.evidence}\n{verdict.candidate.content}"
            served.setdefault(verdict.turn, set()).update(document_terms(words))
    wished = []
    for number, each in enumerate(said):
        for request in each.requests:
            terms = set(document_terms(request.about))
            if request.asking is Asking.REMEMBER and terms and not terms & served.get(number, set()):
                evidence = request.about[:_EVIDENCE_LENGTH]
                wished.append(Candidate(statement_of(request), Kind.FACT, _IMPORTANCE, evidence))
    return wished
