"""Makes figures of rounds. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from bench.figures import percentiles

Round: TypeAlias = Mapping[str, Mapping[str, Any]]


class Spread(NamedTuple):
    """The median of the rounds' figures, and their quartiles."""

    median: float
    low: float
    high: float


Figures: TypeAlias = dict[str, dict[str, Spread]]


def over_rounds(values: Iterable[float | None]) -> Spread | None:
    """Return the median and the quartiles of the rounds' figures; None if no round has one."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    low, middle, high = percentiles(known, 25, 50, 75).values()
    return Spread(middle, low, high)


def summarize(rounds: Sequence[Round]) -> Figures:
    """Return the figures of each system: the medians of its rounds', and their quartiles.

    Differences and ratios are taken within a round first, as machines drift between minutes.
    """
    names = list(dict.fromkeys(name for each in rounds for name in each))
    figures: Figures = {}
    for name in names:
        found = [figures_of(each[name], each) for each in rounds if name in each]
        keys = dict.fromkeys(key for figure in found for key in figure)
        spreads = {key: over_rounds(figure.get(key) for figure in found) for key in keys}
        figures[name] = {key: spread for key, spread in spreads.items() if spread is not None}
    return figures


def figures_of(seen: Mapping[str, Any], beside: Round) -> dict[str, float]:
    """Return one system's figures of one round; ``beside`` has the other systems of the round."""
    found: dict[str, float] = {}
    for size, pairs in seen["first_byte"].items():
        exceeding = [own - direct for own, direct in zip(pairs["own_ms"], pairs["direct_ms"], strict=True)]
        _put(found, f"first_byte.{size}", percentiles(pairs["own_ms"], 50, 95, 99))
        _put(found, f"added.{size}", percentiles(exceeding, 50, 95, 99))
    small, large = (found.get(f"added.{size}.p50") for size in ("2 KB", "200 KB"))
    if small is not None and large is not None:
        found["added.larger.p50"] = large - small
    for load in ("closed_loop", "burst"):
        _put(found, load, seen[load]["latency_ms"])
    found["rate"] = seen["closed_loop"]["rate"]
    for percent, loop in seen["open_loop"].items():
        _put(found, f"open_loop.{percent}", loop["latency_ms"])
    _streams(found, seen["streams"], beside)
    litellm = beside.get("litellm")
    if litellm and litellm["closed_loop"]["rate"]:
        found["rate.times_litellm"] = found["rate"] / litellm["closed_loop"]["rate"]
    found["failed"] = float(failures(seen))
    return found


def failures(seen: Mapping[str, Any]) -> int:
    """Return how many requests were not answered."""
    loads = [seen["closed_loop"], seen["burst"], *seen["open_loop"].values()]
    return sum(load["failed"] for load in loads)


def _streams(found: dict[str, float], seen: Mapping[str, Any], beside: Round) -> None:
    _put(found, "streams", seen["delay_ms"])
    for name in ("cpu_share", "cpu_seconds_per_1000_tokens", "load_cpu_share", "complete"):
        if seen[name] is not None:
            found[f"streams.{name}"] = seen[name]
    found["streams.delivered"] = seen["events"] / seen["events_due"]
    if direct := beside.get("direct"):
        base = direct["streams"]["delay_ms"]
        for name, value in seen["delay_ms"].items():
            found[f"streams.added.{name}"] = value - base[name]


def _put(found: dict[str, float], name: str, values: Mapping[str, float]) -> None:
    found.update({f"{name}.{key}": value for key, value in values.items()})
