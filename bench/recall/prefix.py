"""How much of a request an upstream's prefix cache can use again for the next. Pure. Never: who sends them."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

import msgspec
import numpy as np

from bench.figures import percentile


class _Body(msgspec.Struct):
    messages: msgspec.Raw


@dataclass(frozen=True, slots=True)
class Reuse:
    """The common beginning of two successive requests of a chat.

    Attributes:
        messages: Share of the first's messages, from the first to the end of the last, that the
            second's begin with. A cache of the prompt sees these.
        body: Share of the first's whole body that the second's begins with.
        length: Bytes of the first's messages.
    """

    messages: float
    body: float
    length: int


def reuse(before: bytes, after: bytes) -> Reuse:
    """Compare the bodies of two requests of a chat, as an upstream got them."""
    said, said_after = _messages(before), _messages(after)
    return Reuse(
        messages=common_prefix(said, said_after) / len(said),
        body=common_prefix(before, after) / len(before),
        length=len(said),
    )


def common_prefix(one: bytes, other: bytes) -> int:
    """Return how many bytes two texts begin alike with."""
    length = min(len(one), len(other))
    differing = np.frombuffer(one, np.uint8, length) != np.frombuffer(other, np.uint8, length)
    return int(differing.argmax()) if differing.any() else length


def summarize_reuse(pairs: Sequence[Reuse]) -> dict[str, Any]:
    """Return mean, 5th percentile and median of the shares; null where there was nothing to compare.

    ``bytes_reused`` is the share of all bytes of messages, so that long requests count for more.
    """
    length = sum(each.length for each in pairs)
    return {
        "pairs": len(pairs),
        "messages": _spread([each.messages for each in pairs]),
        "body": _spread([each.body for each in pairs]),
        "bytes_reused": sum(each.messages * each.length for each in pairs) / length if length else None,
    }


def _messages(body: bytes) -> bytes:
    """Return the messages from the array's opening to the end of the last one."""
    return bytes(msgspec.json.decode(body, type=_Body).messages).rstrip().removesuffix(b"]").rstrip()


def _spread(shares: Sequence[float]) -> dict[str, float | None]:
    return {
        "mean": fmean(shares) if shares else None,
        "p5": percentile(shares, 5),
        "median": median(shares) if shares else None,
    }
