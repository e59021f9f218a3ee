"""What is known of each candidate, as parallel arrays. Pure. Never: what a signal counts."""

import numpy as np

from recollect.lexical import coverage
from recollect.model import Memory, Role
from recollect.retrieval.candidates import Candidates
from recollect.retrieval.dates import proximity
from recollect.retrieval.fusion import Signals, Weights
from recollect.retrieval.query import Query


def read_signals(query: Query, candidates: Candidates, weights: Weights) -> Signals:
    hits = candidates.hits
    scores = [candidates.terms.of(hit.document) for hit in hits]
    total = candidates.terms.idf_total
    sessions: dict[object, int] = {}
    number = [
        sessions.setdefault(
            hit.item.provenance.session_id if isinstance(hit.item, Memory) else hit.item.session_id, len(sessions)
        )
        for hit in hits
    ]
    nan = float("nan")
    return Signals(
        cosine=np.array([nan if hit.cosine is None else hit.cosine for hit in hits]),
        first_cosine=np.array(
            [nan if hit.cosine is None else (hit.cosine if hit.first_cosine is None else hit.first_cosine) for hit in hits]
        ),
        coverage=np.array([coverage(each.bm25, total) for each in scores]),
        identifiers=np.array([float(any(i in hit.item.content.casefold() for i in query.identifiers)) for hit in hits]),
        role=np.array([float(isinstance(hit.item, Memory) or hit.item.role is Role.USER) for hit in hits]),
        date=np.array([proximity(hit.item.dated, query.periods) for hit in hits]),
        session=np.array(number, dtype=np.int64),
    )
