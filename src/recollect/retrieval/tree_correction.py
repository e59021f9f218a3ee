"""A learned correction of the fused score: a sum of small regression trees, attributed to the signals. Pure.

LambdaMART (Burges, "From RankNet to LambdaRank to LambdaMART", 2010) on top of the linear score, which also ranks without it.
A tree's output is attributed to signals along the decision path (Saabas, 2014): each decision changes the mean of the reachable
leaves, and the change belongs to the signal that decided. Text, names and ids are no signals.

Never: a store, a model's library, training.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from recollect.retrieval.relevance import Floats
from recollect.retrieval.signals import Places, SessionScores, Signals, cosines

_FLAT = 1e-4
"""The least standard deviation used for standardizing; it avoids division by zero."""


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """Regression trees as arrays over all nodes; a node comes before its children.

    Attributes:
        features: The names of the features, in the order of the numbers in ``feature``.
        parts: The part of the score to which each feature's decisions are attributed.
        roots: The root node of each tree, (trees,).
        feature: The number of the feature that a node tests, (nodes,); -1 in a leaf.
        threshold: The largest value that goes to the left child, (nodes,).
        left: The left child, (nodes,); a leaf is its own child.
        right: The right child, (nodes,); likewise.
        value: The mean output below a node, (nodes,); in a leaf, the output. In units of the fused score.
        depth: The most decisions on any path.
    """

    features: tuple[str, ...]
    parts: tuple[str, ...]
    roots: Places
    feature: Places
    threshold: Floats
    left: Places
    right: Places
    value: Floats
    depth: int


@dataclass(frozen=True, slots=True)
class TreeCorrection:
    """The corrections that the trees add to the candidates' scores.

    Attributes:
        total: The correction of each candidate, (n,).
        table: The candidates' features, (n, features).
    """

    total: Floats
    table: Floats

    def parts(self, rows: Sequence[int]) -> dict[str, Floats]:
        """Return the corrections of the candidates at the indices ``rows`` by part of the score, (rows,) each."""
        return contributions(shipped_correction(), self.table[list(rows)])


def correction(signals: Signals, alone: Floats, fused: Floats, pooled: SessionScores) -> TreeCorrection:
    """Return the correction to add to ``fused``, for at least one candidate.

    Args:
        signals: The signals of the n candidates.
        alone: The score of each candidate without its session, (n,).
        fused: The score with its session, (n,).
        pooled: The scores of the sessions, pooled from ``alone``.
    """
    features = derive(signals, alone, fused, pooled)
    table = np.stack([features[name] for name in shipped_correction().features], axis=1)
    return TreeCorrection(added(shipped_correction(), table), table)


def added(forest: Forest, table: Floats) -> Floats:
    """Return the sum of the trees' outputs, (n,), for the features ``table``, (n, features)."""
    # One row per tree, so that the decisions of one level access memory sequentially.
    node = np.repeat(forest.roots[:, None], len(table), axis=1)
    columns = np.ascontiguousarray(table.T)
    candidate = np.arange(len(table))
    for _ in range(forest.depth):
        goes_left = columns[forest.feature.take(node), candidate] <= forest.threshold.take(node)
        node = np.where(goes_left, forest.left.take(node), forest.right.take(node))
    total: Floats = (forest.value.take(node) - forest.value.take(forest.roots)[:, None]).sum(axis=0)
    return total


def contributions(forest: Forest, table: Floats) -> dict[str, Floats]:
    """Return the correction for ``table``, (n, features), by the part of the score it is attributed to, (n,) each."""
    rows = np.arange(len(table))[:, None]
    node = np.broadcast_to(forest.roots, (len(table), len(forest.roots)))
    width = len(forest.features)
    shares = np.zeros(len(table) * width)
    for _ in range(forest.depth):
        looked_at = forest.feature[node]
        goes_left = table[rows, looked_at] <= forest.threshold[node]
        reached = np.where(goes_left, forest.left[node], forest.right[node])
        gained = forest.value[reached] - forest.value[node]
        places = rows * width + np.maximum(looked_at, 0)
        shares += np.bincount(places.ravel(), gained.ravel(), minlength=len(shares))
        node = reached
    by_feature = shares.reshape(len(table), width)
    return {
        part: by_feature[:, [n for n, each in enumerate(forest.parts) if each == part]].sum(axis=1)
        for part in dict.fromkeys(forest.parts)
    }


def derive(signals: Signals, alone: Floats, fused: Floats, pooled: SessionScores) -> dict[str, Floats]:
    """Return the features by name, (n,) each: signals, and their values relative to the other candidates."""
    best, first = cosines(signals)
    everywhere = np.ones(signals.size)
    previous, following = _at(alone, signals.previous), _at(alone, signals.following)
    compared = {
        "fused": fused,
        "best_cosine": best,
        "cosine": first,
        "context": signals.known("coverage"),
        "own": signals.known("own_coverage"),
    }
    features = dict(compared)
    features |= {f"{name}_gap": values - values.max() for name, values in compared.items()}
    features |= {f"{name}_z": _standardized(values) for name, values in compared.items()}
    return features | {
        "context_matched": signals.known("matched"),
        "own_matched": signals.known("own_matched"),
        "session": pooled.mean,
        "session_gap": pooled.mean - pooled.mean.max(),
        "session_best": pooled.best,
        "session_size": pooled.size,
        "previous": previous,
        "following": following,
        "nearer_neighbour": np.maximum(previous, following),
        "self_share": signals.known("self_share"),
        "preference": signals.known("states_taste"),
        "ends_asking": signals.known("ends_asking"),
        "lists": signals.known("lists"),
        "named": signals.known("speaker"),
        "date": signals.known("date"),
        "user": signals.known("role"),
        "words": signals.known("words"),
        "seeks_advice": everywhere * signals.seeks_advice,
        "terms": everywhere * signals.terms,
        "mean_idf": everywhere * signals.idf_total / max(1, signals.terms),
        "best_context": everywhere * compared["context"].max(),
    }


@cache
def shipped_correction() -> Forest:
    """Return the trees shipped with the package."""
    text = files("recollect.retrieval").joinpath("fusion_model.json").read_text("utf-8")
    held = json.loads(text)
    whole: Callable[[str], Places] = lambda name: np.array(held[name], np.int64)  # noqa: E731 - one line thrice
    real: Callable[[str], Floats] = lambda name: np.array(held[name], np.float64)  # noqa: E731 - the same
    return Forest(
        features=tuple(held["features"]),
        parts=tuple(held["parts"]),
        roots=whole("roots"),
        feature=whole("feature"),
        threshold=real("threshold"),
        left=whole("left"),
        right=whole("right"),
        value=real("value"),
        depth=held["depth"],
    )


def _at(values: Floats, places: Places | None) -> Floats:
    """Return the values at the indices ``places``, (n,); 0 for an index of -1, or without ``places``."""
    if places is None:
        return np.zeros(len(values))
    return np.where(places >= 0, values[places], 0.0)


def _standardized(values: Floats) -> Floats:
    standardized: Floats = (values - values.mean()) / max(float(values.std()), _FLAT)
    return standardized
