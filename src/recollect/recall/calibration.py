"""Measures the cosine that unrelated texts have with an embedder: of an unrelated question and the user's nearest text.

The median over many such questions suits as the gate. It depends on the embedder, and little on the users.
"""

import random
import time
from functools import cache
from importlib.resources import files
from statistics import median

import numpy as np

from recollect.backends import Backends
from recollect.index import Passages, Snapshot
from recollect.recall.candidates import near_statements, nearness, on_scale
from recollect.recall.question import Named
from recollect.recall.ranking import Reach

_SEED = 2026
_USERS = 5
_FEWEST = 20
"""The median of fewer cosines means nothing."""

_PATIENCE_SECONDS = 300.0
"""The time limit of the questions: a slow embedder is asked a sample of them."""


@cache
def unrelated_questions() -> tuple[tuple[str, str], ...]:
    """Return 500 questions that are about no user, in a fixed random order, each with its category.

    The categories are ``coding``, ``knowledge``, ``chat``, and ``foreign`` for any of these in another language than English.
    """
    lines = (
        files("recollect.recall").joinpath("trained/unrelated_questions.txt").read_text("utf-8").splitlines()
    )
    random.Random(_SEED).shuffle(lines)  # noqa: S311 -- the order must be the same in every run; nothing is secret
    pairs = (line.partition("\t") for line in lines)
    return tuple((category, text) for category, _, text in pairs)


async def measured_gate(backends: Backends, reach: Reach) -> float | None:
    """Return the gate that suits the embedder, from the users who have most to be found; None if they have too little.

    Raises:
        RecollectError: The store or the embedder failed.
    """
    users = await backends.store.index.largest_users(_USERS)
    cosines: list[float] = []
    until = time.monotonic() + _PATIENCE_SECONDS
    for number, (_, text) in enumerate(unrelated_questions() if users else ()):
        if time.monotonic() > until:
            break
        statement, passage = [
            Named(each.name, await each.embed_question(text), each.gate)
            for each in (backends.embedder, backends.log_embedder)
        ]
        # Asked of the users by turns, so that none of them alone decides.
        snapshot = await backends.store.snapshots.get(users[number % len(users)])
        nearest = _nearest_cosine(snapshot, statement, passage, reach)
        if nearest is not None:
            cosines.append(nearest)
    return round(median(cosines), 3) if len(cosines) >= _FEWEST else None


def _nearest_cosine(snapshot: Snapshot, statement: Named, passage: Named, reach: Reach) -> float | None:
    """Return the largest cosine of a question, by both its vectors, and what ``reach`` lets recall find; None if nothing is embedded."""
    memories = snapshot.memories
    passages = snapshot.passages if reach.log and snapshot.passages is not None else Passages()
    is_seen = memories.is_seen
    if reach.log and not reach.verbatim:
        is_seen = is_seen & ~memories.is_verbatim
    found = (
        on_scale(near_statements(memories, statement), statement.gate, passage.gate).first[is_seen],
        nearness(passages.vectors, (passage,), passage.gate).best[passages.is_current],
    )
    cosines = np.concatenate(found)
    known = cosines[~np.isnan(cosines)]
    return float(known.max()) if len(known) else None
