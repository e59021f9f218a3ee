"""Counts what of the labelled statements a live model finds, and how rightly it relates them. Pure.

Never: asks a model.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from statistics import median
from typing import Any

from bench.figures import percentile
from bench.formation.cases import Case, Decision, Truth
from bench.formation.live import Asked, right_relations
from bench.formation.scoring import share
from recollect.formation.verification import AcceptedCandidate, Verdict
from recollect.model import Candidate, Relation
from recollect.text.normalization import normalize

_WANTED = frozenset({Decision.ADD, Decision.REINFORCE, Decision.REPLACE})
_OVERLAP = 0.5
_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class Match:
    """Something found that may be believed, and the labelled statement it is, if it is one.

    Attributes:
        case: Where it was found.
        candidate: What was found.
        truth: The label.
    """

    case: Case
    candidate: Candidate
    truth: Truth | None

    @property
    def wanted(self) -> bool:
        """Whether it is to be found."""
        return self.truth is not None and self.truth.decision in _WANTED


def score_asked(asked: Asked) -> dict[str, Any]:
    """Return precision and recall of what was found, how rightly it is related, and what the calls took."""
    matches = [match for case, verdicts in asked.found for match in matched(case, verdicts)]
    verdicts = [each for _, found in asked.found for each in found]
    wanted = [match for match in matches if match.wanted]
    unwanted = [match for match in matches if match.truth is not None and not match.wanted]
    labels = [(case.id, truth.item) for case, _ in asked.found for truth in case.truth if _is_label(truth)]
    first = _first_of_each(wanted)
    found = {(match.case.id, truth.item) for match, truth in first}
    return {
        "cases": len(asked.found),
        "precision": share(len(matches), (match.wanted for match in matches)),
        "precision_of_labelled": share(len(wanted) + len(unwanted), [True] * len(wanted)),
        "recall": share(len(labels), (each in found for each in labels)),
        "unlabelled": sum(match.truth is None for match in matches),
        "refused": dict(
            Counter(str(each.reason) for each in verdicts if not isinstance(each, AcceptedCandidate))
        ),
        "relations": share(len(first), (_relates(*each) for each in first)),
        "calls": {
            "answered": len(asked.tokens),
            "failed": dict(Counter(asked.failed)),
            "tokens": _spread(asked.tokens),
            "tokens_in_all": sum(asked.tokens),
            "seconds": _spread(asked.seconds),
        },
    }


def matched(case: Case, verdicts: Sequence[Verdict]) -> list[Match]:
    """Return what may be believed of a case, each with the label whose words it rests on.

    A label fits if at least half of its words' letters stand in one piece in the words the candidate rests on; the
    one that fits best is taken.
    """
    believed = [each.candidate for each in verdicts if isinstance(each, AcceptedCandidate)]
    return [Match(case, candidate, _label(case, candidate)) for candidate in believed]


def _is_label(truth: Truth) -> bool:
    return truth.item is not None and truth.decision in _WANTED


def _first_of_each(wanted: Iterable[Match]) -> list[tuple[Match, Truth]]:
    """Return the first that was found of each label."""
    labelled = [(match, match.truth) for match in wanted if match.truth is not None]
    found = {(match.case.id, truth.item): (match, truth) for match, truth in reversed(labelled)}
    return list(reversed(found.values()))


def _relates(match: Match, truth: Truth) -> bool:
    """Tell whether the model relates what it found rightly to what is stored."""
    candidate = match.candidate
    if truth.target is None:
        return candidate.relation is Relation.NEW
    right = right_relations(match.case, truth, truth.target)
    return candidate.relation in right and truth.target in candidate.about


def _label(case: Case, candidate: Candidate) -> Truth | None:
    fits = [
        (overlap(case.extracted[truth.item].evidence, candidate.evidence), truth)
        for truth in case.truth
        if truth.item is not None
    ]
    best, label = max(fits, key=lambda fit: fit[0], default=(0.0, None))
    return label if best >= _OVERLAP else None


def overlap(label: str, quote: str) -> float:
    """Return which share of ``label`` stands in one piece in ``quote``, but for case and spaces: 0 to 1."""
    wanted, given = normalize(label[:_CHARACTERS]), normalize(quote[:_CHARACTERS])
    longest = SequenceMatcher(None, wanted, given, autojunk=False).find_longest_match().size
    return longest / max(1, len(wanted))


def _spread(values: Sequence[float]) -> dict[str, float | None]:
    return {
        "median": median(values) if values else None,
        "p95": percentile(values, 95),
    }
