"""A learned correction of the fused score: small regression trees, summed, each decision accounted for. Pure.

LambdaMART (Burges, "From RankNet to LambdaRank to LambdaMART", 2010) on top of the linear score, so
that without it the ranking still stands. What a tree adds is shared out among the signals along the
path taken (Saabas, 2014): with each decision the mean of what may still follow changes, and the change
belongs to the signal that decided. Text, names and ids are no signals.

Never: a store, a model's library, training.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

import numpy as np

from recollect.retrieval.candidate_signals import Floats, Places, Pooled, Signals, cosines

_FLAT = 1e-4
"""The standard deviation below which candidates are all alike."""


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """Trees in one run of nodes; a node comes before its children.

    Attributes:
        features: The names of the features, in the order in which ``feature`` counts them.
        parts: The part of the score to which each feature's decisions belong.
        roots: Where each tree begins.
        feature: Which feature a node looks at; -1 in a leaf.
        threshold: Up to which value it goes on at ``left``, else at ``right``; a leaf goes on at itself.
        left: See there.
        right: See there.
        value: The mean of what may follow; in a leaf, what is added. In units of the fused score.
        depth: Of the deepest tree, in decisions.
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


def correction(signals: Signals, alone: Floats, fused: Floats, pooled: Pooled) -> dict[str, Floats]:
    """Return what is to be added to ``fused``, by part, (n,) each; n above 0.

    Args:
        signals: What is known.
        alone: Each candidate's score without its session.
        fused: The same with it.
        pooled: Of ``alone``, what the sessions hold.
    """
    features = derive(signals, alone, fused, pooled)
    return contributions(shipped(), np.stack([features[name] for name in shipped().features], axis=1))


def contributions(forest: Forest, table: Floats) -> dict[str, Floats]:
    """Return what the trees add for ``table``, (n, features), shared out among the parts, (n,) each."""
    rows = np.arange(len(table))[:, None] * table.shape[1]
    values = np.ascontiguousarray(table).ravel()
    children = np.concatenate([forest.left, forest.right])
    looked_at = np.maximum(forest.feature, 0)
    node = np.broadcast_to(forest.roots, (len(table), len(forest.roots)))
    for _ in range(forest.depth):
        goes_right = values.take(rows + looked_at.take(node)) > forest.threshold.take(node)
        node = children.take(node + len(forest.left) * goes_right)
    names, credit = credits_of(forest)
    shares = credit.take(node, axis=0).sum(axis=1)
    return dict(zip(names, shares.T, strict=True))


@lru_cache(4)
def credits_of(forest: Forest) -> tuple[tuple[str, ...], Floats]:
    """Return the parts, and what each gave by the time a node is reached, (nodes, parts)."""
    names = tuple(dict.fromkeys(forest.parts))
    credit = np.zeros((len(forest.feature), len(names)))
    # A node comes before its children.
    for node, feature in enumerate(forest.feature.tolist()):
        if feature < 0:
            continue
        part = names.index(forest.parts[feature])
        for child in (forest.left[node], forest.right[node]):
            credit[child] = credit[node]
            credit[child, part] += forest.value[child] - forest.value[node]
    return names, credit


def derive(signals: Signals, alone: Floats, fused: Floats, pooled: Pooled) -> dict[str, Floats]:
    """Return the features by name, (n,) each: the signals, and how each stands among the candidates."""
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
def shipped() -> Forest:
    """Return the trees that come with the package."""
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
    """Return the values at ``places``, 0 where a place is -1."""
    if places is None:
        return np.zeros(len(values))
    return np.where(places >= 0, values[places], 0.0)


def _standardized(values: Floats) -> Floats:
    standardized: Floats = (values - values.mean()) / max(float(values.std()), _FLAT)
    return standardized
